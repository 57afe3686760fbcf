# SPDX-License-Identifier: BSD-2-Clause
"""Test the CTR engine's data stream: published vectors, lengths, backpressure, masks, messages without a pause."""

import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
import pytest
from migen import Module

from gateware.ctr.blocks import BlockCTR
from gateware.ctr.client import Client
from gateware.ctr.counter import WIDTH_64, WIDTH_128, WIDTHS
from gateware.ctr.service import create_service
from tests.gateware.ctr.keys import key_signals, load_key
from tests.gateware.ctr.reference import ctr, eea2_sets, eea2_t1, only_bits
from tests.gateware.support import Simulation, receive, send

SLOTS = 8


@dataclass(frozen=True)
class Message:
    counter: int
    data: bytes
    slot: int = 0
    index: int = 0
    width: int = WIDTH_128
    bits: int = 0

    @property
    def blocks(self) -> int:
        return (len(self.data) + 15) // 16

    def result(self, key: bytes) -> bytes:
        output = ctr(key, self.counter, self.data, index=self.index, width=self.width)
        return only_bits(output, 8 * len(output) - 8 + self.bits) if self.bits else output


class Bench:
    def __init__(self):
        top = Module()
        top.submodules.service = service = create_service([Client(slots=SLOTS, count_bits=29)])
        top.submodules.engine = engine = self.engine = BlockCTR(port=service.ports[0])
        core = self.core = service.core
        keys = self.keys = service.ports[0].keys
        self.sim = Simulation(
            top, engine.sink, engine.source, engine.message, engine.flush, core.idle, *key_signals(keys)
        )

    def load_key(self, key: bytes, slot: int = 0):
        self.sim.run(load_key(self.keys, key, slot), max_cycles=600)

    def run(self, messages, rng=None, idle=0.0, stall=0.0, times=None) -> list[bytes]:
        engine = self.engine
        headers, items = [], []
        for m in messages:
            initial = int.from_bytes((m.counter % 2**128).to_bytes(16, "big"), "little")
            header = {"initial": initial, "index": m.index, "width": m.width, "slot": m.slot, "count": m.blocks}
            headers.append(header)
            for n in range(m.blocks):
                block = m.data[16 * n : 16 * n + 16]
                last = n == m.blocks - 1
                # Fill the rest of the message's last block with ones, because other data can follow a message in
                # memory.
                filled = int.from_bytes((block + b"\xff" * 16)[:16], "little")
                items.append(
                    {"data": filled, "mask": 2 ** len(block) - 1, "last": int(last), "bits": m.bits if last else 0}
                )
        received = []
        self.sim.run(
            send(engine.message, headers, rng, idle),
            send(engine.sink, items, rng, idle),
            receive(engine.source, len(items), received, rng=rng, stall=stall, times=times),
            max_cycles=200 + 400 * len(items),
        )
        assert self.sim.peek(self.core.idle), "keystream is left over"
        results, position = [], 0
        for m in messages:
            result = b"".join(v.to_bytes(16, "little") for v in received[position : position + m.blocks])
            assert not any(result[len(m.data) :]), "keystream left through the bytes that do not count"
            results.append(result[: len(m.data)])
            position += m.blocks
        return results


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_rfc_3686_vectors(bench, key_bits):
    path = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "CTR" / f"aes-{key_bits}-ctr.txt"
    pattern = r"KEY = (\w+)\s+IV = (\w+)\s+PLAINTEXT = (\w+)\s+CIPHERTEXT = (\w+)"
    vectors = re.findall(pattern, path.read_text())
    assert len(vectors) >= 3
    for slot, (key, _, _, _) in enumerate(vectors):
        bench.load_key(bytes.fromhex(key), slot)
    messages = [Message(int(iv, 16), bytes.fromhex(plain), slot) for slot, (_, iv, plain, _) in enumerate(vectors)]
    assert bench.run(messages) == [bytes.fromhex(cipher) for _, _, _, cipher in vectors]


def test_eea2_sets(bench):
    sets = eea2_sets()
    messages = []
    for slot, s in enumerate(sets):
        bench.load_key(s["key"], slot)
        t1 = eea2_t1(s["count"], s["bearer"], s["direction"])
        messages.append(Message(t1, s["plaintext"], slot, width=WIDTH_64, bits=s["length"] % 8))
    assert bench.run(messages) == [s["ciphertext"] for s in sets]


@pytest.mark.parametrize("stall", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("idle", [0.0, 0.5, 0.95])
def test_messages_back_to_back(bench, idle, stall):
    """Send messages without a pause. Lengths (with all remainders modulo 16), slots and counter widths are random."""
    rng = random.Random(f"engine {idle} {stall}")
    keys = [rng.randbytes(rng.choice([16, 24, 32])) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    messages = [
        Message(
            counter=rng.getrandbits(128) | rng.choice([0, 2**128 - 4, 2**64 - 4, 2**32 - 4]),
            data=rng.randbytes(length),
            slot=rng.randrange(SLOTS),
            index=rng.choice([0, rng.getrandbits(64)]),
            width=rng.choice(list(WIDTHS)),
            bits=rng.randrange(8) if length else 0,
        )
        for length in [0, *range(1, 34), 0, 160]
    ]
    assert bench.run(messages, rng, idle, stall) == [m.result(keys[m.slot]) for m in messages]


def test_no_bubble_between_messages_of_different_slots(bench):
    """With AES-128 (10 rounds), a block leaves every 10 cycles, even when the next message uses another key."""
    keys = [bytes(range(n, n + 16)) for n in range(SLOTS)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    messages = [Message(n, bytes(16 * (1 + n % 3)), slot=n % SLOTS) for n in range(12)]
    times = []
    assert bench.run(messages, times=(bench.sim, times)) == [m.result(keys[m.slot]) for m in messages]
    assert {after - before for before, after in itertools.pairwise(times)} == {10}


@pytest.mark.parametrize("when", range(1, 45, 2))
def test_flush_in_mid_message(bench, when):
    engine, key = bench.engine, bytes(range(24))
    bench.load_key(key)

    def interrupted():
        yield [engine.sink.valid.eq(1), engine.source.ready.eq(1), engine.sink.mask.eq(0xFFFF)]
        yield from send(engine.message, [{"count": 1000, "initial": 123}, {"count": 3}])
        for _ in range(when):
            yield
        yield [engine.sink.valid.eq(0), engine.source.ready.eq(0), engine.flush.eq(1)]
        yield
        yield engine.flush.eq(0)
        yield

    bench.sim.run(interrupted(), max_cycles=80)
    assert bench.sim.peek(bench.core.idle)
    message = Message(99, bytes(range(40)))
    assert bench.run([message]) == [message.result(key)]
