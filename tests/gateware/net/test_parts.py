# SPDX-License-Identifier: BSD-2-Clause
"""Tests the fast path's smaller parts, each by itself, in Migen's own simulator."""

import random

import pytest
from liteeth.common import eth_phy_description
from migen import run_simulation

from gateware.net.event_counters import EventCounters
from gateware.net.events import Event
from gateware.net.link.frame_router import FrameRouter
from gateware.net.link.packet_buffer import PacketBuffer
from gateware.net.link.skid import Skid
from gateware.net.records import header
from gateware.net.records.session_table import Column, SessionTable
from gateware.net.records.statistics import Statistics
from gateware.net.udp.neighbours import Neighbours

MAC = 0x02_43_4C_4E_45_02


def packets(rng: random.Random, count: int, longest: int) -> list[list[int]]:
    return [[rng.getrandbits(32) for _ in range(rng.randrange(1, longest + 1))] for _ in range(count)]


def feed(endpoint, words, rng, idle: float):
    """Offer the words of one packet, with pauses."""
    for n, word in enumerate(words):
        while rng.random() < idle:
            yield
        yield endpoint.data.eq(word)
        yield endpoint.last.eq(n == len(words) - 1)
        yield endpoint.last_be.eq(8 if n == len(words) - 1 else 0)
        yield endpoint.valid.eq(1)
        yield
        while not (yield endpoint.ready):
            yield
        yield endpoint.valid.eq(0)


def collect(endpoint, received: list, rng, stall: float, cycles: int):
    """Receive packets during `cycles` cycles; append each packet to `received`."""
    packet = []
    for _ in range(cycles):
        yield endpoint.ready.eq(rng.random() >= stall)
        yield
        if (yield endpoint.valid) and (yield endpoint.ready):
            packet.append((yield endpoint.data))
            if (yield endpoint.last):
                received.append(packet)
                packet = []
    assert not packet, "a packet has no end"


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.6), (0.4, 0.4)])
def test_skid_passes_each_word_once_and_keeps_none(idle, stall):
    """The skid buffer must pass each word exactly once. After a packet and one further word of 0, the buffer must
    contain no data of the packet.
    """
    rng = random.Random(repr((idle, stall)))
    skid = Skid(eth_phy_description(32))
    sent, received = packets(rng, 40, 20), []

    def produce():
        for packet in sent:
            yield from feed(skid.sink, packet, rng, idle)
        while (yield skid.source.valid):
            yield
        yield from feed(skid.sink, [0], rng, 0)
        yield
        assert (yield skid.held.data) == 0

    run_simulation(skid, [produce(), collect(skid.source, received, rng, stall, 2500)])
    assert received == [*sent, [0]]


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_packet_buffer_gives_what_was_committed(stall):
    rng = random.Random(1)
    buffer = PacketBuffer(depth=64)
    sent, received = packets(rng, 40, 20), []
    kept = []

    def produce():
        for packet in sent:
            yield from feed(buffer.sink, packet, rng, 0.2)
            while not (yield buffer.deciding):
                yield
            drop, overflow = rng.random() < 0.3, (yield buffer.overflow)
            for _ in range(rng.randrange(3)):
                yield
                assert not (yield buffer.sink.ready)
            yield (buffer.drop if drop else buffer.commit).eq(1)
            yield
            yield [buffer.drop.eq(0), buffer.commit.eq(0)]
            yield
            if not drop and not overflow:
                kept.append(packet)

    run_simulation(buffer, [produce(), collect(buffer.source, received, random.Random(2), stall, 2500)])
    assert len(kept) > 10
    assert received == kept


def test_packet_buffer_loses_whole_packets_when_full():
    buffer = PacketBuffer(depth=16)
    sent, received, lost = [[n] * 8 for n in range(4)], [], []

    def produce():
        for packet in sent:
            yield from feed(buffer.sink, packet, random.Random(0), 0)
            while not (yield buffer.deciding):
                yield
            if (yield buffer.overflow):
                lost.append(packet)
            yield buffer.commit.eq(1)
            yield
            yield buffer.commit.eq(0)
            yield
        yield from collect(buffer.source, received, random.Random(0), 0, 60)

    run_simulation(buffer, produce())
    assert received + lost == sent[:2] + sent[2:] and len(received) == 2


def test_packet_buffer_rejects_other_depths():
    with pytest.raises(ValueError):
        PacketBuffer(depth=48)


