# SPDX-License-Identifier: BSD-2-Clause
"""Test the fast path at its UDP port, with a simple XOR engine instead of AES: stalls at all interfaces, and incomplete
datagrams.
"""

import random
from collections import Counter

import pytest
from litex.soc.interconnect import stream
from migen import Cat, Module, Signal

from gateware.ctr.key_loader import Uses
from gateware.net.events import Event
from gateware.net.records.fast_path import FastPath
from gateware.net.records.session_table import Column
from tests.firmware.records import record_sum
from tests.gateware.net import frames
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.window_model import RECORDS
from tests.gateware.support import Simulation

PORT = 20197
BOARD_IP = 0xC0A8_0133
ROWS = 4


class _Engine(Module):
    """A simple replacement for the AES engine: it XORs each byte with the complement of the key slot's number, and
    queues the results.
    """

    def __init__(self, slot_bits: int, layout):
        self.sink = stream.Endpoint(layout)
        self.source = stream.Endpoint([("data", 32), ("error", 1)])
        self.hold = Signal()
        self.fail = Signal()  # while this signal is 1, the engine marks its output as an error
        self.submodules.queue = queue = stream.SyncFIFO([("data", 32)], 16)
        byte = Signal(8)
        self.comb += [
            byte.eq(~self.sink.slot),
            queue.sink.valid.eq(self.sink.valid),
            queue.sink.data.eq(self.sink.data ^ Cat(*[byte] * 4)),
            self.sink.ready.eq(queue.sink.ready),
            self.source.valid.eq(queue.source.valid & ~self.hold),
            self.source.data.eq(queue.source.data),
            self.source.error.eq(self.fail),
            queue.source.ready.eq(self.source.ready & ~self.hold),
        ]


def encrypted(session: Session, record: bytes) -> bytes:
    """Return the reply that the fast path must send to a record."""
    mask = ~session.slot & 0xFF
    return record[:1] + bytes([record[1] | 0x80]) + record[2:24] + bytes(each ^ mask for each in record[24:])


