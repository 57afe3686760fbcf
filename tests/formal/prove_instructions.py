# SPDX-License-Identifier: BSD-2-Clause
"""Prove that each instruction of the vector AES unit equals its FIPS-197 definition, for every state, key and operand.

The unit's registers start in an arbitrary state, and the register files have arbitrary contents. One command is
accepted. In the next cycle the register files must be told to write exactly the value of the definition, in the lanes,
register and context that the instruction names, and nothing else. The pipeline has two stages, so the proof has parts:

- STAGE1: the register between the stages holds (Inv)SubBytes of the state register, or the value that passes through,
  with (Inv)ShiftRows applied;
- STAGE2: from that value, which STAGE1 proves and STAGE2 assumes, the whole instruction is written;
- COUNTER: through both stages, counter blocks are the sum modulo 2^128, with carries.

`prove_memory_port` covers what the memory port loads.

INTERLOCK is proved too: no command is accepted that reads a register in the cycle in which it is written.
"""

import pytest

from tests.formal.definitions import COLUMNS, STATES, SUBSTITUTION
from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, mutate, unit_verilog

ANY_STATE = [*CUT_MEMORIES, "setattr -unset init w:*"]
# Yosys commands for the proof STAGE2. The commands disconnect stage 2 of a lane from stage 1. The solver can then
# choose any value for the registers between the two stages.
FREE_REGISTER = ["flatten", "cutpoint w:it.substituted?", "delete t:$anyseq", *ANY_STATE]
ONE_COMMAND = "-seq 2 -prove-skip 1"

