# SPDX-License-Identifier: BSD-2-Clause
"""Test the CTR service with two clients: it answers each client's requests under that client's keys, and the clients do
not affect each other.
"""

import itertools
import random
from dataclasses import dataclass

import pytest
from migen import Module

from gateware.aes.cores import create_core
from gateware.ctr.client import Client
from gateware.ctr.counter import WIDTHS
from gateware.ctr.service import CTRService, create_service
from tests.gateware.ctr.keys import begin_key, key_signals, load_key, settle
from tests.gateware.ctr.reference import ctr
from tests.gateware.support import Simulation, send

SLOTS = 4
# While both clients request blocks, the first client gets three blocks for each block of the second client. On boards,
# the first client is the packet stream, the second is the DMA, and the ratio is the same.
CLIENTS = [Client(slots=SLOTS, count_bits=13, share=3), Client(slots=SLOTS, count_bits=29, waits=False)]
# Cycles per block, by key length in bytes, for a core with two engines of 128 bits.
CYCLES = {16: 5, 24: 6, 32: 7}


@dataclass(frozen=True)
class Request:
    counter: int
    blocks: int
    slot: int = 0
    index: int = 0
    width: int = 0

    @property
    def fields(self) -> dict:
        initial = int.from_bytes(self.counter.to_bytes(16, "big"), "little")
        return {
            "initial": initial, "index": self.index, "width": self.width, "slot": self.slot, "count": self.blocks,
        }  # fmt: skip

    def answer(self, keys: dict) -> list[tuple]:
        """Return the expected answer to this request: a list of (keystream block, error flag)."""
        if self.slot not in keys:
            return [(0, 1)] * self.blocks
        stream = ctr(keys[self.slot], self.counter, bytes(16 * self.blocks), index=self.index, width=self.width)
        return [(int.from_bytes(stream[16 * n : 16 * n + 16], "little"), 0) for n in range(self.blocks)]


def requests(rng: random.Random, count: int, most: int = 9) -> list[Request]:
    return [
        Request(
            rng.getrandbits(128) | rng.choice([0, 2**128 - 4, 2**32 - 2]),
            rng.randrange(most),
            rng.randrange(SLOTS),
            rng.choice([0, rng.getrandbits(64)]),
            rng.choice(list(WIDTHS)),
        )
        for _ in range(count)
    ]


class Bench:
    def __init__(self, **core):
        top = Module()
        top.submodules.service = service = create_service(CLIENTS, **core)
        self.ports = ports = service.ports
        signals = [service.core.idle]
        for port in ports:
            signals += [port.request, port.keystream, port.flush, port.idle, *key_signals(port.keys)]
        self.core = service.core
        self.sim = Simulation(top, *signals)
        self.keys = [{}, {}]

    def reset(self):
        self.sim.reset()
        self.keys = [{}, {}]
        self.run(settle(self.ports[0].keys))

    def run(self, *generators, background=(), max_cycles: int = 4000):
        self.sim.run(*generators, background=background, max_cycles=max_cycles)

    def load(self, client: int, slot: int, key: bytes):
        self.keys[client][slot] = key
        self.run(load_key(self.ports[client].keys, key, slot))

    def load_all(self, rng: random.Random):
        """Load a different key into every slot except the last slot of each client."""
        for client in range(2):
            for slot in range(SLOTS - 1):
                self.load(client, slot, rng.randbytes(rng.choice([16, 24, 32])))

    def ask(self, client: int, asked: list[Request], rng=None, idle: float = 0.0):
        return send(self.ports[client].request, [request.fields for request in asked], rng, idle)

    def take(self, client: int, received: list, count: int, rng=None, stall: float = 0.0, times=None):
        keystream = self.ports[client].keystream
        while len(received) < count:
            yield keystream.ready.eq(0 if rng and rng.random() < stall else 1)
            yield
            if (yield keystream.valid) and (yield keystream.ready):
                received.append(((yield keystream.data), (yield keystream.error)))
                if times is not None:
                    times.append(self.sim.cycle)
        yield keystream.ready.eq(0)

    def wanted(self, client: int, asked: list[Request]) -> list[tuple]:
        return [block for request in asked for block in request.answer(self.keys[client])]

    def assert_quiet(self):
        """Assert that no client receives more blocks than it requested."""

        def nothing():
            for port in self.ports:
                yield port.keystream.ready.eq(1)
            for _ in range(60):
                yield
                for port in self.ports:
                    assert not (yield port.keystream.valid)
            for port in self.ports:
                yield port.keystream.ready.eq(0)
                assert (yield port.idle)
            assert (yield self.core.idle)

        self.run(nothing())


