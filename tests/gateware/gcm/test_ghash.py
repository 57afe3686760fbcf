# SPDX-License-Identifier: BSD-2-Clause
"""Test the GHASH unit against the definition and `cryptography`. Also test cycles, stalls, flush and zeroization."""

import itertools
import random

import pytest

from gateware.gcm.ghash import CYCLES, GHASH
from tests.gateware.gcm.reference import encrypted, ghash, hashed, product, seal, xor
from tests.gateware.support import Simulation, receive, send

SUBKEY_CYCLES = 17


def number(block: bytes) -> int:
    return int.from_bytes(block, "little")


def block(value: int) -> bytes:
    return value.to_bytes(16, "little")


def items(blocks: bytes, final: bytes = bytes(16)) -> list[dict]:
    """Return a message as stream items: its blocks, then a last item. The unit hashes the blocks, XORs the last item
    into the hash, and returns the result.
    """
    split = [blocks[n : n + 16] for n in range(0, len(blocks), 16)]
    return [{"data": number(b), "final": 0} for b in split] + [{"data": number(final), "final": 1}]


class Bench:
    def __init__(self, cycles: int, portable: bool):
        self.cycles = cycles
        self.dut = dut = GHASH(cycles=cycles, portable=portable)
        self.sim = Simulation(dut, dut.subkey, dut.sink, dut.source, dut.flush, dut.clear, dut.busy)

    def load(self, subkey: bytes):
        self.sim.run(send(self.dut.subkey, [{"data": number(subkey)}]), max_cycles=40)

    def run(self, messages: list[list[dict]], rng=None, idle=0.0, stall=0.0, times=None) -> list[bytes]:
        found = []
        flat = [item for message in messages for item in message]
        self.sim.run(
            send(self.dut.sink, flat, rng, idle),
            receive(self.dut.source, len(messages), found, rng=rng, stall=stall, times=times),
            max_cycles=200 + 60 * (self.cycles + 4) * len(flat),
        )
        return [block(value) for value in found]


@pytest.fixture(scope="module", params=[*((cycles, True) for cycles in CYCLES), (8, False)], ids=str)
def simulated(request):
    bench = Bench(*request.param)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.power_on()
    return simulated


def test_product_of_single_bits(bench):
    """Multiply each of the 128 blocks with a single 1 bit by 16 subkeys. Each subkey also has a single 1 bit, in a
    different byte for each subkey.
    """
    rng = random.Random(bench.cycles)
    for bit in range(0, 128, 8):
        subkey = block(1 << (bit + rng.randrange(8)))
        bench.load(subkey)
        values = [block(1 << n) for n in range(128)]
        assert bench.run([items(x) for x in values]) == [product(x, subkey) for x in values]


@pytest.mark.parametrize("stall", [0.0, 0.7])
@pytest.mark.parametrize("idle", [0.0, 0.7])
def test_messages(bench, idle, stall):
    rng = random.Random(f"{bench.cycles} {idle} {stall}")
    for _ in range(4):
        subkey = rng.randbytes(16)
        bench.load(subkey)
        messages = [(rng.randbytes(16 * rng.choice([0, 1, 2, 5])), rng.randbytes(16)) for _ in range(12)]
        found = bench.run([items(*message) for message in messages], rng, idle, stall)
        assert found == [xor(ghash(subkey, blocks), final) for blocks, final in messages]


def test_tags(bench):
    rng = random.Random(bench.cycles)
    for length in (0, 1, 15, 16, 33):
        key, iv, text, aad = rng.randbytes(16), rng.randbytes(12), rng.randbytes(length), rng.randbytes(2 * length)
        ciphertext, tag = seal(key, iv, text, aad)
        bench.load(encrypted(key, bytes(16)))
        assert bench.run([items(hashed(aad, ciphertext), encrypted(key, iv + bytes([0, 0, 0, 1])))]) == [tag]


