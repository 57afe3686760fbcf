# SPDX-License-Identifier: BSD-2-Clause
"""Prove that an AES round in each core type, and a word of the key schedule, equal their definitions in FIPS-197 (5.1.1
to 5.1.4, 5.2).

A round of the iterative datapaths is proved in two parts, for free states and keys:

- the parts of a state are written so that they are read as its ShiftRows, whatever is written into the other bank
  meanwhile;
- the written value is the round key plus, after round 0, MixColumns of the substituted bytes.

For a round of the pipelined datapath, the next state is the round key plus ShiftRows of the substituted bytes, and
MixColumns except in the last round. `prove_sbox` proves SubBytes itself, with its registers.

For the key schedule, each new word is compared, and so are the counts of i mod Nk and Rcon.
"""

import pytest

from gateware.aes.iterative_cipher import WIDTHS, IterativeCipher
from gateware.aes.key_expansion import KeyExpansion
from gateware.aes.pipelined_round import PipelinedRound
from gateware.aes.state import State
from tests.formal.definitions import ALGEBRA, COLUMNS, STATES
from tests.formal.prover import holds, to_verilog
from tests.formal.vector_unit import mutate

KEEP_MEMORIES = ["flatten", "memory"]

SHIFT = """
module proof(input sys_clk, input [127:0] other);
    localparam PARTS = 128 / WIDTH;
    (* anyconst *) wire [127:0] block;
    (* anyconst *) wire bank;
    reg [3:0] t = 0;
    always @(posedge sys_clk) if (t != 15) t <= t + 1;
    wire ours = t < PARTS;
    wire [127:0] all = ours ? block : other;
    wire [WIDTH-1:0] new_part = ours ? all[WIDTH*(t % PARTS) +: WIDTH] : other[WIDTH-1:0];
    wire [WIDTH-1:0] shifted;
    state it(.sys_clk(sys_clk), .sys_rst(1'b0), .write(ours || other[127]), .write_bank(ours ? bank : ~bank),
        .write_part(ours ? t % PARTS : other[126:125]), .new_columns(new_part), .complete(t == PARTS - 1),
        .read_bank(bank), .read_part((t + 1) % PARTS), .shifted(shifted));
    DEFINITIONS
    wire [127:0] result = shift_rows(block);
    always @* if (t >= PARTS - 1 && t < 2 * PARTS - 1) assert(shifted == result[WIDTH*((t + 1) % PARTS) +: WIDTH]);
endmodule
"""


def state_verilog(width: int) -> str:
    dut = State(width=width)
    ports = {name: getattr(dut, name) for name in ("write", "write_bank", "write_part", "complete", "read_bank")}
    ports |= {"new_columns": dut.new, "read_part": dut.read_part, "shifted": dut.shifted}
    return to_verilog(dut, "state", ports, clocked=True)


def shifts_rows(verilog: str, width: int) -> bool:
    text = SHIFT.replace("DEFINITIONS", COLUMNS + STATES).replace("WIDTH", str(width))
    return holds(verilog + text, KEEP_MEMORIES, solve="-tempinduct -maxsteps 12")


@pytest.mark.parametrize("width", WIDTHS)
def test_state_is_read_behind_shift_rows(width):
    assert shifts_rows(state_verilog(width), width)


@pytest.mark.parametrize("width", [32, 64])
def test_a_state_that_reads_too_early_is_refuted(width):
    broken = mutate(state_verilog(width), r"\(complete \? \w+\[\d+:\d+\] : (\w+)\)", r"\1")
    assert not shifts_rows(broken, width)


