# SPDX-License-Identifier: BSD-2-Clause
"""Prove that GHASH's multiplier is right for all blocks and subkeys. The proofs cover several digit sizes. The digit
size is the number of bits of a block that the multiplier processes per cycle.

A solver cannot compare two products of 128 bits as a whole. But the multiplier adds, in each cycle, one row of each
table, and everything else in it is linear. So two statements suffice, each proven for all values:

- SUM: the total is ``z x^w + sum of x^k product[k]`` modulo the field's polynomial, whatever z and the products are.
- STEPS: z starts at 0 and takes the total of each digit. x starts with the total plus the block, and the lanes move by
  w coefficients with each digit. Each table reads the row of the coefficients in its place. After a message, and while
  tables are written, nothing of a message is left. Rows 0 to 15 of the tables are written in this order. Row 0 is zero.
  Another row is the sum of a row that the first table reads, with the row's number without its highest bit, and of a
  multiple: H for row 1, H x^32 for rows 2 and 3, H x^64 for rows 4 to 7, H x^96 for the others. After `clear` the
  multiple is zero. Memories are cut away, so what is read is free.

Then, by induction over the rows, row n holds the sum of those multiples whose bits are set in n. With the lanes'
coefficients x[32 t + j], Horner's rule gives ``sum over j of x^j * sum over t of x[32 t + j] H x^(32 t)``, which is x
times H. The tests compare the whole unit with the definition of SP 800-38D for every single bit of x.
"""

import pytest

from gateware.gcm.ghash import GHASH
from tests.formal.prover import holds, to_verilog
from tests.formal.vector_unit import CUT_MEMORIES, mutate

FIELD = """
    function [127:0] times_x(input [127:0] a);
        times_x = {a[126:0], 1'b0} ^ (a[127] ? 128'h87 : 128'h0);
    endfunction
    function [127:0] times_x32(input [127:0] a);  // x^128 = x^7 + x^2 + x + 1
        times_x32 = {a[95:0], 32'b0} ^ a[127:96] ^ {a[127:96], 1'b0} ^ {a[127:96], 2'b0} ^ {a[127:96], 7'b0};
    endfunction
    function [127:0] in_order(input [127:0] a);  // coefficient i is bit 7 - i mod 8 of byte i div 8
        integer n;
        for (n = 0; n < 128; n = n + 1) in_order[n] = a[8 * (n / 8) + 7 - n % 8];
    endfunction
"""
PARTS = """
module proof(input sys_clk, input [127:0] data, input final, input sink_valid, input source_ready, input flush,
    input clear, input [127:0] subkey, input subkey_valid, output [127:0] difference);
    wire take, last, begun, end_of_message, busy, sink_ready, subkey_ready, source_valid;
    wire [127:0] z, total, multiple, contents, source_data;
    wire [31:0] x_0, x_1, x_2, x_3;
    wire [3:0] written_row, step;
    DECLARATIONS
    ghash it(.sys_clk(sys_clk), .sys_rst(first), .data(data), .final(final), .sink_valid(sink_valid),
        .sink_ready(sink_ready), .subkey(subkey), .subkey_valid(subkey_valid), .subkey_ready(subkey_ready),
        .source_valid(source_valid), .source_ready(source_ready), .source_data(source_data), .flush(flush),
        .clear(clear), .busy(busy), .take(take), .step(step), .last(last), .begun(begun),
        .end_of_message(end_of_message), .z(z), .total(total),
        .x_0(x_0), .x_1(x_1), .x_2(x_2), .x_3(x_3), .written_row(written_row), .multiple(multiple),
        .contents(contents), CONNECTIONS);
    reg first = 1;  // the cycle of the reset
    always @(posedge sys_clk) first <= 0;
    wire [127:0] x = {x_3, x_2, x_1, x_0};
    FIELD
"""
SUM = """
    function [127:0] sum_of_digit(input [127:0] z, input [128 * W - 1:0] products);
        integer k;
        begin  // Horner's rule, one coefficient at a time
            sum_of_digit = z;
            for (k = W - 1; k >= 0; k = k - 1) sum_of_digit = times_x(sum_of_digit) ^ products[128 * k +: 128];
        end
    endfunction
    assign difference = total ^ sum_of_digit(z, {PRODUCTS});
endmodule
"""
STEPS = """
    assign difference = 0;
    reg [127:0] z_before, x_before, total_before, data_before;
    reg taken = 0, final_before, digit_before = 0, ended = 0, busy_before = 0, taking_before = 0;
    reg [5:0] digits = 32 / W;  // of x, that z holds; one more is in the total
    always @(posedge sys_clk) begin
        z_before <= z; x_before <= x; total_before <= total; data_before <= data; final_before <= final;
        taken <= take && !end_of_message && !first;
        digit_before <= !last; ended <= end_of_message || first;
        busy_before <= busy && !first; taking_before <= subkey_valid && subkey_ready && !first;
        if (first || end_of_message) digits <= 32 / W - 1;
        else if (take && !final) digits <= 0;
        else if (digits != 32 / W - 1) digits <= digits + 1;
    end
    reg [127:0] multiple_before, subkey_before;
    reg [3:0] row_before;
    reg loaded = 0, cleared = 0;
    always @(posedge sys_clk) begin
        multiple_before <= multiple; subkey_before <= subkey; row_before <= written_row;
        loaded <= subkey_valid && subkey_ready && !clear && !first; cleared <= clear && !first;
    end
    wire [3:0] rest = written_row[3] ? written_row[2:0] : written_row[2] ? written_row[1:0]
        : written_row[1] ? written_row[0] : 0;
    wire higher = written_row == 2 || written_row == 4 || written_row == 8;  // the row needs another multiple
    always @* if (!first) begin
        assert(take == (sink_valid && sink_ready));
        assert(end_of_message == ((source_valid && source_ready) || flush || clear));
        assert(digits <= 32 / W - 1 && digits == step && last == (digits == 32 / W - 1));
        if (!last || source_valid) assert(begun);
        if (!begun && !busy) assert(x == 0 && z == 0 && last);
        if (taking_before) assert(busy);
        if (busy) assert(!begun && z == 0 && last && !sink_ready && !subkey_ready);
        if (begun) assert(!subkey_ready);
        if (sink_ready) assert(last && !source_valid && !busy);
        if (source_valid) assert(source_data == in_order(x) && !sink_ready && z == 0 && last);
        if (taken) assert(x == (total_before ^ in_order(data_before)) && z == 0 && source_valid == final_before);
        else if (ended) assert(z == 0 && (busy || x == 0) && !source_valid && !begun);
        else if (digit_before) begin
            assert(z == total_before);
            assert(x_0 == x_before[31:0] << W && x_1 == x_before[63:32] << W);
            assert(x_2 == x_before[95:64] << W && x_3 == x_before[127:96] << W);
        end else if (!busy_before && !taking_before) assert(z == z_before && x == x_before);
        READS
        // Rows of the tables.
        if (busy) assert(x == (written_row == 0 ? 0 : ROW_IN_PLACE));
        if (busy && written_row != 0) assert(row_0 == rest);
        if (busy) assert(contents == (written_row == 0 ? 0 : product_0 ^ multiple));
        if (loaded) assert(busy && written_row == 0 && multiple == in_order(subkey_before));
        else if (cleared) assert(busy && written_row == 0 && multiple == 0);
        else if (busy_before && row_before != 15) begin
            assert(busy && written_row == row_before + 1);
            assert(multiple == (higher ? times_x32(multiple_before) : multiple_before));
        end else assert(!busy && multiple == 0 && written_row == 0);
    end
endmodule
"""
SIZES = [2, 4, 8, 16]


