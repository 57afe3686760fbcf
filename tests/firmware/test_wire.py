"""The generated wire header against the layout, worked out here a second time."""

import subprocess
import tomllib

import pytest

from firmware.codegen import wire
from tests.firmware.core_peer import WIRE_TOML

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "bytes16": 16, "bytes32": 32}


def layouts(definition):
    yield "header", definition["header"]["fields"]
    yield "error_reply", definition["error"]["fields"]
    for record in definition["record"]:
        for part in ("request", "reply"):
            if record[part] and record[part] != "data":
                yield f"{record['name']}_{part}", record[part]


def test_header_states_every_code_size_and_offset(tmp_path):
    definition = tomllib.loads(WIRE_TOML.read_text())
    (tmp_path / "cl_wire.h").write_text(wire.render(WIRE_TOML))
    equal = [("CL_WIRE_VERSION", definition["version"]), ("CL_WIRE_TYPE_ERROR", definition["error"]["code"])]
    for list_name, prefix in (("record", "TYPE"), ("error_code", "ERROR"), ("engine", "ENGINE")):
        equal += [(f"CL_WIRE_{prefix}_{item['name'].upper()}", item["code"]) for item in definition[list_name]]
    for name, fields in layouts(definition):
        offset = 0
        for field in fields:
            equal.append((f"CL_WIRE_{name.upper()}_{field['name'].upper()}", offset))
            equal.append((f"sizeof(((struct cl_wire_{name} *)0)->{field['name']})", SIZES[field["type"]]))
            offset += SIZES[field["type"]]
        equal.append((f"CL_WIRE_{name.upper()}_SIZE", offset))
    asserts = [f'_Static_assert({left} == {right}, "{left}");'.replace('"sizeof', '"size of') for left, right in equal]
    assert len(asserts) > 100
    source = tmp_path / "check.c"
    source.write_text('#include "cl_wire.h"\n' + "\n".join(asserts) + "\n")
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_rendering_is_reproducible():
    assert wire.render(WIRE_TOML) == wire.render(str(WIRE_TOML))


def test_header_is_fit_for_hardware():
    offset = 0
    for field in tomllib.loads(WIRE_TOML.read_text())["header"]["fields"]:
        assert offset % SIZES[field["type"]] == 0
        offset += SIZES[field["type"]]
    assert offset % 4 == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type = "u64"', 'type = "u65"', "u65"),
        ('name = "token"', 'name = "to ken"', "to ken"),
        ('name = "kind", type = "u8"', 'name = "kind", type = "u16"', "info_reply: max_data is not aligned"),
        ('name = "info"\ncode = 0x01', 'name = "info"\ncode = 0x02', "twice"),
    ],
)
def test_mistakes_in_the_definition_are_named(tmp_path, old, new, message):
    text = WIRE_TOML.read_text()
    assert old in text
    (tmp_path / "wire.toml").write_text(text.replace(old, new))
    with pytest.raises(wire.WireDefinitionError, match=message):
        wire.render(tmp_path / "wire.toml")
