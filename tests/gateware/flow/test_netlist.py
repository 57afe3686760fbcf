# SPDX-License-Identifier: BSD-2-Clause
"""Test our Verilog models of FPGA cells, which the simulation of netlists uses. The models of logic cells are
equivalent to Yosys' models. The other models behave as Yosys assumes during technology mapping.
"""

import json
import random
import subprocess

import pytest
from migen import ClockDomain, ClockSignal, Instance, Module, Signal

from gateware.flow import netlist, netlist_board, toolchain
from gateware.flow.cache import REPOSITORY
from gateware.flow.cells import contents
from tests.gateware.support import Simulation

# This folder is not in /tmp, because YoWASP's Yosys cannot read files there.
BUILD = REPOSITORY / "build" / "tests" / "netlist"
TIMEOUT_S = 300
YOSYS = """read_json theirs.json
read_verilog -DNO_INCLUDES +/ecp5/common_sim.vh +/ecp5/ccu2c_sim.vh
hierarchy -check -top theirs
read_verilog ours.v
proc
flatten theirs
select -assert-none theirs/t:LUT4 theirs/t:CCU2C theirs/t:TRELLIS_*
miter -equiv -flatten -make_assert theirs ours miter
hierarchy -top miter
{prepare}
sat -verify -show-inputs {proof} -prove-asserts miter
"""
COMBINATIONAL = {"prepare": "opt -fast", "proof": ""}
REGISTERS = {"prepare": "clk2fflogic; opt -fast", "proof": "-tempinduct"}
# Proofs about memories need several time steps. Four steps are enough for a rising clock edge, a read before the edge,
# and a read after the edge.
MEMORIES = {
    "prepare": "memory_map; clk2fflogic; opt -fast",
    "proof": "-seq 1 -tempinduct -tempinduct-baseonly -maxsteps 7",
}
SEQUENCES = {"prepare": MEMORIES["prepare"], "proof": "-tempinduct -tempinduct-baseonly -maxsteps 5"}
SOURCE = """
module top(input clock, reset, enable, write, input [3:0] row, column, data, input [7:0] a, b, input [2:0] choice,
    output reg [7:0] sum, output reg [3:0] read, output wide, output reg flag);
    reg [3:0] memory [0:15];
    reg [7:0] held = 8'h5a;
    integer n;
    initial for (n = 0; n < 16; n = n + 1) memory[n] = 5 * n + 3;
    always @(posedge clock) begin
        if (write) memory[row] <= data;
        read <= memory[column];
        if (reset) sum <= 8'h33; else if (enable) sum <= a - b;
        if (!enable) held <= {held[6:0], a[0]};
    end
    always @(negedge clock) flag <= ^a[3:0];
    assign wide = held[choice] ^ (a < b) ^ b[choice];
endmodule
"""
MADE = {"LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4"}
PACKED = {"TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW"}
RANDOM = random.Random(1)
# Maps the width of a block RAM port, in bits, to the number of low address bits that do not select the row. Yosys uses
# this addressing for memories in block RAM. At widths of 18 and 36 bits, the lowest address bits enable writes of
# single 9-bit units.
ADDRESS_BITS = {1: 0, 2: 1, 4: 2, 9: 3, 18: 4, 36: 5}
PAIRS = [(18, 18, "READBEFOREWRITE"), (9, 9, "NORMAL"), (4, 4, "READBEFOREWRITE"), (2, 2, "WRITETHROUGH")]
PAIRS += [(1, 1, "READBEFOREWRITE"), (9, 18, "READBEFOREWRITE"), (4, 18, "WRITETHROUGH"), (36, 36, "NORMAL")]


