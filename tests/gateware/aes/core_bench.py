# SPDX-License-Identifier: BSD-2-Clause
"""Simulates one AES core. Also contains the helpers that all core tests use: keys, blocks, reference results and
published vectors.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from migen import Module

from gateware.aes.cores import create_core
from gateware.aes.key_memory import KeyMemory
from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.support import Simulation, receive, send

ROUNDS = {128: 10, 192: 12, 256: 14}


@dataclass(frozen=True)
class Member:
    """The parameters of `create_core` for one core under test."""

    datapath: int | str
    sbox: str = "table"
    slots: int = 8
    key_lengths: tuple[int, ...] = (128, 192, 256)
    engines: int = 1
    stages: int = 2
    key_stages: int = 1

    def __str__(self):
        lengths = "" if len(self.key_lengths) == 3 else f"-aes{'/'.join(map(str, self.key_lengths))}"
        slots = "" if self.slots == 8 else f"-{self.slots}slots"
        stages = f"-{self.stages}stages" if self.datapath == "pipelined" else ""
        return f"{self.datapath}-{self.sbox}{stages}{slots}{lengths}" + (
            f"-x{self.engines}" if self.engines > 1 else ""
        )


def ecb(key: bytes, blocks: list[bytes]) -> list[bytes]:
    """Encrypt blocks in ECB mode with the library `cryptography`."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return [encryptor.update(block) for block in blocks]


def expected(keys: list[bytes], blocks: list[tuple[int, bytes]]) -> list[bytes]:
    """Encrypt (slot, block) pairs with the library `cryptography`. `keys` contains one key per slot."""
    return [ecb(keys[slot], [block])[0] for slot, block in blocks]


def words(key: bytes) -> list[dict]:
    """Return the key as the 32-bit words that a test bench sends to the core's key port."""
    return [{"word": int.from_bytes(key[i : i + 4], "little")} for i in range(0, len(key), 4)]


def nist_vectors(name: str) -> list[tuple[bytes, bytes, bytes]]:
    """Return (key, plaintext, ciphertext) of each vector in the ENCRYPT part of a NIST AESAVS file."""
    text = (Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "ECB" / name).read_text()
    encrypt = text[text.index("[ENCRYPT]") : text.index("[DECRYPT]")]
    fields = {"KEY": [], "PLAINTEXT": [], "CIPHERTEXT": []}
    for field, value in re.findall(r"^(KEY|PLAINTEXT|CIPHERTEXT) = ([0-9a-f]+)", encrypt, re.MULTILINE):
        fields[field].append(bytes.fromhex(value))
    return list(zip(*fields.values(), strict=True))


def descendants(module: Module) -> Iterator[Module]:
    """Return all Migen submodules of a module, at any depth."""
    for _, part in module._submodules:
        yield part
        yield from descendants(part)


