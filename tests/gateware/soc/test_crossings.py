# SPDX-License-Identifier: BSD-2-Clause
"""Tests clock domains: the signals that cross them, and whether each clock constraint names an existing clock."""

import logging
import re
from dataclasses import replace

import pytest
from migen import ClockDomain, If, Instance, Memory, Module, Signal
from migen.genlib.cdc import MultiReg

from gateware import targets
from gateware.description import Fit
from gateware.flow import bitstream, constraints
from gateware.platform.ecp5 import ddr3
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.soc.crossings import LOOP, PADS, Crossing, find

# Expected crossings, each as (synchroniser, source domain, target domain). Domains with the same clock share one name.
# So `eth_rx` also stands for Ethernet's transmit domain, and `jtag` also stands for the console's domain. The CPU can
# reset the Ethernet domains through a register.
ETHERNET = {
    ("AsyncFIFO", "eth_rx", "sys"),  # frames
    ("AsyncFIFO", "sys", "eth_rx"),
    ("MultiReg", "eth_rx", "sys"),  # pointers of the AsyncFIFOs, and events of the Ethernet MAC
    ("MultiReg", "sys", "eth_rx"),
    ("AsyncResetSynchronizer", "sys", "eth_rx"),
}
ECPIX5 = {
    ("MultiReg", PADS, "sys"),  # UART
    ("MultiReg", LOOP, "sys"),  # the random source's rings
    # The system's reset comes from a button, from the delay after power-on, or from the CPU.
    ("AsyncResetSynchronizer", PADS, "sys"),
    ("AsyncResetSynchronizer", "por", "sys"),
    ("AsyncResetSynchronizer", "sys", "sys"),
}
JTAG = {
    ("AsyncFIFO", "jtag", "sys"),
    ("AsyncFIFO", "sys", "jtag"),
    ("MultiReg", "jtag", "sys"),
    ("MultiReg", "sys", "jtag"),
    *(("AsyncResetSynchronizer", a, b) for a in ("jtag", "sys") for b in ("jtag", "sys")),
}
# Logic in the domain `init` starts the delay lines of the DDR3 PHY. The clock of the PHY's pins is in step with `sys`
# and twice as fast, so the analysis counts this clock as the clock of `sys`.
DDR3 = {
    ("MultiReg", "sys", "init"),  # lock signal of the DDR3 PHY's delay lines
    ("AsyncResetSynchronizer", "init", "sys"),
    *(("AsyncResetSynchronizer", a, "init") for a in (PADS, "por", "sys")),
}
EXPECTED = {
    ("ecpix5", "eth_zephyr"): ECPIX5 | ETHERNET | JTAG,
    ("ecpix5", "sdram"): ECPIX5 | DDR3,
    ("sim", "eth"): ETHERNET,
    **{
        (target.board.name, target.configuration.name): ECPIX5 | (ETHERNET if target.configuration.ethernet else set())
        for target in targets.load_all()
        if target.board.name not in ("ecpix5", "sim")
    },
}
# Crossings that need no synchroniser. A cell at a pad samples data with the clock that arrives with the data. Logic in
# the domain `init` changes the DDR3 PHY's clock, clock divider and delay lines only while the system is in reset.
SOURCE_SYNCHRONOUS = {
    Crossing(PADS, "eth_rx", "DDRInput"),
    Crossing(PADS, "sys", "IDDRX2DQA"),
    Crossing(PADS, "sys", "DQSBUFM"),
    *(Crossing("init", "sys", cell) for cell in ("DQSBUFM", "CLKDIVF", "ECLKSYNCB", "DDRDLLA")),
}


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.INFO)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(("board", "configuration"), EXPECTED)
def test_only_what_is_synchronised_crosses(board, configuration):
    target = targets.load(board, configuration)
    soc = CipherlaneSoC(target, firmware=[0])
    soc.finalize()
    # The simulated board's pads change only at the edges of their clocks. So the analysis treats no pad as a source of
    # crossings.
    pads = set() if target.board.simulated else soc.platform.constraint_manager.get_io_signals()
    found = find(soc, pads)
    assert set(found.unguarded) <= SOURCE_SYNCHRONOUS
    assert found.glitching == [] and found.skewing == [] and found.never_reset == []
    assert found.synchronised == EXPECTED[board, configuration]


