# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane load` with a model board that has a loader: the records it sends, and its errors."""

import json
import socket
import struct
import zlib
from pathlib import Path

import pytest
from cipherlane.commands import common
from cipherlane.errors import LoadError, NoLoaderError, NoReplyError, PortError
from cipherlane.link import loading
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane_base import image
from cipherlane_base.build_id import text
from cipherlane_base.wire import layout
from cipherlane_base.wire.layout import IMAGE, Cause

from tests.waiting import HANG_S

from . import hostile
from .commands import command, one_line_error
from .links import SimulatedPort
from .loader_model import BUILD, CAPACITY, DATA_BYTES, FIRMWARE, ORIGIN, LoaderBoard
from .model import PeerBoard


@pytest.fixture
def board(monkeypatch):
    return at_a_port(LoaderBoard(), monkeypatch)


def at_a_port(board, monkeypatch):
    """Return a simulated serial port at which `board` answers in simulated time. A command uses this port if the
    option --port gives the port's URL.
    """
    port, opens = SimulatedPort(board), common.open_device

    def opened(args):
        if args.port != port.url:
            return opens(args)
        return Device(SerialTransport(port.url, clock=port.clock, port=port), args.timeout)

    monkeypatch.setattr(common, "open_device", opened)
    return port


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "board_loader.firmware"
    path.write_bytes(image.pack(FIRMWARE, BUILD, ORIGIN))
    return path


def load(board, *words):
    url = board if isinstance(board, str) else board.url
    return command("load", "--port", url, *words)


def failed(status, outcome):
    """Check the status of a failed command; return its error, which must be one line."""
    assert outcome[0] == status, outcome
    assert outcome[1] == b""
    return one_line_error(outcome[2])


