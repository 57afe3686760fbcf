# SPDX-License-Identifier: BSD-2-Clause
"""Test the fast path with LiteEth at a simulated GMII: traffic, faulty frames, and event counters."""

import random
from array import array
from collections import Counter

import pytest
from cipherlane_base.wire.layout import VERSION

from gateware.net.events import Event
from tests.gateware.net import frames
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import CORE, RESET_CYCLES, GMIIBoard
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, BOARD_PORT, datagram, expected, on_wire, parse
from tests.gateware.net.window_model import Window

DATA_MAX = 1448
OTHER_MAC = 0x02_00_00_00_00_99
# Maps each decision of `window_model` to the event that the board must count.
EVENTS = {"answered": Event.RECORD, "window": Event.WINDOW, "other_data": Event.OTHER_DATA}


@pytest.fixture(scope="module")
def model():
    model = GMIIBoard(sys_hz=75_000_000, **CORE)
    yield model
    model.close()


@pytest.fixture
def board(model):
    model.set_clock(75_000_000)
    model.reset()
    return model


def make_sessions(rng: random.Random, count: int) -> list[Session]:
    """Return `count` sessions of three hosts, with all key lengths."""
    return [
        Session(
            number=rng.getrandbits(32),
            peer=Peer(mac=0x02_00_00_00_01_00 + n % 3, ip=0xC0A8_0164 + n % 3, port=40000 + n),
            token=rng.getrandbits(64),
            key=rng.randbytes((16, 24, 32)[n % 3]),
            initial=rng.getrandbits(128) if n % 2 else 2**128 - 1 - n,
            row=n,
            slot=7 - n,
        )
        for n in range(count)
    ]


def open_all(board: GMIIBoard, sessions: list[Session]) -> None:
    for session in sessions:
        board.open(session)


def frames_of(sent) -> list[bytes]:
    return [each.frame for each in sent]


def counted(board: GMIIBoard) -> Counter:
    return Counter({event: count for event, count in board.counters().items() if count})


def assert_empty(board: GMIIBoard, sessions: list[Session]) -> None:
    """Assert that no datagram is in progress. Then send one record in each session, and assert that the board sends
    only the answer to this record.
    """
    assert board.read("in_use") == 0
    for session in sessions:
        offset = session.place()
        sent = board.exchange(on_wire(datagram(session, session.request(offset, b"end"))))
        assert frames_of(sent) == [expected(session, session.reply(offset, b"end"))]


def flipped(frame: bytes, position: int, bit: int) -> bytes:
    """Return the frame with one bit changed. The caller appends the check sequence later. So the check sequence is
    right for the changed frame.
    """
    return frame[:position] + bytes([frame[position] ^ 1 << bit]) + frame[position + 1 :]