class Bench:
    def __init__(self):
        top = Module()
        top.submodules.path = self.path = path = FastPath(port=PORT, rows=ROWS, slots=ROWS, buffer_words=512)
        top.submodules.engine = engine = _Engine(2, path.packet.description)
        top.submodules.slots = Uses(ROWS, path.begin, path.end)
        self.slots_under_way = top.slots.used
        top.comb += [
            path.packet.connect(engine.sink),
            engine.source.connect(path.encrypted, keep={"valid", "ready", "data", "error"}),
        ]
        self.hold, self.fail = engine.hold, engine.fail
        table, window = path.table, path.window
        writes = list(table.write.values())
        ports = [path.sink, path.source, path.sender_mac, path.destination, path.usable, path.empty]
        ports += [self.slots_under_way, path.encrypted.valid, path.encrypted.ready, path.ip_address, path.frame_event]
        ports += [path.events.select, path.events.value, engine.hold, engine.fail]
        ports += [table.row, table.word, *writes, table.open, table.close, table.opened, table.in_use]
        self.sim = Simulation(top, *ports, window.place, window.write, window.busy, window.given)

    def open(self, session: Session):
        table, port = self.path.table, session.peer.port
        iv = session.initial.to_bytes(16, "big")
        words = [
            session.number,
            session.peer.ip,
            port,
            session.token % 2**32,
            session.token >> 32,
            session.limit % 2**32,
        ]
        words += [
            session.limit >> 32,
            session.slot,
            *(int.from_bytes(iv[4 * n : 4 * n + 4], "little") for n in range(4)),
            session.record_bytes // 16,
        ]
        window = self.path.window

        def bench():
            yield [table.row.eq(session.row), window.given.base.eq(session.first * session.record_bytes // 16)]
            for place in range(RECORDS):
                yield [window.place.eq(place), window.write.eq(1)]
                yield
                yield window.write.eq(0)
                yield
                while (yield window.busy):
                    yield
            for column, word in zip(Column, words, strict=True):
                yield [table.word.eq(word), table.write[column].eq(1)]
                yield
                yield table.write[column].eq(0)
            yield [table.open.eq(1), self.path.ip_address.eq(BOARD_IP)]
            yield
            yield table.open.eq(0)

        self.sim.run(bench(), max_cycles=1000)

    def counters(self) -> Counter:
        found = Counter()

        def bench():
            for _ in range(12):  # wait until the last event is counted
                yield
            for event in Event:
                yield self.path.events.select.eq(event)
                for _ in range(3):
                    yield
                found[event] = yield self.path.events.value

        self.sim.run(bench(), max_cycles=100)
        return found

    def send(
        self,
        session: Session,
        payload: bytes,
        rng,
        idle: float = 0.0,
        cut: int = 0,
        error: bool = False,
        wrong: int = 0,
    ):
        """Send a datagram to the fast path, in a test bench.

        `cut` words are missing at its end, `error` marks its last word, `wrong` are bits to flip in its length.
        """
        sink, peer = self.path.sink, session.peer
        yield [sink.src_port.eq(peer.port), sink.ip_address.eq(peer.ip), sink.length.eq(len(payload) ^ wrong)]
        yield self.path.sender_mac.eq(peer.mac)
        padding = rng.randbytes(4)
        words = [payload[n : n + 4] + padding[len(payload[n : n + 4]) :] for n in range(0, max(len(payload), 1), 4)]
        words = words[: len(words) - cut]
        for n, word in enumerate(words):
            while rng.random() < idle:
                yield
            last = n == len(words) - 1
            be = 1 << (len(payload) - 1) % 4 if last else 0
            yield [sink.data.eq(int.from_bytes(word, "little")), sink.last.eq(last), sink.last_be.eq(be)]
            yield [sink.error.eq(be if error and last else 0), sink.valid.eq(1)]
            yield
            while not (yield sink.ready):
                yield
            yield sink.valid.eq(0)

    def drained(self):
        """Wait until the fast path has accepted or dropped the last datagram, and all replies have left."""
        yield
        for signal in (self.path.sink.ready, self.path.empty):
            while not (yield signal):
                yield

    def receive(self, received: list, rng, stall: float):
        """Receive datagrams without end; append each to `received` as (address, port, MAC address, payload)."""
        source, payload, checksums = self.path.source, b"", set()
        while True:
            yield source.ready.eq(rng.random() >= stall)
            yield
            if (yield source.valid) and (yield source.ready):
                checksums.add((yield source.checksum))
                payload += (yield source.data).to_bytes(4, "little")[: (yield source.last_be).bit_length() or 4]
                if (yield source.last):
                    assert len(payload) == (yield source.length) and (yield source.src_port) == PORT
                    whom = (yield source.ip_address), (yield source.dst_port), (yield self.path.destination.mac_address)
                    received.append((*whom, payload))
                    summed = frames.summed(BOARD_IP, whom[0], frames.udp(PORT, whom[1], payload))
                    assert checksums == {int.from_bytes(summed[6:8], "big")}
                    payload, checksums = b"", set()


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    simulated.sim.clock(ROWS)  # after a reset, the fast path zeroizes one row of the session table per cycle
    return simulated


def make_sessions(rng: random.Random) -> list[Session]:
    return [
        Session(
            number=rng.getrandbits(32),
            peer=Peer(mac=rng.getrandbits(48), ip=rng.getrandbits(32), port=rng.getrandbits(16)),
            token=rng.getrandbits(64),
            key=b"",
            initial=rng.getrandbits(128),
            row=n,
            slot=(n + 1) % ROWS,
        )
        for n in range(ROWS)
    ]


def difference(before: Counter, after: Counter) -> Counter:
    return +Counter({event: after[event] - before[event] for event in Event})


def answer(session: Session, record: bytes) -> tuple:
    peer = session.peer
    return peer.ip, peer.port, peer.mac, encrypted(session, record)


@pytest.mark.parametrize("idle, stall, hold", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.5), (0.7, 0.6, 0.0), (0.4, 0.4, 0.4)])
def test_datagrams_of_all_sessions(bench, idle, stall, hold):
    rng = random.Random(repr((idle, stall, hold)))
    sessions, received, wanted = make_sessions(rng), [], []
    for session in sessions:
        bench.open(session)
    before = bench.counters()

    def hold_up():
        while True:
            yield bench.hold.eq(rng.random() < hold)
            yield

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for _ in range(60):
            session = rng.choice(sessions)
            record = session.request(session.place(), rng.randbytes(rng.choice((0, 1, 3, 16, 61, 200))))
            cut = rng.random() < 0.2 and len(record) > 24
            if not cut:
                wanted.append(answer(session, record))
            yield from bench.send(session, record, rng, idle, cut=cut and rng.randrange(1, (len(record) - 21) // 4 + 1))
        yield from bench.drained()

    background = [bench.receive(received, rng, stall), hold_up()]
    bench.sim.run(produce(), background=background, max_cycles=20000)
    assert received == wanted
    changes = difference(before, bench.counters())
    assert changes == +Counter({Event.RECORD: len(wanted), Event.LENGTH: 60 - len(wanted)})
    assert bench.sim.peek(bench.path.table.in_use) == bench.sim.peek(bench.slots_under_way) == 0


def test_a_row_closed_in_any_cycle_of_a_record_leaves_no_use_behind(bench):
    """Close a session in each cycle of a record, which zeroizes the session's row in the table. If the fast path has
    already accepted the record, it must still reply and release the key slot. For this purpose, the fast path has
    copied the row's values.
    """
    rng = random.Random(12)
    session, table = make_sessions(rng)[0], bench.path.table

    def close(cycles: int):
        for _ in range(cycles):
            yield
        yield [table.row.eq(session.row), table.close.eq(1)]
        yield
        yield table.close.eq(0)

    answered = []
    for cycles in range(50):
        received = []
        bench.open(session)
        record = session.request(session.place(), rng.randbytes(60))

        def produce(record=record):
            yield bench.path.usable.eq(2**ROWS - 1)
            yield from bench.send(session, record, rng)
            yield from bench.drained()

        background = [bench.receive(received, rng, 0), close(cycles)]
        bench.sim.run(produce(), background=background, max_cycles=2000)
        assert received in ([], [answer(session, record)])
        assert bench.sim.peek(table.in_use) == bench.sim.peek(bench.slots_under_way) == 0
        answered.append(bool(received))
    assert answered == sorted(answered) and len(set(answered)) == 2


def test_an_error_at_the_end_drops_the_reply(bench):
    rng = random.Random(2)
    (session, *_), received = make_sessions(rng), []
    bench.open(session)
    before = bench.counters()
    record = session.request(0, rng.randbytes(50))

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        yield from bench.send(session, record, rng, error=True)
        yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=2000)
    assert received == [answer(session, record)]
    assert difference(before, bench.counters()) == {Event.RECORD: 1, Event.LENGTH: 1}


def test_a_word_without_keystream_drops_the_reply(bench):
    """If there is no keystream for a word of a reply, the fast path drops this reply, but sends all other replies."""
    rng = random.Random(5)
    (session, *_), received = make_sessions(rng), []
    bench.open(session)
    before = bench.counters()
    record = session.request(0, rng.randbytes(40))

    def fail(when):
        """Make the engine report an error for one word: word number `when`, counted over all replies."""
        for _ in range(when):
            while not ((yield bench.path.encrypted.valid) and (yield bench.path.encrypted.ready)):
                yield
            yield
        yield bench.fail.eq(1)
        yield
        while not ((yield bench.path.encrypted.valid) and (yield bench.path.encrypted.ready)):
            yield
        yield bench.fail.eq(0)

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for _ in range(3):
            yield from bench.send(session, record, rng)
        yield
        while not (yield bench.path.empty):
            yield

    for when in range(10, 20):
        bench.sim.run(produce(), fail(when), background=[bench.receive(received, rng, 0)], max_cycles=3000)
    assert received == [answer(session, record)] * 20
    assert difference(before, bench.counters()) == {Event.RECORD: 20, Event.KEY: 10}


def test_a_stalled_transmitter_drops_at_the_door_and_recovers(bench):
    """While no reply can leave, the fast path still reads and counts every datagram.

    Later all accepted datagrams are answered whole.
    """
    rng = random.Random(3)
    sessions, received, sent = make_sessions(rng), [], []
    for session in sessions:
        bench.open(session)
    before = bench.counters()

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for n in range(40):
            session = sessions[n % ROWS]
            record = session.request(session.place(), rng.randbytes(rng.choice((16, 300, 600))))
            sent.append(answer(session, record))
            yield from bench.send(session, record, rng)
        for _ in range(200):
            yield

    bench.sim.run(produce(), max_cycles=20000)
    changes = difference(before, bench.counters())
    assert changes[Event.RECORD] + changes[Event.TRANSMIT_OVERFLOW] == 40
    assert min(changes.values()) > 1

    bench.sim.run(bench.drained(), background=[bench.receive(received, rng, 0.3)], max_cycles=5000)
    assert len(received) == changes[Event.RECORD]
    remaining = iter(sent)
    assert all(each in remaining for each in received), "replies are wrong or out of order"
    record = sessions[1].request(sessions[1].place(), bytes(600))

    def again():
        yield from bench.send(sessions[1], record, rng)
        yield from bench.drained()

    bench.sim.run(again(), background=[bench.receive(received, rng, 0)], max_cycles=5000)
    assert received[-1] == answer(sessions[1], record)


def test_many_small_replies_wait(bench):
    """The transmit queue holds at most 16 replies, even if they are short."""
    rng = random.Random(4)
    (session, *_), received = make_sessions(rng), []
    bench.open(session)
    before = bench.counters()

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for n in range(30):
            yield from bench.send(session, session.request(1456 * n, b""), rng)
        for _ in range(50):
            yield

    bench.sim.run(produce(), max_cycles=5000)
    changes = difference(before, bench.counters())
    assert changes == {Event.RECORD: 16, Event.TRANSMIT_OVERFLOW: 14}

    bench.sim.run(bench.drained(), background=[bench.receive(received, rng, 0)], max_cycles=2000)
    assert received == [answer(session, session.request(1456 * n, b"")) for n in range(16)]


def test_a_record_goes_where_one_begins_and_nowhere_else(bench):
    """The fast path refuses records that are too long, and records that do not begin at a record boundary."""
    rng = random.Random(5)
    (session, *_), received = make_sessions(rng), []
    session.record_bytes = 208
    bench.open(session)
    before = bench.counters()
    good = [session.request(2 * 208, rng.randbytes(200)), session.request(208, rng.randbytes(208))]

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for offset in range(1, 208):
            yield from bench.send(session, session.request(208 + offset, b"data"), rng)
        for length in (209, 211, 212, 224, 416):
            yield from bench.send(session, session.request(208, bytes(length)), rng)
        for record in good:
            yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=20_000)
    assert received == [answer(session, record) for record in good]
    assert difference(before, bench.counters()) == {Event.OFFSET: 195, Event.WINDOW: 12 + 5, Event.RECORD: 2}


