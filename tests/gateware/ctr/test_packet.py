# SPDX-License-Identifier: BSD-2-Clause
"""Test the packet stream: packets of all lengths and slots, with random backpressure, and packets with a wrong length
field.
"""

import itertools
import random
from dataclasses import dataclass

import pytest
from migen import Module

from gateware.ctr.client import Client
from gateware.ctr.counter import WIDTH_128, WIDTHS
from gateware.ctr.packet import BLOCKS_BITS, PacketCTR
from gateware.ctr.service import create_service
from tests.gateware.ctr.keys import key_signals, load_key
from tests.gateware.ctr.reference import ctr
from tests.gateware.support import Simulation, send

SLOTS = 4


@dataclass(frozen=True)
class Packet:
    data: bytes
    counter: int
    slot: int = 0
    index: int = 0
    width: int = WIDTH_128
    said: int | None = None  # value of the length field; if None, the right length

    @property
    def message(self) -> dict:
        initial = int.from_bytes((self.counter % 2**128).to_bytes(16, "big"), "little")
        length = len(self.data) if self.said is None else self.said
        return {"initial": initial, "index": self.index, "width": self.width, "slot": self.slot, "length": length}

    @property
    def words(self) -> list[dict]:
        words = [self.data[i : i + 4] for i in range(0, len(self.data), 4)]
        return [
            {
                "data": int.from_bytes((w + b"\xff" * 4)[:4], "little"),
                "first": int(n == 0),
                "last": int(n == len(words) - 1),
                "last_be": 1 << len(w) - 1 if n == len(words) - 1 else 0,
            }
            for n, w in enumerate(words)
        ]

    def result(self, key: bytes) -> list[tuple]:
        """Return each expected output word as (data, first, last, last_be, error)."""
        keystream_words = len(self.words) if self.said is None else (self.said + 15) // 16 * 4
        output = ctr(key, self.counter, self.data, index=self.index, width=self.width)
        result = []
        for n, word in enumerate(self.words):
            good = n < keystream_words
            data = int.from_bytes(output[4 * n : 4 * n + 4], "little") if good else 0
            result.append((data, word["first"], word["last"], word["last_be"], int(not good)))
        return result


class Bench:
    def __init__(self, datapath, sbox="table"):
        top = Module()
        client = Client(slots=SLOTS, count_bits=BLOCKS_BITS)
        top.submodules.service = service = create_service([client], datapath=datapath, sbox=sbox)
        top.submodules.dut = self.dut = dut = PacketCTR(port=service.ports[0])
        core = self.core = service.core
        keys = self.keys = service.ports[0].keys
        self.sim = Simulation(top, dut.message, dut.sink, dut.source, dut.flush, core.idle, *key_signals(keys))

    def load_key(self, key: bytes, slot: int = 0):
        self.sim.run(load_key(self.keys, key, slot), max_cycles=600)

    def collect(self, received: list, count: int, rng=None, stall=0.0, times=None):
        source = self.dut.source
        while len(received) < count:
            yield source.ready.eq(0 if rng and rng.random() < stall else 1)
            yield
            if (yield source.valid) and (yield source.ready):
                fields = (source.data, source.first, source.last, source.last_be, source.error)
                word = []
                for field in fields:
                    word.append((yield field))
                received.append(tuple(word))
                if times is not None:
                    times.append(self.sim.cycle)
        yield source.ready.eq(0)

    def run(self, packets, rng=None, idle=0.0, stall=0.0, times=None) -> list[tuple]:
        received = []
        words = [word for p in packets for word in p.words]

        def settle():
            for _ in range(200):
                yield

        self.sim.run(
            send(self.dut.message, [p.message for p in packets], rng, idle),
            send(self.dut.sink, words, rng, idle),
            self.collect(received, len(words), rng, stall, times),
            max_cycles=1000 + 100 * len(words),
        )
        self.sim.run(settle(), max_cycles=300)
        assert self.sim.peek(self.core.idle), "keystream is left over"
        return received


@pytest.fixture(scope="module")
def simulated():
    bench = Bench(128)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


def expected(packets, keys):
    return [word for p in packets for word in p.result(keys[p.slot])]


