# SPDX-License-Identifier: BSD-2-Clause
"""Prove two parts of the CTR service: each client gets its turn, and a keystream queue neither loses nor adds blocks.

By k-induction:

- The arbiter, for three clients with shares of 3, 1 and 2: a client that keeps requesting is granted after at most as
  many grants of others as the sum of their shares. The arbiter chooses only clients that request.
- The queue of 4 places, if only blocks arrive that have set out: blocks that are under way or stored have a place, and
  flushed blocks are among the blocks under way.

For all inputs of the first 12 cycles after reset: each block that stays in the queue is delivered once, in order, with
its own data.
"""

import re

import pytest

from gateware.ctr.arbiter import Arbiter
from gateware.ctr.keystream_queue import KeystreamQueue
from tests.formal.prover import holds, to_verilog

SHARES = [3, 1, 2]
PLACES = 4

ARBITER = """
module proof(input sys_clk, input [2:0] wants, input take);
    wire [1:0] choice;
    arbiter it(.sys_clk(sys_clk), .sys_rst(1'b0), .wants(wants), .take(take), .choice(choice),
               .turn(turn), .left(left));
    wire [1:0] turn, left;
    reg [2:0] waited0 = 0, waited1 = 0, waited2 = 0;      // grants of others since the client began to want
    reg [2:0] held = 0;                                   // clients that want and have had none
    always @(posedge sys_clk) begin
        held <= wants & ~(take << choice);
        waited0 <= wants[0] && !(take && choice == 0) ? waited0 + take : 0;
        waited1 <= wants[1] && !(take && choice == 1) ? waited1 + take : 0;
        waited2 <= wants[2] && !(take && choice == 2) ? waited2 + take : 0;
    end
    reg first = 1;
    always @(posedge sys_clk) first <= 0;
    always @* begin
        if (first) assume(turn == 0 && left == 3);        // as reset leaves them
        assume((held & ~wants) == 0);
        assume(!take || wants != 0);
        if (wants != 0) assert(wants[choice] && choice < 3);
        assert(turn < 3 && left >= 1 && left <= (turn == 0 ? 3 : turn == 1 ? 1 : 2));
        // What has been granted since and what may still be, until the client's turn comes.
        assert(waited0 + (turn == 1 ? left + 2 : turn == 2 ? left : 0) <= 3);
        assert(waited1 + (turn == 2 ? left + 3 : turn == 0 ? left : 0) <= 5);
        assert(waited2 + (turn == 0 ? left + 1 : turn == 1 ? left : 0) <= 4);
    end
endmodule
"""

