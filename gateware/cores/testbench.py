# SPDX-License-Identifier: BSD-2-Clause
"""Writes a self-checking test bench in Verilog for Verilator and Icarus.

It carries out the steps of a design (`gateware.cores.ports.Phase`) twice: first without pauses, when it also measures
latencies, then with pauses at random in every stream. Each wait is bounded. It prints `PASS` and ends with status 0,
or prints `FAIL` with the cycle and ends with another status.
"""

from .expressions import constant
from .ports import IN, OUT, Design, Phase, Stream

LIMIT_CYCLES = 200_000
QUIET_CYCLES = 300

_TEMPLATE = """`timescale 1ns / 1ps

// {name}: self-checking test bench, for Verilator and Icarus.
// {spdx}
//
// Generated with the core. Run:
//     iverilog -g2012 -o tb {name}_tb.v {name}.v && vvp -N tb
// Or Verilator, with --binary --timing -Wno-fatal --top-module {name}_tb {name}_tb.v {name}.v && obj_dir/V{name}_tb

/* verilator lint_off WIDTH */ // counters are integers of 32 bits
/* verilator lint_off BLKSEQ */ // the counters of one process change at once
/* verilator lint_off UNUSED */ // not every step uses every counter
/* verilator lint_off DECLFILENAME */ // the file may have another name

module {name}_tb;

reg {clock} = 1'b0;
reg {reset} = 1'b1;
integer cycle = 0;
integer steps = 0;
reg pauses = 1'b0; // the second pass: streams pause at random
reg [31:0] random = 32'h2545f491;

always #5 {clock} = ~{clock};

// Between the edges at which the core and the streams act.
always @(negedge {clock}) begin
    cycle = cycle + 1;
    random = {{random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]}};
    if (cycle > {limit}) fail("no end within {limit} cycles");
end

task fail(input [8*64-1:0] text);
    begin
        $display("FAIL: %0s in cycle %0d, step %0d", text, cycle, steps);
        $fatal(1, "the core failed its test bench");
    end
endtask

{declarations}

{name} core (
{connections}
);

{processes}

integer pass;

initial begin
{items}
    for (pass = 0; pass < 2; pass = pass + 1) begin
        pauses = pass[0];
        {reset} = 1'b1;
{start}
        repeat (4) @(negedge {clock});
        {reset} = 1'b0;
        @(negedge {clock});

{script}
        // Nothing else may come.
        repeat ({quiet}) @(negedge {clock});
    end
    $display("PASS: {name}, %0d steps twice in %0d cycles", steps, cycle);
    $finish;
end

endmodule
"""

_SENDER = """// Sends the items of stream {s}.
always @(posedge {clock}) begin
    if ({reset}) {valid} <= 1'b0;
    else begin
        if ({valid} && {ready}) begin
            {s}_done = {s}_done + 1;
            {s}_cycle = cycle;
        end
        if (!{valid} || {ready}) begin
            {valid} <= ({s}_done < {s}_limit) && !(pauses && random[{bit}]);
            if ({s}_done < {s}_limit) {target} <= {s}_items[{s}_done];
        end
    end
end
"""

_RECEIVER = """// Compares the items of stream {s}.
always @(posedge {clock}) begin
    if ({reset}) {ready} <= 1'b0;
    else begin
        if ({valid} && !{s}_waits) {s}_cycle = cycle;
        {s}_waits = {valid} && !{ready};
        if ({valid} && {ready}) begin
            if ({s}_done >= {s}_limit) fail("an item that nobody expects at {s}");
            else if ({target} !== {s}_items[{s}_done]) begin
                $display("{s}: %h instead of %h", {target}, {s}_items[{s}_done]);
                fail("wrong item at {s}");
            end
            {s}_done = {s}_done + 1;
        end
        {ready} <= !(pauses && random[{bit}]);
    end
end
"""


_BUS = """// Accesses to registers. A register is known by its offset in bytes.
reg [31:0] value_read;

{accesses}
task bus_wait(input [31:0] offset, input [31:0] mask, input [31:0] value);
    begin
        bus_read(offset);
        while ((value_read & mask) !== value) bus_read(offset);
    end
endtask
"""

