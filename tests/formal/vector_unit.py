# SPDX-License-Identifier: BSD-2-Clause
"""Prepares the vector AES unit for proofs. Proofs can observe the unit's ports, and all accesses to the unit's register
files.

The register files' contents are cut away. Their outputs are free, so a proof holds for all contents. The proofs cover
the commands to them: which address is read and written when, and with which value.
"""

import re

from gateware.isa.instructions import ALL, FIELDS
from gateware.isa.lane import Lane
from gateware.isa.vector_unit import UNIT_VERSION, VectorAESUnit
from tests.formal.prover import to_verilog

MEMORY = (0x4000_0000, 0x10000)
# Yosys commands that remove the memories, so that the solver can choose any value for data read from a memory.
CUT_MEMORIES = ["flatten", "delete t:$memrd* t:$memwr* t:$meminit*", "setundef -undriven -expose"]


def unit_ports(product_cycles: int = 0) -> tuple[VectorAESUnit, dict]:
    """Return a vector unit, and a dictionary of the signals that proofs can use, by name."""
    unit = VectorAESUnit(memory=MEMORY, product_cycles=product_cycles)
    ports = {name: getattr(unit, name) for name in ("cmd_valid", "cmd_ready", "cmd_function_id")}
    ports |= {name: getattr(unit, name) for name in ("rsp_valid", "rsp_ready", "rsp_output")}
    ports |= {f"rs{n + 1}": signal for n, signal in enumerate(unit.cmd_inputs)}
    ports |= {name: getattr(unit.bus, name) for name in ("dat_r", "ack", "err")}
    files = {"state": unit.state, "keys": unit.keys, "bases": unit.bases}
    for name, registers in files.items():
        for what in ("read_address", "write_address", "write_lanes"):
            ports[f"{name}_{what}"] = getattr(registers, what)
        for c in range(4):
            ports[f"{name}_read_data{c}"] = registers.read_data[c]
            ports[f"{name}_write_data{c}"] = registers.write_data[c]
    lanes = [module for _, module in unit._submodules if isinstance(module, Lane)]
    ports |= {f"substituted{c}": lane.substituted for c, lane in enumerate(lanes)}
    ports |= {f"memory_{name}": getattr(unit.memory, name) for name in ("result_valid", "result_ready")}
    ports |= {f"memory_{name}": getattr(unit.memory, name) for name in ("result_register", "result_data")}
    ports |= {f"memory_{name}": getattr(unit.memory, name) for name in ("dropped", "dropped_register", "idle", "full")}
    ports |= {f"memory_{name}": getattr(unit.memory, name) for name in ("fault_code", "fault_address", "clear_fault")}
    request = ("valid", "address", "destination", "data", "load", "store", "exclusive_or", "register")
    ports |= {name: getattr(unit.requests, name) for name in ("taking", "member", "pending")}
    ports |= {name: getattr(unit, name) for name in ("other_reads", "other_register")}
    ports |= {f"request_{name}": getattr(unit.memory.request, name) for name in request}
    if unit.products:
        ports |= {f"products_{name}": signal for name, signal in unit.products.control.items()}
    return unit, ports


def unit_verilog(product_cycles: int = 0) -> str:
    """Return Verilog: module `unit`, and the first lines of module `proof`. These lines instantiate `unit` and declare
    signals for all ports of `unit`.
    """
    unit, ports = unit_ports(product_cycles)
    inputs = {"cmd_valid", "cmd_function_id", "rs1", "rs2", "rsp_ready", "dat_r", "ack", "err"}
    text = to_verilog(unit, "unit", ports, clocked=True)
    pins = ", ".join(f"input [{len(ports[name]) - 1}:0] {name}" for name in sorted(inputs))
    wires = " ".join(f"wire [{len(ports[name]) - 1}:0] {name};" for name in ports if name not in inputs)
    connections = ", ".join(f".{name}({name})" for name in ports)
    quads = " ".join(
        f"wire [127:0] {name} = {{{name}3, {name}2, {name}1, {name}0}};"
        for name in ("substituted", *(f"{f}_{d}_data" for f in ("state", "keys", "bases") for d in ("read", "write")))
    )
    issued = "wire issued = cmd_valid && cmd_ready; wire [9:0] issued_id = cmd_function_id;"
    issued += " wire [31:0] issued_rs1 = rs1; wire [31:0] issued_rs2 = rs2;"
    instance = f"unit it(.sys_clk(sys_clk), .sys_rst(1'b0), {connections});"
    return (
        f"{text}\n{decoder_verilog()}\nmodule proof(input sys_clk, {pins});\n{wires}\n{instance}\n{quads}\n{issued}\n"
    )


def decoder_verilog() -> str:
    """Return Verilog that decodes instructions. Each instruction has a number, defined by a macro. The function
    `operation` returns the number of the instruction with a given CFU function id.
    """
    lines = [f"`define OP_{instruction.name} {n + 1}" for n, instruction in enumerate(ALL)]
    lines += [f"`define UNIT_VERSION {UNIT_VERSION}"]
    for name, (width, position) in FIELDS.items():
        lines.append(f"`define FIELD_{name}(id) id[{position + width + 2}:{position + 3}]")
    cases = []
    for n, instruction in enumerate(ALL):
        digits = "".join(
            "?" if not instruction.mask >> bit & 1 else str(instruction.match >> bit & 1) for bit in range(9, -1, -1)
        )
        cases.append(f"10'b{digits}: operation = {n + 1};")
    text = "function [5:0] operation; input [9:0] id; casez (id) " + " ".join(cases)
    return "\n".join(lines) + f"\n`define DECODER {text} default: operation = 0; endcase endfunction\n"


def mutate(verilog: str, pattern: str, replacement: str) -> str:
    """Return the Verilog with the first match of `pattern` replaced. The result is a faulty unit, for which the
    proof must fail.
    """
    broken, count = re.subn(pattern, replacement, verilog, count=1)
    assert count, f"nothing in the unit's Verilog matches {pattern}"
    return broken
