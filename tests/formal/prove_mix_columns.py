# SPDX-License-Identifier: BSD-2-Clause
"""Prove that MixColumns and InvMixColumns are as in FIPS-197 (5.1.3, 5.3.3), and that each is the other's inverse."""

import pytest
from migen import Cat, Module, Signal

from gateware.aes.transforms import byte_list, inverse_mix_correction, mix_column
from tests.formal.definitions import COLUMNS
from tests.formal.prover import holds, to_verilog

CIRCUITS = ("mix_column", "inv_mix_column")

IS_THE_DEFINITION = """
module proof(input [31:0] a, output [31:0] difference);
    wire [31:0] y;
    circuit_%(name)s it(.i(a), .o(y));
    %(definitions)s
    assign difference = y ^ %(name)s(a);
endmodule
"""
UNDOES = """
module proof(input [31:0] a, output [31:0] difference);
    wire [31:0] y, back;
    circuit_%s first(.i(a), .o(y));
    circuit_%s second(.i(y), .o(back));
    assign difference = back ^ a;
endmodule
"""


def circuit(name: str) -> str:
    dut = Module()
    dut.i, dut.o = Signal(32, name="i"), Signal(32, name="o")
    # A lane computes InvMixColumns in two steps: it XORs a correction into the column, then applies MixColumns.
    corrected = Signal(32, name="corrected")
    correction = Cat(*inverse_mix_correction(byte_list(dut.i))) if name == "inv_mix_column" else 0
    dut.comb += [corrected.eq(dut.i ^ correction), dut.o.eq(Cat(*mix_column(byte_list(corrected))))]
    return to_verilog(dut, f"circuit_{name}", {"i": dut.i, "o": dut.o})


def is_the_definition(verilog: str, name: str) -> bool:
    return holds(
        verilog + IS_THE_DEFINITION % {"name": name, "definitions": COLUMNS},
        solve="",
        zeros=("difference", 32, 1),
    )


@pytest.mark.parametrize("name", CIRCUITS)
def test_is_the_definition(name):
    assert is_the_definition(circuit(name), name)


@pytest.mark.parametrize("order", [("mix_column", "inv_mix_column"), ("inv_mix_column", "mix_column")])
def test_undo_each_other(order):
    assert holds(circuit(order[0]) + circuit(order[1]) + UNDOES % order, solve="", zeros=("difference", 32, 1))


@pytest.mark.parametrize("name", CIRCUITS)
def test_a_broken_one_is_refuted(name):
    before, after = circuit(name).rsplit("^", 1)
    broken = f"{before}|{after}"
    assert not is_the_definition(broken, name)
    other = {"mix_column": "inv_mix_column", "inv_mix_column": "mix_column"}[name]
    assert not holds(broken + circuit(other) + UNDOES % (name, other), solve="", zeros=("difference", 32, 1))
