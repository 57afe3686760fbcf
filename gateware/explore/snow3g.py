"""SNOW 3G on ECP5, by S-boxes: ``python -m gateware.explore.snow3g`` (`make explore-snow3g`).

Each member is synthesised alone, simulated as it was mapped (3GPP's test sets, cycles of a message of 1000 bytes,
switching activity over it, see `gateware.explore.netlist`), placed and routed on two parts. So are the members of
Hessel et al. 2009; what they call one-hot is Bertoni's there. A message's cycles count from the one in which key and
initialisation vector are taken to the one in which its last word is.
"""

import contextlib
import os
from functools import cache
from pathlib import Path
from statistics import median

from cipherlane.results import write
from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module
from rich.console import Console
from rich.table import Table

from gateware.explore.flow import DEVICES, SYNTHESIS, TARGET_MHZ, Design, FlowError, load, place, synthesise
from gateware.explore.measure import WrongResult
from gateware.explore.netlist import Netlist, NetlistError
from gateware.explore.protocols import PATIENCE, ProtocolError
from gateware.flow import toolchain
from gateware.flow.cache import REPOSITORY
from gateware.snow3g.keystream import JOB, Snow3G
from gateware.snow3g.published import KEYSTREAMS

S_R = {"lut": "ecp5", "canright": "tower", "onehot": "onehot"}
S_Q = {"lut": "ecp5", "onehot": "onehot"}
MEMBERS = tuple((s_r, s_q) for s_r in S_R for s_q in S_Q)
PARTS = ("85F-8", "25F-6")
SEEDS = (1, 2, 3)
MESSAGE_BYTES, WORD_BYTES = 1000, 4
# Hessel's times, in ns a byte.
TIMES = (4, 14, 24)


@cache
def design(s_r: str, s_q: str) -> tuple[Design, dict[str, str]]:
    """A member's Verilog, and the names of its ports there."""
    core = Snow3G(S_R[s_r], S_Q[s_q])
    top = Module()
    top.submodules.core = core
    top.clock_domains.cd_sys = ClockDomain("sys")
    words = [name for name, _ in JOB]
    named = {name: getattr(core.sink, name) for name in ("valid", "ready", *words)}
    named |= {"z_valid": core.source.valid, "z_ready": core.source.ready, "z": core.source.z}
    named |= {"clear": core.clear, "rst": top.cd_sys.rst}
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        output = convert(top, {*named.values(), top.cd_sys.clk}, name="core")
    text = "".join(line for line in output.main_source.splitlines(keepends=True) if not line.startswith("//"))
    ports = {name: output.ns.get_name(signal) for name, signal in named.items()}
    return Design("core", "sys_clk", {"core.v": text}, dict(output.data_files)), ports


def measure(module: dict, ports: dict[str, str]) -> dict:
    """Cycles and transitions of a message of `MESSAGE_BYTES`; a lane has each of 3GPP's test sets.

    Returns
    -------
    dict
        `cycles` and `toggles` of a message, and `words` that were compared.

    Raises
    ------
    WrongResult, NetlistError, ProtocolError
        A word is not the published one; see `gateware.explore.netlist`; no word comes.
    """
    netlist = Netlist(module, clock="sys_clk", lanes=len(KEYSTREAMS))
    for name in ("valid", "z_ready", "clear"):
        netlist.poke(ports[name], 0)
    for value in (1, 0):
        netlist.poke(ports["rst"], value)
        netlist.settle()
        netlist.edge()
    netlist.settle()
    for field, place_of in (("k", 0), ("iv", 1)):
        for n in range(4):
            netlist.poke_lanes(ports[f"{field}{n}"], [int(one[place_of][8 * n : 8 * n + 8], 16) for one in KEYSTREAMS])
    netlist.poke(ports["valid"], 1)
    netlist.poke(ports["z_ready"], 1)
    netlist.settle()
    if not netlist.peek(ports["ready"]):
        raise ProtocolError("a key is not taken")
    begun, message, compared = netlist.cycle, None, 0
    netlist.is_counting = True
    netlist.edge()
    netlist.poke(ports["valid"], 0)
    number, most = 0, max(max(words) for *_, words in KEYSTREAMS)
    while number < most:
        netlist.settle()
        if netlist.peek(ports["z_valid"]):
            number += 1
            for lane, (*_, words) in zip(netlist.peek_lanes(ports["z"]), KEYSTREAMS, strict=True):
                if words.get(number, lane) != lane:
                    raise WrongResult(f"word {number} is wrong after synthesis")
                compared += number in words
            if number == MESSAGE_BYTES // WORD_BYTES:
                message = netlist.cycle - begun + 1
                netlist.is_counting = False
        elif netlist.cycle - begun > PATIENCE:
            raise ProtocolError(f"no word for {PATIENCE} cycles")
        netlist.edge()
    return {"cycles": message, "toggles": netlist.transitions / netlist.lanes, "words": compared}


