# SPDX-License-Identifier: BSD-2-Clause
"""Connects the Ethernet port of the simulated board to a test instead of a network, so that the test can count cycles.

The simulation and the test take turns (`scripted_gmii.c`), so the test needs no TAP device, and its cycles are the same
in each run. A `Peer` is a host with a session that keeps a window of records in flight, as the host tool does.
"""

import contextlib
import json
import shutil
import socket
import struct
import subprocess
import tempfile
from collections import deque
from enum import IntEnum
from pathlib import Path

from cipherlane.transport.simboard import ETHERNET_BOARD, SimulatedBoard, find_board

from gateware.flow.simulation import LITEX_SIMULATOR
from tests.end_to_end.ethernet import reference
from tests.firmware import frames as f
from tests.firmware import records as r

MODULE = "scripted_gmii"
SOURCE = Path(__file__).with_name(f"{MODULE}.c")
REPLACED = "gmii_ethernet"
START_S, TURN_S = 60, 60
FAST_PATH_MAC, FAST_PATH = bytes.fromhex("02434c4e4502"), bytes((192, 168, 1, 51))
# The following constants count cycles of the clock of the Ethernet wire (GMII), which runs at 125 MHz.
TURN_CYCLES = 1000
BOOT_CYCLES = 3_000_000
ANSWER_CYCLES = 200_000
SILENCE_CYCLES = 5_000_000


class Op(IntEnum):
    """The codes of the commands that a test sends to `scripted_gmii.c`."""

    GO = 0
    FRAME = 1
    FLOOD = 2
    SILENT = 3


class Wire:
    """The test's end of the board's Ethernet wire.

    `cycle` is the board's cycle at the last turn, and `url` reaches its UART while the wire takes turns.
    """

    def __init__(self, connection: socket.socket, url: str):
        self._connection, self.url = connection, url
        self.cycle = 0

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._connection.recv(size - len(data))
            assert piece, "the simulated board has ended"
            data += piece
        return data

    def begin(self) -> bytes:
        """Wait until the simulation stops and waits for commands of the test. Return the frame that the board has sent,
        or b"" if the board has sent none.
        """
        self.cycle, size = struct.unpack("<QI", self._read(12))
        return self._read(size)

    def turn(self, cycles: int = TURN_CYCLES) -> bytes:
        """Let the board run for `cycles` cycles, or until it has sent a frame. Return this frame, or b"" if it has sent
        none.
        """
        self._connection.sendall(struct.pack("<II", Op.GO, cycles))
        return self.begin()

    def wait(self, cycles: int) -> None:
        """Let the board run for `cycles` cycles, and ignore the frames that it sends."""
        end = self.cycle + cycles
        while self.cycle < end:
            self.turn(end - self.cycle)

    def _command(self, code: Op, data: bytes = b"") -> None:
        self._connection.sendall(struct.pack("<II", code, len(data)) + data)

    def send(self, frame: bytes) -> None:
        """Add a frame to the queue of frames that the wire sends to the board."""
        self._command(Op.FRAME, frame)

    def flood(self, *kinds: bytes, silent: bool = False) -> None:
        """Begin a flood. The wire repeats the given frames as another host would, and leaves no pause between frames.
        Without frames, end the flood.

        If `silent`, the wire stays idle for as long as the flood's frames would take.
        """
        self._command(Op.FLOOD)
        for frame in kinds:
            self._command(Op.SILENT if silent else Op.FLOOD, frame)

    def ask(self, frame: bytes, wanted, cycles: int = ANSWER_CYCLES) -> bytes:
        """Send a frame to the board. Return the first frame from the board for which the function `wanted` returns
        True, or b"" if no such frame comes within `cycles` cycles.
        """
        self.send(frame)
        end = self.cycle + cycles
        while self.cycle < end:
            answer = self.turn()
            if answer and wanted(answer):
                return answer
        return b""


@contextlib.contextmanager
def scripted_board(built: Path | None = None):
    """Start a simulated board with its Ethernet connected to a `Wire`; yield the wire once the board runs.

    `built` is the board's build directory. Default: that of the board with Ethernet.
    """
    built = built or find_board(ETHERNET_BOARD)
    description = json.loads((built / "board.json").read_text())
    gateware = built / description["gateware"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "gateware" / "modules").mkdir(parents=True)
        for path in gateware.iterdir():
            if path.name not in ("modules", "sim_config.js"):
                (folder / "gateware" / path.name).symlink_to(path)
        for path in (gateware / "modules").glob("*.so"):
            (folder / "gateware" / "modules" / path.name).symlink_to(path)
        library = folder / "gateware" / "modules" / f"{MODULE}.so"
        flags = ["-O2", "-Wall", "-Werror", "-fPIC", "-shared", f"-I{LITEX_SIMULATOR}"]
        subprocess.run(["gcc", *flags, "-o", library, SOURCE, "-ljson-c", "-lz"], check=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(folder / "wire"))
        listener.listen(1)
        modules = json.loads((gateware / "sim_config.js").read_text())
        for module in modules:
            if module.get("module") == REPLACED:
                module |= {"module": MODULE, "args": {"path": str(folder / "wire")}}
        (folder / "gateware" / "sim_config.js").write_text(json.dumps(modules))
        del description["ip_address"]  # without an IP address, `SimulatedBoard` makes no TAP device
        (folder / "board.json").write_text(json.dumps(description | {"gateware": "gateware"}))
        with listener, SimulatedBoard(folder) as board:
            listener.settimeout(START_S)
            with listener.accept()[0] as connection:
                connection.settimeout(TURN_S)
                wire = Wire(connection, board.url)
                wire.begin()
                wire.wait(BOOT_CYCLES)
                assert not board.ended()
                yield wire
        shutil.rmtree(folder / "gateware")


