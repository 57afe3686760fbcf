# SPDX-License-Identifier: BSD-2-Clause
"""Test what other hosts on the network can learn about a session's key, and how many CPU cycles they can use."""

import random
import struct

import pytest

from tests.firmware import frames as f
from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_FAULTY, ENGINE_TABLE

IV, MAX_DATA = bytes(range(16, 32)), 1440
OWNER, STRANGER = bytes((192, 168, 1, 100)), bytes((192, 168, 1, 101))
STEP = 100  # each time the cycle counter is read, it advances by this number of cycles
CYCLES = struct.Struct("<6Q")
PART, STRANGERS_MOST, SESSION_MOST = 8, 1 << 18, 1 << 21  # as in firmware/core/service/budget.h


class Station:
    """A host that sends records from one address and port, and reads the answers."""

    def __init__(self, core, address=OWNER, port=50000, token=1):
        self.core, self.address, self.port, self.token = core, address, port, token

    def send(self, type_, data=b"", **header) -> bytes:
        """Send a record; return the record in the board's answer, or b"" if there is no answer."""
        record = r.record(type_, data, **{"token": self.token, **header})
        packet = f.udp(record, sender=self.address, from_port=self.port)
        frame = self.core.udp(f.ethernet(f.ipv4(packet, f.UDP, sender=self.address)))
        if not frame:
            return b""
        answer = f.parse(frame)
        assert (answer.to, answer.to_port) == (self.address, self.port)
        return answer.data

    def ask(self, type_, data=b"", **header) -> r.Reply:
        return r.parse(self.send(type_, data, **header))

    def open(self, *, key=bytes(16), iv=IV, engine=ENGINE_FAULTY) -> int:
        data = r.open_data(key, iv, length=1 << 30, record_bytes=MAX_DATA, engine=engine)
        return r.opened(self.ask(r.OPEN_TYPE, data)).session

    def data(self, session: int, n: int) -> bytes:
        return self.send(r.DATA, bytes(256), session=session, offset=n * MAX_DATA)

    def cycles(self, session: int) -> tuple[int, ...]:
        """Send the requests `network` and `stat` in a session. Return the cycle counts in the reply to `network`, then
        the cycle counts in the reply to `stat`.
        """
        network = CYCLES.unpack_from(self.ask(r.NETWORK, session=session).data)
        return *network, *r.STAT.unpack(self.ask(r.STAT_TYPE, session=session).data)[2:4]


@pytest.fixture
def board(core):
    assert core.start(max_data=2048, clock_hz=80_000_000, step=STEP) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
    return core


# Clocks


def test_costs_are_told_to_the_session_s_owner_alone(board):
    """The board must report the cycles of a session's records only to the owner of the session. Here, a record costs 1
    cycle in the driver, 20 cycles to copy, 300 cycles in the network stack, and 100 cycles in the engine.
    """
    owner, stranger = Station(board), Station(board, STRANGER)
    session = owner.open(engine=ENGINE_TABLE)
    for n in range(5):
        assert owner.data(session, n)
    cycles, *parts, engine, key = owner.cycles(session)
    assert (*parts[:3], *parts[4:], engine, key) == (5, 100, 1500, 500, 500, 100)
    assert 0 < parts[3] < 5 * 1000
    assert owner.cycles(session)[0] > cycles > 5 * 400
    for station in (owner, stranger):
        assert CYCLES.unpack_from(station.ask(r.NETWORK).data) == (0,) * 6
    for header in ({"session": session}, {"session": session, "token": 2}, {"session": 7}):
        assert stranger.ask(r.NETWORK, **header).error == r.E_SESSION
        assert stranger.ask(r.STAT_TYPE, **header).error == r.E_SESSION


def test_cycles_are_told_of_time_without_other_peers_sessions_alone(board):
    owner, neighbour = Station(board), Station(board, port=50001, token=2)
    session = owner.open()
    owner.data(session, 0)
    assert all(owner.cycles(session))
    other = neighbour.open(iv=bytes(16))
    neighbour.data(other, 0)
    assert owner.cycles(session) == neighbour.cycles(other) == (0,) * 8
    assert neighbour.ask(r.CLOSE, session=other).error is None
    assert owner.cycles(session) == (0,) * 8, "they would tell what the other's took"
    assert owner.ask(r.CLOSE, session=session).error is None
    session = owner.open(iv=b"\x40" * 16)
    assert 0 < owner.cycles(session)[0] < 10_000, "since it was opened"
    second = Station(board, token=3).open(iv=b"\x50" * 16)
    assert owner.cycles(session)[0] and Station(board, token=3).cycles(second)[0], "of one peer"


def probe(stranger: Station, session: int) -> list[bytes]:
    """Let the stranger send records of every type; return the replies. The stranger sends each type three times:
    without a session, with its own session, and with the number of the victim's session.
    """
    named = [{}, {"session": session}, {"session": 1 << 8 | 1}]
    bodies = {r.DATA: bytes(16), r.BENCH_TYPE: r.bench_data(1, 0, 128, 16, 16), r.SELFTEST: bytes(8), 0x33: b""}
    bodies |= {r.OPEN_TYPE: r.open_data(bytes(16), bytes(16), engine=9), r.MAC: r.MAC_REQUEST.pack(3, 1, IV) + IV}
    types = [r.INFO, r.STAT_TYPE, r.COUNTERS, r.NETWORK, r.FASTPATH, *bodies]
    return [stranger.send(type_, bodies.get(type_, b""), **header) for header in named for type_ in types]