ROUND = """
module proof(input sys_clk, input [127:0] data, input valid, output [WIDTH-1:0] difference);
    wire [WIDTH-1:0] substituted, doubled, addend, columns;
    wire mixing;
    integer n;
    cipher it(.sys_clk(sys_clk), .sys_rst(1'b0), .data(data), .valid(valid), .substituted(substituted),
        .doubled(doubled), .addend(addend), .mixing(mixing), .columns(columns));
    DEFINITIONS
    always @* for (n = 0; n < WIDTH; n = n + 32)
        assume(doubled[n +: 32] == matrix_column(substituted[n +: 32], 32'h00000002));
    wire [127:0] mixed = mix_columns({{(128-WIDTH){1'b0}}, substituted});
    assign difference = columns ^ addend ^ (mixing ? mixed[WIDTH-1:0] : {WIDTH{1'b0}});
endmodule
"""
# Yosys commands that remove the block RAM of SubBytes, so that the solver can choose any output of SubBytes. The proof
# assumes that each byte of `doubled` is {02} times the byte of `substituted` at the same position. `prove_sbox` proves
# this assumption.
CUT = ["flatten", "delete t:$memrd* t:$memwr* t:$meminit*", "setundef -undriven -expose", "setattr -unset init w:*"]


def round_verilog(width: int) -> str:
    dut = IterativeCipher(width=width, sbox="block_ram")
    ports = {"data": dut.sink.data, "valid": dut.sink.valid, "substituted": dut.sub_bytes.o}
    ports |= {"doubled": dut.sub_bytes.doubled, "addend": dut.addend, "mixing": dut.mixing, "columns": dut.state.new}
    return to_verilog(dut, "cipher", ports, clocked=True)


def is_a_round(verilog: str, width: int) -> bool:
    text = ROUND.replace("DEFINITIONS", COLUMNS + STATES).replace("WIDTH", str(width))
    return holds(verilog + text, CUT, solve="-seq 1", zeros=("difference", width, 1))


@pytest.mark.parametrize("width", WIDTHS)
def test_round(width):
    assert is_a_round(round_verilog(width), width)


def test_a_broken_round_is_refuted():
    broken = mutate(round_verilog(32), r"(assign iterativecipher_mixed = [^;^]*)\^", r"\1|")
    assert not is_a_round(broken, 32)


PIPELINED = """
module proof(input sys_clk, input [127:0] state, input [127:0] key, input passes, output [127:0] difference);
    wire [127:0] substituted, result;
    one_round it(.sys_clk(sys_clk), .sys_rst(1'b0), .state(state), .enable(1'b1), .key(key), .passes(passes),
        .substituted(substituted), .result(result));
    DEFINITIONS
    wire goes_past = CAN_PASS && passes;
    wire [127:0] shifted = shift_rows(substituted);
    assign difference = goes_past ? 128'd0 : result ^ key ^ (IS_LAST ? shifted : mix_columns(shifted));
endmodule
"""
# S-box, stages, is_last, can_pass
PIPELINED_ROUNDS = [("tower_cut_ecp5", 4, False, True), ("tower_cut_ecp5", 4, True, False)]


def pipelined_verilog(sbox: str, stages: int, is_last: bool, can_pass: bool) -> str:
    dut = PipelinedRound(sbox=sbox, stages=stages, is_last=is_last, can_pass=can_pass)
    ports = {"state": dut.i, "enable": dut.enable, "key": dut.key, "passes": dut.passes}
    ports |= {"substituted": dut.sub_bytes.o, "result": dut.o}
    text = PIPELINED.replace("DEFINITIONS", COLUMNS + STATES)
    for name, value in (("IS_LAST", is_last), ("CAN_PASS", can_pass)):
        text = text.replace(name, str(int(value)))
    return to_verilog(dut, "one_round", ports, clocked=True) + text


def is_the_next_state(verilog: str) -> bool:
    return holds(verilog, CUT, solve="-seq 1", zeros=("difference", 128, 1))


@pytest.mark.parametrize("one", PIPELINED_ROUNDS, ids=str)
def test_pipelined_round(one):
    assert is_the_next_state(pipelined_verilog(*one))


def test_a_broken_pipelined_round_is_refuted():
    verilog = pipelined_verilog("tower_cut_ecp5", 4, False, True)
    assert not is_the_next_state(mutate(verilog, r"(assign \w+ = \(\w*passes \? [^;^]*)\^", r"\1|"))


