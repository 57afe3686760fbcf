# SPDX-License-Identifier: BSD-2-Clause
"""Test the SNOW 3G core in the CTR service. The tests request blocks in any order, and load and remove keys. No part of
a removed key is allowed to remain in the core.
"""

import itertools
import random

import pytest
from migen import Module

from gateware.ctr.client import Client
from gateware.ctr.service import CTRService
from lab.snow3g.core import BLOCKS, Snow3GCore
from lab.snow3g.published import KEYSTREAMS
from lab.tests.snow3g.reference import eea1, keystream
from lab.tests.snow3g.vectors import MESSAGES
from tests.gateware.ctr.keys import begin_key, key_signals, load_key, settle
from tests.gateware.support import Simulation, send

SLOTS = 4


def counter_block(count: int, bearer: int, direction: int, number: int = 0) -> bytes:
    return (count << 96 | bearer << 91 | direction << 90 | number).to_bytes(16)


def request(block: bytes, count: int, slot: int = 0, index: int = 0) -> dict:
    return {"initial": int.from_bytes(block, "little"), "index": index, "width": 1, "slot": slot, "count": count}


class Bench:
    def __init__(self):
        top = Module()
        self.core = core = Snow3GCore(slots=SLOTS)
        top.submodules.service = service = CTRService(core=core, clients=[Client(SLOTS, 29, waits=False)])
        self.port = port = service.ports[0]
        rows = [row.read_data for row in core.rows]
        signals = [port.request, port.keystream, port.flush, port.idle, *key_signals(port.keys)]
        self.sim = Simulation(top, core.idle, core.source, core.generator.state, core.key, rows, *signals)

    def load(self, slot: int, key: bytes):
        self.sim.run(load_key(self.port.keys, key, slot), max_cycles=1000)

    def give(self, **command):
        """Send the CTR service a command for a key, and wait until the command has ended."""

        def bench():
            yield from settle(self.port.keys)
            yield [getattr(self.port.keys, name).eq(value) for name, value in command.items()]
            yield
            yield [getattr(self.port.keys, name).eq(0) for name in command]
            yield
            yield from settle(self.port.keys)

        self.sim.run(bench(), max_cycles=1000)

    def ask(
        self, requests: list[dict], rng=None, stall: float = 0.0, max_cycles: int = 20000, times=None, also=(), more=0
    ):
        """Send requests to the core; return the keystream blocks. The list contains None for a block that comes with an
        error.
        """
        found, keystream = [], self.port.keystream

        def take():
            while len(found) < more + sum(each["count"] for each in requests):
                yield keystream.ready.eq(0 if rng and rng.random() < stall else 1)
                yield
                if (yield keystream.valid) and (yield keystream.ready):
                    data = (yield keystream.data).to_bytes(16, "little")
                    error = yield keystream.error
                    assert not error or data == bytes(16)
                    found.append(None if error else data)
                    if times is not None:
                        times.append(self.sim.cycle)
            yield keystream.ready.eq(0)
            yield
            assert (yield self.core.idle) and not (yield keystream.valid)

        self.sim.run(send(self.port.request, requests), take(), *also, max_cycles=max_cycles)
        return found

    def state(self) -> bool:
        """Return whether the keystream generator or the result register holds a value other than zero."""
        return any(self.sim.peek(word) for word in [*self.core.generator.state, self.core.source.data])

    def stored(self) -> bool:
        """Return True if the key slot that the last request used contains any part of a key."""
        return any(self.sim.peek(row.read_data) for row in self.core.rows)


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    simulated.sim.run(settle(simulated.port.keys), max_cycles=1000)
    return simulated


def test_the_reference():
    for key, iv, words in KEYSTREAMS:
        stream = keystream(bytes.fromhex(key), bytes.fromhex(iv), max(words))
        assert {n: int.from_bytes(stream[4 * n - 4 : 4 * n]) for n in words} == words
    for m in MESSAGES:
        whole = m.bits // 8
        assert eea1(m.key, m.count, m.bearer, m.direction, m.plaintext)[:whole] == m.ciphertext[:whole]