class Design(Module):
    """A design with two clock domains. Registers `a` and `c` are in one domain; the tests add register `b` in the
    other.
    """

    def __init__(self):
        self.clock_domains.cd_one = ClockDomain("one", reset_less=True)
        self.clock_domains.cd_two = ClockDomain("two", reset_less=True)
        self.a, self.b, self.c = Signal(4), Signal(4), Signal(4)
        self.pads = {self.cd_one.clk, self.cd_two.clk}
        self.sync.one += [self.a.eq(self.a + 1), self.c.eq(self.a)]


def straight(design):
    design.sync.two += design.b.eq(design.a)


def through_logic(design):
    logic = Signal(4)
    design.comb += logic.eq(design.a ^ design.c)
    design.sync.two += design.b.eq(logic)


def as_a_condition(design):
    design.sync.two += If(design.a == 3, design.b.eq(0))


def reset_of_another_domain(design):
    design.clock_domains.cd_three = ClockDomain("three")
    design.pads.add(design.cd_three.clk)
    design.comb += design.cd_three.rst.eq(design.a[0])
    design.sync.three += design.b.eq(1)


def in_a_memory(design):
    memory = Memory(4, 16)
    write = memory.get_port(write_capable=True, clock_domain="one")
    read = memory.get_port(clock_domain="two")
    design.specials += memory, write, read
    design.comb += [write.we.eq(1), write.adr.eq(design.a)]


def read_at_once(design):
    memory = Memory(4, 16)
    write = memory.get_port(write_capable=True, clock_domain="one")
    read = memory.get_port(async_read=True, clock_domain="one")
    design.specials += memory, write, read
    design.comb += write.we.eq(1)
    design.sync.two += design.b.eq(read.dat_r)


def from_a_pad(design):
    pad = Signal(4)
    design.pads.add(pad)
    design.sync.two += design.b.eq(pad)


@pytest.mark.parametrize(
    "cross",
    [straight, through_logic, as_a_condition, reset_of_another_domain, in_a_memory, read_at_once, from_a_pad],
)
def test_what_nothing_guards_is_found(cross):
    design = Design()
    cross(design)
    found = find(design, design.pads)
    assert {crossing.source for crossing in found.unguarded} == {PADS if cross is from_a_pad else "one"}


def test_logic_before_a_synchroniser_is_found():
    design = Design()
    design.specials += MultiReg(design.a[0] & design.c[0], design.b[0], "two")
    assert len(find(design, design.pads).glitching) == 1


def test_several_bits_in_a_synchroniser_are_found():
    design = Design()
    design.specials += MultiReg(design.a, design.b, "two")
    found = find(design, design.pads)
    assert len(found.skewing) == 1 and found.glitching == []


def test_domains_with_one_clock_are_one():
    design = Design()
    design.clock_domains.cd_three = three = ClockDomain("three", reset_less=True)
    design.comb += three.clk.eq(design.cd_one.clk)
    design.sync.three += design.b.eq(design.a)
    assert find(design, design.pads).unguarded == []


def test_a_divided_clock_is_in_step():
    design = Design()
    design.clock_domains.cd_half = half = ClockDomain("half", reset_less=True)
    design.specials += Instance("CLKDIVF", i_CLKI=design.cd_one.clk, i_RST=design.b[0], o_CDIVX=half.clk)
    design.sync.half += design.c.eq(design.a)
    design.sync.two += design.b.eq(design.b + 1)
    assert {(one.source, one.name) for one in find(design, design.pads).unguarded} == {("two", "CLKDIVF")}


def test_domain_that_nothing_resets_is_found():
    design = Design()
    design.clock_domains.cd_three = ClockDomain("three")
    assert find(design, design.pads).never_reset == ["three"]


def test_every_constrained_clock_is_a_pin(tmp_path):
    # With the default settings, `Fit()`, the S-boxes are tables, and the Verilog is shorter.
    target = replace(targets.load("ecpix5", "eth"), fit=Fit())
    bitstream.write_sources(target, tmp_path, {"firmware": [0]})
    lpf = (tmp_path / "gateware" / "ecpix5_eth.lpf").read_text()
    verilog = (tmp_path / "gateware" / "ecpix5_eth.v").read_text()
    ports = set(re.findall(r"^\s*input\s+wire\s+(\w+),?$", verilog[: verilog.index(");")], re.MULTILINE))
    assert constraints.unknown_names(lpf, {"ports": ports, "netnames": ()}) == []
    assert constraints.frequencies(lpf) == {"clk100": 100.0, "eth_clocks_rx": 125.0}