# Returns faulty datagrams: a dictionary that maps each name to (event that the board must count, frame).
def _faults(rng: random.Random, session: Session) -> dict:
    data = rng.randbytes(rng.choice((1, 16, 100, 500)))
    place = session.place()
    good = session.request(place, data)
    peer = session.peer
    stranger = Session(**{**vars(session), "peer": Peer(mac=peer.mac, ip=peer.ip ^ 1, port=peer.port)})
    other_port = Session(**{**vars(session), "peer": Peer(mac=peer.mac, ip=peer.ip, port=peer.port ^ 0x100)})

    def sent_by(**changes) -> bytes:
        return datagram(Session(**{**vars(session), "peer": Peer(**{**vars(peer), **changes})}), good)

    def packet(payload: bytes, udp_length: int | None = None, to=BOARD_IP, port=BOARD_PORT, **changes) -> bytes:
        body = frames.udp(peer.port, port, payload, length=udp_length)
        return frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, frames.ipv4(peer.ip, to, frames.UDP, body, **changes))

    summed = datagram(session, good)
    size = 14 + 20 + 8 + len(good)
    unsummed = packet(good)
    return {
        "data damaged": (Event.CHECKSUM, flipped(summed, rng.randrange(66, size), rng.randrange(8))),
        "header damaged": (Event.CHECKSUM, flipped(summed, rng.randrange(42, 66), rng.randrange(8))),
        "port damaged": (Event.CHECKSUM, flipped(summed, rng.randrange(34, 38), rng.randrange(8))),
        "checksum damaged": (Event.CHECKSUM, flipped(summed, rng.randrange(40, 42), rng.randrange(8))),
        "checksum that is not there": (Event.CHECKSUM, unsummed[:40] + b"\x47\x11" + unsummed[42:]),
        "addresses of another packet": (Event.CHECKSUM, unsummed[:34] + datagram(stranger, good)[34:]),
        "IPv4 damaged": (Event.CHECKSUM, flipped(summed, rng.choice((15, 18, 22, 25, 27)), rng.randrange(8))),
        "IPv4 damaged, no UDP checksum": (Event.CHECKSUM, flipped(unsummed, 22, rng.randrange(8))),
        "from a group of stations": (Event.SOURCE, sent_by(mac=0x01_00_5E_00_00_01)),
        "from all stations": (Event.SOURCE, sent_by(mac=frames.BROADCAST)),
        "from a multicast address": (Event.SOURCE, sent_by(ip=rng.randrange(0xE000_0000, 0xF000_0000))),
        "from all addresses": (Event.SOURCE, sent_by(ip=0xFFFF_FFFF)),
        "from the net's broadcast address": (Event.SOURCE, sent_by(ip=BOARD_IP | 0xFF)),
        "from no address": (Event.SOURCE, sent_by(ip=0)),
        "echo request from all addresses": (
            Event.SOURCE,
            frames.ethernet(
                BOARD_MAC,
                peer.mac,
                frames.IPV4,
                frames.ipv4(BOARD_IP | 0xFF, BOARD_IP, frames.ICMP, frames.echo(8, 1, 1, bytes(8))),
            ),
        ),
        "ARP request from a group": (
            Event.SOURCE,
            frames.ethernet(
                frames.BROADCAST, 0x01_00_5E_00_00_01, frames.ARP, frames.arp(1, peer.mac, peer.ip, 0, BOARD_IP)
            ),
        ),
        "ARP request for all stations": (
            Event.SOURCE,
            frames.ethernet(BOARD_MAC, peer.mac, frames.ARP, frames.arp(1, frames.BROADCAST, peer.ip, 0, BOARD_IP)),
        ),
        "another type": (Event.UNSERVED, frames.ethernet(BOARD_MAC, peer.mac, 0x88B5, good)),
        "another address": (Event.UNSERVED, packet(good, to=BOARD_IP ^ 1 << rng.randrange(32))),
        "another port": (Event.UNSERVED, packet(good, port=BOARD_PORT ^ 1 << rng.randrange(16))),
        "header": (Event.HEADER, packet(good[: rng.randrange(24)])),
        "version": (Event.VERSION, packet(session.request(place, data, version=VERSION + 1))),
        "type": (Event.TYPE, packet(session.request(place, data, type=rng.choice((1, 2, 4, 0x83))))),
        "length short": (Event.LENGTH, packet(session.request(place, data, length=len(data) - 1))),
        "length long": (
            Event.LENGTH,
            packet(session.request(place, data, length=len(data) + rng.choice((1, 4, 0x8000)))),
        ),
        "offset": (Event.OFFSET, packet(session.request(place + rng.randrange(1, 16), data))),
        "session": (
            Event.SESSION,
            packet(session.request(place, data, session=session.number ^ 1 << rng.randrange(32))),
        ),
        "address": (Event.PEER, datagram(stranger, good)),
        "port": (Event.PEER, datagram(other_port, good)),
        "token": (Event.TOKEN, packet(session.request(place, data, token=session.token ^ 1 << rng.randrange(64)))),
        "limit": (Event.LIMIT, packet(session.request(2**64 - 16, data + bytes(16)))),
        "no record begins there": (Event.WINDOW, packet(session.request(place + 16 * rng.randrange(1, 91), data))),
        "beyond the window": (Event.WINDOW, packet(session.request(session.record_bytes * 10**6, data))),
        "beyond 2^36 bytes": (Event.WINDOW, packet(session.request(place + 2 ** rng.randrange(36, 64), data))),
        "frame too short": (Event.FRAME_LENGTH, packet(good)[: rng.randrange(12, 60)]),
        "runt": (Event.FRAME_LENGTH, packet(good)[: rng.randrange(5, 9)]),
        "frame too long": (Event.FRAME_LENGTH, packet(session.request(place, bytes(1600)))),
        "truncated": (Event.IPV4, packet(session.request(place, data + bytes(40)))[: -rng.randrange(1, 36)]),
        "behind the packet": (Event.IPV4, packet(good) + bytes(80)),
        "total length": (Event.IPV4, packet(session.request(place, data + bytes(40)), total=48)),
        "UDP length": (Event.IPV4, packet(good, udp_length=8 + len(good) - 1)),
        "fragment": (Event.IPV4, packet(good, fragment=0x2000)),
        "last fragment": (Event.IPV4, packet(good, fragment=0x00B9)),
    }