class _Design:
    """Builds a netlist from cells. Each pin of a cell is connected to a separate port of the netlist."""

    def __init__(self):
        self.ports, self.cells = {}, {}
        self._next = 2

    def add(self, kind, parameters, inputs, outputs, widths=None, shared=None):
        connections = dict(shared or {})
        for pin in (*inputs, *outputs):
            bits = list(range(self._next, self._next + (widths or {}).get(pin, 1)))
            self._next += len(bits)
            connections[pin] = bits
            direction = "input" if pin in inputs else "output"
            self.ports[f"{kind}_{len(self.cells)}_{pin}"] = {"direction": direction, "bits": bits}
        directions = {pin: "output" if pin in outputs else "input" for pin in connections}
        self.cells[f"cell{len(self.cells)}"] = {
            "type": kind,
            "parameters": parameters,
            "attributes": {},
            "port_directions": directions,
            "connections": connections,
        }

    def clock(self):
        """Add an input port for a clock; return the clock's net, to which many cells can connect."""
        self.ports["clock"] = {"direction": "input", "bits": [self._next]}
        self._next += 1
        return self.ports["clock"]["bits"]

    @property
    def module(self):
        return {"attributes": {}, "ports": self.ports, "cells": self.cells, "netnames": {}}


def _bits(number, count):
    return f"{number:0{count}b}"


def _run(folder, *command):
    environment = toolchain.environment(REPOSITORY / "build" / "tools")
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]


def _assert_equal(theirs, how, name, ours=None):
    """Prove that two netlists are equivalent: `theirs` with Yosys' cell models, and `ours` with our cell models. If
    `ours` is None, prove that netlist `theirs` behaves the same with both sets of cell models.
    """
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ours.v").write_text(netlist.verilog("ours", ours or theirs)[0])
    (folder / "theirs.json").write_text(json.dumps({"modules": {"theirs": theirs}}))
    (folder / "run.ys").write_text(YOSYS.format(**how))
    _run(folder, "yosys", "-q", "run.ys")


def _carry(one, other, injects):
    return {"INIT0": _bits(one, 16), "INIT1": _bits(other, 16), "INJECT1_0": injects[0], "INJECT1_1": injects[1]}


def test_logic_is_as_in_yosys():
    design = _Design()
    tables = [0, 0xFFFF, 0x8000, 0x7FFF, 0x6996, 0x5555, *(1 << n for n in range(16))]
    for table in [*tables, *(RANDOM.getrandbits(16) for _ in range(100))]:
        design.add("LUT4", {"INIT": _bits(table, 16)}, "ABCD", "Z")
    design.add("PFUMX", {}, ("ALUT", "BLUT", "C0"), "Z")
    design.add("L6MUX21", {}, ("D0", "D1", "SD"), "Z")
    for injects in ("NO", "NO"), ("YES", "NO"), ("NO", "YES"), ("YES", "YES"):
        for _ in range(8):
            pins = ("CIN", *(f"{pin}{n}" for pin in "ABCD" for n in range(2)))
            parameters = _carry(RANDOM.getrandbits(16), RANDOM.getrandbits(16), injects)
            design.add("CCU2C", parameters, pins, ("S0", "S1", "COUT"))
    _assert_equal(design.module, COMBINATIONAL, "logic")


@pytest.mark.parametrize("edge", ("CLK", "INV"))
@pytest.mark.parametrize("mode", ("ASYNC", "LSR_OVER_CE"))
def test_flip_flops_are_as_in_yosys(edge, mode):
    design = _Design()
    clock = design.clock()
    for enable in ("1 ", "0 ", "CE", "INV"):
        for reset in ("LSR", "INV"):
            for value in ("SET", "RESET"):
                parameters = {"CLKMUX": edge, "CEMUX": enable, "LSRMUX": reset, "REGSET": value, "SRMODE": mode}
                design.add("TRELLIS_FF", parameters, ("LSR", "CE", "DI"), "Q", shared={"CLK": clock})
    _assert_equal(design.module, REGISTERS, f"flip_flops_{edge}_{mode}")


def test_distributed_memory_is_as_in_yosys():
    design = _Design()
    clock = design.clock()
    parameters = {"WREMUX": "INV", "INITVAL": _bits(RANDOM.getrandbits(64), 64)}
    widths = dict.fromkeys(("DI", "WAD", "RAD", "DO"), 4)
    design.add("TRELLIS_DPR16X4", parameters, ("DI", "WAD", "WRE", "RAD"), ("DO",), widths, {"WCK": clock})
    _assert_equal(design.module, MEMORIES, "memory")


