# SPDX-License-Identifier: BSD-2-Clause
"""Render the C header of the record layouts, `cl_wire.h`, and the host's module of codes, `codes.py`, from `wire.toml`.

For each record the header defines its type code, and the size and offsets of its fields. It also defines a structure
with the layout of the wire (on a little-endian machine, without padding), and two functions that copy the structure
from and to the wire's bytes, at any alignment.

``python -m gateware.codegen.wire`` writes `codes.py` next to `wire.toml`; with ``--check`` it fails if that module is
stale. It imports nothing that itself imports `codes.py`.
"""

import argparse
import re
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

from . import require_checkout

WIRE_LAYOUT = Path(__file__).resolve().parents[2] / "host" / "cipherlane_base" / "wire" / "wire.toml"
CODES = WIRE_LAYOUT.with_name("codes.py")
_INTEGER_BYTES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
_LINE = 96

_PROLOGUE = """\
/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from wire.toml by gateware/codegen/wire.py: do not edit. */
#ifndef CL_WIRE_H
#define CL_WIRE_H

#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "structures are laid out as on the wire, which is little-endian"
#endif
"""

_LOADS_AND_STORES = """\
static inline uint16_t cl_load_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t cl_load_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cl_load_u64(const uint8_t *p)
{
	return cl_load_u32(p) | (uint64_t)cl_load_u32(p + 4) << 32;
}

static inline void cl_store_u16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void cl_store_u32(uint8_t *p, uint32_t value)
{
	cl_store_u16(p, (uint16_t)value);
	cl_store_u16(p + 2, (uint16_t)(value >> 16));
}

static inline void cl_store_u64(uint8_t *p, uint64_t value)
{
	cl_store_u32(p, (uint32_t)value);
	cl_store_u32(p + 4, (uint32_t)(value >> 32));
}
"""

_EPILOGUE = "#endif\n"

_CODES_PROLOGUE = '''\
# SPDX-License-Identifier: BSD-2-Clause
"""Codes of records: generated from wire.toml by `python -m gateware.codegen.wire`; do not edit."""

from enum import IntEnum, IntFlag
from typing import NamedTuple
'''

_TRAITS = '''
class Traits(NamedTuple):
    """Properties of an engine that the host tool uses; `wire.toml` defines them."""

    rank: int
    software: bool
    serves: bool
    cipher: str
    sim_bytes: int
    demo: bool
    title: str
'''
TRAITS = re.findall(r"^    (\w+): ", _TRAITS, re.MULTILINE)

_PROPERTY = '''\
    @property
    def traits(self) -> Traits:
        """The properties of this engine."""
        return _TRAITS[self]

'''


class WireDefinitionError(ValueError):
    """A layout in `wire.toml` cannot be converted to C or Python. The message names the item to correct."""