@pytest.mark.parametrize("first", [b"some data", b""])
def test_the_same_record_is_answered_again_and_other_data_are_not(bench, first):
    """The fast path answers a repeated record, but refuses a record with different data at the same offset. This also
    holds if the first record was empty. A damaged record does not change the window.
    """
    rng = random.Random(6)
    (session, *_), received = make_sessions(rng), []
    bench.open(session)
    before = bench.counters()
    record = session.request(1456, first)
    damaged = [session.request(1456, b"damaged"), session.request(1456 * 127, b"damaged")]
    others = [b"some dat", b"some data\0", b"Some data", b"", b"\0", rng.randbytes(1400)]
    # A record's checksum has two 32-bit halves. The checksum of the first string below has the same low half as the
    # checksum of `some data`, but a different high half. For the second string, the high half is the same, and the low
    # half differs.
    others += [b" datsomea", b"tome\x1fdat`"]

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for each in damaged:
            yield from bench.send(session, each, rng, error=True)
        yield from bench.send(session, record, rng)
        for data in others:
            if data != first:
                yield from bench.send(session, session.request(1456, data), rng)
            yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=20_000)
    sums = [record_sum(data) for data in (b"some data", *others[-2:])]
    assert len({each % 2**32 for each in sums}) == len({each >> 32 for each in sums}) == 2
    refused = len([data for data in others if data != first])
    assert received == [answer(session, record)] * (1 + len(others))
    changes = {Event.LENGTH: 2, Event.RECORD: len(received), Event.OTHER_DATA: refused}
    assert difference(before, bench.counters()) == changes
    assert bench.sim.peek(bench.path.table.in_use) == bench.sim.peek(bench.slots_under_way) == 0


