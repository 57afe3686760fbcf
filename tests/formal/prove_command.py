# SPDX-License-Identifier: BSD-2-Clause
"""Prove that the command register passes each command to the vector unit once, in order and unchanged, for any stalls.

The proof is a k-induction from reset, with free commands and a free `source_ready`. At most one command is accepted and
not yet passed on, and the register offers this command until the unit takes it.
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
        assert(sink_ready == !waiting);                                         // none overtaken
        if (source_valid) assert(source_command == (waiting ? command : sink_command));
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


def proven(text: str) -> bool:
    return holds(text + PROPERTIES, solve="-tempinduct -maxsteps 6")


def test_passes_every_command_once():
    assert proven(verilog())


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
