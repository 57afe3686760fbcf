# SPDX-License-Identifier: BSD-2-Clause
"""Prove that no core loses, repeats or reorders a block, for all inputs, stalls and flushes (k-induction from reset).

- ITERATIVE: each block has a tag that moves as the cipher's own control tells. Every block goes through rounds, last
  round, result and output, finds each of them free, and leaves in order, with its own mark if it has no key. A round
  key's address advances in every cycle, so a block leaves within a bounded number of cycles. Cycles in which nobody
  takes the block before `source` do not count. `in_use` is 1 exactly as long as round keys of the slot are needed.
- PIPELINED: every block under way, in the queue or before `source` has exactly one place in the queue, and there
  are at most as many blocks as places. So the queue never overflows, and a shift register cannot reorder. `in_use` is 1
  as long as a block with a key of the slot still needs it.
- QUEUE: the queue returns what was put into it, in order (a bounded proof, 16 cycles, with a queue of four blocks).
- ENGINES: with ciphers that take any time, blocks leave in the order in which they came (bounded, 14 cycles).
"""

import pytest
from litex.soc.interconnect import stream
from migen import Cat, If, Module, Signal

from gateware.aes.engines import Engines
from gateware.aes.iterative_cipher import WIDTHS, IterativeCipher, cipher_layout
from gateware.aes.key_expansion import key_writes
from gateware.aes.output_queue import OutputQueue
from gateware.aes.pipelined_cipher import PipelinedCipher
from gateware.aes.standard import BLOCK_BITS
from tests.formal.prover import holds, to_verilog
from tests.formal.vector_unit import CUT_MEMORIES, mutate

ITERATIVE = """
module proof(input sys_clk, input sink_valid, input [1:0] length, input sink_slot, input sink_error, input watched,
    input source_ready, input flush, input clear);
    localparam PARTS = 128 / WIDTH;
    wire sink_ready, source_valid, source_error, in_use, DECLARATIONS;
    wire slot_of_block, error_of_block, finishing_slot, finishing_error;
    wire [127:0] source_data;
    wire [5:0] step, final_step;
    wire [1:0] outstanding, read_part;
    cipher it(.sys_clk(sys_clk), .sys_rst(first), .sink_valid(sink_valid), .sink_ready(sink_ready), .length(length),
        .source_valid(source_valid), .source_ready(source_ready), .flush(flush), .clear(clear), .step(step),
        .sink_slot(sink_slot), .sink_error(sink_error), .watched(watched), .in_use(in_use), .source_error(source_error),
        .source_data(source_data), .slot_of_block(slot_of_block), .error_of_block(error_of_block),
        .finishing_slot(finishing_slot), .finishing_error(finishing_error),
        .final_step(final_step), .outstanding(outstanding), .read_part(read_part), CONNECTIONS);

    reg first = 1;  // the cycle of the reset
    always @(posedge sys_clk) first <= 0;
    wire take = sink_valid && sink_ready;
    wire arrive = finishing && read_part == PARTS - 1;
    wire move = finished && (!source_valid || source_ready);
    wire give = source_valid && source_ready;
    wire drop = flush || clear || first;

    // Where blocks are, and their tags.
    reg in_rounds = 0, in_tail = 0, in_result = 0, in_source = 0;
    reg [2:0] rounds_tag = 0, tail_tag = 0, result_tag = 0, source_tag = 0, next_in = 0, next_out = 0;
    reg [5:0] step_before = 0;
    reg active_before = 0, last_before = 0;
    // Their slots, whether they have a key, and cycles since they were taken in which the next result could have left.
    reg rounds_slot, tail_slot, rounds_error, tail_error, result_error, error_at_source;
    reg [7:0] rounds_age = 0, tail_age = 0, result_age = 0, source_age = 0;
    wire goes = !source_valid || source_ready;
    localparam LONGEST = 14 * PARTS;
    always @(posedge sys_clk) begin
        if (last_step) in_rounds <= 0;
        rounds_age <= rounds_age + goes; tail_age <= tail_age + goes; result_age <= result_age + goes;
        if (take) begin
            in_rounds <= 1; rounds_tag <= next_in; next_in <= next_in + 1;
            rounds_slot <= sink_slot; rounds_error <= sink_error; rounds_age <= 0;
        end
        if (arrive) in_tail <= 0;
        if (last_step) begin
            in_tail <= 1; tail_tag <= rounds_tag;
            tail_slot <= rounds_slot; tail_error <= rounds_error; tail_age <= rounds_age + goes;
        end
        if (move) in_result <= 0;
        if (arrive) begin
            in_result <= 1; result_tag <= tail_tag;
            result_error <= tail_error; result_age <= tail_age + goes;
        end
        if (give) begin in_source <= 0; next_out <= next_out + 1; end
        if (move) begin
            in_source <= 1; source_tag <= result_tag; error_at_source <= result_error; source_age <= result_age + goes;
        end
        if (drop) begin
            in_rounds <= 0; in_tail <= 0; in_result <= 0; in_source <= 0; next_in <= 0; next_out <= 0;
        end
        step_before <= step; active_before <= active && !drop; last_before <= last_step;
    end
    wire [2:0] inside = in_rounds + in_tail + in_result + in_source;
    always @* if (!first) begin
        assume(length != 3);
        assert(in_rounds == active && in_result == finished && in_source == source_valid);
        assert(in_tail == (key_ending || ending || finishing));
        assert(key_ending + ending + finishing <= 1);
        assert((!key_ending || key_complete) && (!ending || complete));
        assert(inside == outstanding && outstanding <= 2);
        if (active) assert(step <= final_step && final_step % PARTS == PARTS - 1);
        if (active && active_before && !last_before) assert(step == step_before + 1);  // it goes on
        if (take) assert(!in_rounds || last_step);
        if (last_step) assert(in_rounds && (!in_tail || arrive));
        if (arrive) assert(in_tail && (!in_result || move));
        // With its own mark, and zero by it; within a bound.
        if (in_rounds) assert(rounds_slot == slot_of_block && rounds_error == error_of_block && rounds_age <= step);
        if (in_tail) begin
            assert(tail_slot == finishing_slot && tail_error == finishing_error);
            assert(tail_age <= LONGEST + (key_ending ? 0 : ending ? 1 : 2 + read_part));
        end
        if (in_result) assert(result_error == finishing_error && result_age <= LONGEST + 2 + PARTS);
        if (in_result) assert(!(in_rounds && step >= PARTS) || goes);
        if (in_source) begin
            assert(error_at_source == source_error && source_age <= LONGEST + 3 + PARTS);
            if (source_error) assert(source_data == 0);
        end
        assert(in_use == ((in_rounds && !rounds_error && rounds_slot == watched)
            || (in_tail && !tail_error && tail_slot == watched)));
        if (move) assert(in_result && (!in_source || give));
        // In order: tags follow each other.
        if (in_source) assert(source_tag == next_out);
        if (in_result) assert(result_tag == next_out + in_source);
        if (in_tail) assert(tail_tag == next_out + in_source + in_result);
        if (in_rounds) assert(rounds_tag == next_out + in_source + in_result + in_tail);
        assert(next_in == ((next_out + inside) & 7));
    end
endmodule
"""
FLAGS = ("active", "last_step", "key_ending", "key_complete", "ending", "complete", "finishing", "finished")