def build(s_r: str, s_q: str, folder: Path, environment: dict[str, str], versions: str) -> list[dict]:
    """Records of a member, one for each part.

    Raises
    ------
    FlowError, WrongResult, NetlistError, ProtocolError
        See there.
    """
    source, ports = design(s_r, s_q)
    area = synthesise(source, folder, environment, versions)
    measured = measure(load(folder / "core.json"), ports)
    found = []
    for part in PARTS:
        clocks = [place(source, folder, DEVICES[part], seed, environment) for seed in SEEDS]
        found.append(record(s_r, s_q, part, area, measured, clocks))
    return found


def record(s_r: str, s_q: str, part: str, area: dict[str, int], measured: dict, clocks: list[float]) -> dict:
    """What is known of a member on a part."""
    cycles_a_byte, mhz = measured["cycles"] / MESSAGE_BYTES, median(clocks)
    mbps = 8 * mhz / cycles_a_byte
    return {
        "s_r": s_r,
        "s_q": s_q,
        "device": DEVICES[part].name,
        "speed": DEVICES[part].speed,
        **area,
        "fmax_mhz": round(mhz, 2),
        "fmax_least_mhz": round(min(clocks), 2),
        "fmax_most_mhz": round(max(clocks), 2),
        "cycles_a_message": measured["cycles"],
        "cycles_a_byte": cycles_a_byte,
        "mbps": round(mbps, 1),
        "mbps_per_lut": round(mbps / area["lut4"], 4),
        "least_ns_a_byte": round(1000 * cycles_a_byte / mhz, 2),
        "mhz_for_ns_a_byte": {str(ns): round(1000 * cycles_a_byte / ns, 2) for ns in TIMES},
        "toggles_a_byte": round(measured["toggles"] / MESSAGE_BYTES, 1),
    }


def main() -> None:
    """Builds what is out of date, writes ``build/results/explore-snow3g.json``, prints the table."""
    console = Console()
    records = []
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment)
        for s_r, s_q in MEMBERS:
            console.print(f"explore-snow3g: S_R {s_r}, S_Q {s_q}", style="dim")
            folder = REPOSITORY / "build" / "explore-snow3g" / f"{s_r}-{s_q}"
            records += build(s_r, s_q, folder, environment, str(versions))
    except (FlowError, WrongResult, NetlistError, ProtocolError, toolchain.ToolError) as error:
        raise SystemExit(f"explore-snow3g: error: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("explore-snow3g: stopped; the same command goes on where it was") from None
    path = REPOSITORY / "build" / "results" / "explore-snow3g.json"
    write(
        path,
        {"kind": "est", "seeds": list(SEEDS), "target_mhz": TARGET_MHZ, "records": records},
        command="make explore-snow3g",
        board="none: each core alone",
        configuration={"synthesis": SYNTHESIS, "message_bytes": MESSAGE_BYTES},
        tools=versions,
    )
    table = Table("S_R", "S_Q", "part", "LUT4", "FF", "MHz", "cycles a byte", "Mbps", "ns a byte", "toggles a byte")
    for found in records:
        part = f"{found['device']}-{found['speed']}"
        names = ("lut4", "ff", "fmax_mhz", "cycles_a_byte", "mbps", "least_ns_a_byte", "toggles_a_byte")
        table.add_row(found["s_r"], found["s_q"], part, *(str(found[name]) for name in names))
    console.print(table)
    console.print(f"every published word right after synthesis; {path}", soft_wrap=True)


if __name__ == "__main__":
    main()
