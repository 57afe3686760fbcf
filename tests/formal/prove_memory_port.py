# SPDX-License-Identifier: BSD-2-Clause
"""Prove that the vector unit executes each load and store once and in order, and writes a load's register once.

The two parts rely on each other. Each has free surroundings and is an induction from reset:

- `test_port`: the memory port by itself, compared with a list of requests. Whatever the memory does and whenever the
  unit takes results, the bus shows the oldest request and nothing else. A load returns one result with its own register
  and data, which stays until taken; a refused or failed load is dropped. No request is lost for lack of room. A refused
  request touches nothing. The first fault stays until cleared.
- `test_unit`: LOADS, the unit with a port that behaves so. The unit requests only where there is room. From a load's
  issue to its write no instruction is issued that names the register. Contexts change and faults are cleared only when
  nothing is under way. REQUEST, from an arbitrary state: the unit requests what the instruction names.
"""

import pytest

from tests.formal.memory_port import port_verilog
from tests.formal.prover import holds
from tests.formal.vector_unit import CUT_MEMORIES, MEMORY, mutate, unit_verilog

INDUCTION = "-tempinduct -maxsteps 4"

PORT = """
    // What the unit keeps to (test_unit), and Wishbone: answers come to accesses alone.
    reg first = 1, was_full = 0, was_request = 0;
    always @(posedge sys_clk) begin first <= 0; was_full <= full; was_request <= request_valid; end
    reg [7:0] given = 0;  // state registers with a load in the port
    always @* begin
        assume(!request_valid || !was_full);
        assume(!request_valid || request_load || request_store);
        assume(!request_valid || request_store || !given[request_register]);
        if (request_valid && request_load && request_store) assume(idle == (request_register == 0));
        assume(!result_ready || result_valid);
        assume(!clear_fault || idle);
        assume(!(ack || err) || (cyc && stb));
        if (first) assume(level == 0 && produced == 0 && consumed == 0);
        if (first) assume(idle && !result_valid && fault_code == 0 && fault_address == 0 && !broken_inside);
    end

    // Requests under way: n of a ring, from the oldest on.
    reg [197:0] list [0:7];
    reg [2:0] oldest = 0;
    reg [3:0] n = 0;
    wire [197:0] head = list[oldest];
    wire [31:0] address = head[31:0];
    wire [31:0] destination = head[63:32];
    wire [127:0] data = head[191:64];
    wire load = head[192], store = head[193], exclusive_or = head[194];
    wire [2:0] register = head[197:195];
    wire group = load && store;
    function bad; input [31:0] a; bad = a % 16 != 0 || a < ORIGIN || a - ORIGIN >= SIZE; endfunction

    // What was read, or is stored: it goes to memory, or to a register.
    reg has_result = 0, of_store = 0, of_group = 0;
    reg [31:0] to = 0;
    reg [2:0] result_of = 0;
    reg [127:0] value = 0;
    reg failed_group = 0;  // a member of the group has failed
    wire storing = has_result && of_store;
    wire leaves = has_result && (of_store ? ack || err : result_ready);
    wire bad_address = bad(address), bad_destination = group && bad(destination);
    wire refused = bad_address || bad_destination || (group && failed_group);
    wire reads = n != 0 && load && !refused && !storing && (!has_result || leaves);
    wire head_failed = n != 0 && !storing && (refused || (reads && err));
    wire done = n != 0 && (refused ? !storing : load ? reads && (ack || err) : !has_result || leaves);
    wire [31:0] fault = storing ? to : bad_address || !bad_destination ? address : destination;
    wire [2:0] free = oldest + n;
    integer i;
    always @(posedge sys_clk) begin
        n <= n - done + request_valid;
        oldest <= oldest + done;
        for (i = 0; i < 8; i = i + 1)
            if (request_valid && free == i)
                list[i] <= {request_register, request_exclusive_or, request_store, request_load, request_data,
                    request_destination, request_address};
        if (leaves) has_result <= 0;
        if (done && !head_failed) begin
            has_result <= 1; of_store <= store; of_group <= group; to <= group ? destination : address;
            result_of <= register; value <= (load ? dat_r : 128'd0) ^ (exclusive_or ? data : 128'd0);
        end
        if (idle) failed_group <= 0;
        else if ((storing && err && of_group) || (head_failed && group)) failed_group <= 1;
    end

    reg [3:0] code = 0;
    reg [27:0] where = 0;
    reg [3:0] since = 0;  // requests since the port was idle, up to 8
    always @(posedge sys_clk) begin
        if (clear_fault) begin code <= 0; where <= 0; end
        if ((head_failed || (storing && err)) && code == 0) begin
            code <= storing || !(bad_address || bad_destination) ? 3 : fault % 16 != 0 ? 1 : 2; where <= fault / 16;
        end
        since <= idle ? request_valid : since == 8 ? 8 : since + request_valid;
        for (i = 0; i < 8; i = i + 1)
            if (request_valid && !request_store && request_register == i) given[i] <= 1;
            else if ((result_ready && result_register == i) || (dropped && dropped_register == i)) given[i] <= 0;
    end

    always @* begin
        if (request_valid) assert(n < 8);                                       // none lost
        assert(!full || since >= 7);                                            // a group from an idle port has room
        if (was_request) assert(!idle);
        assert(cyc == (storing || reads) && stb == cyc && we == storing);
        if (cyc) assert(adr == (storing ? to : address) / 16 && sel == 16'hffff);   // in order, what was asked
        if (cyc) assert(adr >= ORIGIN / 16 && adr - ORIGIN / 16 < SIZE / 16);
        if (cyc && of_group && storing) assert(!failed_group);                  // nothing behind a group's fault
        if (cyc && we) assert(dat_w == value);
        assert(result_valid == (has_result && !of_store));
        if (result_valid) assert(result_register == result_of && result_data == value);
        assert(dropped == (head_failed && !store));
        if (dropped) assert(dropped_register == register);
        assert(idle == (n == 0 && !has_result));
        assert(fault_code == code && fault_address == where);
        // One answer for each load, and to loads alone.
        if (result_valid) assert(given[result_register]);
        if (dropped) assert(given[dropped_register]);
    end

    // Invariants: the queue holds the list; a load under way is in one place; only groups break.
    reg [3:0] places;
    reg [31:0] shown, written;
    reg swapped;
    wire [1423:0] words = {word7, word6, word5, word4, word3, word2, word1, word0};
    integer r, p;
    always @* begin
        assert(level == n && n <= since && since <= 8 && consumed == oldest && produced == free);
        assert(broken_inside == failed_group && (!failed_group || code != 0));
        if (storing) assert(!bad(to) && result_group_inside == of_group);
        for (p = 0; p < 8; p = p + 1) if (((p - oldest) & 7) < n) begin
            swapped = !bad(list[p][31:0]) && list[p][192] && list[p][193] && bad(list[p][63:32]);
            shown = swapped ? list[p][63:32] : list[p][31:0];
            written = list[p][192] && list[p][193] ? list[p][63:32] : list[p][31:0];
            assert((words >> 178 * p & {178{1'b1}}) == {2'b00, list[p][197:64], written[SIZE_BITS - 1:4],
                shown < ORIGIN || shown - ORIGIN >= SIZE, shown[3:0] != 4'd0, shown[31:4]});
        end
        for (r = 0; r < 8; r = r + 1) begin
            places = has_result && !of_store && result_of == r;
            for (p = 0; p < 8; p = p + 1)
                places = places + (((p - oldest) & 7) < n && !list[p][193] && list[p][197:195] == r);
            assert(places == given[r]);
        end
    end
endmodule
"""

