# SPDX-License-Identifier: BSD-2-Clause
"""Prove for all inputs that every S-box equals the algebraic definition in FIPS-197 (5.1.1), and that the inverse S-box
inverts it.
"""

import re

import pytest

from gateware.aes.column_sbox import IMPLEMENTATIONS as COLUMN_IMPLEMENTATIONS
from gateware.aes.column_sbox import ColumnSBox
from gateware.aes.sbox import IMPLEMENTATIONS, SBox
from gateware.aes.sbox_pair import IMPLEMENTATIONS as PAIR_IMPLEMENTATIONS
from gateware.aes.sbox_pair import SBoxPair
from gateware.aes.sub_bytes import IMPLEMENTATIONS as MOST_STAGES
from gateware.aes.sub_bytes import SubBytes
from tests.formal.definitions import ALGEBRA, COLUMNS, INVERSES, TABLES
from tests.formal.prover import holds, to_verilog

# `inverse_of(x)` is a table that returns z, the inverse of x. The proof also checks that the product of x and z is 1.
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


def is_the_definition_and_undone(implementation: str) -> bool:
    boxes = [sbox_verilog(implementation, inverse=inverse) for inverse in (False, True)]
    both = PROOF + ALGEBRA + INVERSES + DEFINITION + UNDO_EACH_OTHER + "endmodule"
    return holds("".join(boxes) + both, solve="")


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_is_the_definition_and_undone_by_its_inverse(implementation):
    assert is_the_definition_and_undone(implementation)


