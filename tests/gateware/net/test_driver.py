# SPDX-License-Identifier: BSD-2-Clause
"""Test the firmware's fast-path driver in simulation. The driver's function `serve` writes a record
window; its function `finish` reads and clears the window.
"""

import ctypes
import errno
import random
import subprocess
from array import array

import pytest

from gateware.codegen import registers, wire
from gateware.net.events import Event
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import CORE, GMIIBoard
from tests.gateware.net.script import datagram, expected, on_wire
from tests.gateware.net.window_model import RECORDS, Window
from tests.gateware.support import ROOT

FIRMWARE = ROOT / "firmware" / "core"
NETWORK_PEER = 1 << 48
POLLS = 10_000


class CWindow(ctypes.Structure):
    """The C structure `cl_window`: a session's record window."""

    _fields_ = [
        ("first", ctypes.c_uint64),
        ("seen", ctypes.c_uint64),
        ("sum", ctypes.c_uint64 * RECORDS),
        ("records", ctypes.c_uint32),
    ]

    @classmethod
    def of(cls, window: Window) -> "CWindow":
        made = cls(first=window.first, records=RECORDS)
        for number, kept in window.sums.items():
            made.seen |= 1 << number % RECORDS
            made.sum[number % RECORDS] = kept
        return made

    def window(self, record_blocks: int) -> Window:
        numbers = range(self.first, self.first + RECORDS)
        came = {number: self.sum[number % RECORDS] for number in numbers if self.seen >> number % RECORDS & 1}
        assert sum(1 for kept in self.sum if kept) <= len(came)
        return Window(record_blocks, self.first, came)


class Client(ctypes.Structure):
    """The C structure `cl_server_client`: a session to serve."""

    _fields_ = [
        ("session", ctypes.c_uint32),
        ("token", ctypes.c_uint64),
        ("peer", ctypes.c_uint64),
        ("iv", ctypes.c_char_p),
        ("length", ctypes.c_uint64),
        ("record_bytes", ctypes.c_uint32),
        ("window", ctypes.POINTER(CWindow)),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    (folder / "cl_fastpath_regs.h").write_text(registers.render(registers.FAST_PATH))
    (folder / "cl_wire.h").write_text(wire.render(ROOT / "host" / "cipherlane_base" / "wire" / "wire.toml"))
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", f"-I{folder}"]
    command += [f"-I{FIRMWARE}", str(ROOT / "tests" / "gateware" / "net" / "driver_shim.c")]
    command += [str(FIRMWARE / "streams" / "window.c"), "-o", str(folder / "driver.so")]
    subprocess.run(command, check=True, timeout=120)
    return ctypes.CDLL(str(folder / "driver.so"))


class Driver:
    def __init__(self, library, board: GMIIBoard):
        self.c, self.board = library, board
        self.names = {4 * n: name for name, n in board.operations.address.items()}
        self.stuck = {}  # maps a register's name to a value that the driver reads instead of the real value
        self.reads = 0
        self.callbacks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self.read),
            ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self.write),
        )
        library.shim_connect(*self.callbacks)

    def read(self, offset: int) -> int:
        self.reads += 1
        name = self.names[offset]
        return self.stuck[name] if name in self.stuck else self.board.read(name)

    def write(self, offset: int, value: int) -> None:
        self.board.write(self.names[offset], value)

    def set_key(self, session: Session) -> None:
        assert self.c.shim_set_key(session.key, 8 * len(session.key)) == 0
        session.row = self.c.shim_row()

    def serve(self, session: Session, window: CWindow, **changes) -> int:
        peer = NETWORK_PEER | session.peer.ip << 16 | session.peer.port
        fields = {"token": session.token, "peer": peer, "iv": session.initial.to_bytes(16, "big")}
        fields |= {"length": session.limit, "record_bytes": session.record_bytes, "session": session.number}
        return self.c.shim_serve(ctypes.byref(Client(**{**fields, "window": ctypes.pointer(window), **changes})))

    def finish(self) -> tuple[int, CWindow]:
        window = CWindow(first=7, seen=2**64 - 1)
        return self.c.shim_finish(ctypes.byref(window)), window