PROPERTIES = """
    wire [2:0] context = bases_read_address;
    wire [5:0] op_now = operation(issued_id);

    // The command before, with what the register files read for it.
    reg accepted;
    reg [9:0] id;
    reg [31:0] a, b;
    reg [127:0] v, base;
    reg [2:0] of_context;
    reg [6:0] key_address;
    always @(posedge sys_clk) begin
        accepted <= issued; id <= issued_id; a <= issued_rs1; b <= issued_rs2; of_context <= context;
        v <= state_read_data; base <= bases_read_data; key_address <= keys_read_address;
    end
    wire [5:0] op = operation(id);
    wire [2:0] s = `FIELD_s(id);
    wire half = `FIELD_h(id);
    wire [127:0] k = keys_read_data;  // registered read: the key of the command before
    wire last = op == `OP_sbox_xor || op == `OP_sbox_xor_inv || op == `OP_last_enc || op == `OP_last_dec;
    wire [1:0] l = `FIELD_l(id);
    wire [3:0] last_key = l == 0 ? 0 : l == 1 ? 10 : l == 2 ? 12 : 14;
    wire adds_key = op == `OP_round_xor || op == `OP_counter_xor || last || op == `OP_sbox_mix_xor
        || op == `OP_sbox_mix_xor_inv || op == `OP_round_enc || op == `OP_round_dec;
    wire [3:0] key_register = last ? last_key : op == `OP_counter_xor ? 0 : `FIELD_k(id);

    wire forward = op == `OP_sbox_mix_xor || op == `OP_sbox_xor || op == `OP_round_enc || op == `OP_last_enc;
    wire backward =
        op == `OP_sbox_mix_xor_inv || op == `OP_sbox_xor_inv || op == `OP_round_dec || op == `OP_last_dec;

    wire [127:0] shuffled = op == `OP_shift_rows || op == `OP_round_enc || op == `OP_last_enc ? shift_rows(v)
        : op == `OP_shift_rows_inv || op == `OP_round_dec || op == `OP_last_dec ? inv_shift_rows(v) : v;

    // Of the other instructions but the counter's, what passes unchanged.
    wire passes = op == `OP_round_xor || op == `OP_shift_rows || op == `OP_shift_rows_inv || op == `OP_move_in
        || op == `OP_move_in_xor || op == `OP_key_write || op == `OP_key_write_inv_mix;
    wire [127:0] passed = op == `OP_move_in || op == `OP_key_write || op == `OP_key_write_inv_mix ? {b, a, b, a}
        : op == `OP_move_in_xor ? v ^ {b, a, b, a} : shuffled;

`ifdef STAGE1
    always @* if (accepted && forward) assert(substituted == sub_bytes(shuffled));
    always @* if (accepted && backward) assert(substituted == inv_sub_bytes(shuffled));
    always @* if (accepted && passes) assert(substituted == passed);
`endif

`ifdef STAGE2
    // The register between the stages is free here, but for what STAGE1 proves: `substituted` stands for SubBytes or
    // InvSubBytes, behind (Inv)ShiftRows, where an instruction substitutes.
    wire [127:0] sub = substituted;
    always @* if (passes) assume(substituted == passed);
    reg [127:0] result;
    reg [3:0] lanes, key_lanes;
    reg counts;
    always @* begin
        lanes = 4'b1111; key_lanes = 0; result = 0; counts = 0;
        case (op)
            `OP_round_xor: result = v ^ k;
            `OP_shift_rows, `OP_shift_rows_inv: result = shuffled;
            `OP_sbox_mix_xor, `OP_round_enc: result = mix_columns(sub) ^ k;
            `OP_sbox_mix_xor_inv, `OP_round_dec: result = inv_mix_columns(sub) ^ k;
            `OP_sbox_xor, `OP_sbox_xor_inv, `OP_last_enc, `OP_last_dec: result = sub ^ k;
            `OP_move_in: begin result = {b, a, b, a}; lanes = half ? 4'b1100 : 4'b0011; end
            `OP_move_in_xor: begin result = v ^ {b, a, b, a}; lanes = half ? 4'b1100 : 4'b0011; end
            `OP_counter, `OP_counter_xor: counts = 1;  // where it is written; its value is in COUNTER
            default: lanes = 0;
        endcase
        if (op == `OP_key_write || op == `OP_key_write_inv_mix) begin
            key_lanes = `FIELD_hw(id) ? 4'b1100 : 4'b0011;
            result = {b, a, b, a};
            if (op == `OP_key_write_inv_mix) result = inv_mix_columns(result);
        end
        if (!accepted) begin lanes = 0; key_lanes = 0; end
    end
    function [127:0] of_lanes; input [3:0] l;
        of_lanes = {{32{l[3]}}, {32{l[2]}}, {32{l[1]}}, {32{l[0]}}}; endfunction
    wire loaded = lanes == 0 && state_write_lanes != 0;
    (* keep *) wire [127:0] wrong = ((state_write_data ^ result) & of_lanes(counts ? 0 : lanes))
        | ((keys_write_data ^ result) & of_lanes(key_lanes))
        | ((state_write_data ^ memory_result_data) & {128{loaded}});
    always @* begin
        if (lanes != 0) begin
            assert(state_write_lanes == lanes);
            assert(state_write_address == {of_context, s});
        end
        if (loaded) begin  // nothing else writes a state register but a load that has come back
            assert(memory_result_valid && memory_result_ready);
            assert(state_write_lanes == 4'b1111);
            assert(state_write_address == {context, memory_result_register});
        end
        assert(!memory_result_ready || (lanes == 0 && state_write_lanes == 4'b1111));
        assert(keys_write_lanes == key_lanes);
        if (key_lanes != 0) begin
            assert(keys_write_address == {of_context, `FIELD_kw(id)});
        end
        // The counter's base is a copy of register 15.
        assert(bases_write_lanes == (`FIELD_kw(id) == 15 ? key_lanes : 0));
        if (bases_write_lanes != 0) begin
            assert(bases_write_address == of_context);
            assert(bases_write_data == keys_write_data);
        end
        if (accepted && adds_key) assert(key_address == {of_context, key_register});
        if (accepted && op == `OP_key_read) assert(key_address == {of_context, a[5:2]});
    end
`endif

`ifdef COUNTER
    // SP 800-38A, B.1, with m = 128: a block is a big-endian number.
    wire counter = accepted && (op == `OP_counter || op == `OP_counter_xor);
    wire [127:0] block = reverse_bytes(reverse_bytes(base) + {64'd0, b, a} + s) ^ (op == `OP_counter_xor ? k : 128'd0);
    (* keep *) wire [127:0] wrong = (state_write_data ^ block) & {128{counter}};
`endif

`ifdef INTERLOCK
    wire reads_state = op_now == `OP_round_xor || op_now == `OP_shift_rows || op_now == `OP_shift_rows_inv
        || op_now == `OP_sbox_mix_xor || op_now == `OP_sbox_mix_xor_inv || op_now == `OP_sbox_xor
        || op_now == `OP_sbox_xor_inv || op_now == `OP_round_enc || op_now == `OP_round_dec || op_now == `OP_last_enc
        || op_now == `OP_last_dec || op_now == `OP_move_in_xor || op_now == `OP_move_out_xor
        || op_now == `OP_vload_xor || op_now == `OP_vstore || op_now == `OP_vxor_group;
    wire reads_base = op_now == `OP_counter || op_now == `OP_counter_xor;
    wire reads_key = op_now == `OP_key_read || op_now == `OP_counter_xor || op_now == `OP_round_xor
        || op_now == `OP_sbox_mix_xor || op_now == `OP_sbox_mix_xor_inv || op_now == `OP_sbox_xor
        || op_now == `OP_sbox_xor_inv || op_now == `OP_round_enc || op_now == `OP_round_dec || op_now == `OP_last_enc
        || op_now == `OP_last_dec;
    // Only writes of the command before: those of loads are held off by the unit's record of loads under way.
    always @* if (issued && accepted) begin
        if (reads_state) assert(state_read_address == {context, `FIELD_s(issued_id)});
        if (reads_state && !memory_result_ready && state_write_lanes != 0)
            assert(state_read_address != state_write_address);
        if (reads_key && keys_write_lanes != 0) assert(keys_read_address != keys_write_address);
        if (reads_base && bases_write_lanes != 0) assert(bases_read_address != bases_write_address);
    end
`endif
endmodule
"""


