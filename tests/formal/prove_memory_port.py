"""Vector loads and stores: each request is carried out once, in order, and a load's register gets its data once.

In two parts that lean on each other, each with free surroundings, by induction from reset:

- `test_port`: the memory port alone, against a list of requests. Whatever the memory does and whenever the unit takes
  results: the bus shows the oldest request and nothing else; a load gives one result (or is dropped, if refused or
  failed) with its own register and data, which stays until taken; no request is lost for want of room; a
  request that is refused touches nothing; the first fault stays until cleared.
- `test_unit`: LOADS, the unit with a port that does as that says: it requests only where there is room; from a load's
  issue to its write no instruction that names the register is issued; contexts change and faults are cleared with
  nothing under way. REQUEST, from an arbitrary state: what it requests is what the instruction names.
"""

import pytest

from tests.formal.memory_port import port_verilog
from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, MEMORY, mutate, unit_verilog

INDUCTION = "-tempinduct -maxsteps 4"

PORT = """
    // What the unit keeps to (test_unit), and Wishbone: answers come to accesses alone.
    reg first = 1, was_full = 0;
    always @(posedge sys_clk) begin first <= 0; was_full <= full; end
    reg [7:0] given = 0;  // state registers with a load in the port
    always @* begin
        assume(!request_valid || !was_full);
        assume(!request_valid || request_store || !given[request_register]);
        assume(!result_ready || result_valid);
        assume(!clear_fault || idle);
        assume(!(ack || err) || (cyc && stb));
        if (first) assume(level == 0 && produced == 0 && consumed == 0);
        if (first) assume(!result_valid && fault_code == 0 && fault_address == 0);
    end

    // Requests under way, the oldest in bits 164:0 of its place.
    reg [164:0] list [0:3];
    reg [2:0] n = 0;
    wire [31:0] address = list[0][31:0];
    wire [127:0] data = list[0][159:32];
    wire store = list[0][160], exclusive_or = list[0][161];
    wire [2:0] register = list[0][164:162];
    wire unaligned = address % 16 != 0;
    wire outside = address < ORIGIN || address - ORIGIN >= SIZE;
    wire refused = unaligned || outside;
    wire access = n != 0 && !refused && (store || !result_valid || result_ready);
    wire done = n != 0 && (refused || (access && (ack || err)));
    wire failed = refused || err;
    wire [2:0] left = n - done;
    integer i;
    always @(posedge sys_clk) begin
        n <= left + request_valid;
        for (i = 0; i < 4; i = i + 1)
            if (request_valid && left == i)
                list[i] <= {request_register, request_exclusive_or, request_store, request_data, request_address};
            else if (done && i < 3) list[i] <= list[i + 1];
    end

    reg has_result = 0;
    reg [2:0] result_of = 0;
    reg [127:0] value = 0;
    reg [3:0] code = 0;
    reg [27:0] where = 0;
    always @(posedge sys_clk) begin
        if (result_ready) has_result <= 0;
        if (done && !failed && !store) begin
            has_result <= 1; result_of <= register; value <= exclusive_or ? dat_r ^ data : dat_r;
        end
        if (clear_fault) begin code <= 0; where <= 0; end
        if (done && failed && code == 0) begin
            code <= unaligned ? 1 : outside ? 2 : 3; where <= address / 16;
        end
        for (i = 0; i < 8; i = i + 1)
            if (request_valid && !request_store && request_register == i) given[i] <= 1;
            else if ((result_ready && result_register == i) || (dropped && dropped_register == i)) given[i] <= 0;
    end

    always @* begin
        if (request_valid) assert(n < 4);                                       // none lost
        assert(cyc == access && stb == access);
        if (cyc) assert(we == store && adr == address / 16 && sel == 16'hffff); // in order, what was asked
        if (cyc && we) assert(dat_w == data);
        assert(result_valid == has_result);
        if (has_result) assert(result_register == result_of && result_data == value);
        assert(dropped == (done && failed && !store));
        if (dropped) assert(dropped_register == register);
        assert(idle == (n == 0 && !has_result));
        assert(fault_code == code && fault_address == where);
        // One answer for each load, and to loads alone.
        if (result_valid) assert(given[result_register]);
        if (dropped) assert(given[dropped_register]);
    end

    // Invariants: the queue holds the list; a load under way is in one place.
    reg [3:0] places;
    integer r, p;
    always @* begin
        assert(level == n && n <= 4 && produced == ((consumed + n) & 3));
        for (p = 0; p < 4; p = p + 1) if (p < n)
            assert((p == 0 ? word0 : p == 1 ? word1 : p == 2 ? word2 : word3) ==
                {2'b00, list[p][164:162], list[p][161], list[p][160], list[p][159:32],
                 list[p][31:0] < ORIGIN || list[p][31:0] - ORIGIN >= SIZE, list[p][3:0] != 4'd0, list[p][31:4]});
        for (r = 0; r < 8; r = r + 1) begin
            places = has_result && result_of == r;
            for (p = 0; p < 4; p = p + 1) places = places + (p < n && !list[p][160] && list[p][164:162] == r);
            assert(places == given[r]);
        end
    end
endmodule
"""