def test_what_nextpnr_packs_is_what_yosys_made():
    folder = BUILD / "packed"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "top.v").write_text(SOURCE)
    _run(folder, "yosys", "-q", "-p", "read_verilog top.v; synth_ecp5 -top top; write_json top.json")
    _run(
        folder, "nextpnr-ecp5", "--25k", "--json", "top.json", "--out-of-context", "--pack-only", "--write", "out.json"
    )
    made, packed = (json.loads((folder / name).read_text())["modules"]["top"] for name in ("top.json", "out.json"))
    assert {cell["type"] for cell in made["cells"].values()} >= MADE
    assert {cell["type"] for cell in packed["cells"].values()} == PACKED
    for cell in made["cells"].values():
        if cell["type"] == "TRELLIS_FF":  # Yosys' model needs a connection at every pin
            for pin in {"LSR", "CE"} - cell["connections"].keys():
                cell["connections"][pin], cell["port_directions"][pin] = ["0"], "input"
    _assert_equal(made, SEQUENCES, "packed", packed)


def test_what_is_not_simulated_is_named():
    design = _Design()
    design.add("IDDRX2F", {}, "D", "Q")
    with pytest.raises(netlist.NetlistError, match="cell cell0 is a IDDRX2F"):
        netlist.verilog("top", design.module)
    design = _Design()
    design.add("TRELLIS_FF", {"SRMODE": "CE_OVER_LSR"}, ("CLK", "LSR", "CE", "DI"), "Q")
    with pytest.raises(netlist.NetlistError, match="TRELLIS_FF cell0 is in a mode that is not simulated"):
        netlist.verilog("top", design.module)


# Block RAM, the multiplier and the PLL ---------------------------------------------------------------------


class _Port:
    """The signals at one port of a simulated block RAM."""

    def __init__(self, width):
        self.width = width
        self.enable, self.write, self.address = Signal(), Signal(), Signal(14)
        self.data, self.read = Signal(width), Signal(width)


class _BlockRAM(Module):
    """A DP16KD block RAM with two ports. At a width of 36 bits, port A only writes and port B only reads."""

    def __init__(self, width_a, width_b, mode):
        self.a, self.b = _Port(width_a), _Port(width_b)
        pairs = [(self.a.data, self.b.data), (self.a.read, self.b.read)]
        if width_a == 36:
            pairs = [(list(whole)[:18], list(whole)[18:]) for whole in (self.a.data, self.b.read)]
        data, read = ({name: list(pins) for name, pins in zip("AB", pair, strict=True)} for pair in pairs)
        pins = {"p_CONTENTS": "contents.hex"}
        for name, port in (("A", self.a), ("B", self.b)):
            pins |= {f"p_DATA_WIDTH_{name}": port.width, f"p_WRITEMODE_{name}": mode}
            pins |= {f"i_CE{name}": port.enable, f"i_WE{name}": port.write, f"i_CLK{name}": ClockSignal()}
            pins |= {f"i_RST{name}": 0, f"i_OCE{name}": 1, **{f"i_CS{name}{n}": 0 for n in range(3)}}
            pins |= {f"i_AD{name}{n}": port.address[n] for n in range(14)}
            pins |= {f"i_DI{name}{n}": data[name][n] if n < len(data[name]) else 0 for n in range(18)}
            pins |= {f"o_DO{name}{n}": read[name][n] for n in range(len(read[name]))}
        self.specials += Instance("DP16KD", **pins)