@pytest.mark.parametrize("pulse", ["flush", "clear"])
def test_flush_and_clear_at_any_time(bench, pulse):
    """`flush` and `clear` remove all data of the interrupted message. `clear` also sets the subkey to 0, so that all
    products are 0.
    """
    dut, rng = bench.dut, random.Random(pulse)
    subkey, blocks, mask = rng.randbytes(16), rng.randbytes(48), rng.randbytes(16)
    for when in range(0, 4 * bench.cycles + 8):
        bench.load(subkey)
        bench.sim.run(settled(dut), max_cycles=40)

        def interrupted(when=when):
            yield dut.sink.valid.eq(1)
            for n in range(when):
                yield [dut.sink.data.eq(rng.getrandbits(128)), dut.sink.final.eq(n % 7 == 6)]
                yield
            yield [dut.sink.valid.eq(0), getattr(dut, pulse).eq(1)]
            yield
            yield getattr(dut, pulse).eq(0)
            yield

        bench.sim.run(interrupted(), max_cycles=400)
        wanted = ghash(subkey if pulse == "flush" else bytes(16), blocks)
        assert bench.run([items(blocks, mask)]) == [xor(wanted, mask)]


def test_clear_during_a_subkey(bench):
    """`clear` during the load of a subkey zeroizes all table rows, including the rows that the load has already
    written.
    """
    dut, rng = bench.dut, random.Random(1)
    for when in range(SUBKEY_CYCLES + 2):
        bench.load(rng.randbytes(16))

        def interrupted(when=when):
            for _ in range(when):
                yield
            yield dut.clear.eq(1)
            yield
            yield dut.clear.eq(0)
            yield
            yield from settled(dut)

        bench.sim.run(interrupted(), max_cycles=80)
        values = [block(1 << n) for n in range(0, 128, 5)]
        assert bench.run([items(value) for value in values]) == [bytes(16)] * len(values)


def test_flush_during_a_subkey(bench):
    """`flush` during the load of a subkey does not stop the load."""
    dut, subkey = bench.dut, bytes(range(1, 17))
    for when in range(SUBKEY_CYCLES + 2):
        bench.sim.power_on()
        bench.load(subkey)

        def interrupted(when=when):
            for _ in range(when):
                yield
            yield dut.flush.eq(1)
            yield
            yield dut.flush.eq(0)
            yield

        bench.sim.run(interrupted(), max_cycles=80)
        values = [block(1 << n) for n in range(0, 128, 3)]
        assert bench.run([items(value) for value in values]) == [product(value, subkey) for value in values]


def test_a_subkey_waits_for_the_message_and_goes_before_the_next(bench):
    """A subkey is offered during a message, but must apply only to the next message. After the message, the unit must
    accept the subkey before the first block of the next message, even if this block is offered at the same time.
    """
    dut, rng = bench.dut, random.Random(2)
    first, second = rng.randbytes(16), rng.randbytes(16)
    messages = [rng.randbytes(48) for _ in range(2)]
    bench.load(first)
    found = []

    def change():
        while not (yield dut.sink.valid) or not (yield dut.sink.ready):
            yield
        yield
        yield from send(dut.subkey, [{"data": number(second)}])

    flat = [item for message in messages for item in items(message)]
    bench.sim.run(change(), send(dut.sink, flat), receive(dut.source, 2, found), max_cycles=400)
    assert [block(value) for value in found] == [ghash(first, messages[0]), ghash(second, messages[1])]


def settled(dut):
    while (yield dut.busy):
        yield


def test_subkey_cycles(bench):
    """Count the cycles from the acceptance of a subkey until the unit can accept a block."""
    dut, cycles = bench.dut, []
    bench.sim.run(settled(dut), max_cycles=40)

    def watch():
        yield [dut.subkey.valid.eq(1), dut.sink.valid.eq(1)]
        yield
        assert (yield dut.subkey.ready) and not (yield dut.sink.ready)
        begun = bench.sim.cycle
        yield dut.subkey.valid.eq(0)
        yield
        while not (yield dut.sink.ready):
            yield
        cycles.append(bench.sim.cycle - begun)

    bench.sim.run(watch(), max_cycles=60)
    assert cycles == [SUBKEY_CYCLES]


def test_other_cycles_are_refused():
    with pytest.raises(ValueError, match="give one of 16, 8, 4, 2, 1"):
        GHASH(cycles=3)


def test_cycles(bench):
    """Each block takes `bench.cycles` cycles. A message's last item and its result together take two more cycles. Times
    do not depend on the data.
    """
    for value in (bytes(16), b"\xff" * 16, bytes(range(16))):
        bench.load(value)
        times = []
        lengths = [1, 2, 3, 8, 1]
        bench.run([items(n * value, value) for n in lengths], times=(bench.sim, times))
        assert [b - a for a, b in itertools.pairwise(times)] == [bench.cycles * n + 2 for n in lengths[1:]]