def test_router_by_destination():
    rng = random.Random(3)
    router = FrameRouter(mac_address=MAC)
    targets = {MAC: ("hardware",), 2**48 - 1: ("hardware", "cpu"), MAC ^ 1 << 20: ("cpu",)}
    wanted, got = {"hardware": [], "cpu": []}, {"hardware": [], "cpu": []}
    frames = []
    for _ in range(30):
        target = rng.choice(list(targets))
        size = rng.randrange(1, 12)
        address = target.to_bytes(6, "big")
        words = [
            int.from_bytes(address[:4], "little"),
            int.from_bytes(address[4:], "little") | rng.getrandbits(16) << 16,
        ]
        words = (words + [rng.getrandbits(32) for _ in range(12)])[:size]
        frames.append(words)
        if size > 2:
            for name in targets[target]:
                wanted[name].append(words)
    runts = []

    def produce():
        for words in frames:
            yield from feed(router.sink, words, rng, 0.3)
        for _ in range(5):
            yield

    def observe(name):
        endpoint, packet = getattr(router, name), []
        for _ in range(600):
            yield
            if (yield endpoint.valid):
                packet.append((yield endpoint.data))
                if (yield endpoint.last):
                    got[name].append(packet)
                    packet = []
            if name == "cpu" and (yield router.runt):
                runts.append(1)

    run_simulation(router, [produce(), observe("hardware"), observe("cpu")])
    assert got == wanted
    assert len(runts) == sum(len(words) <= 2 for words in frames) > 0


@pytest.mark.parametrize("address", [0, 0x01_00_5E_00_00_01, 2**48])
def test_router_rejects_group_addresses(address):
    with pytest.raises(ValueError):
        FrameRouter(mac_address=address)


def test_neighbours():
    dut = Neighbours()
    answers = []

    def ask(address):
        yield [dut.request.ip_address.eq(address), dut.request.valid.eq(1)]
        yield
        yield dut.request.valid.eq(0)
        yield
        assert (yield dut.response.valid)
        answers.append(None if (yield dut.response.failed) else (yield dut.response.mac_address))
        yield dut.response.ready.eq(1)
        yield
        yield dut.response.ready.eq(0)
        yield
        assert not (yield dut.response.valid)

    def bench():
        yield from ask(0)
        yield [dut.destination.waits.eq(1), dut.destination.ip_address.eq(10), dut.destination.mac_address.eq(0xA0)]
        yield [dut.station.ip_address.eq(20), dut.station.mac_address.eq(0xB0)]
        yield from ask(20)
        yield dut.learn.eq(1)
        yield
        yield dut.learn.eq(0)
        yield [dut.station.ip_address.eq(30), dut.station.mac_address.eq(0xC0)]
        for address in (10, 20, 30):
            yield from ask(address)

    run_simulation(dut, bench())
    assert answers == [None, None, 0xA0, 0xB0, None]


def test_event_counters_lose_nothing():
    dut = EventCounters(sources=3)
    rng = random.Random(4)
    totals = dict.fromkeys(Event, 0)

    def source(sink):
        for _ in range(60):
            code = rng.choice(list(Event))
            totals[code] += 1
            yield [sink.code.eq(code), sink.valid.eq(1)]
            yield
            yield sink.valid.eq(0)
            for _ in range(8 + rng.randrange(5)):
                yield

    def check():
        for _ in range(900):
            yield
        for event in Event:
            yield dut.select.eq(event)
            yield
            yield
            assert (yield dut.value) == totals[event]

    def watch():
        """Watch one event counter while several sources report events. In each cycle, the counter must either keep its
        value or rise by 1.
        """
        yield dut.select.eq(Event.OTHER_DATA)
        for _ in range(4):
            yield
        shown = 0
        for _ in range(700):
            value = yield dut.value
            assert value in (shown, shown + 1)
            shown = value
            yield

    run_simulation(dut, [*(source(sink) for sink in dut.sinks), check(), watch()])
    assert sum(totals.values()) == 180