def iterative_verilog(width: int) -> str:
    dut = IterativeCipher(width=width, slots=2, sbox="block_ram")
    ports = {f"sink_{name}": getattr(dut.sink, name) for name in ("slot", "error")}
    ports |= {f"source_{name}": getattr(dut.source, name) for name in ("data", "error")}
    ports |= {"watched": dut.watched, "in_use": dut.in_use}
    ports |= {"sink_valid": dut.sink.valid, "sink_ready": dut.sink.ready, "length": dut.sink.length}
    ports |= {"source_valid": dut.source.valid, "source_ready": dut.source.ready}
    return to_verilog(dut, "cipher", {**ports, "flush": dut.flush, "clear": dut.clear, **dut.control}, clocked=True)


def iterative_is_proven(verilog: str, width: int) -> bool:
    text = ITERATIVE.replace("DECLARATIONS", ", ".join(FLAGS))
    text = text.replace("CONNECTIONS", ", ".join(f".{name}({name})" for name in FLAGS))
    return holds(verilog + text.replace("WIDTH", str(width)), CUT_MEMORIES, solve="-tempinduct -maxsteps 16")


@pytest.mark.parametrize("width", WIDTHS)
def test_iterative(width):
    assert iterative_is_proven(iterative_verilog(width), width)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"\(~outstanding\[1\]\)", "1'd1"),  # mutant: accepts a block although the cipher is full
        (r"\(finished & \(\(~source_valid\) \| source_ready\)\)", "(finished)"),  # mutant: overwrites a waiting result
        (r"(source_payload_error <= )finishing_error;", r"\g<1>1'd0;"),  # mutant: never reports a missing key
        (r"assign in_use = \(\(\(active [^|]*\|", "assign in_use = (1'd0 |"),  # mutant: `in_use` ignores active blocks
    ],
)
def test_a_broken_iterative_cipher_is_refuted(pattern, replacement):
    assert not iterative_is_proven(mutate(iterative_verilog(128), pattern, replacement), 128)


