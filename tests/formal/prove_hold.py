# SPDX-License-Identifier: BSD-2-Clause
"""Prove that no plaintext leaves the buffer `gateware.gcm.hold` before its tag is verified (k-induction from reset).

Any one row is followed. A block with `held` waits in it until `accept`; then it may be read. After `reject` it may
never be read, whatever verdicts follow: the row counts as free again only when zeros have been written to it. A block
is read only if its row was committed, and each row is read at most once. Verdicts and clears may come in any cycle.
"""

import pytest

from gateware.gcm.hold import Hold
from tests.formal.prover import holds, to_verilog
from tests.formal.vector_unit import CUT_MEMORIES, mutate

DEPTH = 8
PROOF = """
module proof(input sys_clk, input sink_valid, input held, input waits, input accept, input reject, input source_ready,
    input clear, input [2:0] any_row);
    wire sink_ready, source_valid, step, erasing, erase, zeroizing, busy;
    wire [3:0] stored, uncommitted;
    wire [2:0] write, read;
    hold it(.sys_clk(sys_clk), .sys_rst(first), .sink_valid(sink_valid), .sink_ready(sink_ready), .held(held),
        .waits(waits), .accept(accept), .reject(reject), .source_valid(source_valid), .source_ready(source_ready),
        .clear(clear), .busy(busy), .step(step), .erasing(erasing), .erase(erase), .zeroizing(zeroizing),
        .stored(stored), .uncommitted(uncommitted), .write(write), .read(read));
    reg first = 1;  // the cycle of the reset
    reg [2:0] row;
    localparam FREE = 0, WAITS = 1, COMMITTED = 2, REJECTED = 3;
    reg [1:0] state = FREE;
    wire take = sink_valid && sink_ready;
    wire [2:0] last = write - 3'd1;
    always @(posedge sys_clk) begin
        first <= 0;
        if (first) row <= any_row;
        if (accept && state == WAITS) state <= COMMITTED;
        if (reject && state == WAITS) state <= REJECTED;
        if (take && write == row) state <= held ? WAITS : COMMITTED;
        if (erase && last == row) state <= FREE;
        if (step && read == row) state <= FREE;
        if (clear || first) state <= FREE;
    end
    wire [2:0] place = row - read;
    wire is_stored = {1'b0, place} < stored, is_uncommitted = is_stored && place + uncommitted >= stored;
    always @* if (!first) begin
        assume(!(accept && reject));
        assert(stored <= 8 && uncommitted <= stored && write == ((read + stored) & 7) || zeroizing);
        if (zeroizing) assert(stored == 0 && uncommitted == 0 && !erasing && read == 0);
        assert((state == FREE) == !is_stored);
        assert((state == WAITS || state == REJECTED) == is_uncommitted);
        if (state == WAITS) assert(!erasing);
        if (state == REJECTED) assert(erasing);
        if (busy) assert(!take && (erasing || zeroizing));
        if (step && read == row) assert(state == COMMITTED);
        if (erase && last == row) assert(state == REJECTED);
        if (take && write == row) assert(state == FREE);
    end
endmodule
"""


def hold_verilog() -> str:
    dut = Hold(DEPTH)
    ports = {"sink_valid": dut.sink.valid, "sink_ready": dut.sink.ready, "held": dut.held, "waits": dut.wait}
    ports |= {"accept": dut.accept, "reject": dut.reject, "clear": dut.clear, "busy": dut.busy}
    ports |= {"source_valid": dut.source.valid, "source_ready": dut.source.ready, **dut.control}
    return to_verilog(dut, "hold", ports, clocked=True)


def is_proven(verilog: str) -> bool:
    return holds(verilog + PROOF, CUT_MEMORIES, solve="-tempinduct -maxsteps 4")


def test_no_text_before_its_verdict():
    assert is_proven(hold_verilog())


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"\(accept & \(~erasing\)\)", "(accept)"),  # mutant: `accept` releases text that was rejected
        (r"\(stored != uncommitted\)", "(stored != 4'd0)"),  # mutant: outputs unverified text
        (r"\| accept\)", ")"),  # mutant: stores a new block in the cycle of `accept`
        (r"\(erasing & \(uncommitted\[3:1\] == 1'd0\)\)", "(erasing & (uncommitted[3:2] == 1'd0))"),  # stops early
    ],
)
def test_a_broken_one_is_refuted(pattern, replacement):
    assert not is_proven(mutate(hold_verilog(), pattern, replacement))
