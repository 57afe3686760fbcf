# SPDX-License-Identifier: BSD-2-Clause
"""Defines the cipher cores for LTE that Hessel et al. 2009 compare, and simulates their netlists to measure them.

These are SNOW 3G with several S-boxes, and AES-128 with round keys computed on the fly, by datapath, S-box and number
of engines. The S-box that is called one-hot here is Bertoni's in the paper. All members have one form: Verilog, and a
simulation of the mapped netlist that measures a message.
"""

import contextlib
import os
import random
from collections.abc import Iterable
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module, Signal

from gateware.aes.on_the_fly import DATAPATHS, create_on_the_fly
from gateware.flow.mapped import Netlist
from lab.explore.flow import Design
from lab.explore.measure import WrongResult
from lab.explore.protocols import PATIENCE, ProtocolError
from lab.snow3g.keystream import JOB, Snow3G
from lab.snow3g.published import KEYSTREAMS

MESSAGE_BYTES, WORD_BYTES, BLOCK_BYTES = 1000, 4, 16
# Maps names of S-boxes in Hessel et al. 2009 to names in `gateware.aes.sbox`. The name `lut` stands for the best S-box
# that consists only of LUTs.
SBOXES = {"lut": "ecp5", "canright": "tower", "onehot": "onehot"}
S_Q = ("lut", "onehot")
ENGINES = (1, 2)
# The simulation runs BLOCKS blocks. The measurement begins after the first WARM_UP blocks and covers COUNTED blocks. A
# core with several engines finishes blocks in groups, so COUNTED is a multiple of each number in ENGINES. The cycles of
# a message are extrapolated from the measured blocks.
BLOCKS, COUNTED, WARM_UP = 14, 8, 2 * max(ENGINES)


@dataclass(frozen=True)
class Message:
    """Results of simulating a core while it encrypts a message of `MESSAGE_BYTES`.

    These are the cycles of the message, the cycles of its first unit of keystream, the transitions of cells' outputs,
    and the number of results that were compared with their expected values.
    """

    cycles: float
    first: int
    toggles: float
    compared: int


@dataclass(frozen=True)
class Member:
    """The parameters of one core. `s_q` is the second S-box of SNOW 3G. Only an AES core can have several engines."""

    algorithm: str
    datapath: int
    sbox: str
    s_q: str = ""
    engines: int = 1

    @property
    def name(self) -> str:
        """The name of this core and of its files, for example ``aes-32-canright-x2``."""
        engines = f"x{self.engines}" if self.engines > 1 else ""
        return "-".join(part for part in (self.algorithm, str(self.datapath), self.sbox, self.s_q, engines) if part)

    def design(self) -> tuple[Design, dict[str, str]]:
        """Returns the core's Verilog, and a dictionary with the Verilog names of its ports."""
        if self.algorithm == "snow3g":
            snow = Snow3G(SBOXES[self.sbox], SBOXES[self.s_q])
            ports = {name: getattr(snow.sink, name) for name, _ in JOB}
            return _design(snow, ports | {"out": snow.source.z})
        aes = create_on_the_fly(self.datapath, SBOXES[self.sbox], self.engines)
        return _design(aes, {"key": aes.sink.key, "block": aes.sink.block, "out": aes.source.block})

    def measure(self, module: dict, ports: dict[str, str]) -> Message:
        """Simulates the core's netlist. Checks the results, and measures cycles and transitions.

        Raises
        ------
        WrongResult, NetlistError, ProtocolError
            A result is wrong; see `gateware.flow.mapped`; none comes.
        """
        return (_snow3g if self.algorithm == "snow3g" else _aes)(module, ports)


MEMBERS = (
    *(Member("snow3g", 32, s_r, s_q) for s_r in SBOXES for s_q in S_Q),
    *(Member("aes", datapath, sbox, engines=n) for n in ENGINES for datapath in DATAPATHS for sbox in SBOXES),
)


def _design(core: Module, named: dict[str, Signal]) -> tuple[Design, dict[str, str]]:
    top = Module()
    top.submodules.core = core
    top.clock_domains.cd_sys = ClockDomain("sys")
    named |= {"valid": core.sink.valid, "ready": core.sink.ready, "clear": core.clear, "rst": top.cd_sys.rst}
    named |= {"out_valid": core.source.valid, "out_ready": core.source.ready}
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        output = convert(top, {*named.values(), top.cd_sys.clk}, name="core")
    # Remove comments: LiteX writes the date into them, and the digest must not depend on the date.
    text = "".join(line for line in output.main_source.splitlines(keepends=True) if not line.startswith("//"))
    ports = {name: output.ns.get_name(signal) for name, signal in named.items()}
    return Design("core", "sys_clk", {"core.v": text}, dict(output.data_files)), ports