UNIT = """
    // The command before.
    reg was_issued;
    reg [9:0] id;
    reg [31:0] a;
    reg [127:0] v;
    always @(posedge sys_clk) begin
        was_issued <= issued; id <= issued_id; a <= issued_rs1; v <= state_read_data;
    end
    wire [5:0] op = operation(id);
    wire [5:0] op_now = operation(issued_id);
    wire [2:0] s = `FIELD_s(id);
    wire [2:0] s_now = `FIELD_s(issued_id);
    wire load_now = issued && (op_now == `OP_vload || op_now == `OP_vload_xor);

`ifdef REQUEST
    wire memory = op == `OP_vload || op == `OP_vload_xor || op == `OP_vstore;
    always @* begin
        assert(request_valid == (was_issued && memory));
        if (request_valid) begin
            assert(request_store == (op == `OP_vstore) && request_exclusive_or == (op == `OP_vload_xor));
            assert(request_register == s && request_address == a + 16 * s);
            if (op != `OP_vload) assert(request_data == v);
        end
    end
`endif

`ifdef LOADS
    // Loads between issue and write (or refusal); `given`: those that the port has.
    reg [7:0] under_way = 0, given = 0;
    reg first = 1, quiet = 0, held = 0;
    reg [2:0] held_register = 0;
    integer i;
    always @(posedge sys_clk) begin
        first <= 0;
        quiet <= memory_idle && !request_valid;
        held <= memory_result_valid && !memory_result_ready;
        held_register <= memory_result_register;
        for (i = 0; i < 8; i = i + 1) begin
            if (request_valid && !request_store && request_register == i) given[i] <= 1;
            else if (memory_result_ready && memory_result_register == i) given[i] <= 0;
            else if (memory_dropped && memory_dropped_register == i) given[i] <= 0;
            if (load_now && s_now == i) under_way[i] <= 1;
            else if (memory_result_ready && memory_result_register == i) under_way[i] <= 0;
            else if (memory_dropped && memory_dropped_register == i) under_way[i] <= 0;
        end
    end
    // What test_port proves of the port.
    always @* begin
        if (first) assume(!request_valid);
        assume(!memory_result_valid || given[memory_result_register]);
        assume(!memory_dropped || given[memory_dropped_register]);
        assume(!(memory_result_valid && memory_dropped && memory_result_register == memory_dropped_register));
        if (held) assume(memory_result_valid && memory_result_register == held_register);
        if (quiet) assume(memory_idle);
        assume(!memory_idle || given == 0);
    end

    wire names_register = op_now == `OP_round_xor || op_now == `OP_shift_rows || op_now == `OP_shift_rows_inv
        || op_now == `OP_sbox_mix_xor || op_now == `OP_sbox_mix_xor_inv || op_now == `OP_sbox_xor
        || op_now == `OP_sbox_xor_inv || op_now == `OP_round_enc || op_now == `OP_round_dec || op_now == `OP_last_enc
        || op_now == `OP_last_dec || op_now == `OP_move_in || op_now == `OP_move_in_xor || op_now == `OP_move_out_xor
        || op_now == `OP_counter || op_now == `OP_counter_xor || op_now == `OP_vload || op_now == `OP_vload_xor
        || op_now == `OP_vstore;
    wire [7:0] requested = request_valid && !request_store ? 8'd1 << request_register : 8'd0;
    always @* begin
        if (issued && names_register) assert(!under_way[s_now]);
        if (issued && (load_now || op_now == `OP_vstore)) assert(!memory_full);
        if (issued && (op_now == `OP_context || op_now == `OP_memory_status))
            assert(under_way == 0 && memory_idle && !request_valid);
        if (memory_clear_fault) assert(memory_idle && !request_valid);
        if (request_valid && !request_store) assert(!given[request_register]);
        if (memory_result_ready)
            assert(memory_result_valid && state_write_lanes == 4'b1111 && state_write_data == memory_result_data
                && state_write_address == {bases_read_address, memory_result_register});
        // Invariants.
        assert(loading == under_way && under_way == (given | requested));
    end
`endif
endmodule
"""

FREE_PORT = ("result_valid", "result_register", "result_data", "dropped", "dropped_register", "full", "idle")


def port_proven(verilog: str) -> bool:
    text = verilog + PORT.replace("ORIGIN", f"32'd{MEMORY[0]}").replace("SIZE", f"32'd{MEMORY[1]}")
    return holds(text, ["flatten", "memory"], solve=INDUCTION)


def unit_proven(verilog: str, part: str) -> bool:
    if part == "REQUEST":
        prepare = [*CUT_MEMORIES, "setattr -unset init w:*"]
        return holds(verilog + "`DECODER\n" + UNIT, prepare, solve="-seq 2 -prove-skip 1", defines=[part])
    cuts = " ".join(f"w:it.memory_{name}" for name in FREE_PORT)
    free = ["flatten", f"cutpoint {cuts}", "delete t:$anyseq", "connect -set loading it.it.loading"]
    text = verilog + "    wire [7:0] loading;\n`DECODER\n" + UNIT
    return holds(text, [*free, *CUT_MEMORIES], solve=INDUCTION, defines=[part])


def test_port():
    assert port_proven(port_verilog())


@pytest.mark.parametrize("part", ["REQUEST", "LOADS"])
def test_unit(part):
    assert unit_proven(unit_verilog(), part)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"\(source_payload_store \| result_free\)", "1'd1"),  # a load that overwrites the result before it
        (r"\(fault_code == 1'd0\)", "1'd1"),  # the last fault stays, not the first
        (r"(\w*result_data) <= [^;]*;", r"\1 <= dat_r;"),  # a load with exclusive-or that forgets to add
    ],
)
def test_a_broken_port_is_refuted(pattern, replacement):
    assert not port_proven(mutate(port_verilog(), pattern, replacement))


@pytest.mark.parametrize(
    ("part", "pattern", "replacement"),
    [
        ("REQUEST", r"(\w*request_payload_address|\w*request_address) <= [^;]*;", r"\1 <= rs1;"),
        ("LOADS", r"loading <= \(\(loading & \(~loading_cleared\)\) \| loading_set\);", "loading <= loading_set;"),
    ],
)
def test_a_broken_unit_is_refuted(part, pattern, replacement):
    assert not unit_proven(mutate(unit_verilog(), pattern, replacement), part)