def test_every_byte_of_a_record_tells_other_data(bench):
    """The fast path refuses a repeated record if any byte differs from the first record. Bytes after the record's end
    are ignored.
    """
    rng = random.Random(8)
    (session, *_), received, wanted = make_sessions(rng), [], []
    bench.open(session)
    before = bench.counters()
    records = [rng.randbytes(length) for length in range(1, 9)]

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for data in records:
            offset = session.place()
            record = session.request(offset, data)
            wanted.extend([answer(session, record)] * (1 + len(data)))
            yield from bench.send(session, record, rng)
            for n in range(len(data)):
                other = data[:n] + bytes([data[n] ^ 1 << rng.randrange(8)]) + data[n + 1 :]
                yield from bench.send(session, session.request(offset, other), rng)
                yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=20_000)
    assert received == wanted
    assert difference(before, bench.counters()) == {
        Event.RECORD: len(wanted),
        Event.OTHER_DATA: 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8,
    }


def test_each_session_has_its_limit(bench):
    """Each session has a limit: an offset in its stream, in bytes. A record can end exactly at the limit, but not one
    byte later. The limits in this test are far apart.
    """
    rng = random.Random(9)
    sessions, received, wanted = make_sessions(rng), [], []
    for session in sessions:
        session.first = ((3 * session.row + 1 << 32) + rng.getrandbits(32)) // session.record_bytes
        session.limit = session.first * session.record_bytes + 100
        bench.open(session)
    before = bench.counters()

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for session in sessions:
            offset, data = session.place(), rng.randbytes(101)
            record = session.request(offset, data[:100])
            wanted.append(answer(session, record))
            for each in (session.request(offset, data), record, session.request(session.place(), b"")):
                yield from bench.send(session, each, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=5000)
    assert received == wanted
    assert difference(before, bench.counters()) == {Event.RECORD: ROWS, Event.LIMIT: 2 * ROWS}