@pytest.mark.parametrize("stall", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("idle", [0.0, 0.4])
def test_packets_of_all_slots(bench, idle, stall):
    rng = random.Random(f"packet {idle} {stall}")
    keys = [rng.randbytes(rng.choice([16, 24, 32])) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    packets = [
        Packet(
            rng.randbytes(length),
            rng.getrandbits(128) | rng.choice([0, 2**128 - 4, 2**32 - 2]),
            rng.randrange(SLOTS),
            rng.choice([0, rng.getrandbits(64)]),
            rng.choice(list(WIDTHS)),
        )
        for length in [*range(1, 36), 64, 200]
    ]
    assert bench.run(packets, rng, idle, stall) == expected(packets, keys)


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_wrong_lengths(bench, stall):
    """Send packets with wrong length fields. If the field is too small, the keystream ends early, and the packet's
    remaining words leave as zeros. If the field is too large, the unused keystream is dropped. The next packet is
    always correct.
    """
    rng = random.Random(f"wrong {stall}")
    keys = {0: bytes(range(16)), 1: bytes(range(32))}
    for slot, key in keys.items():
        bench.load_key(key, slot)
    packets = []
    for length, said in [(40, 16), (40, 0), (16, 64), (4, 200), (1, 17), (65, 64), (33, 33), (64, 1)]:
        packets.append(Packet(rng.randbytes(length), rng.getrandbits(128), said=said))
        packets.append(Packet(rng.randbytes(20), rng.getrandbits(128), slot=1))
    assert bench.run(packets, rng, 0.0, stall) == expected(packets, keys)


@pytest.mark.parametrize("again", [0, 1, 3])
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_flush(bench, stall, again):
    """Flush the packet stream at any time, and a second time soon after.

    Each packet is right up to some word, then zeros with errors; the next is right.
    """
    rng = random.Random(f"flush {stall} {again}")
    dut, key = bench.dut, bytes(range(24))
    bench.load_key(key)
    for when in range(0, 160, 7):
        packets = [Packet(rng.randbytes(size), rng.getrandbits(128)) for size in (100, 4, 1, 40, 33, 60)]
        last = Packet(rng.randbytes(50), 77)
        received, words = [], [word for p in packets for word in p.words]
        taken = []

        def messages(packets=packets, taken=taken):
            for packet in packets:
                yield from send(dut.message, [packet.message])
                taken.append(packet)

        def flush(when=when):
            for cycle in range(when + 12):
                yield dut.flush.eq(cycle == when or (again and cycle == when + again))
                yield
            yield dut.flush.eq(0)

        collect = bench.collect(received, len(words), rng, stall)
        bench.sim.run(messages(), send(dut.sink, words), collect, flush(), max_cycles=1500)
        wanted = expected(packets, [key])
        for got, right in zip(received, wanted, strict=True):
            assert got == right or got == (0, *right[1:4], 1)
        ends = [n for n, word in enumerate(wanted) if word[2]]
        for begin, end in itertools.pairwise([-1, *ends]):  # after its first error word, a packet has only error words
            errors = [word[4] for word in received[begin + 1 : end + 1]]
            assert errors == sorted(errors)
        assert bench.run([last]) == last.result(key)


def test_a_key_that_goes_leaves_zeros(bench):
    """Zeroize a key while packets use the key. Each of these packets is right up to some block. All later words of the
    packet are zero.

    Packets of another slot are right.
    """
    rng = random.Random("gone")
    dut = bench.dut
    keys = [rng.randbytes(16), rng.randbytes(32)]
    for when in range(0, 120, 9):
        for slot, key in enumerate(keys):
            bench.load_key(key, slot)
        packets = [Packet(rng.randbytes(90), rng.getrandbits(128), slot=n % 2) for n in range(4)]
        received, words = [], [word for p in packets for word in p.words]

        def clear(when=when):
            for _ in range(when):
                yield
            yield [bench.keys.slot.eq(0), bench.keys.clear_slot.eq(1)]
            yield
            yield bench.keys.clear_slot.eq(0)

        messages = send(dut.message, [p.message for p in packets])
        bench.sim.run(messages, send(dut.sink, words), bench.collect(received, len(words)), clear(), max_cycles=2000)
        wanted = [packet.result(keys[packet.slot]) for packet in packets]
        for packet, right in zip(packets, wanted, strict=True):
            got, received = received[: len(right)], received[len(right) :]
            errors = [word[4] for word in got]
            assert errors == sorted(errors) and (packet.slot == 0 or not any(errors))
            assert all(g == (0, *r[1:4], 1) if g[4] else g == r for g, r in zip(got, right, strict=True))


def test_a_word_a_cycle_with_the_pipelined_core():
    """There is no idle cycle between the last word of a packet and the first word of the next packet."""
    bench = Bench("pipelined", "block_ram")  # the S-box that compiles fastest for simulation
    keys = {0: bytes(range(16)), 1: bytes(range(32))}
    for slot, key in keys.items():
        bench.load_key(key, slot)
    packets = [Packet(bytes(60 + n), n, n % 2) for n in range(8)]
    times = []
    assert bench.run(packets, times=times) == expected(packets, keys)
    bench.sim.close()
    assert times == list(range(times[0], times[0] + len(times)))
