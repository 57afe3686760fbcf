# SPDX-License-Identifier: BSD-2-Clause
"""Test our simulator of synthesised netlists: each cell type against its definition, and the count of transitions."""

import random

import pytest

from gateware.flow.cells import expression
from gateware.flow.mapped import Netlist, NetlistError

CLOCK, LANES = "clk", 5
FLIP_FLOP = {"CEMUX": "CE", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "SRMODE": "LSR_OVER_CE"}


class Builder:
    """Builds a netlist in Yosys' JSON format, cell by cell."""

    def __init__(self):
        self.bits = 1
        self.module = {"ports": {}, "cells": {}}
        self.clock = self.port(CLOCK, "input", 1)[0]

    def new(self, count: int) -> list[int]:
        self.bits += count
        return list(range(self.bits - count + 1, self.bits + 1))

    def port(self, name: str, direction: str, width_or_bits) -> list:
        bits = self.new(width_or_bits) if isinstance(width_or_bits, int) else width_or_bits
        self.module["ports"][name] = {"direction": direction, "bits": bits}
        return bits

    def cell(self, kind: str, parameters: dict[str, str], **pins) -> None:
        connections = {pin: bits if isinstance(bits, list) else [bits] for pin, bits in pins.items()}
        cells = self.module["cells"]
        cells[f"cell{len(cells)}"] = {"type": kind, "parameters": parameters, "connections": connections}

    def lut(self, truth: int, inputs: list) -> int:
        (output,) = self.new(1)
        pins = dict(zip("ABCD", [*inputs, *["0"] * (4 - len(inputs))], strict=True))
        self.cell("LUT4", {"INIT": f"{truth:016b}"}, **pins, Z=output)
        return output

    def netlist(self) -> Netlist:
        return Netlist(self.module, clock=CLOCK, lanes=LANES)


def at_each_lane(netlist: Netlist, **inputs) -> None:
    for port, values in inputs.items():
        netlist.poke_lanes(port, values)
    netlist.settle()


@pytest.mark.parametrize("inputs", range(5))
def test_expression_is_the_truth_table(inputs):
    rng = random.Random(inputs)
    tables = {rng.getrandbits(1 << inputs) for _ in range(200)} | {0, (1 << (1 << inputs)) - 1}
    for truth in tables:
        text = expression(truth, inputs)
        for x in range(1 << inputs):
            bits = [x >> n & 1 for n in range(inputs)]
            assert eval(text.format(*bits), {"M": 1}) & 1 == truth >> x & 1


def test_lanes_are_apart():
    """Each simulation lane is independent: evaluate a LUT with different inputs in each lane."""
    build = Builder()
    build.port("z", "output", [build.lut(0x8421, build.port("i", "input", 4))])
    netlist = build.netlist()
    values = [0, 5, 10, 15, 3]
    at_each_lane(netlist, i=values)
    assert netlist.peek_lanes("z") == [0x8421 >> value & 1 for value in values]
    with pytest.raises(NetlistError, match="differs between lanes"):
        netlist.peek("z")


@pytest.mark.parametrize("kind, pins", [("PFUMX", ("BLUT", "ALUT", "C0")), ("L6MUX21", ("D0", "D1", "SD"))])
def test_multiplexers(kind, pins):
    build = Builder()
    i, (z,) = build.port("i", "input", 3), build.new(1)
    build.cell(kind, {}, **dict(zip(pins, i, strict=True)), Z=z)
    build.port("z", "output", [z])
    netlist = build.netlist()
    for value in range(8):
        netlist.poke("i", value)
        netlist.settle()
        assert netlist.peek("z") == (value >> 1 & 1 if value & 4 else value & 1)


def test_carry_chain_adds():
    """Two CCU2C cells form a 4-bit adder with a carry input, with the parameters that synthesis sets."""
    build = Builder()
    a, b = build.port("a", "input", 4), build.port("b", "input", 4)
    (carry,), total = build.port("carry", "input", 1), build.new(4)
    # If pin D is 1, this LUT4 computes A ^ B ^ C. The cell's carry logic uses only bits 3:0 of the LUT's contents.
    # These four bits compute A.
    table = f"{0x96AA:016b}"
    for pair in range(2):
        (out,) = build.new(1)
        pins = {f"{pin}{n}": bits[2 * pair + n] for n in range(2) for pin, bits in (("A", b), ("B", a), ("S", total))}
        constants = {f"{pin}{n}": value for n in range(2) for pin, value in (("C", "0"), ("D", "1"))}
        parameters = {"INIT0": table, "INIT1": table, "INJECT1_0": "NO", "INJECT1_1": "NO"}
        build.cell("CCU2C", parameters, CIN=carry, COUT=out, **pins, **constants)
        carry = out
    build.port("sum", "output", [*total, carry])
    netlist = build.netlist()
    rng = random.Random(1)
    for _ in range(60):
        values = [rng.getrandbits(9) for _ in range(LANES)]
        given = {"a": [v & 15 for v in values], "b": [v >> 4 & 15 for v in values], "carry": [v >> 8 for v in values]}
        at_each_lane(netlist, **given)
        assert netlist.peek_lanes("sum") == [(v & 15) + (v >> 4 & 15) + (v >> 8) for v in values]