@pytest.mark.parametrize("own_session", [False, True])
def test_a_hundred_keys_give_a_stranger_equal_answers(core, own_session):
    """The engine's run time depends on the key. The board must report this time only to the owner of the session, and
    no reply to another host is allowed to depend on this time.

    The stranger asks before and after a record of the victim.
    """
    read, seen = set(), set()
    for n in range(100):
        core.start(max_data=2048, clock_hz=80_000_000, step=STEP)
        core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
        core.pace(ctr_cycles=20_000)
        victim, stranger = Station(core), Station(core, STRANGER, token=9)
        key = random.Random(n).randbytes(16)
        session = victim.open(key=key)
        own = stranger.open(iv=bytes(16)) if own_session else 0
        answers = probe(stranger, own)
        assert victim.data(session, 0)
        answers += probe(stranger, own)
        seen.add(victim.cycles(session))
        assert victim.ask(r.CLOSE, session=session).error is None
        answers += probe(stranger, own)
        read.add(tuple(answers))
        core.pace()
    assert len(read) == 1
    assert len(seen) == 1 if own_session else len(seen) > 50, "there is something to find"


# Room


def test_room_is_reserved_for_the_peers_of_open_sessions_alone(core):
    """The board must reserve room for a peer's frames while the peer has a session. The board must free this room when
    the session ends. The test ends sessions in all possible ways.
    """
    idle = 1_000_000
    assert core.start(max_data=2048, clock_hz=80_000_000, step=STEP, idle_cycles=idle) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
    owner, other = Station(core), Station(core, STRANGER, token=2)
    assert core.reserved() == []
    for data in (r.open_data(bytes(16), IV, record_bytes=3), r.open_data(bytes(16), IV, engine=31), b""):
        assert owner.ask(r.OPEN_TYPE, data).error is not None
        assert core.reserved() == []
    first, second = owner.open(), other.open(iv=bytes(16))
    assert core.reserved() == [0, 1]
    assert owner.open() == first, "the same request again"
    assert core.reserved() == [0, 1]
    for station, session in ((other, first), (owner, second)):
        assert station.ask(r.CLOSE, session=session).error is not None
    assert core.reserved() == [0, 1]
    assert owner.ask(r.CLOSE, session=first).error is None
    assert core.reserved() == [1]
    assert owner.ask(r.CLOSE, session=first).error is None, "closed already"
    assert other.ask(r.RESET).error is None
    assert core.reserved() == []
    owner.open(iv=b"\x40" * 16)
    assert core.reserved() == [0]
    core.poll(2 * idle)
    assert core.reserved() == []


def test_whoever_resumes_a_session_takes_over_its_room(core):
    assert core.start(max_data=2048, clock_hz=80_000_000, step=STEP) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
    owner, other = Station(core), Station(core, STRANGER, token=2)
    options = {"length": 1 << 30, "record_bytes": MAX_DATA, "engine": ENGINE_FAULTY}
    opened = r.opened(owner.ask(r.OPEN_TYPE, r.open_data(bytes(16), IV, **options)))
    assert owner.data(opened.session, 0)
    resuming = r.open_data(bytes(16), IV, flags=r.RESUME, ticket=opened.ticket, **options)
    resumed = r.opened(other.ask(r.OPEN_TYPE, resuming))
    assert resumed.session != opened.session
    assert core.reserved() == [0]
    assert other.ask(r.CLOSE, session=resumed.session).error is None
    assert core.reserved() == []


def test_a_session_over_the_uart_reserves_no_room(board):
    data = r.open_data(bytes(16), IV, length=1 << 20, record_bytes=256, engine=ENGINE_FAULTY)
    assert r.parse(board.record(r.record(r.OPEN_TYPE, data, token=1))).error is None
    assert board.reserved() == []


# Cycles


def spent(owner: Station, session: int, work) -> int:
    before = owner.cycles(session)[0]
    work()
    return owner.cycles(session)[0] - before


