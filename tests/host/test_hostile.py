# SPDX-License-Identifier: BSD-2-Clause
"""Tests what hostile boards and other senders can do to the host tool: 400 random runs, and defects that such runs
found.
"""

import io
import socket
import struct

import pytest
from cipherlane import views
from cipherlane.errors import ArgumentError, NoReplyError, PortError, ReplyError, VersionMismatchError
from cipherlane.link.device import Device
from cipherlane.link.replies import printable
from cipherlane.measuring.linkbench import _grown, _rate
from cipherlane.transport.udp import UdpTransport
from cipherlane_base.wire.layout import Engine

from .hostile import LAST, Clock, HostileBoard, Socket
from .hostile_runs import run_many
from .links import LossyLink
from .model import PeerBoard

RUNS = 400


def test_hostile_boards():
    outcomes, failures = run_many(range(RUNS))
    assert not failures, "\n".join(f"seed {seed}\n{trace}" for seed, trace in failures.items())
    assert sum(outcomes.values()) == RUNS
    assert {"done", "NoReplyError", "ReplyError", "TransferError", "BoardError", "VersionMismatchError"} <= set(
        outcomes
    )


def test_a_seed_is_a_run():
    assert run_many(range(40)) == run_many(range(40))


def tame(**attributes):
    """Make a hostile board that has only the faults in `attributes`."""
    board = HostileBoard(0)
    board.rate = board.lose = 0
    board.fixed, board.flood = [], None
    for name, value in attributes.items():
        setattr(board, name, value)
    return board


def over_udp(board, timeout=0.1):
    clock = Clock()
    return Device(UdpTransport("udp://127.0.0.1", Socket(board, clock), clock), timeout)


@pytest.mark.parametrize(
    ("flood", "error"),
    [("strangers", NoReplyError), ("replies", NoReplyError), ("zeros", NoReplyError), ("noise", VersionMismatchError)],
)
def test_connect_keeps_its_time_whatever_arrives_without_end(flood, error):
    board = tame(flood=flood, flood_after=0, flood_length=LAST, lose=1)
    device = over_udp(board)
    begun = device.clock.time
    with pytest.raises(error):
        device.connect()
    assert device.clock.time - begun < 1.5