@pytest.mark.parametrize("running", [True, False])
def test_an_image_is_sent_checked_started_and_answers(board, file, running):
    """If the firmware runs, the host sends a break. If the loader already runs, the host sends no break."""
    board.board.running = running
    status, stdout, stderr = load(board, file)
    assert status == 0, stderr
    assert stdout.decode() == f"model_loader runs build {text(BUILD)}\n"
    assert board.board.breaks == running
    assert bytes(board.board.memory[: len(FIRMWARE)]) == FIRMWARE
    parts = -(-len(FIRMWARE) // DATA_BYTES)
    sent = [name for name in board.board.seen if name.startswith("load_")]
    assert sent == ["load_begin", *["load_data"] * parts, "load_start"]


def test_figures_for_programs(board, file):
    board.board.running = False
    status, stdout, _ = load(board, file, "--json")
    assert status == 0
    record = json.loads(stdout)
    assert record == {"board": "model_loader", "build_id": text(BUILD), "bytes": len(FIRMWARE), "cause": 0}


def test_without_a_file_what_is_there_is_started(board, file):
    board.board.header = file.read_bytes()[: IMAGE.size]
    board.board.memory[: len(FIRMWARE)] = FIRMWARE
    status, stdout, stderr = load(board)
    assert status == 0, stderr
    assert stdout.decode().endswith(f"runs build {text(BUILD)}, which it held already\n")
    assert "load_begin" not in board.board.seen


def test_without_a_file_and_with_nothing_there(board):
    assert "the board holds no firmware to start: give its FILE" in failed(7, load(board))


def test_a_board_without_a_loader(file, monkeypatch):
    other = PeerBoard()
    other.send_break = lambda: None
    said = failed(6, load(at_a_port(other, monkeypatch), file))
    assert "the board's firmware answers, but no loader after a break: flash configuration loader" in said
    assert not any(name.startswith("load_") for name in other.seen)


def test_nobody_answers(board, file):
    board.board.answer = lambda record, peer=None: b""
    assert "no reply from firmware or loader" in failed(4, load(board, file))


@pytest.mark.parametrize("timeout", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("busy", [False, True], ids=["silent", "firmware"])
def test_the_user_s_limit_holds_for_the_loader(timeout, busy):
    """The user's time-out also applies to a loader, at every kind of serial port. With n attempts, `enter` must wait
    for less than n + 3 time-outs, and `await_firmware` for less than n + 2.
    """
    for url in ("port", "socket://127.0.0.1:1"):
        board, clock = hostile.HostileBoard(0), hostile.Clock()
        board.rate, board.lose, board.fixed, board.flood = 0, not busy, [], None
        transport = SerialTransport(url, clock=clock, port=hostile.Port(board, clock))
        device = Device(transport, timeout)
        begun = clock.time
        with pytest.raises((NoReplyError, NoLoaderError)):
            loading.enter(device)
        assert clock.time - begun < (device.link.pace.attempts + 3) * timeout
        if not busy:
            begun = clock.time
            with pytest.raises(LoadError, match="does not answer"):
                loading.await_firmware(device, "")
            assert clock.time - begun < (device.link.pace.attempts + 2) * timeout


@pytest.mark.parametrize("size", [0, 15, 0xFFF1, 0xFFFFFFFF])
def test_a_loader_that_takes_what_no_record_holds(board, file, size):
    genuine = board.board._loader

    def worse(*request):
        session, data = genuine(*request)
        return session, data[:4] + struct.pack("<I", size) + data[8:]

    board.board._loader = worse
    said = failed(1, load(board, file))
    assert f"the board's loader says data_bytes {size} (must be 16 to 65520): flash the matching firmware" in said
    assert not any(name.startswith("load_") for name in board.board.seen)


def test_nobody_is_at_the_port(file):
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    assert "nothing listens at" in failed(3, load(f"socket://127.0.0.1:{port}", file))


@pytest.mark.parametrize("port", ["udp://127.0.0.1", "sim+udp"])
def test_the_loader_is_at_the_uart(file, port):
    assert "the loader answers only on the UART: name a serial port" in failed(2, load(port, file))


WHOLE = image.pack(FIRMWARE, BUILD, ORIGIN)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a firmware image for a loader: `make firmware BOARD=... CONFIG=loader` writes one"),
        (FIRMWARE, "is not a firmware image for a loader"),
        (WHOLE[:40], "has 8 bytes of firmware, but its header declares 3072: copy it again"),
        (WHOLE + b"more", "has 3076 bytes of firmware, but its header declares 3072"),
        (WHOLE[: IMAGE.size], "has 0 bytes of firmware"),
        (WHOLE[:-1] + b"x", "is damaged: its CRC-32 differs from the one in its header; copy it again"),
        (WHOLE[:13] + b"x" + WHOLE[14:], "is damaged"),
    ],
    ids=["empty", "no header", "cut", "longer", "header alone", "damaged", "damaged header"],
)
def test_a_wrong_file_is_told_before_the_port_is_touched(file, content, said):
    file.write_bytes(content)
    assert said in failed(2, load("socket://127.0.0.1:1", file))


def test_a_file_that_is_not_there_or_without_end(tmp_path):
    assert "cannot read" in failed(2, load("socket://127.0.0.1:1", tmp_path / "none"))
    if Path("/dev/zero").exists():
        assert "is not a firmware image" in failed(2, load("socket://127.0.0.1:1", "/dev/zero"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"build": b"Gateware" + BUILD[8:]}, "was built for other gateware (4761746577617265) than the board has"),
        ({"firmware": bytes(CAPACITY)}, f"takes {CAPACITY + IMAGE.size} bytes, the board's code memory has {CAPACITY}"),
        ({"origin": 0x30000000}, "is for 0x30000000, the board's code memory is at 0x20000000"),
    ],
)
def test_an_image_for_another_board_is_not_sent(board, file, changed, said):
    file.write_bytes(image.pack(**{"firmware": FIRMWARE, "build": BUILD, "origin": ORIGIN, **changed}))
    assert said in failed(2, load(board, file))
    assert not any(name.startswith("load_") for name in board.board.seen)


