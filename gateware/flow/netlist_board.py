# SPDX-License-Identifier: BSD-2-Clause
"""Builds a simulated board from the netlist for an FPGA, and connects the netlist's pins to the host tool.

::

    host tool ─ TCP ─ simulator ─ bytes ─► LiteX's UART ─ bits ─► netlist (`gateware.flow.netlist`)
        └────── TAP device ────── GMII ──► `rgmii_peer.v` ─ RGMII ──┘

The folder is one of a simulated board, see `gateware.flow.simulation`: ``cipherlane --port sim:build/netlist_ecpix5``.
The netlist is unchanged: the UART runs at its normal rate, and the firmware reports that it runs on a board. The
oscillator has the frequency that the PLL would make from the board's oscillator. The UART's far end sends nothing until
the board leaves its reset after power-on.
"""

import contextlib
import json
import os
from pathlib import Path

from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.cores.uart import RS232PHY, UARTPads
from migen import ClockDomain, If, Instance, Signal

from ..boards.sim import BOARD as SIMULATED
from ..targets import Target
from . import netlist, simulation
from .cache import Stamp
from .cells import MODELS, Cell, number

START_CYCLES = 1 << 17
RGMII_PEER = Path(__file__).with_name("rgmii_peer.v")
TOP = "top"  # name of the only module that nextpnr writes
# A netlist's expressions have no branches, so a profile would not help the C++ compiler. -O2 would double the compile
# time, and make the simulation only 5 % faster.
OPT_FAST = "OPT_FAST=-O1 -march=native"


class _Bench(LiteXModule):
    """Connects the netlist's clock pin to the simulator's clock, and its UART to a simulated host; keeps reset off."""

    def __init__(self, platform: SimPlatform, target: Target):
        self.cd_sys = ClockDomain(reset_less=True)
        pads, wires = platform.request("serial"), UARTPads()
        started = Signal(START_CYCLES.bit_length())

        # # #

        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.sync += If(~started[-1], started.eq(started + 1))
        self.phy = phy = RS232PHY(wires, target.sys_clk_freq, target.board.uart_baudrate)
        self.comb += [
            phy.sink.valid.eq(pads.sink_valid & started[-1]),
            phy.sink.data.eq(pads.sink_data),
            pads.sink_ready.eq(phy.sink.ready & started[-1]),
            pads.source_valid.eq(phy.source.valid),
            pads.source_data.eq(phy.source.data),
        ]
        pins = {f"i_{target.board.clock_pin}": self.cd_sys.clk, f"i_{target.board.reset_pin}": 1}
        pins |= {"i_serial_rx": wires.tx, "o_serial_tx": wires.rx}
        if target.configuration.ethernet:
            pins |= self._rgmii(platform)
        self.specials += Instance(target.name, **pins)

    def _rgmii(self, platform: SimPlatform) -> dict[str, Signal | int]:
        """Makes a simulated RGMII PHY. Returns a PHY signal, or a constant, for each Ethernet pin of the netlist."""
        clock = platform.request("sys_clk", 1).sys_clk
        gmii = platform.request("gmii_eth")
        rx_data, rx_ctl, tx_clock, tx_data, tx_ctl = Signal(4), Signal(), Signal(), Signal(4), Signal()
        self.comb += gmii.tx_er.eq(0)
        self.specials += Instance(
            "RGMIIPeer",
            i_clock=clock,
            i_rx_data=gmii.rx_data,
            i_rx_dv=gmii.rx_dv,
            o_rgmii_rx_data=rx_data,
            o_rgmii_rx_ctl=rx_ctl,
            o_tx_data=gmii.tx_data,
            o_tx_en=gmii.tx_en,
            i_rgmii_tx_clock=tx_clock,
            i_rgmii_tx_data=tx_data,
            i_rgmii_tx_ctl=tx_ctl,
        )
        pins = {"i_eth_clocks_rx": clock, "i_eth_rx_data": rx_data, "i_eth_rx_ctl": rx_ctl, "i_eth_mdio": 1}
        return pins | {"o_eth_clocks_tx": tx_clock, "o_eth_tx_data": tx_data, "o_eth_tx_ctl": tx_ctl}