QUEUE = """
module proof(input sys_clk, input reserve, input write, input [127:0] data, input error, input ready,
             input flush, input clear, input [1:0] any);
    wire room, valid, zeroizing, empty, out_error, fetched;
    wire [127:0] out;
    wire [2:0] under_way, stored, stale;
    wire [1:0] produce, consume;
    queue it(.sys_clk(sys_clk), .sys_rst(1'b0), .room(room), .reserve(reserve), .write(write), .data(data),
             .error(error), .valid(valid), .ready(ready), .out(out), .out_error(out_error), .flush(flush),
             .clear(clear), .zeroizing(zeroizing), .empty(empty), .under_way(under_way), .stored(stored),
             .stale(stale), .fetched(fetched), .produce(produce), .consume(consume));
    reg first = 1;
    always @(posedge sys_clk) first <= 0;
    reg [2:0] sent = 0, dropped = 0;                      // under way, and those of them that were flushed
    always @(posedge sys_clk) begin
        sent <= clear ? 0 : sent + reserve - write;
        dropped <= clear ? 0 : flush ? sent + reserve - write : dropped - (write && dropped != 0);
    end
    // One block of those that stay is followed: where it is, and what it holds.
    reg [3:0] ahead = 0;                                  // blocks before it
    reg followed = 0, waits = 0;
    reg [7:0] wanted = 0;
    wire keep = write && dropped == 0 && !flush && !clear;
    wire give = valid && ready;
    wire [3:0] behind = stored + fetched + valid - give;  // blocks that stay before one that arrives now
    always @(posedge sys_clk) begin
        if (followed) begin
            ahead <= ahead - give;
            if (give && ahead == 0) followed <= 0;
        end else if (keep && any == 0) begin
            followed <= 1;
            ahead <= behind;
            wanted <= data[7:0];
        end
        if (flush || clear) followed <= 0;
    end
    always @* begin
        if (first) assume(under_way == 0 && stored == 0 && stale == 0 && produce == 0 && consume == 0 && !valid
                          && !fetched && !zeroizing);
        assume(!reserve || room);
        assume(!write || sent != 0);
        assert(under_way + stored <= 4);
        assert(stale == dropped && under_way == sent && stale <= under_way);
        assert(zeroizing ? stored == 0 && under_way == 0 && consume == 0 && !fetched
                         : produce == (consume + stored) % 4);
        assert(empty == (under_way == 0 && stored == 0 && !fetched && !valid));
`ifdef DATA
        if (followed) begin
            assert(ahead < stored + fetched + valid);
            if (valid && ahead == 0) assert(out[7:0] == wanted);
        end
`endif
    end
endmodule
"""


def arbiter_verilog() -> str:
    dut = Arbiter(SHARES)
    ports = {"wants": dut.wants, "take": dut.take, "choice": dut.choice, **dut.control}
    return to_verilog(dut, "arbiter", ports, clocked=True) + ARBITER


def queue_verilog() -> str:
    dut = KeystreamQueue(PLACES)
    names = ("room", "reserve", "write", "data", "error", "flush", "clear", "zeroizing", "empty")
    ports = {name: getattr(dut, name) for name in names}
    ports |= {"valid": dut.source.valid, "ready": dut.source.ready, "out": dut.source.data}
    return to_verilog(dut, "queue", ports | {"out_error": dut.source.error} | dut.control, clocked=True) + QUEUE


def proven(verilog: str) -> bool:
    return holds(verilog, ["flatten", "memory"], solve="-tempinduct -maxsteps 4")


def data_proven(verilog: str) -> bool:
    return holds(verilog, ["flatten", "memory"], solve="-tempinduct-baseonly -maxsteps 12", defines=["DATA"])


def broken(verilog: str, pattern: str, replacement: str) -> str:
    text, count = re.subn(pattern, replacement, verilog, count=1)
    assert count, pattern
    return text


def test_arbiter():
    assert proven(arbiter_verilog())


def test_queue():
    assert proven(queue_verilog())


def test_data():
    assert data_proven(queue_verilog())


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        # A mutant in which the arbiter never ends a client's turn.
        (r"if \(\(rest == 1'd0\)\)", "if (1'd0)"),
        # A mutant in which the turn never moves to another client.
        (r"turn <= choice;", ""),
    ],
)
def test_a_broken_arbiter_is_refuted(pattern, replacement):
    assert not proven(broken(arbiter_verilog(), pattern, replacement))


@pytest.mark.parametrize(
    ("prove", "pattern", "replacement"),
    [
        # A mutant in which a flush does not drop the blocks that are still in the core.
        (proven, r"<= \w*coming;(\s+\w+ <= 1'd0;\s+consume)", r"<= 1'd0;\1"),
        # A mutant in which the queue keeps no rows free for blocks that are still in the core.
        (proven, r"room <= \(\(\(\(\(\w+ \+ ", "room <= (((((0 + "),
        # A mutant in which a block is delivered twice.
        (data_proven, r"consume <= \(consume \+ 1'd1\);", ""),
    ],
)
def test_a_broken_queue_is_refuted(prove, pattern, replacement):
    assert not prove(broken(queue_verilog(), pattern, replacement))