def test_nets_of_place_and_route_have_the_clocks_names():
    assert constraints.clock_name("$glbnet$eth_clocks_rx$TRELLIS_IO_IN", 125.0) == "eth_clocks_rx"
    assert constraints.clock_name("$glbnet$cipherlanesoc_uart_phy_jtag_new_tck7", 12.0) == "jtag_clk"
    assert constraints.clock_name("$glbnet$from85803_clk", 12.0) == "jtag_clk"
    assert constraints.clock_name("$glbnet$from85803_clk", 75.0075) == "sys"
    assert constraints.clock_name("$glbnet$VexRiscv.IBusCachedPlugin_cache.clk", 12.0) == "sys"
    assert constraints.clock_name("$glbnet$init_clk", 25.0) == "init_clk"
    assert constraints.START_MHZ * 1e6 == ddr3._INIT_HZ
    assert constraints.required_mhz("jtag_clk", 12.0) == 25.0 and constraints.required_mhz("sys", 80.0) == 80.0


def test_names_and_clocks_that_the_netlist_does_not_have():
    lpf = 'FREQUENCY PORT "clk100" 100.0 MHz;\nFREQUENCY PORT "eth_rx_clk" 125.0 MHz;\nFREQUENCY NET "jtag" 20 MHz;\n'
    module = {"ports": {"clk100": {}}, "netnames": {"clk100": {}, "eth_rx_clk": {}, "jtag": {}}}
    assert constraints.unknown_names(lpf, module) == ["eth_rx_clk"]
    clocks = [{"name": "clk100", "required_mhz": 100.0}, {"name": "sys", "required_mhz": 75.01}]
    wanted = {"clk100": 100.0, "sys": 75.0}
    assert constraints.unconstrained(clocks, wanted) == []
    assert constraints.unconstrained(clocks[:1], wanted) == ["sys"], "TCK by another name is not for the system's clock"
    assert constraints.unconstrained([*clocks, {"name": "eth_clocks_rx", "required_mhz": 12.0}], wanted) == [
        "eth_clocks_rx"
    ]
    assert constraints.unconstrained([{"name": "sys", "required_mhz": 12.0}], wanted) == ["sys"]
    tck = {"name": "jtag_clk", "required_mhz": 25.0}
    assert constraints.unconstrained([*clocks, tck], wanted) == ["jtag_clk"], "there is none"
    assert constraints.unconstrained([*clocks, tck], wanted | {"jtag_clk": 25.0}) == []
    assert constraints.unconstrained([*clocks, tck, tck], wanted | {"jtag_clk": 25.0}) == ["jtag_clk"] * 2, "not both"


def cell(kind, **connections):
    outputs = {"Z", "DO", "Q", "COUT"}
    directions = {pin: "output" if pin in outputs else "input" for pin in connections}
    return {"type": kind, "connections": connections, "port_directions": directions}


def test_loops_are_counted():
    """`looping` must count the cells in a loop of two LUTs and in a loop through a memory. It must not count cells
    before or after a loop, nor cells in a loop that contains a register or a memory's write port.
    """
    ring = {"a": cell("LUT4", A=[2, "0"], Z=[1]), "b": cell("LUT4", A=[1], B=[9], Z=[2])}
    memory = {"m": cell("TRELLIS_DPR16X4", RAD=[11, "0"], DI=[12], DO=[10]), "n": cell("PFUMX", A=[10], Z=[11])}
    chain = {"in": cell("LUT4", A=[8], Z=[9]), "out": cell("LUT4", A=[2], Z=[3]), "far": cell("CCU2C", A=[3], COUT=[4])}
    register = {"q": cell("TRELLIS_FF", DI=[21], Q=[20]), "d": cell("LUT4", A=[20], Z=[21])}
    written = {"w": cell("TRELLIS_DPR16X4", RAD=[30], DI=[31], DO=[32]), "x": cell("LUT4", A=[32], Z=[31])}
    assert len(constraints.looping({"cells": {**ring, **memory, **chain, **register, **written}})) == 4
    assert len(constraints.looping({"cells": {**chain, **register, **written}})) == 0