def proven(verilog: str, part: str) -> bool:
    text = verilog + "`DECODER\n" + COLUMNS + SUBSTITUTION + STATES + PROPERTIES
    zeros = {"STAGE2": ("wrong", 128, 1), "COUNTER": ("wrong", 128, 16)}.get(part)
    return holds(text, FREE_REGISTER if part == "STAGE2" else ANY_STATE, solve=ONE_COMMAND, defines=[part], zeros=zeros)


@pytest.mark.parametrize("part", ["STAGE1", "STAGE2", "COUNTER", "INTERLOCK"])
def test_every_instruction(part):
    assert proven(unit_verilog(), part)


@pytest.mark.parametrize(
    ("part", "pattern", "replacement"),
    [
        ("STAGE1", r"<= 7'd99;", "<= 7'd98;"),  # mutant: one wrong bit in one S-box
        ("STAGE2", r"(\w*forward\w*) <= [^;]*;", r"\1 <= 1'd1;"),  # mutant: MixColumns instead of its inverse
        ("STAGE2", r"(\w*stage2_state) <= [^;]*;", r"\1 <= 6'd0;"),  # always context 0
        ("COUNTER", r"(\w*stage2_carry) <= [^;]*;", r"\1 <= 1'd0;"),  # mutant: no carry into the counter's high half
        ("INTERLOCK", r"\(~\w*hazard\)", "1'd1"),
    ],
)
def test_a_broken_unit_is_refuted(part, pattern, replacement):
    assert not proven(mutate(unit_verilog(), pattern, replacement), part)
