# SPDX-License-Identifier: BSD-2-Clause
"""Tests the host side of the fast path: data records go to another address than control records."""

import io
import json
import random
import select
import socket
import struct
import subprocess

import pytest
from cipherlane.errors import TransferError
from cipherlane.link.device import Device
from cipherlane.transport.base import Pace
from cipherlane.transport.udp import UdpTransport
from cipherlane_base.wire.layout import Engine

from tests.waiting import HANG_S

from .blocks import ERRORS, WIRE
from .links import QUICK, LossyLink
from .model import CODES, ENGINES, HEADER, PeerBoard
from .served import Served
from .test_udp import CIPHERLANE, IV, KEY, reference

LOOPBACK = 0x7F000001
VERSION = WIRE["version"]
FIELDS = [field["name"] for record in WIRE["record"] if record["name"] == "fastpath" for field in record["reply"]][4:]


class FastBoard(PeerBoard):
    """A model board with a fast path. The fast path drops records that it does not support."""

    def __init__(self, port=4000):
        super().__init__(max_data=1440, rx_window=16384, max_sessions=8)
        self.engines = 1 << ENGINES["table"] | 1 << ENGINES["fastpath"]
        self.port = port
        self.counts = dict.fromkeys(FIELDS, 0)

    def _fastpath(self, session, offset, token, data):
        return 0, struct.pack("<IHHI22I", LOOPBACK, self.port, 1024, 65536, *self.counts.values())

    def answer(self, record):
        reply = super().answer(record)
        if record[1] != CODES["data"]:
            return reply
        if reply[1] == CODES["data"] | 0x80:
            self.counts["records"] += 1
            return reply
        name = next(name for name, code in ERRORS.items() if code == reply[HEADER.size])
        self.counts[name] += 1
        return None


class FastLink(LossyLink):
    """A simulated network. It checks that the host sends all data records, and no other records, to the fast path."""

    def __init__(self, board):
        super().__init__(board, seed=1, shared=True, pace=QUICK)

    def send_many(self, records, to=None):
        for record in records:
            assert (to == ("127.0.0.1", self.board.port)) == (record[1] == CODES["data"])
        assert self.board.rx_window == 16384
        self.board.rx_window = 65536 if to else 16384
        super().send_many(records, to)
        self.board.rx_window = 16384


class Sockets:
    """A board with two sockets, one for control records and one for data records. The test fails if a record arrives at
    the wrong socket.
    """

    def __init__(self):
        self.control, self.fast = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for each in (self.control, self.fast):
            each.bind(("127.0.0.1", 0))
        self.url = f"udp://127.0.0.1:{self.control.getsockname()[1]}"
        self.board = FastBoard(self.fast.getsockname()[1])

    def step(self):
        for ready in select.select([self.control, self.fast], [], [], 0.05)[0]:
            record, peer = ready.recvfrom(2048)
            assert (ready is self.fast) == (record[1] == CODES["data"])
            answer = self.board.answer(record)
            if answer is not None:
                ready.sendto(answer, peer)


@pytest.mark.parametrize("lose", [0, 0.1])
def test_data_go_to_the_fast_path_and_control_records_do_not(lose):
    board, data, out = FastBoard(), random.Random(2).randbytes(100_001), io.BytesIO()
    link = FastLink(board)
    with Device(link) as device:
        device.link.set_pace(QUICK)
        with device.open_session(KEY, IV, Engine.FASTPATH, length=len(data)) as session:
            assert (session.stream.fast_path.address, session.stream.window) == (("127.0.0.1", board.port), 64)
            link.set_rates(lose=lose)
            report = session.transfer(io.BytesIO(data), out, length=len(data))
            link.set_rates()
            assert session.stat().records == board.counts["records"]
        assert out.getvalue() == reference(data)
        assert report.records == 98, "of 1024 bytes, as the fast path says"
        assert report.retransmissions > 0 or not lose
        assert device.fast_path().counters["records"] == board.counts["records"]
        assert device.link.flights.window._limit == board.rx_window, "what follows is for the CPU again"


def test_session_that_the_fast_path_does_not_know_any_more():
    board = FastBoard()
    with Device(FastLink(board)) as device:
        device.link.set_pace(Pace(first=0.1, minimum=0.02, maximum=0.1, attempts=60))
        session = device.open_session(KEY, IV, Engine.FASTPATH)

        def end(written):
            if written >= 50_000:
                board.end_sessions()

        with pytest.raises(TransferError, match=r"No such session.*missing bytes .*resume at offset"):
            session.transfer(io.BytesIO(bytes(100_000)), io.BytesIO(), progress=end)
        assert device.fast_path().counters["session"] > 0


def test_strangers_are_not_listened_to():
    board = Sockets()
    with Served(board.step), Device(UdpTransport(board.url)) as device:
        port = device.link.transport._datagrams.socket.getsockname()[1]
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
            device.open_session(KEY, IV, Engine.FASTPATH) as session,
        ):
            forged = HEADER.pack(
                VERSION, CODES["data"] | 0x80, 16, session.stream.number, 0, session.stream.token
            ) + bytes(16)
            stranger.sendto(forged, ("127.0.0.1", port))
            out = io.BytesIO()
            session.transfer(io.BytesIO(bytes(16)), out)
        assert out.getvalue() == reference(bytes(16))


def test_commands_take_the_fast_path_by_default_and_show_its_counters(tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(random.Random(3).randbytes(50_000))
    board = Sockets()
    with Served(board.step):
        options = ["--port", board.url, "--json"]
        session = ["--key", KEY.hex(), "--raw", "--iv", IV.hex(), "--verify"]
        command = [*CIPHERLANE, "encrypt", *options, *session, source, encrypted]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["engine"] == "fastpath"
        assert encrypted.read_bytes() == reference(source.read_bytes())
        done = subprocess.run([*CIPHERLANE, "info", *options], capture_output=True, text=True, timeout=HANG_S)
        assert json.loads(done.stdout)["fast_path"]["counters"]["records"] == board.board.counts["records"] == 49
