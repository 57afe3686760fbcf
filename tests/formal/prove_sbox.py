"""Every S-box is the algebraic definition of FIPS-197 (5.1.1) for all inputs, and its inverse undoes it."""

import re

import pytest

from gateware.aes.sbox import IMPLEMENTATIONS, PAIR_IMPLEMENTATIONS, SBox, SBoxPair
from tests.formal.definitions import ALGEBRA, INVERSES, TABLES
from tests.formal.prover import holds, to_verilog

# The inverse z of x is looked up, and found to be the inverse by the product of the two.
DEFINITION = """
    wire [7:0] z = inverse_of(x);
    always @* assert(x == 0 ? z == 0 : product(x, z) == 8'h01);
    always @* assert(y == affine(z));
"""
PROOF = """
module proof(input [7:0] x);
    wire [7:0] y, back, other, forth;
    forward a(.i(x), .o(y));
    inverse b(.i(y), .o(back));
    inverse c(.i(x), .o(other));
    forward d(.i(other), .o(forth));
"""
UNDO_EACH_OTHER = """
    always @* assert(back == x);
    always @* assert(forth == x);
"""


def sbox_verilog(implementation: str, *, inverse: bool) -> str:
    dut = SBox(inverse=inverse, implementation=implementation)
    return to_verilog(dut, "inverse" if inverse else "forward", {"i": dut.i, "o": dut.o})


def is_the_definition(boxes: str) -> bool:
    return holds(boxes + PROOF + ALGEBRA + INVERSES + DEFINITION + "endmodule", solve="")


def undo_each_other(boxes: str) -> bool:
    return holds(boxes + PROOF + UNDO_EACH_OTHER + "endmodule", solve="")


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_is_the_definition_and_undone_by_its_inverse(implementation):
    boxes = [sbox_verilog(implementation, inverse=inverse) for inverse in (False, True)]
    both = PROOF + ALGEBRA + INVERSES + DEFINITION + UNDO_EACH_OTHER + "endmodule"
    assert holds("".join(boxes) + both, solve="")


def flip_one_bit(verilog: str, implementation: str) -> str:
    """The text with one bit of one table entry, or one operator, wrong."""
    if implementation in ("canright", "onehot"):
        broken, count = re.subn(r"&", "|", verilog, count=1)
    elif implementation == "ecp5":
        broken, count = re.subn(r"16'd(\d+)", lambda m: f"16'd{int(m[1]) ^ 0x0400}", verilog, count=1)
    else:
        broken, count = re.subn(r"<= (\d+)'d(\d+);", lambda m: f"<= {m[1]}'d{int(m[2]) ^ 1};", verilog, count=7)
    assert count
    return broken


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_broken_one_is_refuted(implementation):
    boxes = flip_one_bit(sbox_verilog(implementation, inverse=False), implementation)
    boxes += sbox_verilog(implementation, inverse=True)
    assert not is_the_definition(boxes)
    assert not undo_each_other(boxes)


PAIR = """
module proof(input [7:0] x, input backwards, input [7:0] operand);
    wire [7:0] y;
    pair it(.i(x), .inverse(backwards), .operand(operand), .o(y));
    %s
    always @* assert(y == ((backwards ? inv_sbox(x) : sbox(x)) ^ operand));
endmodule
"""


def pair_verilog(implementation: str) -> str:
    dut = SBoxPair(implementation=implementation)
    return to_verilog(dut, "pair", {"i": dut.i, "inverse": dut.inverse, "operand": dut.operand, "o": dut.o})


@pytest.mark.parametrize("implementation", PAIR_IMPLEMENTATIONS)
def test_pair_is_both_directions_and_a_sum(implementation):
    assert holds(pair_verilog(implementation) + PAIR % TABLES, solve="")