def render(path_to_wire_toml: str | Path) -> str:
    """Return the text of `cl_wire.h`.

    Raises
    ------
    WireDefinitionError
        A field's type is unknown, a name is not an identifier, or a code is given twice.
    OSError
        The definition cannot be read.
    """
    wire = tomllib.loads(Path(path_to_wire_toml).read_text(encoding="utf-8"))
    records = wire["record"]
    parts = [
        _PROLOGUE,
        _define("CL_WIRE_VERSION", f"{wire['version']}u", "Version of this layout."),
        _define("CL_WIRE_UDP_PORT", f"{wire['udp_port']}u", "UDP port of the record service."),
        "/* Record types; the reply to type T has type T + CL_WIRE_REPLY. */",
        "#define CL_WIRE_REPLY 0x80u\n",
        _codes("CL_WIRE_TYPE", [*records, {"name": "error", **wire["error"]}], "0x{:02x}u"),
        "/* Codes of an error reply. */\n",
        _codes("CL_WIRE_ERROR", wire["error_code"], "{}u"),
        "/* What answers: a board, its simulation, or a program on the host. */\n",
        _codes("CL_WIRE_KIND", wire["kind"], "{}u"),
        "/* Flags of open. */\n",
        _codes("CL_WIRE_FLAG", wire["flag"], "{}u"),
        "/* Modes. */\n",
        _codes("CL_WIRE_MODE", wire["mode"], "{}u"),
        "/* Cipher suites of MACsec. */\n",
        _codes("CL_WIRE_SUITE", wire["suite"], "{}u"),
        "/* State of a code memory. */\n",
        _codes("CL_WIRE_IMAGE_STATE", wire["image_state"], "{}u"),
        "/* Why a board with a loader was reset. */\n",
        _codes("CL_WIRE_CAUSE", wire["cause"], "{}u"),
        "/* Engines. */\n",
        _codes("CL_WIRE_ENGINE", wire["engine"], "{}u"),
        _LOADS_AND_STORES,
        _layout("header", wire["header"]["doc"], wire["header"]["fields"]),
        _layout("image", wire["image"]["doc"], wire["image"]["fields"]),
    ]
    for record in records:
        for part in ("request", "reply"):
            fields = record[part]
            if fields and fields != "data":
                doc = f"The {part} of record type {record['name']}, after the header."
                parts.append(_layout(f"{record['name']}_{part}", doc, fields))
    parts += [_layout("error_reply", wire["error"]["doc"], wire["error"]["fields"]), _EPILOGUE]
    return "\n".join(parts)


def render_codes(path_to_wire_toml: str | Path) -> str:
    """Return the text of `codes.py`: one enumeration for each list of codes, and the properties of each engine.

    Raises
    ------
    WireDefinitionError
        A name is not an identifier, a code or rank is given twice, or an engine lacks one of its traits.
    OSError
        The definition cannot be read.
    """
    wire = tomllib.loads(Path(path_to_wire_toml).read_text(encoding="utf-8"))
    engines = wire["engine"]
    if sorted(engine["rank"] for engine in engines) != list(range(1, len(engines) + 1)):
        raise WireDefinitionError("engine: ranks are not 1, 2, 3 ...; give each engine a place of its own")
    lines = [_CODES_PROLOGUE, f"VERSION = {wire['version']}", f"UDP_PORT = {wire['udp_port']}", ""]
    lines += _enumeration("RecordType", "IntEnum", "Types of requests.", wire["record"])
    lines += _enumeration("ErrorCode", "IntEnum", "Codes of an error reply.", wire["error_code"])
    lines += _enumeration(
        "Kind", "IntEnum", "What answers: a board, its simulation, or a program on the host.", wire["kind"]
    )
    lines += _enumeration("OpenFlag", "IntFlag", "Flags of the record `open`.", wire["flag"])
    lines += _enumeration("Mode", "IntEnum", "Modes of operation.", wire["mode"])
    lines += _enumeration("Suite", "IntEnum", "Cipher suites of MACsec.", wire["suite"])
    lines += _enumeration("ImageState", "IntEnum", "State of a code memory.", wire["image_state"])
    lines += _enumeration("Cause", "IntEnum", "Why a board with a loader was reset.", wire["cause"])
    lines.append(_TRAITS)
    doc = "Codes of the engines in records; the page about records describes each engine."
    lines += [*_enumeration("Engine", "IntEnum", doc, engines), _PROPERTY]
    lines.append("_TRAITS = {")
    for engine in engines:
        missing = [name for name in TRAITS if name not in engine]
        if missing:
            raise WireDefinitionError(f"engine {engine['name']}: {missing[0]} is missing; give it")
        lines.append(f"    Engine.{engine['name'].upper()}: Traits(")
        lines += [*(f"        {name}={_literal(engine[name])}," for name in TRAITS), "    ),"]
    return "\n".join([*lines, "}", ""])


def _enumeration(name: str, base: str, doc: str, items: list[dict[str, Any]]) -> list[str]:
    codes = [item["code"] for item in items]
    if len(set(codes)) != len(codes):
        raise WireDefinitionError(f"{name}: a code is given twice; give each item a code of its own")
    members = [f"    {_identifier(item['name']).upper()} = {item['code']}" for item in items]
    return ["", f"class {name}({base}):", f'    """{doc}"""', "", *members, ""]