_WISHBONE = """task bus_access(input [31:0] offset, input write, input [31:0] value);
    begin
        if (pauses) repeat (random[2:0]) @(negedge {clock});
        wb_adr = offset >> 2; wb_we = write; wb_dat_w = value; wb_sel = 4'hf; wb_cyc = 1'b1; wb_stb = 1'b1;
        @(negedge {clock});
        while (!wb_ack) @(negedge {clock});
        value_read = wb_dat_r;
        @(posedge {clock}) #1 wb_cyc = 1'b0;
        wb_stb = 1'b0;
        @(negedge {clock});
    end
endtask

task bus_write(input [31:0] offset, input [31:0] value); bus_access(offset, 1'b1, value); endtask
task bus_read(input [31:0] offset); bus_access(offset, 1'b0, 32'h00000000); endtask
"""

_AXI_LITE = """reg takes_address, takes_data, ends;

task bus_write(input [31:0] offset, input [31:0] value);
    begin
        if (pauses) repeat (random[2:0]) @(negedge {clock});
        s_axi_awaddr = offset; s_axi_awvalid = 1'b1; s_axi_wdata = value; s_axi_wstrb = 4'hf; s_axi_wvalid = 1'b1;
        s_axi_bready = 1'b1;
        ends = 1'b0;
        while (!ends) begin
            #1 takes_address = s_axi_awvalid && s_axi_awready;
            takes_data = s_axi_wvalid && s_axi_wready;
            ends = s_axi_bvalid;
            if (ends && s_axi_bresp !== 2'd0) fail("an error for a write");
            @(posedge {clock}) #1 if (takes_address) s_axi_awvalid = 1'b0;
            if (takes_data) s_axi_wvalid = 1'b0;
            @(negedge {clock});
        end
        s_axi_bready = 1'b0;
    end
endtask

task bus_read(input [31:0] offset);
    begin
        if (pauses) repeat (random[2:0]) @(negedge {clock});
        s_axi_araddr = offset; s_axi_arvalid = 1'b1; s_axi_rready = 1'b1;
        ends = 1'b0;
        while (!ends) begin
            #1 takes_address = s_axi_arvalid && s_axi_arready;
            ends = s_axi_rvalid;
            if (ends) value_read = s_axi_rdata;
            if (ends && s_axi_rresp !== 2'd0) fail("an error for a read");
            @(posedge {clock}) #1 if (takes_address) s_axi_arvalid = 1'b0;
            @(negedge {clock});
        end
        s_axi_rready = 1'b0;
    end
endtask
"""


_MEMORY = """// The memory at the core's master.
reg [127:0] memory [0:{last}];
integer lane;

{model}"""

_WISHBONE_MEMORY = """wire [31:0] place = {prefix}_adr - 32'd{first};

always @(posedge {clock}) begin
    {prefix}_ack <= {prefix}_cyc && {prefix}_stb && !{prefix}_ack && !(pauses && random[13]);
    {prefix}_dat_r <= memory[place];
    if ({prefix}_cyc && {prefix}_stb && {prefix}_we)
        for (lane = 0; lane < 16; lane = lane + 1)
            if ({prefix}_sel[lane]) memory[place][8 * lane +: 8] = {prefix}_dat_w[8 * lane +: 8];
end
"""

_AXI_MEMORY = """always @(*) begin
    {prefix}_awready = {prefix}_awvalid && {prefix}_wvalid && !{prefix}_bvalid;
    {prefix}_wready = {prefix}_awready;
    {prefix}_arready = {prefix}_arvalid && !{prefix}_rvalid;
end

always @(posedge {clock}) begin
    if ({prefix}_bready) {prefix}_bvalid <= 1'b0;
    if ({prefix}_awready) begin
        {prefix}_bvalid <= 1'b1;
        for (lane = 0; lane < 16; lane = lane + 1)
            if ({prefix}_wstrb[lane])
                memory[({prefix}_awaddr >> 4) - {first}][8 * lane +: 8] = {prefix}_wdata[8 * lane +: 8];
    end
    if ({prefix}_rready) {prefix}_rvalid <= 1'b0;
    if ({prefix}_arready) begin
        {prefix}_rvalid <= 1'b1;
        {prefix}_rdata <= memory[({prefix}_araddr >> 4) - {first}];
    end
end
"""