def test_published_sets(bench):
    for slot, m in enumerate(MESSAGES):
        bench.load(slot, m.key)
    for slot, m in enumerate(MESSAGES):
        blocks = -(-len(m.plaintext) // 16)
        stream = b"".join(bench.ask([request(counter_block(m.count, m.bearer, m.direction), blocks, slot)]))
        whole = m.bits // 8
        assert bytes(a ^ b for a, b in zip(m.plaintext, stream, strict=False))[:whole] == m.ciphertext[:whole]


@pytest.mark.parametrize("stall", [0.0, 0.6])
def test_requests_in_any_order(bench, stall):
    """Request blocks in any order: the next block of a message, earlier and later blocks, other messages, and other
    keys.

    Slots without a key answer with errors.
    """
    rng = random.Random(int(stall * 10) + 4)
    keys = [rng.randbytes(16) for _ in range(SLOTS - 1)]
    for slot, key in enumerate(keys):
        bench.load(slot, key)
    messages = [(rng.getrandbits(32), rng.getrandbits(5), rng.getrandbits(1)) for _ in range(2)]
    streams = {(slot, m): eea1(key, *m, bytes(16 * 64)) for slot, key in enumerate(keys) for m in messages}
    requests, wanted, last = [], [], None
    for _ in range(80):
        slot, message, index = rng.randrange(SLOTS), rng.choice(messages), rng.randrange(40)
        if last and rng.random() < 0.6:
            slot, message, index = last[0], last[1], last[2] + rng.choice([0, 0, 0, 1, 5, -1])
        index, count = max(0, min(index, 40)), rng.choice([1, 1, 2, 5])
        last = slot, message, index + count
        requests.append(request(counter_block(*message), count, slot, index))
        stream = streams.get((slot, message))
        wanted += [stream and stream[16 * n : 16 * n + 16] for n in range(index, index + count)]
    assert bench.ask(requests, rng, stall) == wanted


def test_cycles(bench):
    """A block that follows the previous block of its message takes four cycles.

    The first block of a message, and a block after skipped ones, take as many cycles as the core documents.
    """
    bench.load(0, bytes(range(16)))
    times = []
    bench.ask([request(counter_block(1, 2, 0), 9)], times=times)
    assert [b - a for a, b in itertools.pairwise(times)] == [4] * 8
    begun = []

    def note():
        while not (yield bench.port.request.ready):
            yield
        begun.append(bench.sim.cycle)

    for number, most in ((9, 9), (29, 88), (0, 44), (100, 407)):
        times, begun = [], []
        bench.ask([request(counter_block(1, 2, 0), 1, index=number)], times=times, also=[note()])
        assert times[0] - begun[0] <= most, (number, times, begun)


@pytest.mark.parametrize(
    "block",
    [
        counter_block(1, 2, 1, BLOCKS),
        counter_block(1, 2, 1, 1 << 63),
        counter_block(1, 2, 1, 1 << 64),
        (int.from_bytes(counter_block(1, 2, 1)) | 1 << 89).to_bytes(16),
    ],
)
def test_counter_blocks_of_no_message_have_no_keystream(bench, block):
    key = bytes(range(16))
    bench.load(0, key)
    first = eea1(key, 1, 2, 1, bytes(16))
    good, bad = request(counter_block(1, 2, 1), 1), request(block, 1)
    # The counter block of the request `bad` is invalid. The core must answer `bad` with an error and `good` with
    # keystream, at any position of the keystream generator.
    assert bench.ask([bad, good, bad | {"index": 1}, good]) == [None, first, None, first]


def test_another_message_from_the_block_on_where_the_generator_is(bench):
    bench.load(0, bytes(range(16)))
    messages = [(1, 2, 1), (1, 2, 0), (1, 3, 0), (9, 3, 0)]
    found = bench.ask([request(counter_block(*message), 1, index=n) for n, message in enumerate(messages)])
    assert found == [eea1(bytes(range(16)), *m, bytes(80))[16 * n : 16 * n + 16] for n, m in enumerate(messages)]


def test_the_last_block_of_the_longest_message(bench):
    """Request two blocks, beginning with the largest block number. The second block must fail, because block numbers
    must not wrap to 0.
    """
    key = bytes(range(16))
    bench.load(0, key)
    found = bench.ask([request(counter_block(1, 2, 1), 2, index=BLOCKS - 1)], max_cycles=300_000)
    assert found[0] is not None and found[1] is None
    expected = eea1(key, 1, 2, 1, bytes(16 * BLOCKS))[-16:]
    assert found[0] == expected


@pytest.mark.parametrize("size", [24, 32])
def test_other_keys_are_none(bench, size):
    """The core must refuse a key of more than 128 bits. The key slot then loses its previous key."""
    bench.load(0, bytes(range(16)))
    bench.sim.run(begin_key(bench.port.keys, bytes(range(size))), settle(bench.port.keys), max_cycles=1000)
    bench.sim.run(settle(bench.port.keys), max_cycles=1000)
    assert not bench.sim.peek(bench.port.keys.usable) and not bench.stored()
    assert bench.ask([request(counter_block(1, 2, 1), 1)]) == [None]
    bench.load(1, bytes(range(16)))
    assert bench.ask([request(counter_block(1, 2, 1), 1, 1)]) == [eea1(bytes(range(16)), 1, 2, 1, bytes(16))]


def test_nothing_is_left_when_another_key_is_loaded(bench):
    for key in (bytes(range(1, 17)), bytes(range(2, 18))):
        bench.load(0, key)
        assert not bench.state()
        assert bench.ask([request(counter_block(1, 2, 1), 1)]) == [eea1(key, 1, 2, 1, bytes(16))]
        assert bench.state()


@pytest.mark.parametrize("how", ["clear_slot", "zeroize", "flush"])
@pytest.mark.parametrize("cycles", [0, 3, 20, 60])
def test_nothing_is_left_of_a_key(bench, how, cycles):
    """Clear one key slot, zeroize all keys, or flush the core, whatever the core is doing. Afterwards, the keystream
    generator and the result register must be zero.
    """
    bench.load(0, bytes(range(1, 17)))
    bench.load(1, bytes(range(3, 19)))
    bench.sim.run(send(bench.port.request, [request(counter_block(1, 2, 1), 50)]), max_cycles=100)
    bench.sim.clock(cycles)
    assert bench.stored()

    def drop():
        yield bench.port.flush.eq(1)
        yield
        yield bench.port.flush.eq(0)
        yield

    if how == "flush":
        bench.sim.run(drop(), max_cycles=10)
        assert not bench.state()
        assert bench.ask([request(counter_block(1, 2, 1), 1)]) == [eea1(bytes(range(1, 17)), 1, 2, 1, bytes(16))]
        return
    if how == "zeroize":
        bench.give(zeroize=1)
    else:  # a real client never clears a key in use; this test does, and the core answers with errors
        bench.give(**{how: 1}, slot=0)
    bench.sim.poke({bench.port.keystream.ready: 1})
    bench.sim.clock(400)
    bench.sim.poke({bench.port.keystream.ready: 0})
    assert not bench.state() and not bench.stored() and bench.sim.peek(bench.core.idle)
    assert bench.ask([request(counter_block(1, 2, 1), 1)]) == [None]
    other = bench.ask([request(counter_block(1, 2, 1), 1, 1)])
    assert other == [None if how == "zeroize" else eea1(bytes(range(3, 19)), 1, 2, 1, bytes(16))]


def test_a_key_that_goes_at_any_cycle(bench):
    """Remove the key while the core answers requests. Each repetition removes the key one cycle later. The core must
    answer each block exactly once: with keystream before the removal, and with an error afterwards.
    """
    key, keys = bytes(range(1, 17)), bench.port.keys
    streams = [eea1(key, n, 2, 1, bytes(16 * 7)) for n in (1, 7)]
    whole = [streams[0][16 * n : 16 * n + 16] for n in range(3, 7)] + [
        streams[1][16 * n : 16 * n + 16] for n in range(3)
    ]
    lengths = set()

    def clear(cycle: int):
        for _ in range(cycle):
            yield
        yield [keys.slot.eq(0), keys.clear_slot.eq(1)]
        yield
        yield keys.clear_slot.eq(0)
        yield
        yield from settle(keys)

    def later(cycles: int):
        for _ in range(cycles):
            yield
        yield from send(bench.port.request, [request(counter_block(1, 2, 1), 1, index=1)])

    for cycle in range(20):  # remove the key shortly before or after the request for a later block
        bench.load(0, key)
        assert bench.ask([request(counter_block(1, 2, 1), 1)]) == [streams[0][:16]]
        found = bench.ask([], more=1, also=[clear(cycle), later(10)])
        assert found in ([None], [streams[0][16:32]]) and not bench.state(), cycle
    for cycle in range(140):
        bench.load(0, key)
        requests = [request(counter_block(1, 2, 1), 4, index=3), request(counter_block(7, 2, 1), 3)]
        found = bench.ask(requests, also=[clear(cycle)])
        given = [block for block in found if block is not None]
        assert given == whole[: len(given)] and found[len(given) :] == [None] * (7 - len(given)), cycle
        assert not bench.state(), cycle
        lengths.add(len(given))
    assert lengths == set(range(8))