def reply_in(frame: bytes) -> r.Reply:
    """Check the UDP checksum of a frame that the board's CPU or fast path sent. Return the reply in this frame."""
    datagram = frame[34 : 14 + int.from_bytes(frame[16:18], "big")]
    assert f.checksum(frame[26:34] + bytes((0, f.UDP)) + len(datagram).to_bytes(2, "big") + datagram) == 0
    return r.parse(datagram[8:])


class Peer:
    """A host that opens one session and keeps several records in flight.

    Parameters
    ----------
    wire : Wire
    address : bytes
        Its IPv4 address. The last byte is also the last byte of its MAC address.
    """

    def __init__(self, wire: Wire, address: bytes, token: int = 1):
        self.wire, self.address, self.token = wire, address, token
        self.mac = bytes((0x0A, 0, 0, 0, 0, address[-1]))
        self.port = 40000
        self.session = 0

    def frame(self, record: bytes, *, fast_path: bool = False) -> bytes:
        to, mac = (FAST_PATH, FAST_PATH_MAC) if fast_path else (f.BOARD, f.BOARD_MAC)
        datagram = f.udp(record, to=to, sender=self.address, from_port=self.port)
        return f.ethernet(f.ipv4(datagram, f.UDP, to=to, sender=self.address), to=mac, sender=self.mac)

    def is_mine(self, frame: bytes) -> bool:
        return frame[:6] == self.mac and frame[12:14] == b"\x08\0" and frame[23] == f.UDP

    def ask(self, type_: int, data: bytes = b"", *, again: int = ANSWER_CYCLES, attempts: int = 1, **header) -> r.Reply:
        """Send a request and return the reply. If no reply comes within `again` cycles, send the request again, at most
        `attempts` times in all.
        """
        request = self.frame(r.record(type_, data, **{"session": self.session, "token": self.token, **header}))
        for _ in range(attempts):
            answer = self.wire.ask(request, self.is_mine, again)
            if answer:
                return reply_in(answer)
        raise AssertionError(f"no answer to {attempts} requests")

    def open(self, key: bytes, iv: bytes, engine: int, record_bytes: int, **options) -> None:
        data = r.open_data(key, iv, engine=engine, length=1 << 30, record_bytes=record_bytes)
        self.session = r.opened(self.ask(r.OPEN_TYPE, data, session=0, **options)).session
        self.key, self.iv, self.record_bytes, self.next = key, iv, record_bytes, 0

    def close(self) -> None:
        assert self.ask(r.CLOSE, attempts=100).error is None
        self.session = 0

    def stream(self, records: int, window: int, *, fast_path: bool = False, again: int = ANSWER_CYCLES):
        """Let the board encrypt `records` records, with up to `window` records in flight at a time. Check the data of
        each reply.

        Returns the cycles from the first request to the last reply, and how many requests were sent again after `again`
        cycles without a reply.
        """
        begin, resent = self.wire.cycle, 0
        due, waiting = deque(), {}
        numbers = iter(range(self.next, self.next + records))
        self.next += records

        def send(number):
            data = bytes([number % 251]) * self.record_bytes
            offset = number * self.record_bytes
            record = r.record(r.DATA, data, session=self.session, offset=offset, token=self.token)
            self.wire.send(self.frame(record, fast_path=fast_path))
            due.append((self.wire.cycle + again, number))
            return data

        for number in [next(numbers) for _ in range(min(window, records))]:
            waiting[number] = send(number)
        last = begin
        while waiting:
            answer = self.wire.turn()
            if answer and self.is_mine(answer):
                reply = reply_in(answer)
                assert reply.type == r.DATA | r.REPLY, reply
                number = reply.offset // self.record_bytes
                if number in waiting:
                    last = self.wire.cycle
                    counter = (int.from_bytes(self.iv, "big") + reply.offset // 16) % (1 << 128)
                    expected = reference(self.key, counter.to_bytes(16, "big"), waiting.pop(number))
                    assert reply.data == expected
                    for following in numbers:
                        waiting[following] = send(following)
                        break
            while due and due[0][0] <= self.wire.cycle:
                _, number = due.popleft()
                if number in waiting:
                    resent += 1
                    send(number)
            assert self.wire.cycle - last < SILENCE_CYCLES, f"{len(waiting)} records without a reply"
        return last - begin, resent