def test_every_size_and_key_length(board):
    rng = random.Random(1)
    sessions = make_sessions(rng, 8)
    open_all(board, sessions)
    sizes = [*range(0, 20), 63, 64, 65, 1000, 1440, *range(DATA_MAX - 3, DATA_MAX + 1)]
    script, answers, totals = array("H"), [], Counter()
    for n, size in enumerate(sizes):
        session, data = sessions[n % 8], rng.randbytes(size)
        offset = session.place()
        script += on_wire(datagram(session, session.request(offset, data)))
        answers.append(expected(session, session.reply(offset, data)))
        totals[session.row, "bytes"] += size
        totals[session.row, "blocks"] += (size + 15) // 16
        totals[session.row, "records"] += 1
    assert frames_of(board.exchange(script)) == answers
    assert counted(board) == {Event.RECORD: len(sizes)}
    for row in range(8):
        assert board.statistics(row) == tuple(totals[row, name] for name in ("bytes", "blocks", "records"))


def test_a_checksum_is_checked_only_if_there_is_one_and_always_sent(board):
    """A UDP checksum field of 0 means that the datagram has no checksum.

    So a checksum that computes to 0 must be sent as 0xFFFF, both ways.
    """
    rng = random.Random(12)
    (session,) = sessions = make_sessions(rng, 1)
    open_all(board, sessions)
    peer, script, answers = session.peer, array("H"), []
    for size in (2, 3, 40, 41, 1000, DATA_MAX):
        data = rng.randbytes(size)
        place = session.place()
        body = frames.udp(peer.port, BOARD_PORT, session.request(place, data))
        packet = frames.ipv4(peer.ip, BOARD_IP, frames.UDP, body)
        script += on_wire(frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, packet))
        answers.append(expected(session, session.reply(place, data)))
        # Choose the data so that the UDP checksum of the next reply computes to 0. For this purpose, the first two data
        # bytes are the checksum that the reply has while these bytes are 0. The request after that is made in the same
        # way.
        data, place = bytes(2) + data[2:], session.place()
        counter = session.initial + place // 16
        there = frames.ctr(session.key, counter, data)
        reply = expected(session, session.request(place, bytes(2) + there[2:], type=0x83))
        data = frames.ctr(session.key, counter, reply[40:42] + there[2:])
        script += on_wire(datagram(session, session.request(place, data)))
        answers.append(expected(session, session.reply(place, data)))
        assert answers[-1][40:42] == b"\xff\xff"
        place = session.place()
        request = datagram(session, session.request(place, bytes(2) + data[2:]))
        data = request[40:42] + data[2:]
        request = datagram(session, session.request(place, data))
        assert request[40:42] == b"\xff\xff"
        script += on_wire(request)
        answers.append(expected(session, session.reply(place, data)))
    assert frames_of(board.exchange(script)) == answers
    assert counted(board) == {Event.RECORD: len(answers)}


