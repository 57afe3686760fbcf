# SPDX-License-Identifier: BSD-2-Clause
"""Model boards that are hostile to the host tool. Such a board sends wrong replies, and its link adds noise and data of
other senders. A seed determines all of this.

Time is simulated, and passes with each piece that arrives. `hostile_runs` states what a hostile board must never
achieve, and runs the host tool's commands against many of them.
"""

import random
import struct
from collections import deque

from .blocks import WIRE
from .links import SimulatedClock
from .loader_model import LoaderBoard
from .model import CODES, ENGINES, HEADER, PeerBoard, from_frame, to_frame

PIECE = 0.002  # seconds that the clock advances for each arriving piece of data
ARRIVAL = 5e-6  # minimum seconds between the sending of a frame and its arrival, so that time always advances
LAST = float("inf")
# Maximum number of clock readings of one command. A command with more readings is in an endless loop, and the test
# fails. The live view never ends by itself, so the clock interrupts the live view instead.
MOST_CALLS = 400_000
# Limit for successive clock readings at the same simulated time. Above this limit, the host is in an endless loop.
MOST_STUCK = 1000
BOARD, FAST, STRANGER = ("127.0.0.1", WIRE["udp_port"]), ("127.0.0.1", 4000), ("127.0.0.9", 9)
REPLIES = {record["code"]: record["reply"] for record in WIRE["record"]}
TEXTS = (b"[/x]", b"[bold]a[/bold]", b"\x1b[2J\x07", b"\xff\xfe\x80", b":smile:", b"a\nb\r", b"%s{0}", b"")


class EndlessLoop(AssertionError):
    """Raised when the host has read the clock too often."""


class Clock(SimulatedClock):
    """A simulated clock that advances when data arrive. To detect endless loops, it counts how often it is read."""

    def __init__(self):
        super().__init__()
        self.calls = self.stuck = 0
        self.last = self.time
        self.ends = LAST  # simulated time at which the clock interrupts the running command, once

    def now(self):
        self.calls += 1
        self.stuck = self.stuck + 1 if self.time == self.last else 0
        self.last = self.time
        many = self.calls > MOST_CALLS
        if self.stuck > MOST_STUCK or (many and self.ends == LAST):
            raise EndlessLoop(f"{self.calls} readings of the clock, the last {self.stuck} at the same time")
        if many or self.time >= self.ends:
            self.calls, self.ends, self.interrupted = 0, LAST, self.time
            raise KeyboardInterrupt
        return self.time

    def readable(self, source, timeout):
        assert timeout <= 3600
        deadline = self.time + timeout
        self.time = max(self.time, min(source.next_arrival(), deadline))
        return source.next_arrival() <= self.time

    def writable(self, sink, timeout):
        assert 0 < timeout <= 3600
        self.sleep(timeout)
        return False


class HostileLoader(LoaderBoard):
    """A loader that accepts any firmware image, however wrong."""

    def _load_begin(self, session, offset, token, data):
        self.coming = data.ljust(len(self.header), b"\0")
        return session, b""

    def _load_data(self, session, offset, token, data):
        self.memory[offset : offset + len(data)] = data
        return session, b""