def test_a_wrong_length_drops_the_datagram(bench):
    """The fast path drops a datagram if one bit of its UDP length or of its record's length is wrong."""
    rng = random.Random(10)
    (session, *_), received = make_sessions(rng), []
    bench.open(session)
    before = bench.counters()
    record = session.request(0, rng.randbytes(40))

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for bit in range(16):
            yield from bench.send(session, record, rng, wrong=1 << bit)
            yield from bench.send(session, session.request(0, record[24:], length=40 ^ 1 << bit), rng)
        yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=5000)
    assert received == [answer(session, record)]
    assert difference(before, bench.counters()) == {Event.HEADER: 1, Event.LENGTH: 31, Event.RECORD: 1}


def test_a_window_moves_through_many_laps(bench):
    """Send so many records, with different data, that they fill the record window several times."""
    rng = random.Random(11)
    (session, *_), received, wanted = make_sessions(rng), [], []
    session.record_bytes = 16
    bench.open(session)
    before = bench.counters()

    def produce():
        yield bench.path.usable.eq(2**ROWS - 1)
        for _ in range(4 * RECORDS + 3):
            record = session.request(session.place(), rng.randbytes(4))
            wanted.append(answer(session, record))
            yield from bench.send(session, record, rng)
        yield from bench.drained()

    bench.sim.run(produce(), background=[bench.receive(received, rng, 0)], max_cycles=20_000)
    assert received == wanted
    assert difference(before, bench.counters()) == {Event.RECORD: len(wanted)}


def test_room_is_counted_to_the_word(bench):
    """While no reply can leave, the fast path drops a datagram only if the queue has no room for its reply."""
    rng = random.Random(12)
    (session, *_) = make_sessions(rng)
    bench.open(session)
    for _ in range(8):
        received, wanted, free = [], [], 512
        before = bench.counters()

        def produce(wanted=wanted):
            nonlocal free
            yield [bench.path.usable.eq(2**ROWS - 1), bench.path.source.ready.eq(0)]
            for longest in (500,) * 5 + (200, 40, 20) * 6:
                record = session.request(session.place(), rng.randbytes(rng.randrange(longest)))
                words = -(-len(record) // 4)
                if words <= free and len(wanted) < 16:
                    wanted.append(answer(session, record))
                    free -= words
                yield from bench.send(session, record, rng)
            for _ in range(200):
                yield

        bench.sim.run(produce(), max_cycles=10_000)
        bench.sim.run(bench.drained(), background=[bench.receive(received, rng, 0)], max_cycles=5000)
        assert received == wanted
        changes = difference(before, bench.counters())
        assert changes == +Counter({Event.RECORD: len(wanted), Event.TRANSMIT_OVERFLOW: 23 - len(wanted)})