def _literal(value: bool | int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:_}" if type(value) is int else str(value)


def _layout(name: str, doc: str, fields: list[dict[str, Any]]) -> str:
    """Return the C code for a layout: offset macros, a structure, and functions that copy the structure from and to
    bytes.

    The fields stand in order without padding; each integer must be naturally aligned.
    """
    macro = f"CL_WIRE_{_identifier(name).upper()}"
    offsets, members = [], []
    offset = 0
    for field in fields:
        field_name, kind = _identifier(field["name"]), field["type"]
        at = f"{macro}_{field_name.upper()}"
        size = _size(kind)
        offsets.append(f"#define {at} {offset}u")
        members.append(_comment(field["doc"], "\t"))
        integer = kind in _INTEGER_BYTES
        members.append(f"\tuint{8 * size}_t {field_name};" if integer else f"\tuint8_t {field_name}[{size}];")
        if integer and offset % size:
            raise WireDefinitionError(
                f"{name}: {field_name} is not aligned to its size; move it, or put a field before it"
            )
        offset += size
    lines = [
        *offsets,
        f"#define {macro}_SIZE {offset}u",
        "",
        _comment(doc, ""),
        f"struct cl_wire_{name} {{",
        *members,
        "};",
        f'_Static_assert(sizeof(struct cl_wire_{name}) == {macro}_SIZE, "as on the wire");',
        "",
        f"static inline void cl_wire_get_{name}(struct cl_wire_{name} *to, const uint8_t *from)",
        "{",
        f"\tmemcpy(to, from, {macro}_SIZE);",
        "}",
        "",
        f"static inline void cl_wire_put_{name}(uint8_t *to, const struct cl_wire_{name} *from)",
        "{",
        f"\tmemcpy(to, from, {macro}_SIZE);",
        "}",
        "",
    ]
    return "\n".join(lines)


def _codes(prefix: str, items: list[dict[str, Any]], form: str) -> str:
    """Return the C macros for a list of named codes: one macro for each code."""
    codes = [item["code"] for item in items]
    if len(set(codes)) != len(codes):
        raise WireDefinitionError(f"{prefix}: a code is given twice; give each item a code of its own")
    return "\n".join(
        _define(f"{prefix}_{_identifier(item['name']).upper()}", form.format(item["code"]), item["doc"])
        for item in items
    )


def _define(name: str, value: str, doc: str) -> str:
    return f"{_comment(doc, '')}\n#define {name} {value}\n"


def _comment(text: str, indent: str) -> str:
    """Return a Doxygen comment, on one line if it fits."""
    if len(text) + 7 <= _LINE - 8 * len(indent):
        return f"{indent}/** {text} */"
    body = textwrap.wrap(text, _LINE - 8 * len(indent) - 3)
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}" for line in body), f"{indent} */"])


def _size(kind: str) -> int:
    if kind in _INTEGER_BYTES:
        return _INTEGER_BYTES[kind]
    array = re.fullmatch(r"bytes([1-9][0-9]*)", kind)
    if not array:
        raise WireDefinitionError(f"field type {kind!r} is unknown; use u8, u16, u32, u64 or bytesN")
    return int(array[1])


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise WireDefinitionError(f"name {name!r} is no identifier; use lower-case letters, digits and underscores")
    return name


def main(arguments: list[str] | None = None) -> int:
    """Write `codes.py`; with `--check` return 1 if it is stale."""
    parser = argparse.ArgumentParser(prog="python -m gateware.codegen.wire", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the module is stale, write nothing")
    check = parser.parse_args(arguments).check
    require_checkout(parser)
    text = render_codes(WIRE_LAYOUT)
    if check:
        if CODES.exists() and CODES.read_text(encoding="utf-8") == text:
            return 0
        print(f"{CODES} is stale: run `make pages`", file=sys.stderr)
        return 1
    CODES.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