class HostileBoard:
    """A model board that gives wrong answers. The seed determines which answers are wrong."""

    def __init__(self, seed):
        self.random = rng = random.Random(seed)
        self.peer = PeerBoard(
            kind=rng.randrange(3),
            max_data=rng.choice((16, 256, 1024, 1440)),
            rx_window=rng.choice((4096, 16384, 65536)),
            window=rng.choice((1, 2, 32, 64)),
            max_sessions=4,
        )
        self.peer.engines = 0xFF
        self.peer._fastpath = lambda *_: (0, struct.pack("<IHHI22I", 0x7F000001, FAST[1], 1024, 65536, *range(22)))
        self.peer._network = lambda *_: (0, struct.pack("<6Q8I", *[self._count()] * 6, *[self._count()] * 8))
        self.peer.bench_part = rng.choice((16, 300, 1 << 30))
        self.count, self.step = 0, rng.choice((0, 1, 1000))
        self.rate = rng.choice((0, 0, 0.03, 0.3, 0.9))  # fraction of replies that are mutated
        self.lose = rng.choice((0, 0, 0, 0.2, 0.9))
        # Reply fields that keep the same hostile value for the whole run.
        self.fixed = [self._some_field() for _ in range(rng.choice((0, 1, 1, 2, 6)))]
        self.flood = rng.choice((None, None, "strangers", "replies", "copies", "noise", "zeros"))
        self.flood_after = rng.randrange(30)
        self.flood_length = rng.choice((3, 100, LAST))
        self.answered = 0
        self.last = b""

    def load(self):
        """Replace the model board by a model board with a loader. At its start, either the loader or the firmware
        runs; the choice is random.
        """
        self.peer = HostileLoader(running=self.random.random() < 0.7, starts=self.random.random() < 0.8)

    def _count(self):
        self.count += self.step
        return self.count

    def _some_field(self):
        code = self.random.choice([code for code, fields in REPLIES.items() if fields and fields != "data"])
        field = self.random.choice(REPLIES[code])
        return code, field["name"], self._value(field["type"])

    def _value(self, kind):
        rng = self.random
        if kind.startswith("bytes"):
            size = int(kind[5:])
            return rng.choice((rng.randbytes(size), rng.choice(TEXTS) * 4))[:size].ljust(size, b"\0")
        size = int(kind[1:]) // 8
        top = (1 << 8 * size) - 1
        value = rng.choice(
            (0, 0, 1, top, top - 15, rng.randrange(64), 1 << rng.randrange(8 * size), rng.getrandbits(64))
        )
        return (value & top).to_bytes(size, "little")

    def answers(self, request):
        """Return the board's answers to a request, as pairs of a delay in seconds and a record."""
        rng = self.random
        version, _, length, *_ = HEADER.unpack_from(request)
        if version != WIRE["version"] or length != len(request) - HEADER.size:
            return []
        reply = self.peer.answer(request)
        for code, name, value in self.fixed:
            reply = self._with(reply, code, name, value)
        self.last, self.answered = reply, self.answered + 1
        if rng.random() < self.lose:
            return []
        if rng.random() >= self.rate:
            return [(0.0, reply)]
        return self._mutated(request, reply)

    @staticmethod
    def _with(reply, code, name, value):
        at = HEADER.size
        if reply[1] == code | 0x80:
            for field in REPLIES[code]:
                size = int(field["type"][5:]) if field["type"].startswith("bytes") else int(field["type"][1:]) // 8
                if field["name"] == name:
                    return reply[:at] + value + reply[at + size :]
                at += size
        return reply

    def _mutated(self, request, reply):
        rng = self.random
        version, kind, length, session, offset, token = HEADER.unpack_from(reply)
        data = reply[HEADER.size :]
        wild = rng.choice((0, 1, rng.getrandbits(8), rng.getrandbits(64)))

        def header(**changed):
            fields = {"version": version, "kind": kind, "length": length, "session": session, "offset": offset}
            fields = {**fields, "token": token, **changed}
            masks = (0xFF, 0xFF, 0xFFFF, 0xFFFFFFFF, (1 << 64) - 1, (1 << 64) - 1)
            return HEADER.pack(*(value & mask for value, mask in zip(fields.values(), masks, strict=True)))

        what = rng.randrange(16)
        if what == 0:
            return [(0.0, header(length=wild) + data)]
        if what == 1:
            return [(0.0, header(kind=rng.choice([*CODES.values(), 0xFF & wild]) | 0x80) + data)]
        if what == 2:
            return [(0.0, header(session=rng.choice((wild, session + 1))) + data)]
        if what == 3:
            return [(0.0, header(offset=rng.choice((offset + 16, offset - 16, offset + 1, wild))) + data)]
        if what == 4:
            return [(0.0, header(token=token ^ 1 << rng.randrange(64)) + data)]
        if what == 5:
            return [(0.0, header(version=wild) + data)]
        if what == 6:
            return [(0.0, reply)] * rng.randrange(2, 40)
        if what == 7:
            return [(rng.random() * 0.3, reply)]
        if what == 8:
            return [(0.0, reply[: rng.randrange(len(reply))])]
        if what == 9:
            body = rng.randbytes(rng.choice((0, 1, 15, len(data), rng.randrange(1400))))
            return [(0.0, header(length=len(body)) + body)]
        if what == 10:
            error = struct.pack(
                "<HBBI", rng.choice((rng.randrange(20), 0xFFFF & wild)), request[1], 0, wild & 0xFFFFFFFF
            )
            return [(0.0, header(kind=0xFF, length=8) + error)]
        if what == 11:
            return [(0.0, request)]
        if what == 12:
            return [(0.0, rng.randbytes(rng.randrange(200)))]
        if what == 13:
            bits = bytearray(reply)
            bits[rng.randrange(len(bits))] ^= 1 << rng.randrange(8)
            return [(0.0, bytes(bits))]
        if what == 14:
            return [(0.0, header(session=number & 0xFF, offset=16 * number) + data) for number in range(60)]
        return [(0.0, self._with(reply, *self._some_field()))]

    def floods(self):
        """Return the next data that the board or another sender sends without a request, or None if there are
        no more.
        """
        if self.flood is None or self.answered < self.flood_after or self.flood_length <= 0:
            return None
        self.flood_length -= 1
        if self.flood == "copies":
            return self.last
        if self.flood == "replies":
            kind = self.random.choice(list(CODES.values())) | 0x80
            return HEADER.pack(WIRE["version"], kind, 16, 1, self.random.getrandbits(64), 7) + bytes(16)
        return b"" if self.flood == "zeros" else self.random.randbytes(self.random.randrange(1, 60))