def verilog(design: Design, name: str, spdx: str) -> str:
    """Return the text of the test bench ``NAME_tb.v``."""
    driven = {stream.valid if stream.direction == IN else stream.ready for stream in design.streams}
    items = {stream.name: _items(design, stream) for stream in design.streams}
    declarations = []
    for port in design.ports[2:]:
        kind = "reg " if port.direction == IN else "wire"
        bits = f"[{port.width - 1}:0] " if port.width > 1 else ""
        declarations.append(f"{kind} {bits}{port.name}{' = 0' if port.direction == IN else ''};")
    processes = []
    for n, stream in enumerate(design.streams):
        depth = max(len(items[stream.name]), 1)
        declarations.append(f"reg [{stream.width - 1}:0] {stream.name}_items [0:{depth - 1}];")
        declarations.append(f"integer {stream.name}_done = 0, {stream.name}_limit = 0, {stream.name}_cycle = 0;")
        if stream.direction == OUT:
            declarations.append(f"reg {stream.name}_waits = 1'b0;")
        template = _SENDER if stream.direction == IN else _RECEIVER
        target = ", ".join(port.name for port in reversed(stream.fields.values()))
        names = {"s": stream.name, "valid": stream.valid, "ready": stream.ready, "target": f"{{{target}}}"}
        processes.append(template.format(**names, bit=3 * n + 2, clock=design.clock, reset=design.reset))
    if design.registers:
        accesses = (_AXI_LITE if design.registers.axi else _WISHBONE).format(clock=design.clock)
        processes.append(_BUS.format(accesses=accesses))
    if design.memory:
        memory = design.memory
        driven |= {port.name for port in design.ports if port.name.startswith(f"{memory.prefix}_")}
        model = (_AXI_MEMORY if memory.axi else _WISHBONE_MEMORY).format(
            prefix=memory.prefix, clock=design.clock, first=memory.origin // 16
        )
        processes.append(_MEMORY.format(last=memory.words - 1, model=model))
    controls = [p for p in design.inputs() if p.name not in driven and p not in _payloads(design)]
    start = [f"{port.name} = 0;" for port in controls]
    start += [f"{stream.name}_done = 0; {stream.name}_limit = 0;" for stream in design.streams]
    return _TEMPLATE.format(
        name=name,
        spdx=spdx,
        clock=design.clock,
        reset=design.reset,
        limit=LIMIT_CYCLES,
        quiet=QUIET_CYCLES,
        declarations="\n".join(declarations),
        connections=",\n".join(f"    .{port.name}({port.name})" for port in design.ports),
        processes="\n".join(processes).rstrip(),
        items="\n".join(
            f"    {stream.name}_items[{n}] = {constant(item, stream.width)};"
            for stream in design.streams
            for n, item in enumerate(items[stream.name])
        ),
        start="\n".join(f"        {line}" for line in start),
        script="\n".join(line for phase in design.phases for line in _script(design, phase)),
    )


def _payloads(design: Design) -> list:
    """Return the ports that carry the fields of the core's input streams. The test bench drives these ports."""
    return [port for stream in design.streams if stream.direction == IN for port in stream.fields.values()]


def _items(design: Design, stream: Stream) -> list[int]:
    """Return all items of a stream as numbers, in the order of the steps."""
    given = [phase.sends if stream.direction == IN else phase.expects for phase in design.phases]
    return [
        stream.item({key: value for key, value in item.items() if key in stream.fields})
        for items in given
        for item in items.get(stream.name, [])
    ]


def _script(design: Design, phase: Phase) -> list[str]:
    """Return the Verilog lines of the test bench that carry out one step."""
    lines = [f"// {phase.text}", "steps = steps + 1;"]
    widths = {port.name: port.width for port in design.ports}
    lines += [f"{name} = {constant(value, widths[name])};" for name, value in phase.levels.items()]
    moved = phase.expects | phase.sends
    lines += [f"{name}_limit = {name}_limit + {len(items)};" for name, items in moved.items()]
    lines.append(f"@(negedge {design.clock});")
    for kind, *numbers in phase.accesses:
        if kind in ("fill", "compare"):
            word, value = f"memory[{numbers[0]}]", constant(numbers[1], 128)
            wrong = f'if ({word} !== {value}) begin $display("memory: %h", {word}); fail("wrong data in memory"); end'
            lines.append(f"{word} = {value};" if kind == "fill" else wrong)
            continue
        lines.append(f"bus_{kind}({', '.join(constant(number, 32) for number in numbers)});")
    lines += [f"while ({name}_done < {name}_limit) @(negedge {design.clock});" for name in moved]
    if phase.latency:
        sender, receiver, cycles = phase.latency
        text = f"latency from {sender} to {receiver} is not {cycles} cycles"
        lines.append(f'if (!pauses && {receiver}_cycle - {sender}_cycle != {cycles}) fail("{text}");')
    if phase.until:
        port, mask, value = phase.until
        width = widths[port]
        condition = f"({port} & {constant(mask, width)}) !== {constant(value, width)}"
        lines.append(f"while ({condition}) @(negedge {design.clock});")
    return [f"        {line}" for line in lines] + [""]