class _Cells(Module):
    """A test design: block RAMs, a multiplier, and a counter with a clock from a PLL."""

    def __init__(self):
        self.memories = [_BlockRAM(*pair) for pair in PAIRS]
        self.submodules += self.memories
        self.factors, self.signs, self.product = [Signal(18), Signal(18)], Signal(2), Signal(36)
        pins = {f"i_{name}{n}": factor[n] for name, factor in zip("AB", self.factors, strict=True) for n in range(18)}
        pins |= {f"i_C{n}": 0 for n in range(18)} | {f"o_P{n}": self.product[n] for n in range(36)}
        pins |= {"i_SIGNEDA": self.signs[0], "i_SIGNEDB": self.signs[1], "i_SOURCEA": 0, "i_SOURCEB": 0}
        self.specials += Instance("MULT18X18D", **pins)
        self.pll_reset, self.locked, self.count = Signal(), Signal(), Signal(8)
        self.clock_domains.cd_pll = ClockDomain(reset_less=True)
        pins = {"p_CLKFB_DIV": 4, "p_CLKI_DIV": 1, "p_CLKOP_DIV": 4, "p_CLKOP_CPHASE": 3, "p_CLKOS_DIV": 1}
        pins |= {"p_FEEDBK_PATH": "INT_OS", "i_CLKI": ClockSignal(), "i_RST": self.pll_reset, "i_STDBY": 0}
        self.specials += Instance("EHXPLLL", **pins, o_CLKOP=self.cd_pll.clk, o_LOCK=self.locked)
        self.sync.pll += self.count.eq(self.count + 1)

    @property
    def signals(self):
        ports = [port for memory in self.memories for port in (memory.a, memory.b)]
        pins = [pin for port in ports for pin in (port.enable, port.write, port.address, port.data, port.read)]
        return [*pins, *self.factors, self.signs, self.product, self.pll_reset, self.locked, self.count]


INITVALS = {f"INITVAL_{n:02X}": _bits(RANDOM.getrandbits(320), 320) for n in range(64)}
CONTENTS = {"contents.hex": contents(INITVALS)}


@pytest.fixture(scope="module")
def cells():
    device = _Cells()
    with Simulation(device, device.signals, prepare=lambda verilog, files: (verilog, {**files, **CONTENTS})) as sim:
        yield device, sim