def flip_one_bit(verilog: str, implementation: str) -> str:
    """Return the Verilog with a fault: wrong bits in a table, or one wrong operator."""
    if implementation in ("tower", "onehot"):
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
module proof(input sys_clk, input [7:0] x, input backwards, input passes, input [7:0] operand);
    wire [7:0] y;
    pair it(.sys_clk(sys_clk), .sys_rst(1'b0), .i(x), .inverse(backwards), .passes(passes), .operand(operand), .o(y));
    %s
    reg after = 0;
    reg [7:0] expected = 0;
    always @(posedge sys_clk) begin
        after <= 1;
        expected <= passes ? operand : backwards ? inv_sbox(x) : sbox(x);
    end
    always @* if (after) assert(y == expected);
endmodule
"""


def pair_verilog(implementation: str) -> str:
    dut = SBoxPair(implementation=implementation)
    ports = {name: getattr(dut, name) for name in ("i", "inverse", "passes", "operand", "o")}
    return to_verilog(dut, "pair", ports, clocked=True)


def pair_is_right(pair: str) -> bool:
    # The output depends only on the inputs of the previous cycle, so two time steps cover all cases.
    return holds(pair + PAIR % TABLES, solve="-seq 1 -tempinduct -maxsteps 3")


@pytest.mark.parametrize("implementation", PAIR_IMPLEMENTATIONS)
def test_pair_is_both_directions_and_a_way_past_them(implementation):
    assert pair_is_right(pair_verilog(implementation))


@pytest.mark.parametrize("implementation", PAIR_IMPLEMENTATIONS)
def test_a_broken_pair_is_refuted(implementation):
    assert not pair_is_right(flip_one_bit(pair_verilog(implementation), implementation))


COLUMN = """
module proof(input sys_clk, input [31:0] x, input substitute, input backwards);
    wire [31:0] y, doubled;
    wire forward;
    column it(.sys_clk(sys_clk), .sys_rst(1'b0), .i(x), .substitute(substitute), .inverse(backwards), .o(y),
        .doubled(doubled), .forward(forward));
    DEFINITIONS
    reg after = 0;
    reg was_forward = 0;
    reg [31:0] expected = 0;
    integer n;
    always @(posedge sys_clk) begin
        after <= 1;
        was_forward <= substitute && !backwards;
        for (n = 0; n < 32; n = n + 8)
            expected[n +: 8] <= !substitute ? x[n +: 8] : backwards ? inv_sbox(x[n +: 8]) : sbox(x[n +: 8]);
    end
    always @* if (after) begin
        assert(y == expected);
        assert(doubled == matrix_column(expected, 32'h00000002));
        assert(forward == was_forward);
    end
endmodule
"""


def column_verilog(implementation: str) -> str:
    dut = ColumnSBox(implementation=implementation)
    ports = {name: getattr(dut, name) for name in ("i", "substitute", "inverse", "o", "doubled", "forward")}
    return to_verilog(dut, "column", ports, clocked=True)


def column_is_right(column: str) -> bool:
    text = column + COLUMN.replace("DEFINITIONS", TABLES + COLUMNS)
    return holds(text, ["flatten", "memory"], solve="-seq 1 -tempinduct -maxsteps 3")


@pytest.mark.parametrize("implementation", COLUMN_IMPLEMENTATIONS)
def test_column_is_both_directions_and_a_way_past_them(implementation):
    assert column_is_right(column_verilog(implementation))


@pytest.mark.parametrize(
    ("implementation", "pattern", "replacement"),
    [
        ("block_ram", r"\[83\] = 16'h\w+", "[83] = 16'hC1EC"),
        ("block_ram", r"\[83\] = 16'h\w+", "[83] = 16'hC0ED"),
        ("block_ram", r"\[600\] = 16'h\w+", "[600] = 16'h0058"),  # mutant: wrong `doubled` if bytes bypass SubBytes
        ("table", r"(\w*forward) <= [^;]*;", r"\1 <= substitute;"),  # mutant: `forward` is also 1 in InvSubBytes
    ],
)
def test_a_broken_column_is_refuted(implementation, pattern, replacement):
    broken, count = re.subn(pattern, replacement, column_verilog(implementation), count=1)
    assert count
    assert not column_is_right(broken)


REGISTERED = """
module proof(input sys_clk, input [7:0] x);
    wire [7:0] y, z;
    reg [7:0] history [1:STAGES];
    reg [2:0] cycles = 0;
    integer n;
    registered it(.sys_clk(sys_clk), .sys_rst(1'b0), .i(x), .enable({STAGES{1'b1}}), .o(y)DOUBLED);
    always @(posedge sys_clk) begin
        if (cycles != STAGES) cycles <= cycles + 1;
        history[1] <= x;
        for (n = 2; n <= STAGES; n = n + 1) history[n] <= history[n - 1];
    end
    DEFINITIONS
    always @* if (cycles == STAGES) assert(y == sbox(history[STAGES]));
    `ifdef HAS_DOUBLED
    always @* if (cycles == STAGES) assert(z == ({y[6:0], 1'b0} ^ (y[7] ? 8'h1b : 8'h00)));
    `endif
endmodule
"""


def registered_verilog(sbox: str, stages: int) -> str:
    dut = SubBytes(1, sbox=sbox, stages=stages)
    ports = {"i": dut.i, "enable": dut.enable, "o": dut.o}
    if dut.doubled is not None:
        ports["doubled"] = dut.doubled
    return to_verilog(dut, "registered", ports, clocked=True)


def registered_is_the_definition(verilog: str, stages: int) -> bool:
    has_doubled = "] doubled" in verilog
    text = REGISTERED.replace("STAGES", str(stages)).replace("DEFINITIONS", TABLES)
    text = text.replace("DOUBLED)", ", .doubled(z))" if has_doubled else ")")
    defines = ["HAS_DOUBLED"] if has_doubled else []
    return holds(verilog + text, ["flatten", "memory"], solve=f"-tempinduct -maxsteps {stages + 2}", defines=defines)


@pytest.mark.parametrize(("sbox", "stages"), [(name, n + 1) for name, most in MOST_STAGES.items() for n in range(most)])
def test_registered_is_the_definition(sbox, stages):
    assert registered_is_the_definition(registered_verilog(sbox, stages), stages)


@pytest.mark.parametrize(
    ("sbox", "pattern", "replacement"),
    [
        ("block_ram", r"\[83\] = 16'h\w+", "[83] = 16'hC1EC"),
        ("block_ram", r"\[83\] = 16'h\w+", "[83] = 16'hC0ED"),
        ("tower_cut_ecp5", r"16'd26214", "16'd26215"),
        ("tower_cut", r"(\d+)'d\d+ >>", r"\1'd1 >>"),
    ],
)
def test_a_broken_registered_one_is_refuted(sbox, pattern, replacement):
    stages = MOST_STAGES[sbox]
    broken, count = re.subn(pattern, replacement, registered_verilog(sbox, stages), count=1)
    assert count
    assert not registered_is_the_definition(broken, stages)
