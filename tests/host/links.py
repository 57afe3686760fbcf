# SPDX-License-Identifier: BSD-2-Clause
"""Links between a `Device` and a model board, in simulated time. A link's seed determines which records are damaged."""

import random
from collections import deque

from cipherlane.clock import Clock
from cipherlane.protocol.datarun import Run
from cipherlane.transport.base import Pace, Transport

from .model import HEADER, from_frame, to_frame

FAST = Pace.fixed(0.02, attempts=12)
QUICK = Pace(first=0.2, minimum=0.02, maximum=0.2, attempts=60)
RECORD_TIME = 1e-4  # seconds that a record needs on the link
SLOT = 2048  # size in bytes of a slot of the board's window; each datagram occupies one or more whole slots


class SimulatedClock(Clock):
    """A clock that advances only when somebody waits or when simulated work takes time."""

    def __init__(self):
        self.time = 1000.0

    def now(self):
        return self.time

    def busy(self):
        return self.time

    def sleep(self, seconds):
        assert seconds >= 0
        self.time += seconds


class LossyLink(Transport):
    """A link that loses, repeats, reorders, truncates or corrupts records, each at its own rate, in both directions.

    Damaged records pass through the model's framing, and its CRC check drops them. On a `shared` link each record is a
    datagram. The link asserts that requests on their way to the board never exceed the board's window. It sends up to
    `run` records at once. It delivers records in runs of one size; only the last record of a run may be shorter.
    """

    def __init__(
        self,
        board,
        seed,
        ordered=False,
        pace=FAST,
        shared=False,
        run=1,
        lose=0,
        repeat=0,
        reorder=0,
        truncate=0,
        corrupt=0,
    ):
        self.board = board
        self.random = random.Random(seed)
        self.clock = SimulatedClock()
        self.ordered = ordered
        self.shared = shared
        self.pace = pace
        self.run = run
        self.runs = []  # for each call of `receive_run`: the number of records returned
        # A record that `receive_run` has read but not returned. The next call returns it first. The record cannot be
        # part of the present run, because it is empty or longer than the first record of the run.
        self.left = None
        self.set_rates(lose, repeat, reorder, truncate, corrupt)
        self.requests = deque()
        self.replies = deque()
        self.peak = 0
        self.sent = self.damaged = 0
        self.closed = False

    def set_rates(self, lose=0, repeat=0, reorder=0, truncate=0, corrupt=0):
        self.rates = {"lose": lose, "repeat": repeat, "reorder": reorder, "truncate": truncate, "corrupt": corrupt}

    def wire_size(self, record_size):
        if self.shared:
            return -(-record_size // SLOT) * SLOT
        # a frame adds the CRC, the code bytes of COBS, and the final zero
        return record_size + 4 + 1 + (record_size + 4) // 254 + 1

    def send(self, record):
        assert len(to_frame(record)) <= self.wire_size(len(record))
        self.sent += 1
        held = sum(self.wire_size(len(request)) for request in (*self.requests, record))
        self.peak = max(self.peak, held)
        assert held <= self.board.rx_window, f"{held} bytes in flight, window {self.board.rx_window}"
        self._put(self.requests, record)

    def receive(self, timeout):
        deadline = self.clock.now() + timeout
        while self.requests or self.replies:
            if not self.replies:
                self._work()
            elif (reply := self._through(self.replies.popleft())) is not None:
                return reply
        self.clock.sleep(max(0, deadline - self.clock.now()))
        return None

    def run_records(self, record_size):
        return self.run

    def receive_run(self, timeout, most):
        left, self.left = self.left, None
        first = left if left is not None else self.receive(timeout)
        if first is None:
            return None
        records = [first]
        while len(records) < self.run and first and len(records[-1]) == len(first):
            record = self.receive(0)
            if record is None:
                break
            if not record or len(record) > len(first):
                self.left = record
                break
            records.append(record)
        self.runs.append(len(records))
        return Run(b"".join(records), len(first))

    def _work(self):
        """Deliver the next request, unless the link loses it, and let the board answer it."""
        self.clock.sleep(RECORD_TIME)
        request = self._through(self.requests.popleft())
        whole = request is not None and len(request) >= HEADER.size
        if whole and len(request) - HEADER.size == HEADER.unpack_from(request)[2]:
            for _ in range(1 + (self.random.random() < self.rates["repeat"])):
                answer = self.board.answer(request)
                if answer is not None:
                    self._put(self.replies, answer)

    def _put(self, queue, record):
        position = len(queue)
        if queue and self.random.random() < self.rates["reorder"]:
            position = self.random.randrange(len(queue))
        queue.insert(position, record)

    def _through(self, record):
        """Return the record as the other end of the link receives it, or None if it is lost."""
        arrived = self._damage(record)
        self.damaged += arrived is None
        return arrived

    def _damage(self, record):
        if self.random.random() < self.rates["lose"]:
            return None
        truncated = self.random.random() < self.rates["truncate"]
        if self.shared and truncated:
            return record[: self.random.randrange(len(record))]
        frame = to_frame(record)[:-1]
        if truncated:
            frame = frame[: self.random.randrange(len(frame))]
        if self.random.random() < self.rates["corrupt"]:
            at = self.random.randrange(len(frame)) if frame else 0
            frame = frame[:at] + bytes([self.random.randrange(1, 256)]) + frame[at + 1 :]
        return from_frame(frame)

    def resync(self):
        pass

    def strays(self):
        return 0

    def close(self):
        self.closed = True


class SimulatedPort:
    """A simulated serial port that leads to a model board. It uses simulated time and has the interface of pyserial's
    ports.
    """

    write_timeout = timeout = 0.0
    url = "socket://model"

    def __init__(self, board):
        self.board, self.clock = board, SimulatedClock()
        self._sent = self._ready = b""

    def write(self, data):
        *frames, self._sent = (self._sent + data).split(b"\0")
        for record in filter(None, map(from_frame, filter(None, frames))):
            self.clock.sleep(RECORD_TIME)
            self._ready += to_frame(answer) if (answer := self.board.answer(record)) else b""

    def read(self, size):
        if not self._ready:
            self.clock.sleep(self.timeout)
        piece, self._ready = self._ready[:size], self._ready[size:]
        return piece

    def send_break(self):
        self.board.send_break()

    def close(self):
        pass