@pytest.fixture(scope="module")
def simulated():
    bench = Bench(datapath=128, engines=2)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.reset()
    return simulated


def exchange(bench, asked, rng=None, idle=(0.0, 0.0), stall=(0.0, 0.0)):
    """Send both clients' requests at the same time; assert that every answer is right."""
    received = [[], []]
    wanted = [bench.wanted(client, asked[client]) for client in range(2)]
    bench.run(
        *[bench.ask(client, asked[client], rng, idle[client]) for client in range(2)],
        *[bench.take(client, received[client], len(wanted[client]), rng, stall[client]) for client in range(2)],
        max_cycles=1000 + 60 * sum(map(len, wanted)),
    )
    assert received == wanted
    bench.assert_quiet()


@pytest.mark.parametrize("stall", [(0.0, 0.0), (0.5, 0.0), (0.0, 0.9), (0.7, 0.7)])
@pytest.mark.parametrize("idle", [(0.0, 0.0), (0.9, 0.0)])
def test_each_is_answered_in_order_under_its_own_keys(bench, idle, stall):
    """Each client gets its blocks in order. A request for 0 blocks gets no block. A request for a slot without a key
    gets errors, even if the other client's slot with this number holds a key.
    """
    rng = random.Random(f"service {idle} {stall}")
    bench.load_all(rng)
    bench.load(1, SLOTS - 1, rng.randbytes(16))
    exchange(bench, [requests(rng, 40), requests(rng, 30)], rng, idle, stall)


@pytest.mark.parametrize("lazy", [0, 1])
def test_a_client_that_takes_nothing_stops_nobody(bench, lazy):
    rng = random.Random(f"lazy {lazy}")
    bench.load_all(rng)
    patient = 1 - lazy
    late, asked = requests(rng, 12), requests(rng, 40)
    received, last = [], bench.wanted(patient, asked)
    asking = bench.ask(lazy, late)
    bench.run(bench.ask(patient, asked), bench.take(patient, received, len(last)), background=[asking])
    assert received == last
    received, last = [], bench.wanted(lazy, late)
    bench.run(bench.take(lazy, received, len(last)), background=[asking])
    assert received == last
    bench.assert_quiet()


@pytest.mark.parametrize("sizes", [(16, 16), (32, 32), (16, 32), (32, 16)])
def test_shares(bench, sizes):
    """When both clients request blocks, the first client gets three of every four blocks.

    When only one client requests blocks, it gets all. Gaps between blocks match these shares.
    """
    for client, size in enumerate(sizes):
        bench.load(client, 0, bytes(range(client, client + size)))
    asked = [[Request(1 << 64, 240)], [Request(7, 320)]]
    wanted = [bench.wanted(client, asked[client]) for client in range(2)]
    received, times = [[], []], [[], []]
    bench.run(
        *[bench.ask(client, asked[client]) for client in range(2)],
        *[bench.take(n, received[n], len(wanted[n]), times=times[n]) for n in range(2)],
    )
    assert received == wanted
    end = times[0][-1]
    both = [t for t in times[1] if times[0][8] <= t <= end]
    assert abs(len(both) - len(times[0][8:]) / 3) <= 2
    slowest = max(CYCLES[size] for size in sizes)
    assert times[0][-1] - times[0][8] <= 4 / 3 * slowest * (len(times[0]) - 9) + 2 * slowest
    assert max(b - a for a, b in itertools.pairwise(both)) <= 5 * slowest
    assert max(b - a for a, b in zip(times[0], times[0][1:], strict=False)) <= 3 * slowest
    alone = [t for t in times[1] if t > end + 60]
    assert abs(alone[-1] - alone[0] - CYCLES[sizes[1]] * (len(alone) - 1)) < 2 * CYCLES[sizes[1]]


@pytest.mark.parametrize("who", [0, 1])
def test_a_flush_is_of_one_client(bench, who):
    """A flush, at any time and again soon after, drops only the blocks of the client that requested it.

    The other gets whole answers, and the next requests get right answers.
    """
    rng = random.Random(f"flush {who}")
    bench.load_all(rng)
    port, other = bench.ports[who], 1 - who
    for when in range(0, 90, 3):
        flushes = (when, when + rng.choice([1, 2, 7, 15]))
        dropped, following, asked = Request(when, 5, slot=2), requests(rng, 4), requests(rng, 8)
        late, received = [], []

        def interrupted(flushes=flushes, dropped=dropped, following=following, late=late):
            yield [getattr(port.request, name).eq(value) for name, value in dropped.fields.items()]
            yield port.request.valid.eq(1)
            for cycle in range(flushes[1] + 1):
                yield [port.flush.eq(cycle in flushes), port.keystream.ready.eq(rng.randrange(2))]
                yield
            yield [port.flush.eq(0), port.request.valid.eq(0), port.keystream.ready.eq(0)]
            yield from bench.ask(who, following)
            yield from bench.take(who, late, len(bench.wanted(who, following)))

        wanted = bench.wanted(other, asked)
        bench.run(interrupted(), bench.ask(other, asked), bench.take(other, received, len(wanted)))
        assert late == bench.wanted(who, following)
        assert received == wanted
        bench.assert_quiet()