@pytest.fixture(scope="module")
def model():
    model = GMIIBoard(sys_hz=75_000_000, **CORE)
    yield model
    model.close()


@pytest.fixture
def driver(library, model):
    model.reset()
    return Driver(library, model)


@pytest.fixture
def session():
    key, initial = bytes(range(16)), 0x0F << 120
    return Session(
        number=0x1234,
        peer=Peer(),
        token=2**63 + 5,
        key=key,
        initial=initial,
        row=0,
        slot=0,
        limit=2**30,
        record_bytes=96,
    )


def play(driver: Driver, session: Session, window: Window, rng, records: int) -> None:
    script, answers = array("H"), []
    for _ in range(records):
        number, data = (
            window.first + rng.choice((rng.randrange(100), rng.randrange(5))),
            rng.randbytes(rng.randrange(97)),
        )
        for each in (data, data, data + b"\0"):
            script += on_wire(datagram(session, session.request(96 * number, each)))
            if window.decide(6 * number, each) == "answered":
                answers.append(expected(session, session.reply(96 * number, each)))
    assert [each.frame for each in driver.board.exchange(script)] == answers
    assert len(answers) > records


def test_windows_go_with_the_session(driver, session):
    """Serve a session, finish it, and serve it again with the window that `finish` returned. In between, the fast
    path's session table does not contain the session.
    """
    rng = random.Random(1)
    window = Window(6)
    for _ in range(3):
        driver.set_key(session)
        assert driver.serve(session, CWindow.of(window)) == 0
        play(driver, session, window, rng, 40)
        status, read = driver.finish()
        assert status == 0
        assert (read.window(6), read.records) == (window, RECORDS)
        assert not driver.board.read("opened")
        assert driver.board.window(session) == Window(6)
        driver.c.shim_clear()
        session.number += 1
    events = driver.board.counters()
    assert events[Event.WINDOW] and events[Event.OTHER_DATA]


def test_what_the_hardware_cannot_hold_is_not_served(driver, session):
    driver.set_key(session)
    empty = CWindow(records=RECORDS)
    for changes in ({"record_bytes": 0}, {"record_bytes": 16 * 128}, {"length": 2**36 + 1}, {"peer": 5}):
        assert driver.serve(session, empty, **changes) == -errno.EINVAL
    assert driver.serve(session, CWindow(records=32)) == -errno.EINVAL
    assert driver.board.read("opened") == 0
    assert driver.serve(session, empty, length=2**36, record_bytes=16 * 127) == 0
    assert driver.serve(session, empty) == -errno.EIO, "the row is open: its window cannot be written"
    assert driver.board.read("opened") == 1 << session.row


@pytest.mark.parametrize("register, field", [("status", "window_busy"), ("in_use", None)])
def test_hardware_that_does_not_answer_ends_the_wait(driver, session, register, field):
    """If the hardware does not answer in time, the driver closes the session, but cannot read the record window."""
    driver.set_key(session)
    assert driver.serve(session, CWindow(records=RECORDS)) == 0
    driver.stuck[register] = driver.board.bit(register, field) if field else 0xFF
    driver.reads = 0
    status, _ = driver.finish()
    assert status == -errno.ETIMEDOUT
    assert POLLS <= driver.reads < POLLS + 10
    assert driver.board.read("opened") == 0


def test_describes_what_was_refused(driver, session):
    driver.set_key(session)
    assert driver.serve(session, CWindow(records=RECORDS)) == 0
    script = array("H")
    for offset, data in ((0, b"one"), (0, b"two"), (16, b"odd"), (0, b"one"), (96 * 128, b"far")):
        script += on_wire(datagram(session, session.request(offset, data)))
    assert len(driver.board.exchange(script)) == 2
    # The reply to the request `fastpath` begins with three 32-bit words: the IP address, the UDP port together with the
    # maximum data size, and the window size. The event counters follow.
    reply = (ctypes.c_uint32 * (3 + len(Event)))()
    driver.c.shim_describe(reply)
    counted = {event: count for event, count in zip(Event, reply[3:], strict=True) if count}
    assert counted == {Event.RECORD: 2, Event.OTHER_DATA: 1, Event.WINDOW: 2}