@pytest.mark.parametrize("clock", [50_000_000, 100_000_000])
def test_faults_among_good_records(board, clock):
    board.set_clock(clock)
    rng = random.Random(clock)
    sessions = make_sessions(rng, 6)
    open_all(board, sessions)
    script, answers, events = array("H"), [], Counter()
    for _ in range(150):
        session = rng.choice(sessions)
        if rng.random() < 0.5:
            data = rng.randbytes(rng.choice((0, 1, 16, 64, 300, DATA_MAX)))
            place = session.place()
            frame = datagram(session, session.request(place, data))
            if rng.random() < 0.15:
                broken = bytearray(frames.with_fcs(frame))
                broken[rng.randrange(6, len(broken))] ^= 1 << rng.randrange(8)
                script += on_wire(bytes(broken), fcs=False)
                events[Event.FCS] += 1
                continue
            script += on_wire(frame, gap=rng.choice((12, 12, 40)), preamble=frames.PREAMBLE[rng.randrange(3) :])
            answers.append(expected(session, session.reply(place, data)))
            events[Event.RECORD] += 1
        else:
            event, frame = rng.choice(list(_faults(rng, session).values()))
            script += on_wire(frame, gap=rng.choice((12, 40)))
            events[event] += 1
    assert frames_of(board.exchange(script)) == answers
    assert counted(board) == events
    assert_empty(board, sessions)


def test_overload_loses_whole_frames_and_counts_them(board):
    """At 40 MHz, the AES core is too slow for AES-256 at 1 Gb/s, so the receive buffer overflows."""
    board.set_clock(40_000_000)
    rng = random.Random(11)
    (*_, session) = sessions = make_sessions(rng, 3)
    open_all(board, sessions)
    script, answers = array("H"), []
    for _ in range(60):
        data = rng.randbytes(DATA_MAX)
        place = session.place()
        script += on_wire(datagram(session, session.request(place, data)))
        answers.append(expected(session, session.reply(place, data)))
    sent = frames_of(board.exchange(script, drain=100_000))
    remaining = iter(answers)
    assert all(frame in remaining for frame in sent), "answers are wrong or out of order"
    assert 40 < len(sent) < 60
    assert counted(board) == {Event.RECORD: len(sent), Event.RECEIVE_OVERFLOW: 60 - len(sent)}
    assert_empty(board, sessions)


def test_every_fault_is_counted_once_and_never_answered(board):
    rng = random.Random(3)
    (session,) = sessions = make_sessions(rng, 1)
    open_all(board, sessions)
    for name, (event, frame) in _faults(rng, session).items():
        before = board.counters()
        assert board.exchange(on_wire(frame), drain=8000) == [], name
        after = board.counters()
        assert {each for each in Event if after[each] != before[each]} == {event}, name
        assert after[event] == before[event] + 1
    assert_empty(board, sessions)


# System clocks, in Hz. Each differs very little from the wire's clock, or from a simple fraction of it, so that clock
# edges occur in every order.
@pytest.mark.parametrize("clock", [125_006_250, 124_993_750, 62_503_125, 75_003_750, 99_995_000])
def test_phases_drift(board, clock):
    """The phase between system clock and wire clock drifts by a cycle or more. The board must answer every record."""
    board.set_clock(clock)
    board.reset()
    rng = random.Random(clock)
    sessions = make_sessions(rng, 3)
    open_all(board, sessions)
    script, answers = array("H"), []
    while len(script) < 25_000:
        session, data = rng.choice(sessions), rng.randbytes(rng.choice((0, 1, 16, 40, 200)))
        place = session.place()
        script += on_wire(datagram(session, session.request(place, data)), gap=rng.choice((12, 13, 14, 15, 60)))
        answers.append(expected(session, session.reply(place, data)))
    assert frames_of(board.exchange(script)) == answers
    assert counted(board) == {Event.RECORD: len(answers)}