def exhaust(stranger: Station) -> int:
    """Send records until the board's cycle budget for other hosts is used up. Return how many records were answered."""
    for n in range(STRANGERS_MOST // 300):
        if not stranger.send(r.INFO):
            return n
    raise AssertionError("no budget")


def test_strangers_have_an_eighth_of_the_cycles_beside_a_session(board):
    """While a host has a session, other hosts are allowed to use an eighth of the cycles. They send records of any
    type, and the board must still answer all records of the session.
    """
    owner, stranger = Station(board), Station(board, STRANGER)
    bad = {"version": 9}, {"session": 7}, {}
    floods = [(r.INFO, b"", {}), (r.RESET, b"", {}), (0x33, b"", {}), (r.DATA, b"", bad[1]), (r.INFO, b"", bad[0])]
    floods += [(r.COUNTERS, b"", {}), (r.NETWORK, b"", {}), (r.INFO, b"x", {}), (r.CLOSE, b"", {})]
    floods += [(r.OPEN_TYPE, r.open_data(bytes(16), bytes(16), record_bytes=3), {})]
    alone = {n: len([1 for _ in range(20) if stranger.send(t, d, **h)]) for n, (t, d, h) in enumerate(floods)}
    assert set(alone.values()) == {20}, "without a session as much as they like"
    session = owner.open()
    exhaust(stranger)
    for type_, data, header in floods:
        answered, before = 0, owner.cycles(session)[0]
        for _ in range(400):
            answered += bool(stranger.send(type_, data, **header))
            assert owner.send(r.STAT_TYPE, session=session)
        total = owner.cycles(session)[0] - before
        board.poll(8 * PART * STEP)
        idle = spent(owner, session, lambda: None)
        one = spent(owner, session, lambda t=type_, d=data, h=header: stranger.send(t, d, **h)) - idle
        assert 0 < answered < 400
        # For each answer, the board reads the cycle counter three times, and each read takes STEP cycles. The board
        # does not subtract these cycles from the budget for other hosts.
        assert answered * (one - 3 * STEP) <= total / PART + 4 * one, r.record(type_, data, **header)


def test_a_burst_is_paid_back(board):
    owner, stranger = Station(board), Station(board, STRANGER)
    owner.open()
    board.poll(PART * STRANGERS_MOST)
    assert STRANGERS_MOST / 1000 < exhaust(stranger) < STRANGERS_MOST / 300
    board.poll(10_000)
    assert stranger.send(r.INFO) != b""


MAC = r.MAC_REQUEST.pack(ENGINE_FAULTY, 1, IV) + bytes(1408)
LONG = {
    "bench": (r.BENCH_TYPE, r.bench_data(ENGINE_FAULTY, 0, 128, 16, 16)),
    "selftest": (r.SELFTEST, r.selftest_data(ENGINE_FAULTY)),
    "mac": (r.MAC, MAC),
}


@pytest.mark.parametrize(("type_", "data"), LONG.values(), ids=LONG)
def test_of_a_queue_of_long_requests_the_first_is_carried_out(board, type_, data):
    """While long requests wait in the receive queue, the board must handle only the first long request, and drop all
    further long requests. So another host can open a session without a long wait.
    """
    stranger, victim = Station(board, STRANGER), Station(board)
    board.pace(pauses=False)
    assert stranger.send(type_, data)
    for other in LONG.values():
        assert stranger.send(*other) == b""
    session = victim.open()
    board.pace()
    assert stranger.ask(type_, data).error == r.E_BUSY
    assert victim.ask(r.CLOSE, session=session).error is None
    assert stranger.ask(type_, data).error is None
    assert stranger.ask(type_, data).error is None, "one after the other"


def test_a_mac_over_the_network_takes_no_engine_in_c(board):
    data = r.MAC_REQUEST.pack(ENGINE_TABLE, 1, IV) + bytes(16)
    reply = Station(board).ask(r.MAC, data)
    assert (reply.error, reply.detail) == (r.E_ENGINE, ENGINE_TABLE)
    assert r.parse(board.record(r.record(r.MAC, data))).error is None, "over the UART it does"


@pytest.mark.parametrize("type_", [r.OPEN_TYPE, r.MAC])
def test_a_damaged_record_with_a_key_leaves_no_key(board, type_):
    key = random.Random(5).randbytes(16)
    data = r.open_data(key, IV) if type_ == r.OPEN_TYPE else r.MAC_REQUEST.pack(3, 1, key) + bytes(16)
    assert board.udp(f.datagram(r.record(type_, data), damage=1)) == b""
    assert board.occurrences(key) == 0


@pytest.mark.parametrize("sessions", [1, 7])
def test_sessions_of_another_address_leave_half_of_the_cycles(board, sessions):
    """Other hosts send as many long records as possible, in one session or in all seven remaining sessions. The board
    must still answer all short records of the victim's session.
    """
    board.pace(ctr_cycles=300_000)
    victim, others = Station(board), [Station(board, STRANGER, 4000 + n, 9 + n) for n in range(sessions)]
    own = victim.open(engine=ENGINE_TABLE)
    open_ = [other.open(iv=bytes([n + 1]) + bytes(15)) for n, other in enumerate(others)]
    answered = [0] * sessions
    for turn in range(1500):
        board.poll(2000)
        assert victim.data(own, turn)
        for n, (other, session) in enumerate(zip(others, open_, strict=True)):
            answered[n] += bool(other.data(session, answered[n]))
    rest = 1500 * (2000 + 1500 + 1500 * sessions)
    assert sum(answered) * 300_000 <= rest + SESSION_MOST + sessions * 300_255
    assert min(answered) > 0


def test_a_session_has_the_cpu_to_itself_while_others_are_idle(board):
    board.pace(ctr_cycles=300_000)
    one, idle = Station(board), Station(board, STRANGER)
    session = one.open()
    idle.open(iv=bytes(16))
    board.poll(1 << 23)
    assert all(one.data(session, n) for n in range(50))