UNIT = """
    // The command before, and what stood at the request then.
    reg was_issued, was_taking;
    reg [9:0] id;
    reg [31:0] a, b, address, destination;
    reg [127:0] v;
    reg [2:0] kind, read_register;
    always @(posedge sys_clk) begin
        was_issued <= issued; id <= issued_id; a <= issued_rs1; b <= issued_rs2; v <= state_read_data;
        was_taking <= taking; address <= request_address; destination <= request_destination;
        kind <= {request_load, request_store, request_exclusive_or}; read_register <= state_read_address[2:0];
    end
    wire [5:0] op = operation(id);
    wire [5:0] op_now = operation(issued_id);
    wire [2:0] s = `FIELD_s(id);
    wire [2:0] s_now = `FIELD_s(issued_id);
    wire load_now = issued && (op_now == `OP_vload || op_now == `OP_vload_xor);
    wire group_now = issued && op_now == `OP_vxor_group;

`ifdef REQUEST
    wire group = op == `OP_vxor_group;
    wire memory = op == `OP_vload || op == `OP_vload_xor || op == `OP_vstore || group;
    always @* begin
        assume(other_reads == taking && (!taking || other_register == member));  // what LOADS proves
        assert(request_valid == ((was_issued && memory) || was_taking));
        assert(!(was_issued && memory && was_taking));
        if (request_valid && !was_taking) begin
            assert(request_load == (op != `OP_vstore) && request_store == (op == `OP_vstore || group));
            assert(request_exclusive_or == (op != `OP_vload));
            assert(request_register == (group ? 0 : s) && request_address == (group ? a : a + 16 * s));
            if (group) assert(request_destination == a + b);
            if (op != `OP_vload) assert(request_data == v);
        end
        if (was_taking) begin  // the next register, the next block
            assert({request_load, request_store, request_exclusive_or} == kind && request_register == read_register);
            assert(request_address == address + 16 && request_destination == destination + 16 && request_data == v);
        end
    end
`endif

`ifdef LOADS
    // Loads between issue and write (or refusal); `given`: those that the port has. Registers that a group has yet to
    // take along, the next of them, and requests since the port was idle.
    reg [7:0] under_way = 0, given = 0, untaken = 0;
    reg [2:0] next = 0;
    reg [3:0] since = 0;
    reg first = 1, quiet = 0, held = 0, was_full = 0, was_request = 0;
    reg [2:0] held_register = 0;
    integer i;
    always @(posedge sys_clk) begin
        first <= 0;
        quiet <= memory_idle && !request_valid;
        held <= memory_result_valid && !memory_result_ready;
        held_register <= memory_result_register;
        was_full <= memory_full;
        was_request <= request_valid;
        since <= memory_idle ? request_valid : since == 8 ? 8 : since + request_valid;
        if (group_now) begin untaken <= 8'hfe; next <= 1; end
        else if (untaken != 0) begin untaken <= untaken & ~(8'd1 << next); next <= next + 1; end
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
        if (first) assume(!request_valid && !taking && member == 0 && pending == 0 && !other_reads);
        assume(!memory_result_valid || given[memory_result_register]);
        assume(!memory_dropped || given[memory_dropped_register]);
        assume(!(memory_result_valid && memory_dropped && memory_result_register == memory_dropped_register));
        if (held) assume(memory_result_valid && memory_result_register == held_register);
        if (quiet) assume(memory_idle);
        if (was_request) assume(!memory_idle);
        assume(!memory_idle || given == 0);
        assume(!memory_full || since >= 7);
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
        assert(!(request_valid && was_full));
        if (request_valid && request_load && request_store) assert(memory_idle == (request_register == 0));
        if (issued && (op_now == `OP_context || op_now == `OP_memory_status || op_now == `OP_vxor_group))
            assert(under_way == 0 && untaken == 0 && memory_idle && !request_valid);
        if (memory_clear_fault) assert(memory_idle && !request_valid);
        if (request_valid && !request_store) assert(!given[request_register]);
        if (memory_result_ready)
            assert(memory_result_valid && state_write_lanes == 4'b1111 && state_write_data == memory_result_data
                && state_write_address == {bases_read_address, memory_result_register});
        // A group takes each register in turn, in its context, with the value that it had at the group's issue.
        assert(taking == (untaken != 0));
        if (taking) assert(state_read_address == {bases_read_address, next});
        if (state_write_lanes != 0) assert(!untaken[state_write_address[2:0]]);
        // Invariants.
        assert(pending == (under_way | untaken) && under_way == (given | requested));
        assert(untaken == 0 || untaken == (8'hff << next & 8'hff));
        if (taking) assert(member == next && next != 0 && request_valid && request_load && request_store
            && request_register == next - 3'd1 && since < next && given == 0);
        else assert(member == 0);
        assert(other_reads == taking);
        if (other_reads) assert(other_register == member);
    end
`endif
endmodule
"""

