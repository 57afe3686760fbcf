"""Links between a Device and a PeerBoard in memory that treat records badly, by a seeded plan."""

import random
import time
from collections import deque

from cipherlane.transport.base import Pace, Transport

from .model import from_frame, to_frame

FAST = Pace.fixed(0.02, attempts=12)


class LossyLink(Transport):
    """A record link over which records are lost, repeated, reordered, truncated or corrupted, each with a rate.

    Both directions suffer. Damaged records go through the model's framing, whose CRC drops them. The link asserts that
    requests on their way to the board never hold more than its window.
    """

    def __init__(self, board, seed, ordered=False, pace=FAST, lose=0, repeat=0, reorder=0, truncate=0, corrupt=0):
        self.board = board
        self.random = random.Random(seed)
        self.ordered = ordered
        self.pace = pace
        self.set_rates(lose, repeat, reorder, truncate, corrupt)
        self.requests = deque()
        self.replies = deque()
        self.peak = 0
        self.sent = self.damaged = 0
        self.closed = False

    def set_rates(self, lose=0, repeat=0, reorder=0, truncate=0, corrupt=0):
        self.rates = {"lose": lose, "repeat": repeat, "reorder": reorder, "truncate": truncate, "corrupt": corrupt}

    def wire_size(self, record_size):
        return record_size + 4 + 1 + (record_size + 4) // 254 + 1  # CRC, code bytes, zero

    def send(self, record):
        assert len(to_frame(record)) <= self.wire_size(len(record))
        self.sent += 1
        held = sum(self.wire_size(len(request)) for request in (*self.requests, record))
        self.peak = max(self.peak, held)
        assert held <= self.board.rx_window, f"{held} bytes in flight, window {self.board.rx_window}"
        self._put(self.requests, record)

    def receive(self, timeout):
        deadline = time.monotonic() + timeout
        while True:
            while self.requests or self.replies:
                if not self.replies:
                    self._work()
                elif (reply := self._through(self.replies.popleft())) is not None:
                    return reply
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            time.sleep(left)

    def _work(self):
        """Let the board answer one request, if that arrives."""
        request = self._through(self.requests.popleft())
        if request is not None:
            for _ in range(1 + (self.random.random() < self.rates["repeat"])):
                self._put(self.replies, self.board.answer(request))

    def _put(self, queue, record):
        position = len(queue)
        if queue and self.random.random() < self.rates["reorder"]:
            position = self.random.randrange(len(queue))
        queue.insert(position, record)

    def _through(self, record):
        """Return what the far end makes of a record, None if nothing."""
        arrived = self._damage(record)
        self.damaged += arrived is None
        return arrived

    def _damage(self, record):
        if self.random.random() < self.rates["lose"]:
            return None
        frame = to_frame(record)[:-1]
        if self.random.random() < self.rates["truncate"]:
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
