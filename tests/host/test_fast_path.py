"""Sessions whose data records go to another address than control records: the host's part of the fast path."""

import io
import json
import random
import select
import socket
import struct
import subprocess

import pytest
from cipherlane.device import Device
from cipherlane.errors import TransferError
from cipherlane.protocol.layout import Engine
from cipherlane.transport.base import Pace
from cipherlane.transport.udp import UdpTransport

from .links import QUICK
from .model import CODES, ENGINES, HEADER, PeerBoard
from .test_udp import CIPHERLANE, IV, KEY, Served, reference

LOOPBACK = 0x7F000001


class Board(PeerBoard):
    """A model board with two sockets: data records of its sessions are answered at the second alone."""

    def __init__(self, lose=0.0):
        super().__init__(max_data=1440, rx_window=16384, max_sessions=8)
        self.random = random.Random(1)
        self.lose = lose
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for each in self.sockets:
            each.bind(("127.0.0.1", 0))
        self.control, self.fast = self.sockets
        self.url = f"udp://127.0.0.1:{self.control.getsockname()[1]}"
        self.answered = self.dropped = 0

    def _info(self, *request):
        session, reply = super()._info(*request)
        engines = 1 << ENGINES["table"] | 1 << ENGINES["fastpath"]
        return session, reply[:20] + struct.pack("<I", engines) + reply[24:]

    def _fastpath(self, session, offset, token, data):
        counts = [self.answered, *[0] * 11, self.dropped, *[0] * 5]
        return 0, struct.pack("<IHHI18I", LOOPBACK, self.fast.getsockname()[1], 1024, 65536, *counts)

    def step(self):
        for ready in select.select(self.sockets, [], [], 0.05)[0]:
            record, peer = ready.recvfrom(2048)
            _, kind, _, session, _, token = HEADER.unpack_from(record)
            if ready is self.fast:
                if kind != CODES["data"] or self.sessions.get(session, {}).get("token") != token:
                    self.dropped += 1
                    continue
                self.answered += 1
            elif kind == CODES["data"]:
                raise Refusal("elsewhere")
            answer = self.answer(record)
            if self.random.random() >= self.lose:
                ready.sendto(answer, peer)


@pytest.mark.parametrize("lose", [0, 0.1])
def test_data_go_to_the_fast_path_and_control_records_do_not(lose):
    board, data, out = Board(lose), random.Random(2).randbytes(100_001), io.BytesIO()
    with Served(board.step), Device(UdpTransport(board.url)) as device:
        device.link.set_pace(QUICK)
        with device.open_session(KEY, IV, Engine.FASTPATH) as session:
            assert session.fast_path.address == board.fast.getsockname()
            report = session.transfer(io.BytesIO(data), out, length=len(data))
            assert session.stat().records == board.answered
        assert out.getvalue() == reference(data)
        assert report.records == 98, "of 1024 bytes, as the fast path says"
        assert report.retransmissions > 0 or not lose
        assert device.fast_path().counters["records"] == board.answered
        assert device.link.flights.window._limit == board.rx_window, "what follows is for the CPU again"


def test_session_that_the_fast_path_does_not_know_any_more():
    board = Board()
    with Served(board.step), Device(UdpTransport(board.url)) as device:
        device.link.set_pace(Pace(first=0.1, minimum=0.02, maximum=0.1, attempts=60))
        session = device.open_session(KEY, IV, Engine.FASTPATH)

        def restart(written):
            if written >= 50_000:
                board.sessions.clear()

        with pytest.raises(TransferError, match=r"No such session.*missing bytes .*resume at offset"):
            session.transfer(io.BytesIO(bytes(100_000)), io.BytesIO(), progress=restart)
        assert device.fast_path().counters["session"] > 0


def test_strangers_are_not_listened_to():
    board = Board()
    with Served(board.step), Device(UdpTransport(board.url)) as device:
        port = device.link.transport._datagrams.socket.getsockname()[1]
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
            device.open_session(KEY, IV, Engine.FASTPATH) as session,
        ):
            forged = HEADER.pack(1, CODES["data"] | 0x80, 16, session.number, 0, session.token) + bytes(16)
            stranger.sendto(forged, ("127.0.0.1", port))
            out = io.BytesIO()
            session.transfer(io.BytesIO(bytes(16)), out)
        assert out.getvalue() == reference(bytes(16))


def test_commands_take_the_fast_path_by_default_and_show_its_counters(tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(random.Random(3).randbytes(50_000))
    board = Board()
    with Served(board.step):
        options = ["--port", board.url, "--json"]
        session = ["--key", KEY.hex(), "--iv", IV.hex(), "--verify"]
        command = [*CIPHERLANE, "encrypt", *options, *session, source, encrypted]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["engine"] == "fastpath"
        assert encrypted.read_bytes() == reference(source.read_bytes())
        done = subprocess.run([*CIPHERLANE, "info", *options], capture_output=True, text=True, timeout=60)
        assert json.loads(done.stdout)["fast_path"]["counters"]["records"] == board.answered == 49