SCHEDULE = """
module proof(input sys_clk, input valid, input enable, input clear, input [1:0] length, input [31:0] key_word);
    wire advance, loading, expanding, erasing, first, sub_enable;
    wire [2:0] phase;
    wire [7:0] rcon;
    wire [1:0] length_of_key;
    wire [31:0] sub_input, substituted, word, word_1, word_2, word_3, word_4, word_5, word_6, word_7, word_8;
    schedule it(.sys_clk(sys_clk), .sys_rst(start), .valid(valid), .enable(enable), .clear(clear), .length(length),
        .key_word(key_word), .advance(advance), .loading(loading), .expanding(expanding), .first(first),
        .erasing(erasing), .sub_input(sub_input), .sub_enable(sub_enable),
        .substituted(substituted), .phase(phase), .rcon(rcon), .length_of_key(length_of_key), .word(word),
        .word_1(word_1), .word_2(word_2), .word_3(word_3), .word_4(word_4), .word_5(word_5),
        .word_6(word_6), .word_7(word_7), .word_8(word_8));
    DEFINITIONS
    function [31:0] rot_word; input [31:0] w; rot_word = {w[7:0], w[31:8]}; endfunction

    reg start = 1;  // the cycle of the reset
    always @(posedge sys_clk) start <= 0;

    // i mod Nk and Rcon of the next word, counted here.
    wire [3:0] nk = length_of_key == 0 ? 4 : length_of_key == 1 ? 6 : 8;
    reg [3:0] i = 0;
    reg [7:0] power = 0;
    reg beyond = 0;  // the key's own words are past
    always @(posedge sys_clk) begin
        if (!expanding || start) begin
            i <= first && !start ? 1 : 0;
            beyond <= 0;
        end else if (advance) begin
            i <= i + 1 == nk ? 0 : i + 1;
            if (i + 1 == nk) begin
                power <= beyond ? times_x(power) : 8'h01;
                beyond <= 1;
            end
        end
    end
    wire [31:0] oldest = length_of_key == 0 ? word_4 : length_of_key == 1 ? word_6 : word_8;
    wire [31:0] changed = i == 0 ? rot_word(substituted) ^ power
        : nk == 8 && i == 4 ? substituted : word_1;
    always @* if (!start) begin
        assume(length != 3);
        assert(sub_input == word);  // what `substituted` is SubWord of, is the newest word
        if (advance) assert(sub_enable);
        assert(length_of_key != 3);
        assert(!(erasing && expanding));
        if (first) assert(advance && loading && !expanding);
        if (expanding) assert(phase == i && i < nk && loading == !beyond && (loading || rcon == power));
        if (!expanding) assert(phase == 0 && loading);
        if (advance) assert(word == (loading ? key_word : oldest ^ changed));
        if (advance) assert(expanding || first);
    end
endmodule
"""


def schedule_verilog() -> str:
    dut = KeyExpansion(sbox="block_ram")
    ports = {"valid": dut.sink.valid, "key_word": dut.sink.word, "enable": dut.enable, "clear": dut.clear}
    return to_verilog(dut, "schedule", {**ports, "length": dut.length, **dut.control}, clocked=True)


def is_the_schedule(verilog: str) -> bool:
    text = SCHEDULE.replace("DEFINITIONS", ALGEBRA)
    return holds(verilog + text, CUT[:3], solve="-tempinduct -maxsteps 4")


def test_key_schedule():
    assert is_the_schedule(schedule_verilog())


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"if \(\(phase == 1'd0\)\)", "if ((phase == 1'd1))"),
        (r"rcon <= \(loading \? 1'd1", "rcon <= (loading ? 2'd2"),
    ],
)
def test_a_broken_key_schedule_is_refuted(pattern, replacement):
    assert not is_the_schedule(mutate(schedule_verilog(), pattern, replacement))