class Bench:
    """A simulated AES core. A reset leaves the contents of the core's memories unchanged."""

    def __init__(self, member: Member):
        self.member = member
        core = self.core = create_core(**vars(member))
        status = (core.key_valid, core.idle, core.key_busy, core.busy)
        controls = (core.key_slot, core.key_length, core.clear, core.clear_slot, core.flush)
        self.writes = core.expansion.keys  # signals of the writes to the round key memories
        self.memories = [m for m in descendants(core) if isinstance(m, KeyMemory)]
        stored = [[m.write, m.write_address, m.write_data] for m in self.memories]
        streams = (core.sink, core.source, core.key)
        self.sim = Simulation(core, *streams, *status, *controls, self.writes, stored)

    def key_loader(self, slot: int, key: bytes, rng=None, idle: float = 0.0):
        """Return a test bench that loads a key and waits until it is valid."""
        core = self.core
        yield [core.key_slot.eq(slot), core.key_length.eq(KEY_LENGTHS[8 * len(key)])]
        yield from send(core.key, words(key), rng, idle)
        yield
        while not (yield core.key_valid) >> slot & 1:
            yield

    def load_key(self, slot: int, key: bytes):
        """Load a key into a slot."""
        self.sim.run(self.key_loader(slot, key), max_cycles=1000)

    def blocks(self, blocks: list[tuple[int, bytes]]) -> list[dict]:
        """Convert (slot, block) pairs to the items that a test bench sends to the core's input `sink`."""
        return [{"slot": slot, "data": int.from_bytes(block, "little")} for slot, block in blocks]

    def encrypt(
        self, blocks: list[tuple[int, bytes]], *others, background=(), rng=None, idle=0.0, stall=0.0, times=None
    ):
        """Encrypt (slot, block) pairs while the test benches in `others` also run. Append the cycle number of each
        result to the list `times`.
        """
        received = []
        noted = None if times is None else (self.sim, times)
        self.sim.run(
            send(self.core.sink, self.blocks(blocks), rng, idle),
            receive(self.core.source, len(blocks), received, rng=rng, stall=stall, times=noted),
            *others,
            background=background,
            max_cycles=2000 + int(200 * len(blocks) / (1 - max(idle, stall))),
        )
        return [value.to_bytes(16, "little") for value in received]

    def results(self, blocks: list[tuple[int, bytes]], *others, rng, stall: float) -> list[tuple[bytes, int]]:
        """Send (slot, block) pairs; return the data and error flag of each result. Slots are allowed to hold no key."""
        received, source = [], self.core.source

        def collect():
            while len(received) < len(blocks):
                yield source.ready.eq(rng.random() >= stall)
                yield
                if (yield source.valid) and (yield source.ready):
                    received.append(((yield source.data).to_bytes(16, "little"), (yield source.error)))
            yield source.ready.eq(0)

        self.sim.run(send(self.core.sink, self.blocks(blocks)), collect(), *others, max_cycles=10_000)
        return received

    def load(self, keys: list[bytes]) -> None:
        """Load a key into each slot."""
        for slot, key in enumerate(keys):
            self.load_key(slot, key)

    def random_keys(self, rng) -> list[bytes]:
        """Return a random key for each slot. The slots use the core's key lengths one after the other."""
        lengths = itertools.cycle(self.member.key_lengths)
        return [rng.randbytes(next(lengths) // 8) for _ in range(self.member.slots)]

    def random_blocks(self, rng, count: int) -> list[tuple[int, bytes]]:
        """Return `count` random blocks, each in a pair with a random slot."""
        return [(rng.randrange(self.member.slots), rng.randbytes(16)) for _ in range(count)]

    def cycles_of_a_block(self, bits: int) -> int:
        """Return the cycles from one block's start to the next block's start in an engine. `bits` is the key length."""
        return 1 if self.pipelined else 128 // self.member.datapath * ROUNDS[bits]

    def latency(self, bits: int) -> int:
        """Return the number of cycles from the acceptance of a block to its result."""
        if self.pipelined:
            return self.member.stages * ROUNDS[max(self.member.key_lengths)] + 5
        return 128 // self.member.datapath * (ROUNDS[bits] + 1) + 4

    @property
    def pipelined(self) -> bool:
        """Return whether the core is pipelined, with separate registers for each round."""
        return self.member.datapath == "pipelined"

    def until_not(self, signal):
        """Return a test bench that waits until a signal is 0."""
        yield
        while (yield signal):
            yield

    def watch_rows(self, rows: dict):
        """Return a test bench that records all writes to the round key memories. The dictionary `rows` then maps (slot,
        row, part of the row) to the words that were last written there.
        """
        while True:
            if (yield self.writes.write):
                address = (yield self.writes.slot), (yield self.writes.row), (yield self.writes.part)
                rows[address] = yield self.writes.words
            yield

    def watch_memories(self, contents: dict):
        """Return a test bench that records all writes to the key memories. The dictionary `contents` then maps (slot,
        memory, address) to the data that were last written there.
        """
        while True:
            for n, memory in enumerate(self.memories):
                if (yield memory.write):
                    address = yield memory.write_address
                    slot = address * self.member.slots // memory.depth
                    contents[slot, n, address] = yield memory.write_data
            yield

    def quiet(self, cycles: int = 200):
        """In a test bench, check for `cycles` cycles that no block comes out, then check that the core is idle."""
        yield self.core.source.ready.eq(1)
        for _ in range(cycles):
            yield
            assert not (yield self.core.source.valid)
        assert (yield self.core.idle)
        yield self.core.source.ready.eq(0)
