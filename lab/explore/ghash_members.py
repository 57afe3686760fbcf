# SPDX-License-Identifier: BSD-2-Clause
"""Defines the GHASH units that `lab.explore.ghash` compares, and simulates their netlists to measure them.

Each lane of the simulation has its own subkey and blocks. A second subkey follows, so that the tables are also seen to
be written over. The results are compared with tags from `cryptography`: the blocks are the additional data and the
lengths of a message without text, and the last item is the encrypted initial counter block.
"""

import random
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module, Signal

from gateware.flow.mapped import Netlist
from gateware.gcm.ghash import CYCLES, GHASH
from lab.explore.flow import Design
from lab.explore.measure import WrongResult
from lab.explore.protocols import PATIENCE, ProtocolError

LANES, BLOCK_BYTES = 8, 16
# Number of blocks of additional authenticated data in each message.
BLOCKS = 6
# In SP 800-38D, the initial counter block for an IV of 96 bits is this IV, followed by this value as a 32-bit number.
INITIAL = 1


@dataclass(frozen=True)
class Message:
    """Results of simulating a GHASH unit with two messages. Only the second message is measured.

    These are the cycles of a block, of a subkey, and of the last item with its result; the transitions of cells'
    outputs for each block; and the number of tags that were compared.
    """

    cycles_per_block: float
    subkey_cycles: int
    tag_cycles: int
    toggles_per_block: float
    compared: int


@dataclass(frozen=True)
class Member:
    """A GHASH unit: `cycles` is the number of cycles of a multiplication; `portable` is true if the unit contains no
    ECP5 cells.
    """

    cycles: int
    portable: bool = False

    @property
    def name(self) -> str:
        """The name of this unit and of its files, for example ``ghash-8-portable``."""
        return f"ghash-{self.cycles}{'-portable' if self.portable else ''}"

    def design(self) -> tuple[Design, dict[str, str]]:
        """Returns the unit's Verilog, and a dictionary with the Verilog names of its ports."""
        top, unit = Module(), GHASH(cycles=self.cycles, portable=self.portable)
        top.submodules.unit = unit
        top.clock_domains.cd_sys = ClockDomain("sys")
        named: dict[str, Signal] = {"flush": unit.flush, "clear": unit.clear, "busy": unit.busy, "rst": top.cd_sys.rst}
        for name in ("subkey", "sink", "source"):
            endpoint = getattr(unit, name)
            named |= {f"{name}_{part}": getattr(endpoint, part) for part in ("valid", "ready", "data")}
        named["final"] = unit.sink.final
        output = convert(top, {*named.values(), top.cd_sys.clk}, name="core")
        # Remove comments: LiteX writes the date into them, and the digest must not depend on the date.
        text = "".join(line for line in output.main_source.splitlines(keepends=True) if not line.startswith("//"))
        ports = {name: output.ns.get_name(signal) for name, signal in named.items()}
        return Design("core", "sys_clk", {"core.v": text}, dict(output.data_files)), ports


# The largest unit comes last, because its place-and-route takes longest.
MEMBERS = (*(Member(cycles) for cycles in CYCLES[:-1]), Member(8, portable=True), Member(4, portable=True), Member(1))


class _Mapped:
    """Simulates several copies (lanes) of a GHASH unit's netlist side by side, each with its own data."""

    def __init__(self, module: dict, ports: dict[str, str]):
        self.netlist, self.ports = Netlist(module, clock="sys_clk", lanes=LANES), ports
        self.put(subkey_valid=0, sink_valid=0, final=0, source_ready=1, flush=0, clear=0, rst=1)
        self.netlist.edge()
        self.put(rst=0)

    def put(self, **inputs: int) -> None:
        for name, value in inputs.items():
            self.netlist.poke(self.ports[name], value)
        self.netlist.settle()

    def wait(self, port: str) -> int:
        """Simulates clock cycles until the given port is 1. Returns the number of the first cycle in which it is 1."""
        for _ in range(PATIENCE):
            if self.netlist.peek(self.ports[port]):
                return self.netlist.cycle
            self.edge()
        raise ProtocolError(f"{port} stays 0 for {PATIENCE} cycles")

    def edge(self) -> None:
        self.netlist.edge()
        self.netlist.settle()

    def give(self, name: str, values: list[bytes], **inputs: int) -> int:
        """Offers one value to each lane until the unit accepts the values. Returns the number of the cycle in which the
        unit accepts the values.
        """
        numbers = [int.from_bytes(value, "little") for value in values]
        self.netlist.poke_lanes(self.ports[f"{name}_data"], numbers)
        self.put(**{f"{name}_valid": 1}, **inputs)
        taken = self.wait(f"{name}_ready")
        self.edge()
        self.put(**{f"{name}_valid": 0})
        return taken


def measure(module: dict, ports: dict[str, str]) -> Message:
    """Simulates the netlist of a GHASH unit, and returns the measured results for one message.

    Raises
    ------
    WrongResult, NetlistError, ProtocolError
        A tag is wrong; see `gateware.flow.mapped`; none comes.
    """
    mapped, draw = _Mapped(module, ports), random.Random(1)
    message = None
    for _ in range(2):
        message = _one_message(mapped, draw)
    mapped.put(clear=1)
    mapped.edge()
    mapped.put(clear=0)
    mapped.give("sink", [draw.randbytes(BLOCK_BYTES) for _ in range(LANES)], final=0)
    mapped.give("sink", [bytes(BLOCK_BYTES)] * LANES, final=1)
    mapped.wait("source_valid")
    if any(mapped.netlist.peek_lanes(ports["source_data"])):
        raise WrongResult("a subkey remains after it was zeroized")
    return message


def _one_message(mapped: _Mapped, draw: random.Random) -> Message:
    keys, ivs, aads = ([draw.randbytes(size) for _ in range(LANES)] for size in (16, 12, BLOCKS * BLOCK_BYTES))
    encryptors = [Cipher(algorithms.AES(key), modes.ECB()).encryptor() for key in keys]
    begun = mapped.give("subkey", [encryptor.update(bytes(BLOCK_BYTES)) for encryptor in encryptors])
    taken = []
    for n in range(BLOCKS):
        taken.append(mapped.give("sink", [aad[BLOCK_BYTES * n :][:BLOCK_BYTES] for aad in aads], final=0))
        mapped.netlist.is_counting = 0 < n < BLOCKS - 1
        if n == 1:
            mapped.netlist.transitions = 0
    lengths = (8 * BLOCKS * BLOCK_BYTES).to_bytes(8, "big") + bytes(8)
    mapped.give("sink", [lengths] * LANES, final=0)
    masks = [e.update(iv + INITIAL.to_bytes(4, "big")) for e, iv in zip(encryptors, ivs, strict=True)]
    last = mapped.give("sink", masks, final=1)
    ended = mapped.wait("source_valid")
    found = mapped.netlist.peek_lanes(mapped.ports["source_data"])
    for tag, key, iv, aad in zip(found, keys, ivs, aads, strict=True):
        if tag.to_bytes(BLOCK_BYTES, "little") != AESGCM(key).encrypt(iv, b"", aad):
            raise WrongResult("a tag is wrong after synthesis")
    mapped.edge()
    counted = BLOCKS - 2
    return Message(
        cycles_per_block=(taken[-1] - taken[1]) / counted,
        subkey_cycles=taken[0] - begun,
        tag_cycles=ended - last + 1,
        toggles_per_block=mapped.netlist.transitions / counted / LANES,
        compared=2 * LANES,
    )