class _Mapped:
    """Simulates several copies (lanes) of a core's netlist in parallel. The simulation accepts each result as soon as
    the copies offer it.
    """

    def __init__(self, module: dict, ports: dict[str, str], lanes: int):
        self.netlist, self.ports = Netlist(module, clock="sys_clk", lanes=lanes), ports
        self._put(valid=0, out_ready=1, clear=0, rst=1)
        self.netlist.edge()
        self._put(rst=0)

    def _put(self, **inputs: int) -> None:
        for name, value in inputs.items():
            self.netlist.poke(self.ports[name], value)
        self.netlist.settle()

    def offer(self, inputs: dict[str, list[int]]) -> bool:
        """Offers a job to each lane. `inputs` maps a port to its values, one for each lane. Returns True if the cores
        will accept the jobs at the next clock edge.
        """
        for name, values in inputs.items():
            self.netlist.poke_lanes(self.ports[name], values)
        self._put(valid=1)
        return bool(self.netlist.peek(self.ports["ready"]))

    def rest(self) -> None:
        """Offers no job until the next call of `offer`."""
        self._put(valid=0)

    def result(self) -> list[int] | None:
        """Returns one result for each lane, or None if no results are available. A clock edge removes the results, so
        call this function before each clock edge.
        """
        return self.netlist.peek_lanes(self.ports["out"]) if self.netlist.peek(self.ports["out_valid"]) else None

    def wait(self) -> list[int]:
        """Waits for the next results and returns them, one for each lane. The next clock edge removes them."""
        for _ in range(PATIENCE):
            if found := self.result():
                return found
            self.edge()
        raise ProtocolError(f"no result for {PATIENCE} cycles")

    def edge(self) -> None:
        """Simulates a clock edge. Then evaluates the logic until all signals are stable."""
        self.netlist.edge()
        self.netlist.settle()


def _snow3g(module: dict, ports: dict[str, str]) -> Message:
    """Measures a SNOW 3G core. Each lane runs one of 3GPP's test sets. All lanes run until the last keystream word that
    any test set lists.
    """
    mapped = _Mapped(module, ports, len(KEYSTREAMS))
    fields = (("k", 0), ("iv", 1))
    job = {
        f"{field}{n}": [int(published[place][8 * n : 8 * n + 8], 16) for published in KEYSTREAMS]
        for field, place in fields
        for n in range(4)
    }
    mapped.netlist.is_counting = True
    if not mapped.offer(job):
        raise ProtocolError("the core did not accept a job")
    begun, compared, first, cycles = mapped.netlist.cycle, 0, 0, 0
    mapped.edge()
    mapped.rest()
    for number in range(1, 1 + max(max(words) for *_, words in KEYSTREAMS)):
        for z, (*_, words) in zip(mapped.wait(), KEYSTREAMS, strict=True):
            compared += _same(z, words.get(number, z), f"word {number}") and number in words
        first = first or mapped.netlist.cycle - begun
        if number == MESSAGE_BYTES // WORD_BYTES:
            # Add 1, because the word is accepted at the next clock edge.
            cycles = mapped.netlist.cycle - begun + 1
            mapped.netlist.is_counting = False
        mapped.edge()
    return Message(cycles, first, mapped.netlist.transitions / mapped.netlist.lanes, compared)


def _aes(module: dict, ports: dict[str, str]) -> Message:
    """Measures an AES core. The simulation sends each block as soon as the core is ready to accept it. Each lane has
    its own keys and blocks.
    """
    mapped, draw = _Mapped(module, ports, 8), random.Random(1)
    lanes = range(mapped.netlist.lanes)
    jobs = [[[draw.randbytes(BLOCK_BYTES) for _ in lanes] for _ in ("key", "block")] for _ in range(BLOCKS)]
    taken: list[int] = []  # the cycles in which the core accepted blocks
    given: list[int] = []
    while len(given) < BLOCKS:
        if mapped.netlist.cycle > BLOCKS * PATIENCE:
            raise ProtocolError(f"{BLOCKS} blocks are not done after {BLOCKS * PATIENCE} cycles")
        if len(taken) < BLOCKS:
            keys, blocks = jobs[len(taken)]
            if mapped.offer({"key": _little(keys), "block": _little(blocks)}):
                taken.append(mapped.netlist.cycle)
        else:
            mapped.rest()
        mapped.netlist.is_counting = WARM_UP < len(taken) <= WARM_UP + COUNTED
        if found := mapped.result():
            for got, key, block in zip(found, *jobs[len(given)], strict=True):
                wanted = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)
                _same(got, int.from_bytes(wanted, "little"), f"block {len(given)}")
            given.append(mapped.netlist.cycle)
        mapped.edge()
    each = (taken[WARM_UP + COUNTED] - taken[WARM_UP]) / COUNTED
    blocks_a_message = MESSAGE_BYTES / BLOCK_BYTES
    toggles = mapped.netlist.transitions / mapped.netlist.lanes / COUNTED
    return Message(each * blocks_a_message, given[0] - taken[0], toggles * blocks_a_message, BLOCKS * len(lanes))


def _little(values: Iterable[bytes]) -> list[int]:
    return [int.from_bytes(value, "little") for value in values]


def _same(found: int, wanted: int, what: str) -> bool:
    if found != wanted:
        raise WrongResult(f"{what} is wrong after synthesis")
    return True
