# SPDX-License-Identifier: BSD-2-Clause
"""Prove that the vector unit's response to every instruction is right, for all operands, registers and contexts.

The unit's registers start in an arbitrary state, and the register files have arbitrary contents. The response must have
the value of the instruction's definition (SubWord by the standard's S-box table). It has this value one cycle after an
instruction that answers at once, and two cycles after one that answers late. `prove_handshake` proves that a response
stays until taken, and comes once.
"""

import pytest

from tests.formal.definitions import SUBSTITUTION
from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, mutate, unit_verilog

PROPERTIES = """
    // The two commands before, with what the register files read for them.
    reg issued1, issued2;
    reg [9:0] id1, id2;
    reg [31:0] a1, b1, a2, b2;
    reg [127:0] v1, key2;
    reg [2:0] context1, context2;
    reg [31:0] fault2;
    always @(posedge sys_clk) begin
        issued1 <= issued; id1 <= issued_id; a1 <= issued_rs1; b1 <= issued_rs2; v1 <= state_read_data;
        context1 <= bases_read_address;
        issued2 <= issued1; id2 <= id1; a2 <= a1; b2 <= b1; context2 <= context1;
        key2 <= keys_read_data;  // registered read: of the command before
        fault2 <= {memory_fault_address, memory_fault_code};
    end
    wire [5:0] op1 = operation(id1);
    wire [5:0] op2 = operation(id2);
    wire late1 = op1 == `OP_sub_word || op1 == `OP_sub_rot_word || op1 == `OP_key_read || op1 == `OP_context
        || op1 == `OP_status || op1 == `OP_memory_status;
    wire late2 = op2 == `OP_sub_word || op2 == `OP_sub_rot_word || op2 == `OP_key_read || op2 == `OP_context
        || op2 == `OP_status || op2 == `OP_memory_status;
    wire [1:0] c1 = `FIELD_c(id1);
    function [31:0] column; input [127:0] block; input [1:0] c; column = block >> 32 * c; endfunction
    function [31:0] sub_word; input [31:0] w;
        sub_word = {sbox(w[31:24]), sbox(w[23:16]), sbox(w[15:8]), sbox(w[7:0])}; endfunction
    function [31:0] rot_word; input [31:0] w; rot_word = {w[7:0], w[31:8]}; endfunction  // byte 0 is the low one

    reg [31:0] value;
    always @* begin
        value = 0;
        case (op2)
            `OP_sub_word: value = sub_word(a2) ^ b2;
            `OP_sub_rot_word: value = sub_word(rot_word(a2)) ^ b2;
            `OP_key_read: value = column(key2, a2[1:0]);
            `OP_context: value = {29'd0, context2};
            `OP_status: value = `UNIT_VERSION << 16 | context2;
            `OP_memory_status: value = fault2;
        endcase
        if (issued1 && !late1) begin
            assert(rsp_valid);
            assert(rsp_output == (op1 == `OP_move_out_xor ? column(v1, c1) ^ a1 : 32'd0));
        end
        if (issued2 && late2) begin
            assert(rsp_valid);
            assert(rsp_output == value);
        end
        // The selected context changes by one instruction alone, and to what it names.
        if (issued2) assert(bases_read_address == (op2 == `OP_context ? a2[2:0] : context2));
    end
endmodule
"""


def proven(verilog: str) -> bool:
    text = verilog + "`DECODER\n" + SUBSTITUTION + PROPERTIES
    return holds(text, [*CUT_MEMORIES, "setattr -unset init w:*"], solve="-seq 3 -prove-skip 2")


def test_every_response():
    assert proven(unit_verilog())


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"(\w*late_rotates) <= [^;]*;", r"\1 <= 1'd0;"),  # sub_rot_word does not rotate
        (r"(\w*late_lane) <= [^;]*;", r"\1 <= 2'd0;"),  # mutant: key_read always reads lane 0
    ],
)
def test_a_broken_unit_is_refuted(pattern, replacement):
    assert not proven(mutate(unit_verilog(), pattern, replacement))