@pytest.mark.parametrize("is_set", [False, True])
def test_flip_flop_enable_and_reset(is_set):
    """In a flip-flop, reset takes precedence over enable. Without reset and enable, the value stays."""
    build = Builder()
    (d,), (ce,), (lsr,), (q,) = (*(build.port(name, "input", 1) for name in ("d", "ce", "lsr")), build.new(1))
    parameters = {**FLIP_FLOP, "REGSET": "SET" if is_set else "RESET"}
    build.cell("TRELLIS_FF", parameters, CLK=build.clock, DI=d, CE=ce, LSR=lsr, Q=q)
    build.port("q", "output", [q])
    netlist = build.netlist()
    expected = int(is_set)
    assert netlist.peek("q") == expected
    rng = random.Random(2)
    for _ in range(40):
        values = {name: rng.getrandbits(1) for name in ("d", "ce", "lsr")}
        for name, value in values.items():
            netlist.poke(name, value)
        netlist.settle()
        assert netlist.peek("q") == expected
        netlist.edge()
        if values["lsr"]:
            expected = int(is_set)
        elif values["ce"]:
            expected = values["d"]
        netlist.settle()
        assert netlist.peek("q") == expected


def test_distributed_ram():
    build = Builder()
    names = {"WAD": 4, "RAD": 4, "DI": 4, "WRE": 1}
    pins = {name: build.port(name.lower(), "input", width) for name, width in names.items()}
    output = build.new(4)
    contents = sum((15 - row) << 4 * row for row in range(16))
    parameters = {"INITVAL": f"{contents:064b}", "WCKMUX": "WCK", "WREMUX": "WRE"}
    build.cell("TRELLIS_DPR16X4", parameters, **pins, DO=output, WCK=build.clock)
    build.port("do", "output", output)
    netlist = build.netlist()
    addresses = [0, 3, 7, 12, 15]
    at_each_lane(netlist, rad=addresses)
    assert netlist.peek_lanes("do") == [15 - address for address in addresses]
    rows = [[15 - row] * LANES for row in range(16)]
    rng = random.Random(3)
    for _ in range(50):
        row, data, write, read = rng.randrange(16), [rng.getrandbits(4) for _ in range(LANES)], rng.random() < 0.5, 0
        netlist.poke("wad", row)
        netlist.poke("wre", write)
        netlist.poke_lanes("di", data)
        netlist.edge()
        if write:
            rows[row] = data
        read = rng.randrange(16)
        netlist.poke("rad", read)
        netlist.settle()
        assert netlist.peek_lanes("do") == rows[read]


@pytest.mark.parametrize("width", [9, 18, 36])
def test_block_ram(width):
    """Write block RAM at port A, and read it at port B at the same time. Simulation lanes can read different rows."""
    build = Builder()
    first = {9: 3, 18: 4, 36: 5}[width]
    write_row, read_row = build.port("write_row", "input", 4), build.port("read_row", "input", 4)
    (write,), data, output = build.port("write", "input", 1), build.port("data", "input", width), build.new(width)
    sides = {"I": ("A", "B") if width == 36 else ("A",), "O": ("A", "B") if width == 36 else ("B",)}
    pins = {}
    for kind, bits in (("I", data), ("O", output)):
        for n, bit in enumerate(bits):
            pins[f"D{kind}{sides[kind][n // 18]}{n % 18}"] = bit
    for n in range(14):
        enable = "1" if n < first else "0"
        row = 0 <= n - first < 4
        pins[f"ADA{n}"] = write_row[n - first] if row else enable
        pins[f"ADB{n}"] = read_row[n - first] if row else "0"
    parameters = {f"DATA_WIDTH_{port}": f"{width:b}" for port in "AB"}
    controls = {"CEA": write, "WEA": "1", "RSTA": "0", "CEB": "1", "WEB": "0", "RSTB": "0"}
    build.cell("DP16KD", parameters, **pins, **controls, CLKA=build.clock, CLKB=build.clock)
    build.port("out", "output", output)
    netlist = build.netlist()
    rng = random.Random(width)
    rows = [[0] * LANES for _ in range(16)]
    for _ in range(60):
        row, values, reads = rng.randrange(16), [rng.getrandbits(width) for _ in range(LANES)], rng.randrange(16)
        read_rows = [reads] * LANES if rng.random() < 0.5 else [rng.randrange(16) for _ in range(LANES)]
        write_now = rng.random() < 0.7
        netlist.poke("write_row", row)
        netlist.poke("write", write_now)
        at_each_lane(netlist, data=values, read_row=read_rows)
        expected = [rows[r][lane] for lane, r in enumerate(read_rows)]
        netlist.edge()
        netlist.settle()
        assert netlist.peek_lanes("out") == expected
        if write_now:
            rows[row] = values


def test_transitions_count_what_passes_by():
    """When `a` rises, `a & ~a` is 1 until the inverter has switched. The simulator must count this short pulse."""
    build = Builder()
    (a,) = build.port("a", "input", 1)
    build.port("z", "output", [build.lut(0x8888, [a, build.lut(0x5555, [a])])])
    netlist = build.netlist()
    netlist.is_counting = True
    netlist.poke("a", 1)
    netlist.settle()
    assert netlist.transitions == 4 * LANES  # `a` and its inverse each change once; the result changes twice
    netlist.settle()
    assert netlist.transitions == 4 * LANES
    netlist.poke("a", 0)
    netlist.settle()
    assert netlist.transitions == 6 * LANES  # the result stays low


def test_refuses_what_it_does_not_simulate():
    build = Builder()
    build.cell("MULT18X18D", {})
    with pytest.raises(NetlistError, match="MULT18X18D"):
        build.netlist()
    ring = Builder()
    (z,) = ring.new(1)
    ring.cell("LUT4", {"INIT": f"{0x5555:016b}"}, A=z, B="0", C="0", D="0", Z=z)
    with pytest.raises(NetlistError, match="ring"):
        ring.netlist()
    gated = Builder()
    (q,), other = gated.new(1), gated.port("other", "input", 1)
    gated.cell("TRELLIS_FF", FLIP_FLOP, CLK=other, DI="0", Q=q)
    with pytest.raises(NetlistError, match="another clock"):
        gated.netlist()
