# SPDX-License-Identifier: BSD-2-Clause
"""Generate the C headers and the reference pages of our peripherals' registers.

Both come from the gateware itself: they list the registers in the order in which LiteX maps them, one word of 32 bits
each. The fields and descriptions stand where the gateware declares the registers.
"""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..ctr.service import create_service
from ..dma import accelerator
from ..dma.registers import AcceleratorRegisters
from ..net.link import stations
from ..net.macsec import peripheral as macsec
from ..net.macsec.registers import MACsecRegisters
from ..net.records import peripheral as fast_path
from ..random import source
from ..random.registers import RandomRegisters

WORD_BYTES = 4

_HEADER = """/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from {source}; do not edit. */
/**
 * @file
 * Registers of the {name}: byte offsets from its base address; masks, positions and values of fields.
 */
#ifndef {prefix}_REGS_H
#define {prefix}_REGS_H

"""


@dataclass(frozen=True)
class Peripheral:
    """Describes a peripheral for which a C header and a reference page are generated. Texts call the peripheral `name`.
    All names in the header begin with `prefix`. `create` returns a new Migen module of the peripheral.

    The page copies the docstring of `module`, which must begin with a sentence and a diagram.
    """

    name: str
    prefix: str
    module: ModuleType
    create: Callable[[], Any]

    @property
    def source(self) -> str:
        """Return the path of the module in the repository."""
        return self.module.__name__.replace(".", "/") + ".py"


ACCELERATOR = Peripheral(
    name="CTR accelerator",
    prefix="CL_ACCEL",
    module=accelerator,
    create=lambda: AcceleratorRegisters(gcm=True),
)
FAST_PATH = Peripheral(
    name="UDP fast path",
    prefix="CL_FASTPATH",
    module=fast_path,
    create=lambda: fast_path.FastPathPeripheral(service=create_service([fast_path.client()]).ports[0], port=0),
)
SECY = Peripheral(
    name="MACsec SecY",
    prefix="CL_MACSEC",
    module=macsec,
    create=MACsecRegisters,
)
RANDOM_SOURCE = Peripheral(
    name="random source",
    prefix="CL_RANDOM",
    module=source,
    create=RandomRegisters,
)
STATIONS = Peripheral(
    name="station table",
    prefix="CL_STATIONS",
    module=stations,
    create=stations.KnownStations,
)


class RegisterError(ValueError):
    """A register cannot be rendered. The message names the register and tells what to correct."""


@dataclass(frozen=True)
class Field:
    """A field of a register: bits `shift + size - 1` to `shift`."""

    name: str
    shift: int
    size: int
    description: str
    values: tuple[tuple[int, str, str], ...]

    @property
    def mask(self) -> int:
        """Return a mask of the field's bits in the register."""
        return ((1 << self.size) - 1) << self.shift

    @property
    def bits(self) -> str:
        """Return the field's bit numbers as a reference page writes them, such as ``7:4``."""
        return str(self.shift) if self.size == 1 else f"{self.shift + self.size - 1}:{self.shift}"


@dataclass(frozen=True)
class Register:
    """A register of at most 32 bits. `offset` counts bytes from the peripheral's base address."""

    name: str
    offset: int
    size: int
    access: str
    description: str
    fields: tuple[Field, ...]


def registers(peripheral: Peripheral = ACCELERATOR) -> list[Register]:
    """Return a peripheral's registers in the order of their addresses.

    Raises
    ------
    RegisterError
        A register is wider than a word, or lacks a description.
    """
    return [_register(csr, i) for i, csr in enumerate(peripheral.create().get_csrs(sort=True))]


def _register(csr: Any, position: int) -> Register:
    if csr.size > 8 * WORD_BYTES:
        raise RegisterError(f"{csr.name} has {csr.size} bits; split it into registers of 32 bits")
    description = getattr(csr, "description", None)
    if not description:
        raise RegisterError(f"{csr.name} has no description; give it one where it is declared")
    if hasattr(csr, "storage"):
        access = "read, write"
    elif hasattr(csr, "status"):
        access = "read" if csr.read_only else "read, write 1 to clear"
    else:
        access = "write"
    fields = csr.fields.fields if hasattr(csr, "fields") else []
    return Register(
        name=csr.name,
        offset=WORD_BYTES * position,
        size=csr.size,
        access=access,
        description=description,
        fields=tuple(_field(csr, field) for field in fields),
    )


def _field(csr: Any, field: Any) -> Field:
    if not field.description:
        raise RegisterError(f"{csr.name}.{field.name} has no description; give it one where it is declared")
    values = tuple((int(value, 0), name, text) for value, name, text in field.values or ())
    return Field(field.name, field.offset, field.size, field.description, values)


def render(peripheral: Peripheral = ACCELERATOR) -> str:
    """Return the text of the peripheral's C header, for example `cl_accel_regs.h`."""
    lines = []
    found = registers(peripheral)
    for register in found:
        name = f"{peripheral.prefix}_{register.name.upper()}"
        lines += [*_comment(f"Access: {register.access}. {register.description}")]
        lines += [f"#define {name} 0x{register.offset:02x}u"]
        if not register.fields and register.size < 8 * WORD_BYTES:
            lines.append(f"#define {name}_BITS {register.size}u")
        for field in register.fields:
            field_name = f"{name}_{field.name.upper()}"
            lines += [f"#define {field_name}_SHIFT {field.shift}u", f"#define {field_name}_MASK 0x{field.mask:x}u"]
            lines += [f"#define {field_name}_{value_name.upper()} {value}u" for value, value_name, _ in field.values]
        lines.append("")
    lines += [f"#define {peripheral.prefix}_BYTES 0x{WORD_BYTES * len(found):x}u", "", "#endif", ""]
    header = _HEADER.format(name=peripheral.name, source=peripheral.source, prefix=peripheral.prefix)
    return header + "\n".join(lines)


def reference(peripheral: Peripheral = ACCELERATOR) -> str:
    """Return the reference page, in Markdown."""
    found = registers(peripheral)
    noun = peripheral.name.split(maxsplit=1)[1]
    module = [line.rstrip() for line in (peripheral.module.__doc__ or "").strip().splitlines()]
    diagram = [line[4:] for line in module[module.index("::") + 2 :]]
    end = next(i for i, line in enumerate(diagram) if not line)
    text = module[module.index("::") + 2 + end :]
    lines = [
        f"# Registers of the {peripheral.name}",
        "",
        f"<!-- Generated by gateware/codegen/registers.py from {peripheral.source}: run `make pages`. -->",
        "",
        module[0],
        "",
        "```",
        *diagram[:end],
        "```",
        *text,
        "",
        f"Offsets are in bytes from the {noun}'s base address; every register is one 32-bit word.",
        "",
        "| offset | register | bits | access | |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| 0x{r.offset:02x} | `{r.name}` | {r.size} | {r.access} | {_cell(r.description)} |" for r in found]
    for register in found:
        if not register.fields:
            continue
        lines += ["", f"## `{register.name}`", "", "| bits | field | |", "| --- | --- | --- |"]
        lines += [f"| {f.bits} | `{f.name}` | {_cell(f.description)} |" for f in register.fields]
        for field in register.fields:
            if field.values:
                lines += ["", f"Values of `{field.name}`:", "", "| value | name | |", "| --- | --- | --- |"]
                lines += [f"| {value} | {name} | {_cell(text)} |" for value, name, text in field.values]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return ["/**", *textwrap.wrap(text, 96, initial_indent=" * ", subsequent_indent=" * "), " */"]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