def test_session_table():
    rng = random.Random(5)
    dut = SessionTable(rows=4, slots=4)
    rows = [{column: rng.getrandbits(32) for column in Column} for _ in range(4)]

    def write(row, column, value):
        yield [dut.row.eq(row), dut.word.eq(value), dut.write[column].eq(1)]
        yield
        yield dut.write[column].eq(0)

    def pulse(signal, row):
        yield [dut.row.eq(row), signal.eq(1)]
        yield
        yield signal.eq(0)
        yield

    def find(number):
        yield [dut.number.eq(number), dut.search.eq(1)]
        yield
        yield dut.search.eq(0)
        yield
        cycles = 0
        while (yield dut.searching):
            cycles += 1
            yield
        assert cycles == 5  # a search takes 5 cycles after the cycle in which `search` starts it
        if not (yield dut.found):
            return None
        fields = []
        for signal in (dut.found_row, dut.peer_ip, dut.peer_port, dut.token, dut.limit, dut.slot):
            fields.append((yield signal))
        yield
        return [*fields, (yield dut.initial)]

    def closed_meanwhile(row, when):
        """Start a search for a session. Close the session's table row `when` cycles later, and reopen the row one cycle
        after that. Return whether the search finds the row.
        """
        yield from pulse(dut.open, row)
        yield [dut.number.eq(0), dut.search.eq(1), dut.row.eq(row)]
        yield
        yield dut.search.eq(0)
        for cycle in range(12):
            yield [dut.close.eq(cycle == when), dut.open.eq(cycle == when + 1)]
            yield
        assert (yield dut.opened) >> row & 1
        found = yield dut.found
        yield from pulse(dut.close, row)
        return found

    def bench():
        for _ in range(4):  # the table is locked until it has set all rows to zero
            assert (yield dut.locked)
            yield
        for row, columns in enumerate(rows):
            for column, value in columns.items():
                yield from write(row, column, value)
            assert (yield from find(columns[Column.SESSION])) is None
        for row in range(4):
            yield from pulse(dut.open, row)
        for row, columns in enumerate(rows):
            yield from write(row, Column.TOKEN_LO, 0)  # ignored: it is open
            low_high = [
                columns[Column.TOKEN_LO] | columns[Column.TOKEN_HI] << 32,
                columns[Column.LIMIT_LO] | columns[Column.LIMIT_HI] << 32,
            ]
            initial = sum(columns[Column(Column.IV0 + n)] << 32 * n for n in range(4))
            wanted = [
                row,
                columns[Column.PEER_IP],
                columns[Column.PEER_PORT] & 0xFFFF,
                *low_high,
                columns[Column.SLOT] & 3,
                initial,
            ]
            assert (yield from find(columns[Column.SESSION])) == wanted
        yield from pulse(dut.close, 2)
        assert (yield dut.opened) == 0b1011
        assert (yield from find(rows[2][Column.SESSION])) is None
        yield dut.in_use.eq(0b0100)
        yield from pulse(dut.open, 2)  # refused: in use
        assert (yield dut.opened) == 0b1011
        yield dut.in_use.eq(0)
        yield from pulse(dut.open, 2)
        # Row 2 is open again. All its fields are 0, because the row was cleared when it was closed.
        assert (yield from find(0)) == [2, 0, 0, 0, 0, 0, 0]
        for row in range(4):
            yield from pulse(dut.close, row)
        for row in range(4):
            found = []
            for when in range(10):
                found.append((yield from closed_meanwhile(row, when)))
            # The search must find the row if the row was closed and reopened before the search reached it. In all other
            # cases, the search must not find the row.
            assert found == [int(when < row) for when in range(10)], found

    run_simulation(dut, bench())


def test_statistics():
    rng = random.Random(6)
    dut = Statistics(rows=4)
    totals = {row: [0, 0, 0] for row in range(4)}

    def bench():
        for _ in range(100):
            row, length = rng.randrange(4), rng.randrange(1500)
            totals[row][0] += length
            totals[row][1] += (length + 15) // 16
            totals[row][2] += 1
            yield [dut.record.row.eq(row), dut.record.length.eq(length), dut.record.valid.eq(1)]
            yield
            yield dut.record.valid.eq(rng.random() < 0)
            yield
        yield [dut.row.eq(1), dut.clear.eq(1)]
        yield
        yield dut.clear.eq(0)
        yield
        yield
        totals[1] = [0, 0, 0]
        for row in range(4):
            yield [dut.row.eq(row), dut.capture.eq(1)]
            yield
            yield dut.capture.eq(0)
            for _ in range(3):
                yield
            assert [(yield dut.values.bytes), (yield dut.values.blocks), (yield dut.values.records)] == totals[row]

    run_simulation(dut, bench())


def test_header_is_the_wire_layout():
    assert header.HEADER_BYTES == 24
    record = header.header_record("header")
    assert len(record.raw_bits()) == 8 * header.HEADER_BYTES
    assert header.word_of("session") == 1
    with pytest.raises(ValueError):
        header.word_of("nothing")