SHOWN = "    wire broken_inside, result_group_inside;\n"
FREE_PORT = ("result_valid", "result_register", "result_data", "dropped", "dropped_register", "full", "idle")


def port_proven(verilog: str) -> bool:
    size_bits = MEMORY[1].bit_length() - 1
    text = PORT.replace("SIZE_BITS", str(size_bits)).replace("SIZE", f"32'd{MEMORY[1]}")
    text = verilog + SHOWN + text.replace("ORIGIN", f"32'd{MEMORY[0]}")
    shown = [f"connect -set {name}_inside it.it.{name}" for name in ("broken", "result_group")]
    return holds(text, ["flatten", *shown, "memory"], solve=INDUCTION)


def unit_proven(verilog: str, part: str) -> bool:
    text = verilog + "`DECODER\n" + UNIT
    if part == "REQUEST":
        prepare = [*CUT_MEMORIES, "setattr -unset init w:*"]
        return holds(text, prepare, solve="-seq 2 -prove-skip 1", defines=[part])
    cuts = " ".join(f"w:it.memory_{name}" for name in FREE_PORT)
    free = ["flatten", f"cutpoint {cuts}", "delete t:$anyseq"]
    return holds(text, [*free, *CUT_MEMORIES], solve=INDUCTION, defines=[part])