def test_strangers_on_a_real_socket_do_not_keep_the_host_waiting():
    """Once the time limit has passed, the host stops reading datagrams that do not come from the board, even if more
    are waiting.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.1", 0))
        with UdpTransport("udp://127.0.0.1:1", socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as transport:
            own = transport._datagrams.socket
            own.bind(("127.0.0.1", 0))
            for size in range(24, 124):
                stranger.sendto(bytes(size), own.getsockname())
            assert transport.receive(0.0) is None
            assert own.recv(2048), "there are more"


def test_copies_without_end_do_not_slow_a_transfer_down():
    """Even if copies of a reply never stop arriving, they must not delay the next record."""
    board = tame(flood="copies", flood_after=2, flood_length=LAST)
    board.peer.window, board.peer.max_data = 1, 16
    with over_udp(board) as device, device.open_session(bytes(16), bytes(16), Engine.ISE, length=1600) as session:
        begun = device.clock.time
        session.transfer(io.BytesIO(bytes(1600)), io.BytesIO())
        assert device.clock.time - begun < 100 * 0.02


@pytest.mark.parametrize("deafness", [BlockingIOError, ConnectionRefusedError])
def test_a_socket_that_takes_nothing_is_given_up(deafness):
    device = over_udp(tame())
    device.connect()
    fake = device.link.transport._datagrams.socket
    fake.board.answered, fake.deaf, fake.deafness = 3, LAST, deafness
    begun = device.clock.time
    with pytest.raises(PortError, match=r"nothing could be sent for 0\.1 seconds"):
        device.counters()
    assert device.clock.time - begun < 0.2


BAD_INFO = [
    ({"max_data": 0}, r"info says max_data 0 \(must be a multiple of 16 above 0\)"),
    ({"max_data": 100}, "info says max_data 100"),
    ({"clock_hz": 0}, r"info says clock_hz 0 \(must be above 0\)"),
    ({"bench_bytes": 0xFFFFFFFF}, r"info says bench_bytes 4294967295 \(must be at most 16777216\)"),
    ({"max_sessions": 0}, "info says max_sessions 0"),
    ({"_held": lambda: -1}, r"info says ranges_free 65 \(must be at most ranges, 64\)"),
    ({"kind": 3}, r"info says kind 3 \(must be below 3\)"),
]


@pytest.mark.parametrize(("values", "expected"), BAD_INFO, ids=[expected for _, expected in BAD_INFO])
def test_an_identity_that_cannot_be_is_refused_and_named(values, expected):
    board = PeerBoard()
    for name, value in values.items():
        setattr(board, name, value)
    device = Device(LossyLink(board, seed=0))
    with pytest.raises(ReplyError, match=expected + ".*flash the matching firmware"):
        device.connect()


BAD_OPEN = [
    ("session", 0, r"open says session 0 \(must be above 0\)"),
    ("iv", b"\1" * 16, "open says iv 0101"),
    ("window", 0, r"open says window 0 \(must be 1 to 4096\)"),
    ("window", 0xFFFFFFFF, "open says window 4294967295"),
    ("first", 976, r"open says first 976 \(must be 0\)"),
]


@pytest.mark.parametrize(("name", "value", "expected"), BAD_OPEN, ids=str)
def test_a_session_that_cannot_be_is_refused_and_ended(name, value, expected):
    board = PeerBoard()
    genuine = board._open

    def worse(*request):
        number, opened = genuine(*request)
        if name == "session":
            return value, opened
        field = value if name == "iv" else value.to_bytes({"window": 4, "first": 8}[name], "little")
        return number, HostileBoard._with(bytes((2, 0x82)) + bytes(22) + opened, 2, name, field)[24:]

    board._open = worse
    with Device(LossyLink(board, seed=0)) as device:
        with pytest.raises(ReplyError, match=expected):
            device.open_session(bytes(16), bytes(16), Engine.ISE, length=5000)
        assert board.seen[-1] == "reset" and not board.sessions


def test_an_initial_block_that_was_drawn_has_zeros_behind_it():
    board = PeerBoard()
    genuine = board._open
    board._open = lambda *request: (lambda number, opened: (number, b"\1" * 16 + opened[16:]))(*genuine(*request))
    with Device(LossyLink(board, seed=0)) as device:
        with pytest.raises(ReplyError, match=r"open says iv (01)+ .*96 random bits before 32 zeros"):
            device.open_session(bytes(16), None, Engine.ISE)
        assert not board.sessions


def test_the_window_of_a_resumed_range_lies_at_a_record_of_the_stream():
    board = PeerBoard(window=2)
    with Device(LossyLink(board, seed=0)) as device:
        with device.open_session(bytes(16), bytes(16), Engine.ISE, length=5000) as session:
            session.transfer(io.BytesIO(bytes(5000)), io.BytesIO())
        again = {"record_bytes": session.record_bytes, "ticket": session.ticket, "length": 5000}
        genuine = board._open
        for first, expected in ((100, "first 100 .must be a multiple of 976"), (976 * 6, "within the stream of 5000")):

            def worse(*request, first=first):
                number, opened = genuine(*request)
                return number, opened[:24] + first.to_bytes(8, "little") + opened[32:]

            board._open = worse
            with pytest.raises(ReplyError, match=expected):
                device.open_session(bytes(16), bytes(16), Engine.ISE, **again)
        board._open = genuine
        with device.open_session(bytes(16), bytes(16), Engine.ISE, **again) as session:
            assert session.first == 976 * 4


BAD_FAST_PATHS = [
    ((0xE0000001, 4000, 1024, 65536), "fastpath says address 224.0.0.1"),
    ((0, 4000, 1024, 65536), "fastpath says address 0.0.0.0"),
    ((0xFFFFFFFF, 4000, 1024, 65536), "fastpath says address 255.255.255.255"),
    ((0x7F000001, 0, 1024, 65536), "fastpath says port 0"),
    ((0x7F000001, 4000, 0, 65536), "fastpath says max_data 0"),
    ((0x7F000001, 4000, 1024, 100), "fastpath says rx_window 100"),
]


@pytest.mark.parametrize(("values", "expected"), BAD_FAST_PATHS, ids=str)
def test_a_fast_path_that_cannot_be_is_sent_nothing(values, expected):
    board = PeerBoard()
    board.engines = 1 << Engine.FASTPATH
    board._fastpath = lambda *_: (0, struct.pack("<IHHI22I", *values, *range(22)))
    with Device(LossyLink(board, seed=0)) as device, pytest.raises(ReplyError, match=expected):
        device.open_session(bytes(16), bytes(16), Engine.FASTPATH)
    assert "open" not in board.seen


STATS = [((100, 6, 1, 1), "blocks 6"), ((100, 101, 1, 1), "blocks 101"), ((0, 1, 1, 1), "blocks 1")]


@pytest.mark.parametrize(("values", "expected"), STATS, ids=str)
def test_work_that_cannot_be(values, expected):
    board = PeerBoard()
    board._stat = lambda session, *_: (session, struct.pack("<QQQQII", *values, 1, 0))
    board._bench = lambda session, *_: (session, struct.pack("<QQQQ", *values))
    with Device(LossyLink(board, seed=0)) as device:
        session = device.open_session(bytes(16), bytes(16), Engine.ISE)
        with session, pytest.raises(ReplyError, match=f"stat says {expected}"):
            session.stat()
        if values[0]:
            with pytest.raises(ReplyError, match=f"bench says {expected}"):
                device.bench(Engine.ISE, 128, total_bytes=100)
        board._bench = lambda session, *_: (session, struct.pack("<QQQQ", 100, 7, 0, 0))
        with pytest.raises(ReplyError, match="bench says cycles 0"):
            device.bench(Engine.ISE, 128, total_bytes=100)
        board._selftest = lambda session, *_: (session, struct.pack("<III", 1, 2, 0))
        with pytest.raises(ReplyError, match="selftest says failed 2"):
            device.selftest()


def test_a_benchmark_that_does_not_get_on_ends(monkeypatch):
    monkeypatch.setattr("cipherlane.link.device._MOST_BENCH_PARTS", 100)
    board = PeerBoard()
    with Device(LossyLink(board, seed=0)) as device:
        board.bench_part = 0
        with pytest.raises(ReplyError, match=r"bench says bytes 0 \(must be 16 to 4096\)"):
            device.bench(Engine.ISE, 128)
        board.bench_part = 16
        with pytest.raises(ReplyError, match="bench says 1600 of 4096 bytes after 100 requests, too few"):
            device.bench(Engine.ISE, 128, total_bytes=4096)


def test_a_board_without_a_buffer_for_benchmarks():
    board = PeerBoard()
    board.bench_bytes = 0
    with Device(LossyLink(board, seed=0)) as device, pytest.raises(ArgumentError, match="measure with bench --link"):
        device.bench(Engine.ISE, 128)


def test_counters_that_stand_still_are_no_division_by_zero():
    with pytest.raises(ReplyError, match="network says cycles 7 after 7, although records were sent"):
        _grown({"cycles": 7}, {"cycles": 7}, "cycles")
    assert (_rate(1e6, 0.0), _rate(1e6, 2.0)) == (0.0, 0.5), "nor is a clock that is coarse"


def test_text_of_a_board_is_printable_and_no_markup(capsys):
    assert printable(b"a\x1b[2J\xff\n\0\0") == "a?[2J??"
    board = PeerBoard(name=b"[/x]:smile:\x07\x1b")
    with Device(LossyLink(board, seed=0)) as device:
        name = device.info().board
    views.show(views.field_table({"board": name}, f"title {name}"))
    views.show(views.measurement_table([], f"title {name}"))
    views.show(f"text {name}")
    out = capsys.readouterr().out
    assert out.count("[/x]:smile:??") >= 3 and "\x1b[2" not in out and "\x07" not in out