def test_reset_in_mid_operation(board):
    """Reset the board at any point of the traffic. Answers before the reset are correct, but the reset can cut off the
    last answer. After the reset, the board sends no old data.
    """
    rng = random.Random(14)
    sessions = make_sessions(rng, 2)
    script, allowed = array("H"), []
    for size in (16, 300, 64, 700, 1):
        for session in sessions:
            data = rng.randbytes(size)
            place = session.place()
            script += on_wire(datagram(session, session.request(place, data)))
            allowed.append(expected(session, session.reply(place, data)))
    answered = 0
    for n in range(32):
        open_all(board, sessions)
        instant = 400 + 97 * n + n % 7
        sent, _, _ = board.run(script + array("H", bytes(2 * 3000)), [(instant, "reset", 0)] * RESET_CYCLES)
        cut = next((at for at in range(instant, len(sent)) if not sent[at]), len(sent))
        assert cut - instant < 8 and not any(sent[cut:])
        # Find the last idle byte before the reset. If the reset interrupted a frame, the incomplete frame comes after
        # this byte.
        for at in range(cut, 0, -1):
            if at < instant and not sent[at]:
                break
        found = frames_of(parse(sent[: at + 1]))
        assert found == allowed[: len(found)]
        answered += len(found)
        board.wait()
        assert board.read("opened") == board.read("in_use") == board.read("key_valid") == 0
    assert 32 < answered < 32 * 8
    open_all(board, sessions)
    assert_empty(board, sessions)
    assert frames_of(board.exchange(script)) == allowed


def test_noise_and_interrupted_frames(board):
    rng = random.Random(4)
    sessions = make_sessions(rng, 2)
    open_all(board, sessions)
    script = array("H")
    for _ in range(120):
        script += on_wire(rng.randbytes(rng.randrange(1, 200)), fcs=False, preamble=frames.PREAMBLE[rng.randrange(9) :])
    assert board.exchange(script) == []
    assert_empty(board, sessions)


