"""What hostile boards and strangers can do to the host tool: some hundred runs, and the defects that were found."""

import socket
import threading

import pytest
from cipherlane import views
from cipherlane.device import Device
from cipherlane.errors import NoReplyError, PortError, ReplyError, VersionMismatchError
from cipherlane.linkbench import _grown
from cipherlane.protocol.layout import Engine
from cipherlane.replies import printable
from cipherlane.transport.udp import UdpTransport

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
    """A board that does nothing wrong but what `attributes` say."""
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
    """The flood ends after some seconds by itself, so that a host that waits for its end fails instead of hanging."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        transport = UdpTransport(f"udp://127.0.0.1:{nobody.getsockname()[1]}")
        transport._datagrams.socket.bind(("127.0.0.1", 0))
        target, stop = transport._datagrams.socket.getsockname(), threading.Event()

        def flood():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                while not stop.wait(0.0001):
                    for _ in range(64):
                        stranger.sendto(bytes(40), target)

        thread = threading.Thread(target=flood, daemon=True)
        timer = threading.Timer(10, stop.set)
        thread.start()
        timer.start()
        with transport:
            assert transport.receive(0.2) is None
            assert not stop.is_set(), "the host waited for the end of the flood"
        stop.set()
        timer.cancel()
        thread.join(5)


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
    ({"bench_bytes": 0}, "info says bench_bytes 0"),
    ({"bench_bytes": 0xFFFFFFFF}, r"info says bench_bytes 4294967295 \(must be 1 to 16777216\)"),
    ({"max_sessions": 0}, "info says max_sessions 0"),
    ({"kind": 3}, r"info says kind 3 \(must be below 3\)"),
]


@pytest.mark.parametrize(("values", "expected"), BAD_INFO, ids=str)
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


def test_a_benchmark_that_does_not_get_on_ends(monkeypatch):
    monkeypatch.setattr("cipherlane.device._MOST_BENCH_PARTS", 100)
    board = PeerBoard()
    with Device(LossyLink(board, seed=0)) as device:
        board.bench_part = 0
        with pytest.raises(ReplyError, match=r"bench says bytes 0 \(must be 16 to 4096\)"):
            device.bench(Engine.ISE, 128)
        board.bench_part = 16
        with pytest.raises(ReplyError, match="bench says 1600 of 4096 bytes after 100 requests, too few"):
            device.bench(Engine.ISE, 128, total_bytes=4096)


def test_counters_that_stand_still_are_no_division_by_zero():
    with pytest.raises(ReplyError, match="network says cycles 7 after 7, with records in between"):
        _grown({"cycles": 7}, {"cycles": 7}, "cycles")


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
