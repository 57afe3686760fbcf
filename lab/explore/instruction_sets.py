# SPDX-License-Identifier: BSD-2-Clause
"""Builds units to compare with the vector AES unit on ECP5: ``python -m lab.explore.instruction_sets``.

It builds the units of other instruction sets, and the lanes' AddRoundKey, each by itself as `lab.explore.isa` does
(`make explore-sets`). A unit substitutes in both directions with S-boxes of LUTs; VexRiscv's plugin uses a block RAM.
"""

from migen import Module, Signal

from gateware.aes.transforms import masked
from gateware.isa.cfu import CFUUnit
from lab.explore.isa import Ports, run
from lab.isa.bertoni import BYTE_SET, WORD_SET, BertoniUnit
from lab.isa.ptlu import PtluUnit
from lab.isa.rom_rounds import ROMRoundsUnit
from lab.isa.wide_ptlu import WidePtluUnit
from lab.isa.zkn import ScalarAESUnit
from lab.isa.zvkned import ZvknedUnit


def _round_xor() -> Ports:
    """Creates logic for AddRoundKey of a whole state: the same logic as in the vector unit's lanes."""
    top = Module()
    i, round_key, add_key = Signal(128, name="i"), Signal(128, name="round_key"), Signal(name="add_key")
    o = Signal(128, name="o")
    top.comb += o.eq(i ^ masked(add_key, round_key))
    return top, [i, round_key, add_key], [o]


def _unit(unit: CFUUnit) -> Ports:
    inputs = [unit.cmd_valid, unit.cmd_function_id, *unit.cmd_inputs, unit.rsp_ready]
    return unit, inputs, [unit.cmd_ready, unit.rsp_valid, unit.rsp_output]


PARTS = {
    "RoundXOR": _round_xor,
    "scalar unit": lambda: _unit(ScalarAESUnit(sbox="ecp5")),
    "byte set": lambda: _unit(BertoniUnit(operations=BYTE_SET, sbox="ecp5")),
    "word set": lambda: _unit(BertoniUnit(operations=WORD_SET, sbox="ecp5")),
    "VexRiscv plugin": lambda: _unit(ROMRoundsUnit()),
    "ptlu, 32 bits": lambda: _unit(PtluUnit()),
    "ptlu, 64 bits": lambda: _unit(WidePtluUnit(width=64)),
    "ptlu, 128 bits": lambda: _unit(WidePtluUnit(width=128)),
    "Zvkned": lambda: _unit(ZvknedUnit(sbox="ecp5")),
}

if __name__ == "__main__":
    run("explore-sets", PARTS, __doc__.splitlines()[0])