def test_what_arrives_damaged_is_not_started(board, file):
    board.board.spoil = lambda data: bytes([data[0] ^ 1]) + data[1:]
    said = failed(7, load(board, file))
    assert "was not started: Its CRC-32 is wrong; the loader is still in the board: run the command again" in said
    assert not board.board.running
    board.board.spoil = lambda data: data
    assert load(board, file)[0] == 0


def test_a_board_that_is_silent_in_the_middle(board, file):
    board.board.running = False
    answer, count = board.board.answer, 0

    def some(record, peer=None):
        nonlocal count
        count += 1
        return answer(record, peer) if count < 4 else b""

    board.board.answer = some
    said = failed(7, load(board, file, "--timeout", "0.1"))
    assert "loading broke off: no reply to load_data after" in said
    assert "the loader is still in the board: run the command again" in said


def test_firmware_that_is_ended_at_once(board, file):
    board.board.starts = False
    said = failed(7, load(board, file))
    assert "has ended: the firmware did not feed the watchdog; the loader answers: load another" in said


def test_firmware_of_another_build_than_was_sent(board, file, monkeypatch):
    start = board.board._load_start

    def other(*record):
        answered = start(*record)
        board.board.build_id = BUILD[:8] + b"other..."
        return answered

    monkeypatch.setattr(board.board, "_load_start", other)
    assert "of other firmware than" in failed(1, load(board, file))


def test_a_reply_to_start_that_is_lost_is_no_failure(board, file):
    """If the reply to the start request is lost, the host repeats the request. By then the firmware runs, and rejects
    the repeated request, because only the loader knows this request. The command must still succeed.
    """
    answer = board.board.answer
    board.board.running = False

    def some(record, peer=None):
        before = board.board.running
        answered = answer(record, peer)
        return b"" if board.board.running and not before else answered

    board.board.answer = some
    status, _, stderr = load(board, file, "--timeout", "0.3")
    assert status == 0, stderr


def test_other_commands_say_that_the_board_is_in_its_loader(board):
    board.board.running, board.board.cause = False, Cause.WATCHDOG
    said = failed(6, command("info", "--port", board.url))
    assert "the board refused info: The board is in its loader, which runs no firmware" in said
    assert "`cipherlane load` starts the firmware in its memory, or takes another" in said


# Breaks


def test_a_break_on_a_socket_is_urgent_data_in_its_place():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        transport = SerialTransport(f"socket://127.0.0.1:{listener.getsockname()[1]}")
        other, _ = listener.accept()
        with other:
            other.settimeout(HANG_S)
            transport.send(b"before")
            transport.send_break()
            transport.resync()
            received = b""
            while not received.endswith(b"\0"):
                received += other.recv(1)
            assert other.recv(1, socket.MSG_OOB) == b"\0"
        transport.close()


class Port:
    """A serial port with the interface of pyserial's ports. It counts the breaks that are sent. If `error` is set,
    each break raises this exception instead.
    """

    write_timeout = timeout = 0

    def __init__(self, error=None):
        self.error = error
        self.breaks = 0

    def send_break(self):
        if self.error:
            raise self.error
        self.breaks += 1


def test_a_break_on_a_serial_port_is_the_port_s():
    port = Port()
    SerialTransport("COM3", port=port).send_break()
    assert port.breaks == 1


def test_a_port_that_sends_no_break():
    with pytest.raises(PortError, match="port COM3 sends no break: 25; check the board and its cable"):
        SerialTransport("COM3", port=Port(OSError("25"))).send_break()


def test_the_image_s_layout():
    """The image must have the same bytes as an image that the test builds from the documentation of the records."""
    length, origin = len(FIRMWARE), ORIGIN
    covered = b"CLFW" + struct.pack("<II", length, origin) + BUILD
    assert covered + struct.pack("<I", zlib.crc32(covered + FIRMWARE)) + FIRMWARE == WHOLE
    assert layout.IMAGE.size == 32