PIPELINED = """
module proof(input sys_clk, input sink_valid, input sink_slot, input sink_error, input watched, input source_ready,
    input flush, input clear, input scrub);
    wire in_use, previous;
    wire [7:0] remaining;
    wire [RANKS:0] slots;
    wire [RANKS+1:0] errors;
    wire sink_ready, source_valid, arrived, fetched, reserved, left, zeroizing, last_cycle;
    wire [7:0] cycles_left;
    wire [RANKS:0] valid;
    wire [DEPTH_BITS:0] places, stored;
    cipher it(.sys_clk(sys_clk), .sys_rst(first), .sink_valid(sink_valid), .sink_ready(sink_ready),
        .source_valid(source_valid), .source_ready(source_ready), .flush(flush), .clear(clear), .scrub(scrub),
        .zeroizing(zeroizing), .valid(valid), .arrived(arrived), .fetched(fetched), .reserved(reserved), .left(left),
        .places(places), .stored(stored), .cycles_left(cycles_left), .last_cycle(last_cycle),
        .sink_slot(sink_slot), .sink_error(sink_error), .watched(watched), .in_use(in_use), .previous(previous),
        .remaining(remaining), .slots(slots), .errors(errors));
    reg first = 1;  // the cycle of the reset
    always @(posedge sys_clk) first <= 0;
    integer n;
    reg [DEPTH_BITS+2:0] under_way;
    always @* begin
        under_way = arrived;
        for (n = 0; n <= RANKS; n = n + 1) under_way = under_way + valid[n];
    end
    always @* if (!first) begin
        if (scrub) assume(zeroizing);  // a core scrubs from the cycle after `clear` on
        assert(zeroizing == (cycles_left != 0 || last_cycle) && (!last_cycle || cycles_left == 0));
        if (zeroizing) assert(places == 0 && !reserved && !left);
        // One that came, and one that left, in the cycle before are not yet counted in `places`.
        assert(places + reserved == under_way + stored + fetched + source_valid + left);
        assert(places + reserved <= 1 << DEPTH_BITS);
        if (sink_valid && sink_ready) assert(places + reserved < 1 << DEPTH_BITS);
        for (n = 0; n <= RANKS; n = n + 1) if (valid[n] && !errors[n]) begin
            if (slots[n] == previous) assert(remaining >= RANKS + 1 - n);
            if (slots[n] == watched) assert(in_use);
        end
    end
endmodule
"""


def pipelined_verilog() -> tuple[str, int, int]:
    dut = PipelinedCipher(slots=2, key_lengths=(128,), sbox="block_ram", stages=1)
    slots, errors = Signal(len(dut.slots), name="slots"), Signal(len(dut.errors), name="errors")
    dut.comb += [slots.eq(Cat(*dut.slots)), errors.eq(Cat(*dut.errors))]
    ports = {"sink_valid": dut.sink.valid, "sink_ready": dut.sink.ready, "flush": dut.flush, "clear": dut.clear}
    ports |= {"source_valid": dut.source.valid, "source_ready": dut.source.ready, "scrub": dut.scrub}
    ports |= {
        "zeroizing": dut.zeroizing,
        "watched": dut.watched,
        "in_use": dut.in_use,
        "slots": slots,
        "errors": errors,
    }
    ports |= {f"sink_{name}": getattr(dut.sink, name) for name in ("slot", "error")}
    sizes = len(dut.control["valid"]) - 1, len(dut.control["places"]) - 1
    return to_verilog(dut, "cipher", {**ports, **dut.control}, clocked=True), *sizes


def pipelined_is_proven(verilog: str, ranks: int, depth_bits: int) -> bool:
    text = PIPELINED.replace("RANKS", str(ranks)).replace("DEPTH_BITS", str(depth_bits))
    return holds(verilog + text, CUT_MEMORIES, solve="-tempinduct -maxsteps 4")


def test_pipelined():
    assert pipelined_is_proven(*pipelined_verilog())


def test_a_pipeline_that_reserves_no_place_is_refuted():
    verilog, *sizes = pipelined_verilog()
    assert not pipelined_is_proven(mutate(verilog, r"assign (\w*reserve) = \w+;", r"assign \1 = 1'd0;"), *sizes)


def test_a_pipeline_that_gives_a_slot_free_too_early_is_refuted():
    verilog, *sizes = pipelined_verilog()
    assert not pipelined_is_proven(mutate(verilog, r"remaining <= 4'd11;", "remaining <= 4'd10;"), *sizes)


