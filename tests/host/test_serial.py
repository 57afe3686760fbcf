# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import io
import os
import random
import select
import socket
import threading

import pytest
from cipherlane.errors import NoReplyError, PortError
from cipherlane.link.device import Device
from cipherlane.transport import open_transport
from cipherlane.transport.base import Pace
from cipherlane.transport.serial import SerialTransport
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from tests.rfc2217_server import Rfc2217Server
from tests.waiting import HANG_S, until

from .commands import SERIAL, command, one_line_error
from .links import SimulatedClock
from .model import PeerBoard, SocketBoard, from_frame, to_frame


@pytest.fixture
def terminal():
    """Open a pseudo-terminal; yield the name of its device, and the descriptor of the other end."""
    pty, tty = pytest.importorskip("pty"), pytest.importorskip("tty")
    far, near = pty.openpty()
    tty.setraw(near)
    yield os.ttyname(near), far
    os.close(far)
    os.close(near)


@SERIAL
def test_absent_port():
    with pytest.raises(PortError, match="no port /dev/ttyNOPE: connect the board"):
        SerialTransport("/dev/ttyNOPE")


def test_no_port_named():
    with pytest.raises(PortError, match="CIPHERLANE_PORT"):
        open_transport(None)


@SERIAL
def test_not_a_serial_port(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(PortError, match="cannot open port"):
        SerialTransport(str(path))


@SERIAL
def test_unknown_url():
    with pytest.raises(PortError, match="cannot open port nonsense://x"):
        SerialTransport("nonsense://x")


def test_nothing_listens():
    with pytest.raises(PortError, match=r"nothing listens at socket://127\.0\.0\.1:1"):
        SerialTransport("socket://127.0.0.1:1")


def test_busy_port(terminal):
    name, _ = terminal
    with SerialTransport(name), pytest.raises(PortError, match="busy: close the other program"):
        SerialTransport(name)
    SerialTransport(name).close()


def test_device_over_a_terminal(terminal):
    """The host reaches a board through a pseudo-terminal, although the line first carries half a frame and noise."""
    name, far = terminal
    board, stop = PeerBoard(), threading.Event()

    def serve():
        waiting = b""
        while not stop.is_set():
            if not select.select([far], [], [], 0.1)[0]:
                continue
            waiting += os.read(far, 4096)
            while b"\0" in waiting:
                frame, waiting = waiting.split(b"\0", 1)
                record = from_frame(frame) if frame else None
                if record is not None:
                    os.write(far, to_frame(board.answer(record)))

    os.write(far, b"boot noise, no zero in it" + random.Random(1).randbytes(300))
    thread = threading.Thread(target=serve, daemon=True)
    with SerialTransport(name) as transport:
        os.write(far, b"more noise")
        transport._write(b"half a frame")
        thread.start()
        with Device(transport) as device:
            assert device.info().board == "model"
            assert transport.strays() > 0
            device.counters()
    stop.set()
    thread.join(HANG_S)
    assert not thread.is_alive()


def test_other_firmware_is_recognised(terminal):
    name, far = terminal
    with SerialTransport(name) as transport:
        os.write(far, b"litex> \r\nlitex> ")
        with pytest.raises(NoReplyError, match="but no Cipherlane records: flash the Cipherlane firmware"):
            Device(transport, timeout=0.05).connect()


class Ticking(SimulatedClock):
    """A clock that advances each time it is read, and fails if it is read endlessly."""

    def now(self):
        self.sleep(0.01)
        assert self.time < 1010, "somebody asks without end"
        return self.time


def test_receive_keeps_its_time_under_a_flood(terminal):
    name, far = terminal
    stop = threading.Event()

    def flood():
        while not stop.is_set():
            os.write(far, b"\xaa" * 256)

    thread = threading.Thread(target=flood, daemon=True)
    clock = Ticking()
    with SerialTransport(name, clock=clock) as transport:
        thread.start()
        begun = clock.time
        assert transport.receive(0.2) is None
        assert clock.time - begun < 0.3
        stop.set()
        until(lambda: not thread.is_alive(), step=lambda: transport.receive(0.1))
    thread.join(HANG_S)
    assert not thread.is_alive()


def test_port_that_disappears():
    board = SocketBoard(PeerBoard())
    with board, SerialTransport(board.url) as transport, Device(transport) as device:
        device.info()
        board._stopping.set()
        with pytest.raises(PortError, match="went away"):
            until(lambda: None, step=lambda: transport.receive(0.5))


@contextlib.contextmanager
def repeats(device, seconds):
    """Let `device` repeat a request every `seconds`, up to 1000 times. On a busy machine, a reply can be late."""
    device.info()
    device.link.set_pace(Pace.fixed(seconds, attempts=1000))
    yield


def test_corrupted_stream_over_a_socket():
    """Frames are damaged on the way to the board. The transfer must lose no data, and must never overflow the board's
    buffer.
    """
    rng = random.Random(5)
    count = [0]

    def mangle(frame):
        count[0] += 1
        if count[0] % 7:
            return frame
        at = rng.randrange(len(frame))
        return frame[:at] + bytes([rng.randrange(1, 256)]) + frame[at + 1 :]

    data = rng.randbytes(20_000)
    with SocketBoard(PeerBoard(), mangle=mangle) as server:
        out = io.BytesIO()
        with (
            Device(SerialTransport(server.url)) as device,
            repeats(device, 0.3),
            device.open_session(bytes(16), bytes(16), Engine.ISE) as session,
        ):
            report = session.transfer(io.BytesIO(data), out)
        assert out.getvalue() == Cipher(AES(bytes(16)), CTR(bytes(16))).encryptor().update(data)
        assert report.retransmissions > 0
        assert server.overrun <= server.board.rx_window


@SERIAL
def test_a_port_of_another_machine():
    """The settings of an RFC 2217 port are sent once, even if time-outs change later."""
    with SocketBoard(PeerBoard()) as board, Rfc2217Server(int(board.url.rpartition(":")[2])) as server:
        with Device(open_transport(server.url, 115_200)) as device:
            assert device.info().board == "model"
            for timeout in (0.5, 0.7):
                device.link.transport.write_timeout = timeout
                device.link.transport.receive(0.0)
                device.info()
        assert server.lines.speeds == [9600, 115_200]
        status, stdout, _ = command("selftest", "--port", server.url)
        assert status == 0 and b"known-answer tests, 0 failed" in stdout


@SERIAL
def test_a_port_of_another_machine_reads_all_that_has_arrived():
    """One read returns all bytes that have arrived; pyserial's own RFC 2217 port would return only one byte."""
    from cipherlane.transport import rfc2217

    data = bytes(range(256)) * 4
    with socket.create_server(("127.0.0.1", 0)) as wire, Rfc2217Server(wire.getsockname()[1]) as server:
        port = rfc2217.open_port(server.url, 9600)
        far, _ = wire.accept()
        with far, contextlib.closing(port):
            far.sendall(data)
            until(lambda: port.in_waiting >= len(data))
            assert port.read(1000) == data[:1000] and port.read(65536) == data[1000:] and port.read(1) == b""


@SERIAL
def test_what_is_no_port_of_another_machine():
    with SocketBoard(PeerBoard()) as board:
        number = board.url.rpartition(":")[2]
        status, _, stderr = command("info", "--port", f"rfc2217://127.0.0.1:{number}")
    assert status == 3 and "does not speak RFC 2217: if it passes bytes on, name it socket://" in one_line_error(stderr)
    for url, says in {
        "rfc2217://127.0.0.1:1": "nothing listens at rfc2217://127.0.0.1:1",
        "rfc2217://127.0.0.1": "cannot open port",
        "rfc2217://": "cannot open port",
        "rfc2217://127.0.0.1:1?nonsense": "cannot open port",
        "rfc2217://127.0.0.1:99999": "cannot open port",
    }.items():
        status, _, stderr = command("info", "--port", url)
        assert status == 3 and says in one_line_error(stderr)
