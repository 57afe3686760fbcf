# SPDX-License-Identifier: BSD-2-Clause
"""Writes a core's FuseSoC file (lint, simulation, ECP5), and a top module for place-and-route of the core by itself."""

import textwrap

from .ports import IN, Design

_CORE = """CAPI=2:

# {spdx}
name: "{vlnv}"
description: "{about}"

filesets:
  rtl:
    files: [{name}.v]
    file_type: verilogSource
  tb:
    files: [{name}_tb.v]
    file_type: systemVerilogSource
  ecp5:
    files: [{name}_ecp5.v]
    file_type: verilogSource

targets:
  default: &default
    filesets: [rtl]
    toplevel: {name}

  lint:
    <<: *default
    description: "Verilator's lint with all warnings"
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]

  sim:
    <<: *default
    description: "the self-checking test bench; --tool=verilator runs it in Verilator"
    filesets: [rtl, tb]
    toplevel: {name}_tb
    default_tool: icarus
    tools:
      icarus:
        iverilog_options: [-g2012]
      verilator:
        mode: binary
        verilator_options: [--timing]

  ecp5:
    <<: *default
    description: "synthesis, placement and routing of the core by itself on an LFE5UM5G-85F, with its clock"
    filesets: [rtl, ecp5]
    toplevel: {name}_ecp5
    default_tool: trellis
    tools:
      trellis:
        nextpnr_options: [--um5g-85k, --package, CABGA554, --speed, "8", --lpf-allow-unconstrained, --timing-allow-fail]
"""

_HARNESS = """// {name}_ecp5: the core {name} between shift registers, to place and route it by itself.
// {spdx}
//
// Without the shift registers, pins would determine the clock, and most devices have too few of them.

`timescale 1ns / 1ps
`default_nettype none

module {name}_ecp5 (
    input  wire clock,
    input  wire serial_in,
    output reg  serial_out
);

reg  [{last_in}:0] stimulus;
wire [{last_out}:0] results;
reg  [{last_out}:0] observed;
reg  [{last_out}:0] chain;

{name} core (
{connections}
);

always @(posedge clock) begin
    stimulus <= {{stimulus[{last_in} - 1:0], serial_in}};
    observed <= results;
    chain <= {{chain[{last_out} - 1:0], serial_in}} ^ observed;
    serial_out <= chain[{last_out}];
end

endmodule
`default_nettype wire
"""


def core_file(name: str, about: str, version: str, spdx: str) -> str:
    """Return the text of the FuseSoC file ``NAME.core``."""
    vlnv = f"cipherlane:cores:{name.lower()}:{version}"
    return _CORE.format(name=name, about=about.replace('"', "'"), vlnv=vlnv, spdx=spdx)


def harness(design: Design, name: str, spdx: str) -> str:
    """Return ``NAME_ecp5.v``: a top module for place-and-route that connects the core to two shift registers."""
    connections = [f".{design.clock}(clock)"]
    places = {True: 0, False: 0}
    for port in design.ports[1:]:
        is_input = port.direction == IN
        low = places[is_input]
        places[is_input] = high = low + port.width
        bits = f"[{high - 1}:{low}]" if port.width > 1 else f"[{low}]"
        connections.append(f".{port.name}({'stimulus' if is_input else 'results'}{bits})")
    return _HARNESS.format(
        name=name,
        spdx=spdx,
        last_in=places[True] - 1,
        last_out=places[False] - 1,
        connections=textwrap.indent(",\n".join(connections), "    "),
    )
