# SPDX-License-Identifier: BSD-2-Clause
"""Prove that the command register passes each command to the vector unit once, in order and unchanged, for any stalls.

The proofs are k-inductions from reset, with free commands and a free `source_ready`. At most one command is accepted
and not yet passed on, and the register offers this command until the unit takes it.

A second proof adds VexRiscv's side of the port, with free instructions and a free pipeline. Each instruction of the
unit sends one command before it leaves the execute stage, and no other instruction sends any.
"""

import re

import pytest

from gateware.isa.command import COMMAND_LAYOUT, CommandRegister
from tests.formal.prover import holds, to_verilog

PROPERTIES = """
module proof(input sys_clk, input sink_valid, input [73:0] sink_command, input source_ready);
    wire sink_ready, source_valid;
    wire [73:0] source_command;
    command it(.sys_clk(sys_clk), .sys_rst(1'b0), .sink_valid(sink_valid), .sink_ready(sink_ready),
               .sink_function_id(sink_command[9:0]), .sink_input0(sink_command[41:10]),
               .sink_input1(sink_command[73:42]), .source_valid(source_valid), .source_ready(source_ready),
               .source_function_id(source_command[9:0]), .source_input0(source_command[41:10]),
               .source_input1(source_command[73:42]));
    reg first = 1;
    reg waiting = 0;            // a command has been taken and not passed on
    reg [73:0] command = 0;
    always @(posedge sys_clk) begin
        first <= 0;
        waiting <= source_valid && !source_ready;
        if (sink_valid && sink_ready) command <= sink_command;
    end
    always @* begin
        if (first) assume(sink_ready);                                          // the state that reset leaves
        assert(source_valid == (waiting || sink_valid));                        // none lost, none invented
        assert(sink_ready == !(waiting && sink_valid));                         // none overtaken
        if (source_valid) assert(source_command == (waiting ? command : sink_command));
    end
endmodule
"""

# Models the execute stage of VexRiscv. `hold` and `fired` are registers of this stage. `of_unit` is 1 while the stage
# contains an instruction of the vector unit. `stuck` is 1 while a later stage of the CPU stalls the execute stage.
PORT = """
module proof(input sys_clk, input of_unit, input stuck, input source_ready);
    reg hold = 0;
    reg fired = 0;
    wire ready;
    wire valid = (of_unit || hold) && !fired;
    wire leaves = !stuck && !(valid && !ready);
    command it(.sys_clk(sys_clk), .sys_rst(1'b0), .sink_valid(valid), .sink_ready(ready), .source_ready(source_ready),
               .sink_function_id(10'd0), .sink_input0(32'd0), .sink_input1(32'd0));
    reg first = 1;
    reg stays = 0;              // the instruction of the previous cycle is still there, and belongs to the unit
    always @(posedge sys_clk) begin
        first <= 0;
        if (of_unit) hold <= 1;
        if (ready) hold <= 0;
        if (valid && ready) fired <= 1;
        if (leaves) fired <= 0;
        stays <= of_unit && !leaves;
    end
    always @* begin
        if (first) assume(ready);
        if (stays) assume(of_unit);
        if (!stays) assert(!fired);
        if (valid) assert(of_unit);                                 // no command without an instruction of the unit
        if (of_unit && leaves) assert(fired || (valid && ready));   // one command for each of them
    end
endmodule
"""


def verilog() -> str:
    dut = CommandRegister()
    ports = {}
    for side in ("sink", "source"):
        endpoint = getattr(dut, side)
        for name in ("valid", "ready", *(field for field, _ in COMMAND_LAYOUT)):
            ports[f"{side}_{name}"] = getattr(endpoint, name)
    return to_verilog(dut, "command", ports, clocked=True)


def proven(text: str, properties: str = PROPERTIES) -> bool:
    return holds(text + properties, solve="-tempinduct -maxsteps 6")


def test_passes_every_command_once():
    assert proven(verilog())


def test_vexriscv_sends_one_command_for_each_instruction_of_the_unit():
    assert proven(verilog(), PORT)


def test_vexriscv_would_send_more_if_ready_did_not_depend_on_valid():
    broken, count = re.subn(r"assign sink_ready = [^;]*;", "assign sink_ready = (~holds);", verilog(), count=1)
    assert count
    assert not proven(broken, PORT)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        # A mutant that loses a command if the unit does not accept it at once.
        (r"(holds <= )\([^;]*\);", r"\g<1>1'd0;"),
        # A mutant that accepts a new command while an earlier command still waits in the register.
        (r"if \(\(~holds\)\)", "if (1'd1)"),
    ],
)
def test_a_broken_one_is_refuted(pattern, replacement):
    broken, count = re.subn(pattern, replacement, verilog(), count=1)
    assert count
    assert not proven(broken)