def ghash_verilog(width: int, *, portable: bool = True) -> str:
    dut = GHASH(cycles=32 // width, portable=portable)
    ports = {"data": dut.sink.data, "final": dut.sink.final, "sink_valid": dut.sink.valid, "sink_ready": dut.sink.ready}
    ports |= {"subkey": dut.subkey.data, "subkey_valid": dut.subkey.valid, "subkey_ready": dut.subkey.ready}
    ports |= {f"source_{name}": getattr(dut.source, name) for name in ("valid", "ready", "data")}
    ports |= {"flush": dut.flush, "clear": dut.clear, "busy": dut.busy, **dut.control}
    return to_verilog(dut, "ghash", ports, clocked=True)


def is_proven(verilog: str, statement: str, width: int) -> bool:
    tables = range(width)
    reads = [f"assert(row_{k} == {{{', '.join(f'x_{t}[{32 - width + k}]' for t in (3, 2, 1, 0))}}});" for k in tables]
    rest = "".join(f"rest[{t}], 31'b0, " for t in (3, 2, 1, 0)).removesuffix(", ")
    values = {
        "FIELD": FIELD,
        "PRODUCTS": ", ".join(f"product_{k}" for k in reversed(tables)),
        "DECLARATIONS": "".join(f"wire [127:0] product_{k}; wire [3:0] row_{k};" for k in tables),
        "CONNECTIONS": ", ".join(f".product_{k}(product_{k}), .row_{k}(row_{k})" for k in tables),
        "ROW_IN_PLACE": f"({{{rest}}} >> {width - 1})",
        "READS": " ".join(reads),
        "W": str(width),
    }
    text = PARTS + statement
    for name, value in values.items():
        text = text.replace(name, value)
    if statement == SUM:
        # Delete the flip-flops, so that the solver can choose any value for the accumulator z.
        prepare = [CUT_MEMORIES[0], "delete t:$dff", *CUT_MEMORIES[1:]]
        return holds(verilog + text, prepare, solve="", zeros=("difference", 128, 8))
    return holds(verilog + text, CUT_MEMORIES, solve="-tempinduct -maxsteps 2")


@pytest.mark.parametrize("statement", ["SUM", "STEPS"])
@pytest.mark.parametrize("portable", [True, False])
@pytest.mark.parametrize("width", SIZES)
def test_multiplier(width, portable, statement):
    assert is_proven(ghash_verilog(width, portable=portable), globals()[statement], width)


@pytest.mark.parametrize(
    ("statement", "pattern", "replacement"),
    [
        ("SUM", "16'd27030", "16'd27031"),  # mutant: one wrong bit in the LUT of an XOR
        ("SUM", r"product_0\[4\]\}", "product_0[5]}"),
        ("SUM", r"(ghash_overflow\[3\], ghash_overflow)\[2\]", r"\g<1>[1]"),  # a wrong reduction
        ("STEPS", r"\(~\(subkey_valid & \(~begun\)\)\)", "1'd1"),  # mutant: accepts block and subkey in the same cycle
        ("STEPS", r"(z <= )1'd0;", r"\g<1>total;"),  # mutant: a message's hash does not start at 0
        ("STEPS", r"(x_3, x_2, x_1, x_0\} <= )1'd0;", r"\g<1>total;"),
        ("STEPS", r"(rest <= ghash_tables1)\[2:0\]", r"\g<1>[1:0]"),  # mutant: table rows 8 to 15 are wrong
    ],
)
def test_a_broken_multiplier_is_refuted(statement, pattern, replacement):
    assert not is_proven(mutate(ghash_verilog(4), pattern, replacement), globals()[statement], 4)
