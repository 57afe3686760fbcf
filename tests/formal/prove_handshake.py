# SPDX-License-Identifier: BSD-2-Clause
"""Prove that the CFU port answers each command once, in order, with its own result, and that contexts stay separate.

The proof is a k-induction from reset. Commands, `rsp_ready`, the memory on the unit's port and the contents of the
register files are free:

- HANDSHAKE: a response appears only for a command without one. It comes within two cycles and stays, unchanged,
  until it is taken. No command is accepted while another waits for its response to be taken.
- CONTEXTS: every access uses the context that the last `context` instruction selected. So a command neither reads
  nor writes a register of another context.
"""

import pytest

from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, mutate, unit_verilog

PROPERTIES = """
    wire accept = cmd_valid && cmd_ready;
    wire respond = rsp_valid && rsp_ready;
    wire [5:0] op = operation(cmd_function_id);

`ifdef HANDSHAKE
    // The response's register starts as reset leaves it.
    reg first = 1;
    always @(posedge sys_clk) first <= 0;
    always @* if (first) assume(!rsp_valid);

    reg [1:0] outstanding = 0;
    reg [1:0] waited = 0;
    reg held = 0;
    reg [31:0] held_value = 0;
    always @(posedge sys_clk) begin
        outstanding <= outstanding + accept - respond;
        waited <= outstanding != 0 && !rsp_valid ? waited + 1 : 0;
        held <= rsp_valid && !rsp_ready;
        held_value <= rsp_output;
    end
    always @* begin
        assert(outstanding <= 1);
        if (rsp_valid) assert(outstanding == 1);                    // none without a command, none twice
        if (accept) assert(outstanding == 0 || respond);            // none overtaken
        if (outstanding != 0 && !rsp_valid) assert(waited < 2);     // none lost
        if (held) assert(rsp_valid && rsp_output == held_value);    // none changed
    end
`endif

`ifdef CONTEXTS
    reg [2:0] selected = 0;
    reg selecting = 0;   // the cycle after a `context` instruction: nothing may be accessed for a command
    reg accepted = 0;
    reg [2:0] of_command = 0;
    always @(posedge sys_clk) begin
        if (accept && op == `OP_context) selected <= rs1[2:0];
        selecting <= accept && op == `OP_context;
        accepted <= accept;
        of_command <= selected;
    end
    always @* begin
        if (!selecting) assert(bases_read_address == selected);
        assert(state_read_address[5:3] == bases_read_address);              // a group's reads, too
        if (accept) begin
            assert(bases_read_address == selected);
            assert(state_read_address[5:3] == selected);
            assert(keys_read_address[6:4] == selected);
        end
        if (accepted) begin
            if (keys_write_lanes != 0) assert(keys_write_address[6:4] == of_command);
            if (bases_write_lanes != 0) assert(bases_write_address == of_command);
            if (state_write_lanes != 0 && !memory_result_ready) assert(state_write_address[5:3] == of_command);
        end else begin
            assert(keys_write_lanes == 0 && bases_write_lanes == 0);
            assert(state_write_lanes == 0 || memory_result_ready);
        end
        if (memory_result_ready && state_write_lanes != 0) assert(state_write_address[5:3] == bases_read_address);
    end
`endif
endmodule
"""


def proven(verilog: str, part: str) -> bool:
    # A limit of six steps is enough to refute the mutants: the induction's base case finds a short counter-example for
    # each mutant.
    induction = "-tempinduct -maxsteps 6"
    return holds(verilog + "`DECODER\n" + PROPERTIES, CUT_MEMORIES, solve=induction, defines=[part])


@pytest.mark.parametrize("part", ["HANDSHAKE", "CONTEXTS"])
def test_port(part):
    assert proven(unit_verilog(), part)


@pytest.mark.parametrize(
    ("part", "pattern", "replacement"),
    [
        # A mutant that accepts a command before the previous response is accepted.
        ("HANDSHAKE", r"\(\(~rsp_valid\) \| rsp_ready\)\);", "1'd1);"),
        # A mutant that withdraws the response in the next cycle, even if it was not accepted.
        ("HANDSHAKE", r"if \(rsp_ready\) begin\s+rsp_valid <= 1'd0;", "if (1'd1) begin rsp_valid <= 1'd0;"),
        # A mutant that always writes keys into context 0.
        ("CONTEXTS", r"(\w*stage2_key) <= [^;]*;", r"\1 <= 7'd0;"),
    ],
)
def test_a_broken_port_is_refuted(part, pattern, replacement):
    assert not proven(mutate(unit_verilog(), pattern, replacement), part)