def test_sessions_closed_and_opened_in_flight(board):
    """Close a session and open another one during the traffic. Each answer uses its session's key. A closed session
    gets no answers.
    """
    rng = random.Random(5)
    old, other = make_sessions(rng, 2)
    new = Session(**{**vars(old), "key": rng.randbytes(32), "token": rng.getrandbits(64), "number": old.number + 1})
    open_all(board, [old, other])
    script, allowed = array("H"), {}
    operations = []
    for n in range(60):
        for session in (old, other, new):
            data = rng.randbytes(rng.choice((16, 100, 700)))
            place = session.place()
            script += on_wire(datagram(session, session.request(place, data)))
            allowed[expected(session, session.reply(place, data))] = session
        if n == 20:
            at = len(script) - rng.randrange(1000)
            operations += board.operations.close(old, at)
            operations += board.operations.load_key(new.slot, new.key, at)
        if n == 30:
            window = Window(new.record_bytes // 16)
            operations += board.operations.write_window(new.row, window, len(script))
        if n == 40:
            operations += board.operations.open(new, len(script))
    answers = frames_of(board.exchange(script, operations))
    assert len(set(answers)) == len(answers)
    by_session = Counter(allowed[frame].number for frame in answers)
    assert by_session[other.number] == 60
    assert 18 <= by_session[old.number] <= 21
    assert 18 <= by_session[new.number] <= 20
    events = counted(board)
    assert events == {Event.RECORD: len(answers), Event.SESSION: 180 - len(answers)}
    assert_empty(board, [other, new])


def test_a_record_is_answered_again_and_other_data_never(board):
    """The board answers a repeated record again, even after damaged frames. It also answers the record again if the
    session was closed and reopened in another row of the session table. The board never answers a record with different
    data at the same offset.
    """
    rng = random.Random(13)
    (session, other) = make_sessions(rng, 2)
    session.record_bytes, session.first = 160, 2**20
    board.open(session)
    board.open(other)
    windows = {session.number: Window(10, session.first), other.number: Window(91)}
    sent = {session.number: {}, other.number: {}}

    def play(records: int) -> Counter:
        script, answers, events = array("H"), [], Counter()
        for _ in range(records):
            each = rng.choice((session, session, other))
            window, before = windows[each.number], sent[each.number]
            number = window.first + rng.choice((0, 1, rng.randrange(20), rng.randrange(135), -1))
            data = rng.randbytes(rng.choice((0, 1, 16, 160, 160, 161)))
            if number in before and rng.random() < 0.5:
                data = before[number]
            offset = max(number, 0) * each.record_bytes
            frame = datagram(each, each.request(offset, data))
            if rng.random() < 0.1:
                broken = bytearray(frames.with_fcs(frame))
                broken[rng.randrange(42, len(broken))] ^= 1 << rng.randrange(8)
                script += on_wire(bytes(broken), fcs=False)
                events[Event.FCS] += 1
                continue
            script += on_wire(frame)
            event = EVENTS[window.decide(offset // 16, data)]
            if event == Event.RECORD:
                before[number] = data
                answers.append(expected(each, each.reply(offset, data)))
            events[event] += 1
        assert frames_of(board.exchange(script)) == answers
        return events

    events = play(250)
    board.run(array("H"), board.operations.close(session))
    assert board.read("in_use") == 0
    kept = board.window(session)
    assert kept == windows[session.number]
    session = Session(**{**vars(session), "row": 7, "number": session.number ^ 1})
    windows[session.number], sent[session.number] = kept, sent.pop(session.number ^ 1)
    board.open(session, kept)
    events += play(150)
    assert min(events[each] for each in (Event.RECORD, Event.OTHER_DATA, Event.WINDOW, Event.FCS)) > 20
    assert counted(board) == events
    assert all(board.window(each) == windows[each.number] for each in (session, other))


def test_key_changed_under_an_open_session(board):
    """Load a new key while the session is open. The board encrypts each datagram entirely under the old or the new key,
    or drops it because the slot holds no key.
    """
    rng = random.Random(6)
    (session,) = make_sessions(rng, 1)
    board.open(session)
    changed = Session(**{**vars(session), "key": rng.randbytes(32)})
    script, kinds = array("H"), {}
    for n in range(40):
        data = rng.randbytes(80)
        script += on_wire(datagram(session, session.request(1456 * n, data)))
        kinds[expected(session, session.reply(1456 * n, data))] = "old"
        kinds[expected(changed, changed.reply(1456 * n, data))] = "new"
    answers = frames_of(board.exchange(script, board.operations.load_key(changed.slot, changed.key, len(script) // 2)))
    order = [kinds[frame] for frame in answers]
    assert order == sorted(order, reverse=True) and {"old", "new"} == set(order)
    assert counted(board) == Counter({Event.RECORD: len(order), Event.KEY: 40 - len(order)}) - Counter()


def test_clear_key_and_zeroize(board):
    rng = random.Random(7)
    sessions = make_sessions(rng, 3)
    open_all(board, sessions)
    frame = datagram(sessions[0], sessions[0].request(0, bytes(64)))
    board.write("key_config", sessions[0].slot << 4)
    board.command("clear_key")
    assert board.exchange(on_wire(frame)) == []
    assert board.read("key_valid") == 1 << sessions[1].slot | 1 << sessions[2].slot
    board.command("zeroize")
    for session in sessions:
        assert board.exchange(on_wire(datagram(session, session.request(0, bytes(64))))) == []
    assert board.read("key_valid") == 0
    assert counted(board) == {Event.KEY: 4}


def test_refused_commands(board):
    (session,) = make_sessions(random.Random(8), 1)
    board.open(session)

    def refused(*operations) -> bool:
        board.run(array("H"), list(operations))
        return bool(board.read("status") & board.bit("status", "refused"))

    assert refused((0, "token_lo", 1))
    board.command()
    assert not refused()
    assert refused((0, "control", board.bit("control", "open")))
    assert refused((0, "window_came", 1), (0, "control", board.bit("control", "write_window")))
    assert not refused((0, "control", board.bit("control", "read_window")), (0, "row", session.row))
    assert board.window(session) == Window(session.record_bytes // 16)
    assert not refused((0, "key_config", 3), (0, "control", 0))
    assert refused((0, "control", board.bit("control", "load_key")))
    assert board.read("key_valid") == 1 << session.slot
    assert_empty(board, [session])
    assert [board.read(name) for name in ("token_lo", "iv0", "key0", "session")] == [0, 0, 0, 0]


def test_arp_and_echo_in_hardware(board):
    peers = [Peer(mac=0x02_00_00_00_02_00 + n, ip=0xC0A8_0110 + n) for n in range(3)]
    for n, peer in enumerate(peers):
        request = frames.arp(1, peer.mac, peer.ip, 0, BOARD_IP)
        answer = frames.ethernet(peer.mac, BOARD_MAC, frames.ARP, frames.arp(2, BOARD_MAC, BOARD_IP, peer.mac, peer.ip))
        question = frames.ethernet(frames.BROADCAST, peer.mac, frames.ARP, request)
        assert frames_of(board.exchange(on_wire(question), drain=4000)) == [answer]
        body = random.Random(n).randbytes(56)
        ping = frames.ipv4(peer.ip, BOARD_IP, frames.ICMP, frames.echo(8, 1, n, body))
        (pong,) = frames_of(
            board.exchange(on_wire(frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, ping)), drain=4000)
        )
        assert pong[:14] == frames.ethernet(peer.mac, BOARD_MAC, frames.IPV4, b"")[:14]
        assert pong[34 : 34 + 8 + 56] == frames.echo(0, 1, n, body)
    assert counted(board) == {}


def test_echoes_that_wait_for_the_wire_go_to_whoever_asked(board):
    (session,) = sessions = make_sessions(random.Random(11), 1)
    open_all(board, sessions)
    peers = [Peer(mac=0x02_00_00_00_02_00 + n, ip=0xC0A8_0110 + n) for n in range(3)]
    script = array("H")
    for _ in range(8):
        for _ in range(2):
            script += on_wire(datagram(session, session.request(session.place(), bytes(DATA_MAX))))
        for peer in peers * 2:
            ping = frames.ipv4(peer.ip, BOARD_IP, frames.ICMP, frames.echo(8, 1, 1, bytes(100)))
            script += on_wire(frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, ping))
    stations = {peer.ip.to_bytes(4, "big"): peer.mac.to_bytes(6, "big") for peer in (*peers, session.peer)}
    sent = frames_of(board.exchange(script, drain=20000))
    assert len(sent) > 16
    assert [frame[:6] for frame in sent] == [stations[frame[30:34]] for frame in sent]


def test_echo_with_contradicting_lengths_does_not_stop_the_board(board):
    (session,) = sessions = make_sessions(random.Random(9), 1)
    open_all(board, sessions)
    peer = session.peer
    script = array("H")
    for size, total in ((1000, 48), (1000, 28), (10, 900), (64, 20)):
        ping = frames.ipv4(peer.ip, BOARD_IP, frames.ICMP, frames.echo(8, 1, 1, bytes(size)), total=total)
        script += on_wire(frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, ping))
    assert board.exchange(script) == []
    assert counted(board) == {Event.IPV4: 4}
    assert_empty(board, sessions)


def test_cpu_gets_what_is_not_for_hardware(board):
    rng = random.Random(10)
    (session,) = sessions = make_sessions(rng, 1)
    open_all(board, sessions)
    board.cpu_frames()
    others = [frames.ethernet(OTHER_MAC, session.peer.mac, 0x88B5, rng.randbytes(size)) for size in (3, 46, 500, 1500)]
    broadcast = frames.ethernet(frames.BROADCAST, session.peer.mac, 0x88B5, rng.randbytes(100))
    script = array("H")
    for other in (*others, broadcast):
        script += on_wire(other) + on_wire(datagram(session, session.request(0, bytes(40))))
    assert frames_of(board.exchange(script)) == [expected(session, session.reply(0, bytes(40)))] * 5
    assert board.cpu_frames() == [*others, broadcast]
    assert counted(board) == {Event.RECORD: 5}