@pytest.mark.parametrize("who", [0, 1])
def test_zeroize_ends_all(bench, who):
    """Either client can zeroize the whole service at any time.

    Afterwards the service holds no key and no block, and works again.
    """
    rng = random.Random(f"zeroize {who}")
    keys = [port.keys for port in bench.ports]
    for when in range(0, 60, 4):
        bench.load_all(rng)

        def zeroize(when=when):
            for port in bench.ports:
                yield [getattr(port.request, name).eq(value) for name, value in Request(when, 9).fields.items()]
                yield port.request.valid.eq(1)
            for _ in range(when):
                yield [port.keystream.ready.eq(rng.randrange(2)) for port in bench.ports]
                yield
            yield keys[who].zeroize.eq(1)
            yield
            assert (yield keys[0].flush) and (yield keys[1].flush)
            yield [keys[who].zeroize.eq(0), *[port.flush.eq(1) for port in bench.ports]]
            yield
            yield [each for port in bench.ports for each in (port.flush.eq(0), port.request.valid.eq(0))]
            yield
            assert (yield keys[0].usable) == (yield keys[1].usable) == 0
            assert (yield from settle(keys[0], 300)) > 100

        bench.run(zeroize())
        bench.keys = [{}, {}]
        bench.assert_quiet()
        exchange(bench, [requests(rng, 3), requests(rng, 3)])


def test_a_command_waits_or_is_refused(bench):
    """Give a key command on a slot in use. A command of the first client waits until the slot is free. A command of the
    second client is refused.

    The other client's slot of the same number keeps working, and no block uses part of a key.
    """
    rng = random.Random("command")
    packets, dma = (port.keys for port in bench.ports)
    bench.load_all(rng)
    new = rng.randbytes(32)

    def scenario():
        for keys in (packets, dma):
            yield [keys.begin.number.eq(1), keys.begin.valid.eq(1)]
            yield
            yield keys.begin.valid.eq(0)
            yield
            yield from begin_key(keys, new, 1)
            if keys is packets:
                for _ in range(100):
                    yield
                    assert (yield keys.busy) and (yield packets.usable) == 0b101 and (yield dma.usable) == 0b111
                yield [keys.end.number.eq(1), keys.end.valid.eq(1)]
                yield
                yield keys.end.valid.eq(0)
                yield from settle(keys, 200)
            else:
                assert not (yield keys.busy) and not (yield keys.ready) and (yield keys.usable) == 0b111
                yield keys.release.eq(1)
                yield
                yield keys.release.eq(0)
                yield
                assert (yield keys.ready)

    bench.run(scenario())
    bench.keys[0][1] = new
    exchange(bench, [requests(rng, 12), requests(rng, 12)])


def test_a_block_a_cycle_of_the_pipelined_core_goes_to_one_or_both():
    bench = Bench(datapath="pipelined", sbox="block_ram")  # the S-box that compiles fastest
    bench.reset()
    for client in range(2):
        bench.load(client, 0, bytes(range(client, client + 32)))
    asked = [[Request(1, 300)], [Request(2, 300)]]
    received, times = [[], []], [[], []]
    bench.run(
        *[bench.ask(n, asked[n]) for n in range(2)],
        *[bench.take(n, received[n], 300, times=times[n]) for n in range(2)],
    )
    bench.sim.close()
    assert received == [bench.wanted(n, asked[n]) for n in range(2)]
    assert max(times[0][-1], times[1][-1]) - min(times[0][0], times[1][0]) <= 605


@pytest.mark.parametrize(
    ("sizes", "slots", "message"),
    [((4, 4), 4, "has 4 slots, and the clients 8"), ((4, 3), 7, "powers of two"), ((2, 4), 6, "largest first")],
)
def test_parameters(sizes, slots, message):
    clients = [Client(slots=size, count_bits=8) for size in sizes]
    with pytest.raises(ValueError, match=message):
        CTRService(core=create_core(datapath=128, sbox="table", slots=slots), clients=clients)