def require(target: Target) -> None:
    """Checks that the netlist of a target can be simulated. The netlist need not exist yet.

    Raises
    ------
    NetlistError
        It cannot be simulated; the message tells why.
    """
    if not target.board.clock_pin:
        raise netlist.NetlistError(f"board {target.board.name} has no netlist: choose BOARD=ecpix5")


def require_clock(target: Target, module: Cell) -> None:
    """Checks that the PLL in a netlist makes the target's clock from the board's clock.

    Raises
    ------
    NetlistError
        It makes another clock.
    """
    (pll,) = [cell["parameters"] for cell in module["cells"].values() if cell["type"] == "EHXPLLL"]
    fed_back = {"INT_OS": "CLKOS_DIV", "CLKOP": "CLKOP_DIV"}[pll["FEEDBK_PATH"]]
    factor = number(pll["CLKFB_DIV"]) * number(pll[fed_back])
    divisor = number(pll["CLKI_DIV"]) * number(pll["CLKOP_DIV"])
    if target.board.sys_clk_freq * factor != target.sys_clk_freq * divisor:
        made = target.board.sys_clk_freq * factor / divisor
        raise netlist.NetlistError(f"the PLL of {target.name} makes {made:g} Hz instead of {target.sys_clk_freq}")


def load(source: Path, target: Target) -> Cell:
    """Loads the module of a target's netlist from a file of Yosys' ``write_json`` or nextpnr's ``--write``."""
    return module_of(json.loads(source.read_text()), target.name)


def module_of(netlist: Cell, name: str) -> Cell:
    """Returns a netlist's module of the given name or, if nextpnr wrote the netlist, its only module."""
    modules: dict[str, Cell] = netlist["modules"]
    return modules[name if name in modules else TOP]


def build(target: Target, source: Path, directory: Path) -> Path:
    """Builds the simulated board of a netlist in a folder; returns the path of its `board.json`.

    Parameters
    ----------
    target : Target
        The target that the netlist was made for; see `require`.
    source : Path
        The netlist; see `load`.
    directory : Path
        The folder.

    Raises
    ------
    NetlistError
        The netlist contains a cell that is not simulated.
    SimulationError
        Verilator or the C++ compiler failed; the message names the log.
    """
    gateware = directory / "gateware"
    gateware.mkdir(parents=True, exist_ok=True)
    module = load(source, target)
    require_clock(target, module)
    text, files = netlist.verilog(target.name, module)
    for name, content in {f"{target.name}.v": text, **files}.items():
        (gateware / name).write_text(content)
    commands, sources = _lay_out(target, directory)
    stamp = Stamp(directory / "model.digest", simulation.key(commands, sources, directory))
    if not (stamp.is_current() and (gateware / simulation.EXECUTABLE).exists()):
        stamp.clear()
        simulation.compile_model(commands, gateware, directory / "verilator.log")
        stamp.set()
    return simulation.describe(target, directory)


def _lay_out(target: Target, directory: Path) -> tuple[list[list[str]], list[Path]]:
    """Prepares the board's folder as `simulation.lay_out` does; the netlist is already in the subfolder `gateware`."""
    gateware = directory / "gateware"
    platform = SIMULATED.create_platform()
    bench = _Bench(platform, target)
    netlist_files = [gateware / f"{target.name}.v", *sorted(MODELS.glob("*.v")), RGMII_PEER]
    platform.add_sources("/", *map(str, netlist_files))
    config = simulation.Modules(target)
    options = simulation.lay_out_module(directory / "modules")
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        platform.build(bench, build_dir=str(gateware), sim_config=config, run=False, **options)
    commands, sources = simulation.commands(platform, config, directory)
    return simulation.compiled_once(commands, OPT_FAST), sources
