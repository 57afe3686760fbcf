# SPDX-License-Identifier: BSD-2-Clause
"""Prove that stage 2 of the vector unit's lanes computes MixColumns, InvMixColumns or neither, then AddRoundKey
(FIPS-197).

The registers between the stages are free, except that one of them is {02} times the bytes of the other. `prove_sbox`
proves this relation.
"""

import re

import pytest

from gateware.isa.lane import Lane
from tests.formal.definitions import COLUMNS
from tests.formal.prover import holds, to_verilog

PROOF = """
module proof(input sys_clk, input [31:0] column, input substitute, input inverse, input mix, input [31:0] replacement,
        input replace, input [31:0] round_key, input add_key, output [31:0] difference);
    wire [31:0] substituted, doubled, result;
    wire forward;
    lane it(.sys_clk(sys_clk), .sys_rst(1'b0), .column(column), .substitute(substitute), .inverse(inverse), .mix(mix),
        .replacement(replacement), .replace(replace), .round_key(round_key), .add_key(add_key),
        .substituted(substituted), .doubled(doubled), .forward(forward), .result(result));
    DEFINITIONS
    wire [31:0] mixed = forward ? mix_column(substituted) : inv_mix_column(substituted);
    assign difference = result
        ^ (replace ? replacement : mix ? mixed : substituted) ^ (add_key ? round_key : 32'd0);
    always @* assume(doubled == matrix_column(substituted, 32'h00000002));
endmodule
"""
INPUTS = ("column", "substitute", "inverse", "mix", "replacement", "replace", "round_key", "add_key")
# The proofs cover lanes with these S-boxes. In a lane with "table", stage 2 is portable Verilog. In a lane with
# "block_ram", stage 2 is built from FPGA cells.
IMPLEMENTATIONS = ("table", "block_ram")


def lane_verilog(sbox: str) -> str:
    lane = Lane(sbox=sbox)
    ports = {name: getattr(lane, name) for name in (*INPUTS, "substituted", "result")}
    ports |= {name: getattr(lane.boxes, name) for name in ("doubled", "forward")}
    return to_verilog(lane, "lane", ports, clocked=True)


def is_right(verilog: str) -> bool:
    return holds(
        verilog + PROOF.replace("DEFINITIONS", COLUMNS),
        ["flatten", "memory", "setattr -unset init w:*"],
        solve="-seq 1",
        zeros=("difference", 32, 1),
    )


@pytest.mark.parametrize("sbox", IMPLEMENTATIONS)
def test_stage_2_is_the_definition(sbox):
    assert is_right(lane_verilog(sbox))


@pytest.mark.parametrize(
    ("sbox", "pattern", "replacement"),
    [
        ("table", r"\{32\{[^}]*forward[^}]*\}\}", "{32{1'd1}}"),  # mutant: InvMixColumns instead of MixColumns
        ("block_ram", r"16'd27030", "16'd27031"),
    ],
)
def test_a_broken_one_is_refuted(sbox, pattern, replacement):
    broken, count = re.subn(pattern, replacement, lane_verilog(sbox), count=1)
    assert count
    assert not is_right(broken)
