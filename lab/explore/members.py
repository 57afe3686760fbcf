# SPDX-License-Identifier: BSD-2-Clause
"""Lists the cores that `lab.explore.family` compares: variants of our AES core (the family), and public cores."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module

from gateware.aes.cores import create_core
from gateware.flow.mapped import Netlist
from lab.explore.flow import Design
from lab.explore.protocols import InitNext, LoadDone, Pipeline, Protocol, Stream

ITERATIVE = ("128", "64", "32")
DATAPATHS = ("128", "pipelined", "64", "32")
# Maps names of S-boxes in these comparisons to names for `create_core`. The name `lut` stands for the best S-box that
# consists only of LUTs.
SBOXES = {"lut": "ecp5", "canright": "tower_cut_ecp5", "block_ram": "block_ram", "onehot": "onehot"}
ENGINES = (1, 2, 4)
KEY_SETS = {"128": (128,), "all": (128, 192, 256)}
SLOTS = (1, 8)
FAMILY = "cipherlane"


@dataclass(frozen=True)
class Member:
    """One of our cores: a set of parameters for `create_core`."""

    datapath: str
    sbox: str
    engines: int = 1
    keys: str = "128"
    slots: int = 1
    core: str = FAMILY

    @property
    def name(self) -> str:
        """The name of this core and of its files, for example ``128-lut-1-all-8``."""
        return f"{self.datapath}-{self.sbox}-{self.engines}-{self.keys}-{self.slots}"

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """The supported key lengths, in bits."""
        return KEY_SETS[self.keys]

    def design(self) -> tuple[Design, Callable[[Netlist], Protocol]]:
        """Returns the core's Verilog, and the `Protocol` class that drives its ports in simulation.

        Raises
        ------
        ValueError
            `create_core` has no such member.
        """
        return _design(self)


@dataclass(frozen=True)
class Peer:
    """A public AES core. This project does not contain its source, but reads it from a folder that the user specifies.

    Attributes
    ----------
    core, about, where : str
        Short name, description, and where to get it.
    top, clock : str
        Its module and clock.
    files : tuple of str
        The files that it needs; they are looked for anywhere in the checkout.
    protocol : callable
        Makes its protocol.
    decrypts : bool
        Whether it also decrypts.
    key_with_block : bool
        Whether it accepts a new key with each block without losing a cycle.
    """

    core: str
    about: str
    where: str
    top: str
    clock: str
    files: tuple[str, ...]
    datapath: str
    key_lengths: tuple[int, ...]
    protocol: Callable[[Netlist], Protocol]
    sbox: str = "lut"
    engines: int = 1
    slots: int = 1
    decrypts: bool = False
    key_with_block: bool = False

    @property
    def name(self) -> str:
        """The name of this core and of its files: ``peer-`` and the name of the public core."""
        return f"peer-{self.core}"

    def read(self, checkout: Path) -> tuple[Design, Callable[[Netlist], Protocol]]:
        """Reads the core's Verilog from the folder `checkout`; returns the Verilog, and the `Protocol` class that
        drives the core's ports.

        Raises
        ------
        FileNotFoundError
            A file is missing from the checkout.
        """
        sources = {}
        for name in self.files:
            found = sorted(checkout.rglob(name))
            if not found:
                raise FileNotFoundError(f"{self.core}: {checkout} has no {name}; the core is at {self.where}")
            sources[name] = found[0].read_text(errors="replace")
        return Design(self.top, self.clock, sources), self.protocol


@lru_cache(maxsize=1)
def _design(member: Member) -> tuple[Design, Callable[[Netlist], Protocol]]:
    datapath = int(member.datapath) if member.datapath.isdigit() else member.datapath
    core = create_core(
        datapath=datapath,
        sbox=SBOXES[member.sbox],
        slots=member.slots,
        key_lengths=member.key_lengths,
        engines=member.engines,
    )
    top = Module()
    top.submodules.core = core
    top.clock_domains.cd_sys = ClockDomain("sys")
    named = {
        "sys_rst": top.cd_sys.rst,
        "sink.valid": core.sink.valid,
        "sink.ready": core.sink.ready,
        "sink.data": core.sink.data,
        "source.valid": core.source.valid,
        "source.ready": core.source.ready,
        "source.data": core.source.data,
        "key.valid": core.key.valid,
        "key.ready": core.key.ready,
        "key.word": core.key.word,
        "key_length": core.key_length,
        "key_valid": core.key_valid,
    }
    unnamed = {core.sink.slot, core.key_slot, core.clear, core.clear_slot, core.flush, core.idle, core.key_busy}
    unnamed.add(core.source.error)
    output = convert(top, {*named.values(), *unnamed, top.cd_sys.clk}, name="core")
    # Remove comments: LiteX writes the date into them, and the digest must not depend on the date.
    text = re.sub(r"^//.*$", "", output.main_source, flags=re.MULTILINE)
    ports = {name: output.ns.get_name(signal) for name, signal in named.items()}
    return Design("core", "sys_clk", {"core.v": text}, dict(output.data_files)), partial(Stream, ports=ports)


PEERS = {
    peer.core: peer
    for peer in (
        Peer(
            core="usselmann",
            about="aes_core by R. Usselmann: iterative, encryption, key schedule on the fly",
            where="https://opencores.org/projects/aes_core (on GitHub: freecores/aes_core)",
            top="aes_cipher_top",
            clock="clk",
            files=("timescale.v", "aes_cipher_top.v", "aes_key_expand_128.v", "aes_rcon.v", "aes_sbox.v"),
            datapath="128",
            key_lengths=(128,),
            protocol=LoadDone,
            key_with_block=True,
        ),
        Peer(
            core="secworks",
            about="aes by J. Strombergson: both directions, 32 bits of S-boxes, stored key schedule",
            where="https://github.com/secworks/aes",
            top="aes_core",
            clock="clk",
            files=(
                "aes_core.v",
                "aes_key_mem.v",
                "aes_encipher_block.v",
                "aes_decipher_block.v",
                "aes_sbox.v",
                "aes_inv_sbox.v",
            ),
            datapath="32",
            key_lengths=(128, 256),
            protocol=InitNext,
            decrypts=True,
        ),
        Peer(
            core="tiny_aes",
            about="tiny_aes by H. Hsing: pipelined, encryption, key schedule in the pipeline",
            where="https://opencores.org/projects/tiny_aes (on GitHub: freecores/tiny_aes)",
            top="aes_128",
            clock="clk",
            files=("aes_128.v", "round.v", "table.v"),
            datapath="pipelined",
            key_lengths=(128,),
            protocol=partial(Pipeline, latency=21),
            key_with_block=True,
        ),
    )
}


def members() -> Iterator[Member]:
    """Yields the variants of our core that the comparisons need.

    These are every datapath with every S-box, each with one key of AES-128 and with 8 keys of all lengths. The separate
    costs of more keys and of more lengths are measured with a datapath's best S-box. So are several engines, which are
    also compared with the smallest S-box. The pipelined core has one engine.
    """
    smallest, largest = ("128", 1), ("all", 8)
    for datapath in DATAPATHS:
        for sbox in SBOXES:
            is_best = sbox == _best_sbox(datapath)
            for keys, slots in product(KEY_SETS, SLOTS) if is_best else (smallest, largest):
                yield Member(datapath, sbox, 1, keys, slots)
    for engines, datapath in product(ENGINES[1:], ITERATIVE):
        for sbox, variant in (("lut", smallest), ("lut", largest), ("canright", smallest)):
            yield Member(datapath, sbox, engines, *variant)


def _best_sbox(datapath: str) -> str:
    """Returns the fastest S-box for a datapath. For the pipelined datapath, this is the Canright S-box, because its
    logic can be divided into pipeline stages.
    """
    return "canright" if datapath == "pipelined" else "lut"


def urgency(target: Member | Peer, device: str) -> int:
    """Returns the rank of a core in the build order: the core with the lowest rank is built first. A core has a low
    rank if many comparisons need it.
    """
    late = {"85F-8": 0}.get(device, 30)
    if isinstance(target, Peer):
        return late + 2
    late += {"128": 0, "pipelined": 1, "64": 10, "32": 11}[target.datapath]
    if target.sbox != _best_sbox(target.datapath):
        late += {"lut": 20, "canright": 20, "block_ram": 21, "onehot": 22}[target.sbox]
    late += {("128", 1): 0, ("all", 8): 5, ("all", 1): 6, ("128", 8): 15}[target.keys, target.slots]
    return late + {1: 0, 2: 40, 4: 50}[target.engines]