class Socket:
    """A UDP socket that is connected to a hostile board and also receives datagrams from other senders."""

    def __init__(self, board, clock):
        self.board, self.clock = board, clock
        self.waiting = []
        self.deaf = board.random.choice((0, 0, 0, 0, 3, LAST)) if board.random.random() < 0.2 else 0
        self.deafness = board.random.choice((BlockingIOError, ConnectionRefusedError))

    def setblocking(self, flag):
        assert not flag

    def setsockopt(self, *option):
        pass

    def close(self):
        pass

    def next_arrival(self):
        if not self.waiting and (record := self.board.floods()) is not None:
            self._arrives(0.0, record, STRANGER if self.board.flood == "strangers" else BOARD)
        return min((time for time, _, _ in self.waiting), default=LAST)

    def _arrives(self, delay, record, address):
        self.waiting.append((self.clock.time + delay, record, address))

    def sendmsg(self, buffers, ancillary, flags, address):
        if self.deaf and self.board.answered > 2:
            self.deaf -= 1
            self.clock.sleep(PIECE)
            raise self.deafness(11, "no")
        data = b"".join(buffers)
        size = struct.unpack("=H", ancillary[0][2])[0] if ancillary else max(1, len(data))
        for start in range(0, len(data), size):
            for delay, record in self.board.answers(data[start : start + size]):
                self._arrives(delay, record, address)

    def sendto(self, data, address):
        self.sendmsg((data,), (), 0, address)

    def recvfrom(self, size):
        data, _, _, address = self.recvmsg(size, 0)
        return data, address

    def recvmsg(self, size, ancillary_size):
        when = self.next_arrival()
        if when > self.clock.time:
            raise BlockingIOError
        place = min(range(len(self.waiting)), key=lambda index: self.waiting[index][0])
        _, record, address = self.waiting.pop(place)
        self.clock.sleep(PIECE)
        return record[:size], [], 0, address


class Port:
    """A serial port that is connected to a hostile board."""

    def __init__(self, board, clock):
        self.board, self.clock = board, clock
        self.timeout = self.write_timeout = 0
        self.sent, self.arriving = b"", deque()

    def write(self, data):
        assert 0 < self.write_timeout <= 20
        *frames, self.sent = (self.sent + data).split(b"\0")
        for frame in frames:
            record = from_frame(frame) if frame else None
            if record is not None:
                for delay, answer in self.board.answers(record):
                    wire = to_frame(answer)
                    if self.board.random.random() < self.board.rate / 4:
                        wire = wire[self.board.random.randrange(len(wire)) :]
                    self.arriving.append((self.clock.time + delay, wire))

    def read(self, size):
        assert 0 <= self.timeout <= 3600
        deadline = self.clock.time + self.timeout
        if not self.arriving and (piece := self.board.floods()) is not None:
            framed = self.board.flood in ("replies", "copies")
            self.arriving.append((self.clock.time + PIECE, to_frame(piece) if framed else piece or b"\0"))
        if not self.arriving or self.arriving[0][0] > deadline:
            self.clock.time = deadline
            return b""
        when, wire = self.arriving.popleft()
        self.clock.time = max(self.clock.time, when) + ARRIVAL
        if len(wire) > size:
            self.arriving.appendleft((when, wire[size:]))
        return wire[:size]

    def send_break(self):
        if self.board.random.random() < self.board.rate / 4:
            raise OSError(5, "no")
        if isinstance(self.board.peer, LoaderBoard):
            self.board.peer.send_break()

    def close(self):
        pass


__all__ = ["ENGINES", "Clock", "EndlessLoop", "HostileBoard", "Port", "Socket"]