def test_port():
    assert port_proven(port_verilog())


@pytest.mark.parametrize("part", ["REQUEST", "LOADS"])
def test_unit(part):
    assert unit_proven(unit_verilog(), part)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"\(\(~holds\) \| result_ready\)", "1'd1"),  # mutant: overwrites the waiting result of an earlier load
        (r"\(fault_code == 1'd0\)", "1'd1"),  # mutant: reports the last fault instead of the first
        (r"(\w*result_data) <= [^;]*;", r"\1 <= bus_dat_r;"),  # mutant: `vload_xor` does not XOR
        (r"\(broken & ", "(1'd0 & "),  # mutant: `vxor_group` continues after a fault
        (r"(bad_destination = \(\(request_payload_load & request_payload_store\) & ).*\);", r"\1 1'd0);"),
    ],
)
def test_a_broken_port_is_refuted(pattern, replacement):
    assert not port_proven(mutate(port_verilog(), pattern, replacement))


@pytest.mark.parametrize(
    ("part", "pattern", "replacement"),
    [
        ("REQUEST", r"(\w*request_payload_address|\w*request_address) <= [^;]*;", r"\1 <= rs1;"),
        ("LOADS", r"(\w*other_register) <= [^;]*;", r"\1 <= 3'd0;"),  # mutant: `vxor_group` reads v0 eight times
        ("LOADS", r"pending <= \(\(\(pending & ", "pending <= (((8'd0 & "),  # nothing waits for long
        ("LOADS", r"8'd254\)\);", "8'd0));"),  # mutant: no instruction waits for `vxor_group`
        ("LOADS", r"\(is_memory_status \| is_context\) \| is_vxor_group", "is_memory_status | is_context"),
    ],
)
def test_a_broken_unit_is_refuted(part, pattern, replacement):
    assert not unit_proven(mutate(unit_verilog(), pattern, replacement), part)