class _Expected:
    """A model of a block RAM that behaves as Yosys expects. The memory is a list of single bits."""

    def __init__(self, mode):
        rows = [int(INITVALS[f"INITVAL_{n // 16:02X}"], 2) >> 20 * (n % 16) for n in range(1024)]
        self.bits = [row >> n & 1 for row in rows for n in range(18)]
        self.mode = mode

    @staticmethod
    def places(width, address):
        row = address >> ADDRESS_BITS[width]
        if width >= 9:
            return range(row * width, (row + 1) * width)
        byte, first = divmod(row * width, 8)  # ports of 1, 2 or 4 bits never use the ninth bit of a 9-bit unit
        return range(byte * 9 + first, byte * 9 + first + width)

    def enabled(self, port):
        """Return the bits that a port of the block RAM writes, as {position: new value}."""
        if not (port["enable"] and port["write"]):
            return {}
        bits = {p: port["data"] >> n & 1 for n, p in enumerate(self.places(port["width"], port["address"]))}
        units = list(range(max(1, port["width"] // 9)))
        on = [len(units) == 1 or port["address"] >> n & 1 for n in units]
        return {place: bit for n, (place, bit) in enumerate(bits.items()) if on[n // 9]}

    def edge(self, ports):
        """Perform a clock edge. Return the value that each port reads, or None for an output that does not change."""
        written = [self.enabled(port) for port in ports]
        read = []
        for port, own, others in zip(ports, written, written[::-1], strict=True):
            if not port["enable"] or (port["write"] and self.mode == "NORMAL"):
                read.append(None)
                continue
            bits = []
            for place in self.places(port["width"], port["address"]):
                bit = 1 - others[place] if place in others else self.bits[place]
                bits.append(own[place] if self.mode == "WRITETHROUGH" and place in own else bit)
            read.append(sum(bit << n for n, bit in enumerate(bits)))
        for places in written:
            for place, bit in places.items():
                self.bits[place] = bit
        return read


def _drawn(width, writes):
    """Return random inputs for a block RAM port. Only few rows occur, so both ports often access the same row."""
    return {
        "width": width,
        "enable": RANDOM.random() < 0.9,
        "write": RANDOM.random() < writes,
        "address": RANDOM.randrange(4) << 5 | RANDOM.getrandbits(5),
        "data": RANDOM.getrandbits(width),
    }


def _pins(port, drawn):
    return {getattr(port, pin): int(drawn[pin]) for pin in ("enable", "write", "address", "data")}


@pytest.mark.parametrize("place", range(len(PAIRS)), ids=[f"{a}-{b}-{mode}" for a, b, mode in PAIRS])
def test_block_ram(cells, place):
    device, sim = cells
    width_a, width_b, mode = PAIRS[place]
    memory, expected = device.memories[place], _Expected(mode)
    sim.power_on()
    for _ in range(2000):
        drawn = [_drawn(width_a, 0.5), _drawn(width_b, 0 if width_a == 36 else 0.5)]
        if expected.enabled(drawn[0]).keys() & expected.enabled(drawn[1]).keys():
            drawn[1]["write"] = False  # if both ports wrote the same bit, its value would be undefined
        sim.poke(_pins(memory.a, drawn[0]) | _pins(memory.b, drawn[1]))
        sim.clock()
        before = [sim.peek(port.read) for port in (memory.a, memory.b)]
        sim.clock()
        for port, value, stayed in zip((memory.a, memory.b), expected.edge(drawn), before, strict=True):
            if port.width != 36 or port is memory.b:
                assert sim.peek(port.read) == (stayed if value is None else value), drawn
        sim.poke({memory.a.enable: 0, memory.b.enable: 0})
        sim.clock()


def test_multiplier(cells):
    device, sim = cells
    for signs in range(4):
        for _ in range(50):
            values = [RANDOM.choice((0, 1, 1 << 17, (1 << 18) - 1, RANDOM.getrandbits(18))) for _ in range(2)]
            sim.poke({device.signs: signs, **dict(zip(device.factors, values, strict=True))})
            sim.clock()
            signed = [v - (1 << 18) if signs >> n & 1 and v >> 17 else v for n, v in enumerate(values)]
            assert sim.peek(device.product) == signed[0] * signed[1] % (1 << 36)


def test_pll_passes_its_clock_on_and_locks(cells):
    device, sim = cells
    sim.poke({device.pll_reset: 1})
    sim.clock(3)
    stopped = sim.peek(device.count)
    sim.clock(5)
    assert sim.peek(device.count) == stopped and not sim.peek(device.locked)
    sim.poke({device.pll_reset: 0})
    sim.clock()
    for _ in range(30):
        before = sim.peek(device.count)
        sim.clock()
        assert (sim.peek(device.count) - before) % 256 == 1
    assert sim.peek(device.locked)


# RGMII pins, with two bits per clock cycle ---------------------------------------------------------------

# An RGMII design that sends back the bytes that it receives. `lower` shows the bits received at rising edges.
RGMII = """
module pins(input clock, rx_ctl, input [3:0] rx_data, output tx_clock, tx_ctl, output [3:0] tx_data,
    output [3:0] lower, output heard, inout both_ways);
    wire [4:0] first, second, late, sent;
    genvar n;
    generate for (n = 0; n < 5; n = n + 1) begin
        DELAYG #(.DEL_MODE("SCLK_ALIGNED"), .DEL_VALUE(1)) delay(.A(n == 4 ? rx_ctl : rx_data[n]), .Z(late[n]));
        IDDRX1F in(.D(late[n]), .SCLK(clock), .Q0(first[n]), .Q1(second[n]));
        ODDRX1F out(.D0(first[n]), .D1(second[n]), .SCLK(clock), .Q(sent[n]));
    end endgenerate
    ODDRX1F copy(.D0(1'b1), .D1(1'b0), .SCLK(clock), .Q(tx_clock));
    assign {tx_ctl, tx_data} = sent;
    assign lower = first[3:0];
    TRELLIS_IO #(.DIR("BIDIR")) io(.B(both_ways), .I(1'b0), .T(first[0]), .O(heard));
endmodule
"""
SITES = {"rx_ctl": "A11", "tx_ctl": "C9", "clock": "E11", "tx_clock": "A12"}
SITES |= {f"rx_data[{n}]": site for n, site in enumerate(("B11", "A10", "B10", "A9"))}
SITES |= {f"tx_data[{n}]": site for n, site in enumerate(("D8", "C8", "B8", "A8"))}


class _RGMII(Module):
    """Connects two modules over RGMII: a netlist that sends back the bytes that it receives, and a model of the link's
    other end.
    """

    def __init__(self):
        self.sent, self.received, self.lower = Signal(9), Signal(9), Signal(4)
        self.driven, self.heard = Signal(), Signal()
        rx_data, rx_ctl, tx_clock, tx_data, tx_ctl = Signal(4), Signal(), Signal(), Signal(4), Signal()
        pins = {"o_tx_clock": tx_clock, "o_tx_ctl": tx_ctl, "o_tx_data": tx_data, "o_lower": self.lower}
        pins |= {"i_clock": ClockSignal(), "i_rx_ctl": rx_ctl, "i_rx_data": rx_data, "i_both_ways": self.driven}
        self.specials += Instance("pins", **pins, o_heard=self.heard)
        pins = {"i_clock": ClockSignal(), "i_rx_data": self.sent[:8], "i_rx_dv": self.sent[8]}
        pins |= {"o_rgmii_rx_data": rx_data, "o_rgmii_rx_ctl": rx_ctl, "i_rgmii_tx_clock": tx_clock}
        pins |= {"i_rgmii_tx_data": tx_data, "i_rgmii_tx_ctl": tx_ctl}
        self.specials += Instance("RGMIIPeer", **pins, o_tx_data=self.received[:8], o_tx_en=self.received[8])


@pytest.fixture(scope="module")
def pins():
    """Return two netlists of the RGMII design: the output of Yosys, and the output of nextpnr's packing step."""
    folder = BUILD / "pins"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pins.v").write_text(RGMII)
    (folder / "pins.lpf").write_text("".join(f'LOCATE COMP "{pin}" SITE "{site}";\n' for pin, site in SITES.items()))
    _run(folder, "yosys", "-q", "-p", "read_verilog pins.v; synth_ecp5 -top pins; write_json pins.json")
    part = ("--um5g-85k", "--package", "CABGA554", "--lpf", "pins.lpf", "--lpf-allow-unconstrained")
    _run(folder, "nextpnr-ecp5", *part, "--json", "pins.json", "--pack-only", "--write", "out.json")
    modules = [json.loads((folder / name).read_text())["modules"] for name in ("pins.json", "out.json")]
    return {"made": modules[0]["pins"], "packed": next(iter(modules[1].values()))}


@pytest.mark.parametrize("stage", ["made", "packed"])
def test_bytes_over_rgmii_come_back_as_they_went(pins, stage):
    kinds = {cell["type"] for cell in pins[stage]["cells"].values()}
    assert kinds >= ({"SIOLOGIC"} if stage == "packed" else {"IDDRX1F", "ODDRX1F", "DELAYG"})
    text, _ = netlist.verilog("pins", pins[stage])
    parts = [text, netlist_board.RGMII_PEER.read_text()]
    device = _RGMII()
    ports = [device.sent, device.received, device.lower, device.driven, device.heard]
    with Simulation(device, ports, prepare=lambda top, files: ("\n".join([top, *parts]), files)) as sim:
        sent, received, lower = [], [], []
        for _ in range(500):
            sent.append(RANDOM.getrandbits(9))
            sim.poke({device.sent: sent[-1], device.driven: sent[-1] & 1})
            sim.clock()
            assert sim.peek(device.heard) == sent[-1] & 1
            received.append(sim.peek(device.received))
            lower.append(sim.peek(device.lower))
    late = next(n for n in range(10) if lower[n:] == [byte & 15 for byte in sent[: len(sent) - n]])
    later = next(n for n in range(late, 10) if received[n:] == sent[: len(sent) - n])
    assert later > late
