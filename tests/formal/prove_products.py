# SPDX-License-Identifier: BSD-2-Clause
"""Prove that a product in GF(2^128), which takes several cycles, has the same effect as a product in one cycle.

The proof is an induction from reset on a unit with a multiplier of 8 cycles. Commands and the contents of the register
files are free, and so is the memory port, except for what `prove_memory_port` proves about it:

- from the issue of a product to the write of its result, no command is issued that reads or writes its result's
  register, and no other result is written there. So nothing ever sees or keeps the old value;
- the result is written once, in all lanes, to this register in the context of its issue;
- the unit reads the operand, the target and the factor from their registers, and nothing is written there between the
  issue and these reads. So a product has the values at its issue;
- the tables of a factor's multiples become stale in the cycle in which its register is written, are not used again, and
  are zeroized after the product under way.

`prove_ghash` proves the multiplier itself, and how it zeroizes its tables.
"""

import pytest

from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, mutate, unit_verilog

FREE_PORT = ("result_valid", "result_register", "result_data", "dropped", "dropped_register", "full", "idle")

PROPERTIES = """
    wire [5:0] op = operation(issued_id);
    wire [2:0] s = `FIELD_s(issued_id);
    wire vghsh = issued && op == `OP_vghsh;
    wire product = issued && (op == `OP_vghsh || op == `OP_vgmul);
    wire [2:0] chosen_target = vghsh ? issued_rs1[6:4] : s;
    wire [2:0] chosen_factor = issued_rs1[2:0];
    wire names_state = op == `OP_round_xor || op == `OP_shift_rows || op == `OP_shift_rows_inv
        || op == `OP_sbox_mix_xor || op == `OP_sbox_mix_xor_inv || op == `OP_sbox_xor || op == `OP_sbox_xor_inv
        || op == `OP_round_enc || op == `OP_round_dec || op == `OP_last_enc || op == `OP_last_dec || op == `OP_move_in
        || op == `OP_move_in_xor || op == `OP_move_out_xor || op == `OP_counter || op == `OP_counter_xor
        || op == `OP_vload || op == `OP_vload_xor || op == `OP_vstore || op == `OP_vghsh || op == `OP_vgmul;
    wire [2:0] context = bases_read_address;
    wire writes = state_write_lanes != 0;

    // The product under way: from the cycle after its issue to the write of its result.
    reg first = 1, under_way = 0, fresh = 0, second = 0, adds = 0;
    reg [2:0] target = 0, factor = 0, of_context = 0;
    reg [127:0] sum = 0;
    reg of_memory = 0;
    always @(posedge sys_clk) begin
        first <= 0; fresh <= product; second <= fresh;
        if (products_finished) under_way <= 0;
        if (product) begin
            under_way <= 1; adds <= vghsh; target <= chosen_target; factor <= chosen_factor; of_context <= context;
        end
        sum <= product ? state_read_data : sum ^ (fresh && adds ? state_read_data : 128'd0);
    end

    always @* begin
        // What prove_memory_port proves.
        if (first) assume(!taking && pending == 0 && !request_valid && !rsp_valid && bases_read_address == 0);
        if (first) assume(member == 0 && !other_reads);
        if (first) assume(!products_active && !products_valid && !products_begun && products_operand == 0);
        if (first) assume(!products_fetching && !products_loading && !products_starting && !products_taken);
        if (first) assume(products_pending == 0 && !products_owned && products_stale);
        if (memory_result_valid) assume(pending[memory_result_register]);
        if (taking) assume(pending != 0);

        // Nothing sees or replaces the register before the result is there.
        if (issued && under_way) begin
            if (names_state) assert(s != target);
            assert(op != `OP_context && op != `OP_vxor_group && op != `OP_memory_status);
            assert(!product || products_finished);
        end
        if (under_way && writes && state_write_address == {of_context, target}) assert(products_finished);
        // One product at a time, whose result is written once.
        assert(!products_finished || under_way);
        if (products_finished)
            assert(state_write_lanes == 4'b1111 && state_write_address == {of_context, target}
                && state_write_data == products_result);
        // Operands.
        if (product) begin
            assert(state_read_address == {context, s});
            if (writes) assert(state_write_address != {context, s});
        end
        if (fresh) assert(state_read_address == {of_context, target});
        if (fresh && writes)
            assert(state_write_address != {of_context, target} && state_write_address != {of_context, factor});
        if (products_loading) begin
            assert(second && products_subkey_ready && state_read_address == {of_context, factor});
            if (writes) assert(state_write_address != {of_context, factor});
        end
        if (second) assert(products_operand == sum);
        if (second && !products_loading) assert(products_owned && products_owner == {of_context, factor});
        // Tables.
        if (products_loading) assert(under_way);
        assert(!(products_owned && products_stale));
        if (products_stale && !under_way) assert(products_clear);
        if (products_clear) assert(!under_way);

        // Invariants.
        assert(products_active == under_way && products_fetching == fresh);
        assert(other_reads == (taking || products_fetching || products_loading));
        assert(!taking || !under_way);
        if (other_reads) assert(other_register == (fresh ? target : second ? factor : member));
        if (under_way) assert(products_target == target && products_factor == factor && of_context == context);
        if (fresh || second) assert(under_way && !products_begun && !products_taken && !products_valid);
        if (fresh) assert(!products_starting && !products_loading && pending == 0);
        if (under_way) assert(!pending[target]);
        if (second) assert(products_starting);
        if (products_loading) assert(second);
        assert(products_pending == (under_way ? 8'd1 << target | (fresh ? 8'd1 << factor : 8'd0) : 8'd0));
        if (!under_way) assert(!products_starting && !products_taken && !products_begun && !products_valid);
        if (products_starting) assert(!products_valid && products_begun == products_taken);
        if (products_taken) assert(products_starting && products_operand == 0);
        if (under_way && !fresh && !products_starting) assert(products_valid && products_begun);
        if (products_valid) assert(products_begun);
    end

    // Tables of a register that was written are stale, unless they are written for another product.
    reg written_before = 0;
    always @(posedge sys_clk)
        written_before <= products_owned && writes && state_write_address == products_owner && !products_loading;
    always @* if (written_before) assert(products_stale && !products_owned);
endmodule
"""


def proven(verilog: str) -> bool:
    cuts = " ".join(f"w:it.memory_{name}" for name in FREE_PORT)
    free = ["flatten", f"cutpoint w:it.substituted? {cuts}", "delete t:$anyseq", *CUT_MEMORIES]
    return holds(verilog + "`DECODER\n" + PROPERTIES, free, solve="-tempinduct -maxsteps 3")


def test_products():
    assert proven(unit_verilog(product_cycles=8))


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r" \| rhs_self1\);", ");"),  # mutant: instructions use a product's registers without waiting
        (r"\(products_written & owned\)", "1'd0"),  # mutant: uses tables for an old value of the factor
        (r"\(\(~products_ready\) \| \(pending\w* != 1'd0\)\)", "(~products_ready)"),  # mutant: ignores loads
        (r"\| active\);", ");"),  # mutant: the context changes during a product
        (r"~\(stale \| products_ghash_busy\)", "~products_ghash_busy"),  # mutant: writes tables during zeroization
    ],
)
def test_a_broken_unit_is_refuted(pattern, replacement):
    assert not proven(mutate(unit_verilog(product_cycles=8), pattern, replacement))
