# SPDX-License-Identifier: BSD-2-Clause
"""Measures the clock of gigabit RGMII on the ECP5's slowest grade: ``python -m lab.explore.rgmii``.

::

    pins ─► LiteEth's PHY ─► MAC ─► register ─┐
    pins ◄─ LiteEth's PHY ◄─ MAC ◄────────────┘

`make explore-rgmii` builds each MAC by itself on a Colorlight i5 (LFE5U-25F, speed grade 6), with the board's pins and
constraints. The PHY's clock drives both directions, and must reach 125 MHz.
"""

import argparse
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from statistics import median

from cipherlane_base.figures import write
from liteeth.mac.core import LiteEthMACCore
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from rich.console import Console
from rich.table import Table

from gateware import boards
from gateware.flow import toolchain
from gateware.flow.cache import REPOSITORY, Stamp, digest
from gateware.flow.place import Records, place
from gateware.flow.sweep import count
from gateware.net import WORD_BITS
from gateware.net.link.mac import SharedMAC, _MarkedPHY
from gateware.platform.ecp5.rgmii import create_rgmii
from lab.explore.flow import DEVICES

BOARD = boards.load("colorlight_i5")
PART = (*DEVICES["25F-6"].options, "--placer-heap-timingweight", "100")
CLOCK = "eth_clocks_rx"
SEEDS = 5
NAME = "top"
ETHERNET_TYPE = 0x88B5  # EtherType for local experiments (IEEE 802)

# A MAC with its two streams: one delivers the received data, the other accepts the data to send.
Ports = tuple[LiteXModule, stream.Endpoint, stream.Endpoint]


class RgmiiError(RuntimeError):
    """A tool failed; the message contains the tool's last error."""


def _liteeth(phy, **options) -> Ports:
    mac = LiteXModule()
    mac.phy = _MarkedPHY(phy)
    mac.core = core = LiteEthMACCore(phy=mac.phy, dw=WORD_BITS, **options)
    return mac, core.source, core.sink


def _shared(phy) -> Ports:
    mac = SharedMAC(phy=phy, mac_address=1, rx_slots=0, tx_slots=0)
    port = mac.crossbar.get_port(ETHERNET_TYPE, dw=WORD_BITS)
    return mac, port.source, port.sink


MACS: dict[str, Callable[..., Ports]] = {
    "LiteEth's core": _liteeth,
    "LiteEth's core, its frames' check and padding in the system's clock": lambda phy: _liteeth(
        phy, with_sys_datapath=True
    ),
    "LiteEth's core, registers after the queues between clocks": lambda phy: _liteeth(
        phy, tx_cdc_buffered=True, rx_cdc_buffered=True
    ),
    "`gateware.net.link.mac`: these queues in block RAM, and a skid buffer after the sender's": _shared,
}


class Loop(LiteXModule):
    """A loopback design: a MAC on the board's pins sends back the frames that it receives."""

    def __init__(self, platform, create: Callable):
        self.crg = BOARD.create_crg(platform, BOARD.sys_clk_freq)
        self.ethphy = create_rgmii(tx_delay=0)(platform)
        self.mac, source, sink = create(self.ethphy)
        self.register = stream.Buffer(sink.description, pipe_ready=True)

        # # #

        self.comb += source.connect(self.register.sink, keep={"valid", "ready", "last", "data", "last_be"})
        # Without this XOR, nothing would use the error signal, and synthesis would remove the logic that detects
        # errors.
        if hasattr(source, "error"):
            self.comb += self.register.sink.data[0].eq(source.data[0] ^ (source.error != 0))
        self.comb += self.register.source.connect(sink)


def write_sources(create: Callable, folder: Path) -> None:
    """Writes the inputs of the FPGA tools: Verilog, constraints, and the script for Yosys."""
    folder.mkdir(parents=True, exist_ok=True)
    platform = BOARD.create_platform()
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        platform.build(Loop(platform, create), build_dir=str(folder), build_name=NAME, run=False)


def build(create: Callable, seeds: range, folder: Path, environment: dict[str, str], tools: str) -> list[Records]:
    """Builds the loopback design with a MAC; returns the result of `gateware.flow.place.records` for each seed.

    Raises
    ------
    RgmiiError
        Synthesis failed, or nextpnr reported no clock.
    """
    write_sources(create, folder)
    netlist = Stamp(folder / "netlist.digest", digest([folder / f"{NAME}.v", folder / f"{NAME}.ys"], tools))
    if not netlist.is_current():
        netlist.clear()
        log = folder / "synthesis.log"
        with log.open("wb") as output:
            if toolchain.run(["yosys", "-q", f"{NAME}.ys"], folder, environment, output) != 0:
                raise RgmiiError(toolchain.failure(log))
        netlist.set()
    options = (*PART, "--json", f"{NAME}.json", "--lpf", f"{NAME}.lpf")
    found = []
    for seed in seeds:
        records, log = place(folder, seed, options)
        if errors := [record["error"] for record in records if "error" in record]:
            raise RgmiiError(f"seed {seed}: {errors[0]}")
        (folder / f"{seed}.log").write_bytes(log)
        found.append(records)
    return found


def record(mac: str, found: list[Records]) -> dict:
    """Returns a record that summarises the builds with all seeds: the clocks that the PHY reaches in place-and-route,
    and the critical path of the slowest build.
    """
    clocks = [next(r for r in records if r["clock"] == CLOCK) for records in found]
    reached = sorted(clocks, key=lambda r: r["achieved_mhz"])
    return {
        "mac": mac,
        "required_mhz": reached[0]["required_mhz"],
        "median_mhz": median(r["achieved_mhz"] for r in reached),
        "least_mhz": reached[0]["achieved_mhz"],
        "most_mhz": reached[-1]["achieved_mhz"],
        "path_from": reached[0]["path_from"],
        "path_to": reached[0]["path_to"],
    }


def main() -> None:
    """Places and routes each MAC, writes ``build/results/explore-rgmii.json``, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m lab.explore.rgmii", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=count, default=SEEDS, help=f"runs of place-and-route, from seed 1 on ({SEEDS})")
    seeds = range(1, parser.parse_args().seeds + 1)
    console, records = Console(), []
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment)
        for number, (mac, create) in enumerate(MACS.items()):
            console.print(f"explore-rgmii: {mac}", style="dim")
            folder = REPOSITORY / "build" / "explore-rgmii" / str(number)
            records.append(record(mac, build(create, seeds, folder, environment, str(versions))))
    except (RgmiiError, toolchain.ToolError) as error:
        raise SystemExit(f"explore-rgmii: error: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("explore-rgmii: stopped") from None
    path = REPOSITORY / "build" / "results" / "explore-rgmii.json"
    write(
        path,
        {"kind": "est", "device": BOARD.device, "seeds": list(seeds), "records": records},
        command="make explore-rgmii",
        board=f"{BOARD.name}: PHY and MAC alone",
        configuration={"nextpnr": " ".join(PART)},
        tools=versions,
    )
    table = Table("MAC", "MHz, median", "least", "most", title=f"{BOARD.device}: {CLOCK}, {len(seeds)} seeds")
    for found in records:
        table.add_row(found["mac"], *(str(found[name]) for name in ("median_mhz", "least_mhz", "most_mhz")))
    console.print(table)
    console.print(f"{path}", soft_wrap=True)


if __name__ == "__main__":
    main()