QUEUE = """
module proof(input sys_clk, input reserve_offer, input write_offer, input source_ready);
    wire room, empty, source_valid;
    wire [127:0] source_data;
    reg [4:0] reserved = 0, written = 0, given = 0;
    reg first = 1;  // the cycle of the reset
    always @(posedge sys_clk) first <= 0;
    wire reserve = !first && reserve_offer && room;
    wire write = !first && write_offer && written != reserved;
    queue it(.sys_clk(sys_clk), .sys_rst(first), .reserve(reserve), .room(room), .empty(empty), .write(write),
        .data({123'd0, written}), .source_valid(source_valid), .source_ready(source_ready),
        .source_data(source_data), .flush(1'b0), .zeroize(1'b0));
    always @(posedge sys_clk) begin
        reserved <= reserved + reserve;
        written <= written + write;
        given <= given + (!first && source_valid && source_ready);
        gave <= source_valid && source_ready;
    end
    reg gave = 0;
    always @* if (!first) begin
        if (source_valid) assert(source_data == given && given != written);
        if (empty) assert(reserved == given);
        if (reserved == given && !gave) assert(empty);
    end
endmodule
"""


def queue_verilog() -> str:
    dut = OutputQueue(2)
    ports = {name: getattr(dut, name) for name in ("reserve", "room", "empty", "write", "data", "flush", "zeroize")}
    source = dut.source
    ports |= {"source_valid": source.valid, "source_ready": source.ready, "source_data": source.data}
    return to_verilog(dut, "queue", ports, clocked=True)


def queue_is_proven(verilog: str) -> bool:
    return holds(verilog + QUEUE, ["flatten", "memory"], solve="-tempinduct-baseonly -maxsteps 16")


def test_queue():
    assert queue_is_proven(queue_verilog())


def test_a_queue_that_reads_twice_is_refuted():
    assert not queue_is_proven(mutate(queue_verilog(), r"(\w*consume) <= \(\w+ \+ 1'd1\);", r"\1 <= \1;"))


class AnyTime(Module):
    """Replaces the cipher in a proof, and can have any latency. It stores up to two blocks and returns them unchanged.
    While `hold` is high, it returns no block.
    """

    def __init__(self, hold):
        self.sink = stream.Endpoint(cipher_layout(1))
        self.source = stream.Endpoint([("data", BLOCK_BITS)])
        self.keys = key_writes(BLOCK_BITS, 1)
        self.watched, self.in_use, self.flush, self.clear = Signal(), Signal(), Signal(), Signal()
        self.scrub, self.zeroizing, self.idle = Signal(), Signal(), Signal()

        # # #

        first, second = Signal(BLOCK_BITS), Signal(BLOCK_BITS)
        count = Signal(2)
        take, give = Signal(), Signal()
        self.comb += [
            self.idle.eq(count == 0),
            self.sink.ready.eq(~count[1]),
            self.source.valid.eq((count != 0) & ~hold),
            self.source.data.eq(first),
            take.eq(self.sink.valid & self.sink.ready),
            give.eq(self.source.valid & self.source.ready),
        ]
        self.sync += [
            count.eq(count + take - give),
            If(give, first.eq(second)),
            If(take, second.eq(self.sink.data), If((count == 0) | ((count == 1) & give), first.eq(self.sink.data))),
        ]


ENGINES = """
module proof(input sys_clk, input sink_valid, input source_ready, input [5:0] hold);
    wire sink_ready, source_valid;
    wire [127:0] source_data;
    reg first = 1;  // the cycle of the reset
    always @(posedge sys_clk) first <= 0;
    reg [4:0] taken = 0, given = 0;
    engines it(.sys_clk(sys_clk), .sys_rst(first), .sink_valid(sink_valid), .sink_ready(sink_ready),
        .sink_data({123'd0, taken}), .source_valid(source_valid), .source_ready(source_ready),
        .source_data(source_data), .hold(hold));
    always @(posedge sys_clk) begin
        taken <= taken + (!first && sink_valid && sink_ready);
        given <= given + (!first && source_valid && source_ready);
    end
    always @* if (!first && source_valid) assert(source_data == given && given != taken);
endmodule
"""


def engines_verilog(count: int) -> str:
    hold = Signal(6)
    dut = Engines([AnyTime(hold[n]) for n in range(count)], width=BLOCK_BITS, slots=1)
    ports = {f"sink_{name}": getattr(dut.sink, name) for name in ("valid", "ready", "data")}
    ports |= {f"source_{name}": getattr(dut.source, name) for name in ("valid", "ready", "data")}
    return to_verilog(dut, "engines", {**ports, "hold": hold}, clocked=True)


def engines_are_proven(verilog: str) -> bool:
    return holds(verilog + ENGINES, solve="-tempinduct-baseonly -maxsteps 14")


@pytest.mark.parametrize("count", [2, 4, 6])
def test_engines(count):
    assert engines_are_proven(engines_verilog(count))


def test_engines_out_of_turn_are_refuted():
    broken = mutate(engines_verilog(2), r"(\w*source_turn) <= \(\w+ \+ 1'd1\);", r"\1 <= \1;")
    assert not engines_are_proven(broken)
