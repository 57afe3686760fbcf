# SPDX-License-Identifier: BSD-2-Clause
"""Runs a server in a thread of its own while a test sends requests to it."""

import threading

from tests.waiting import HANG_S


class Served(threading.Thread):
    """A context manager that runs a thread. Until the context ends, the thread calls `step` repeatedly."""

    def __init__(self, step):
        super().__init__(daemon=True)
        self._step = step
        self._stopping = threading.Event()

    def run(self):
        while not self._stopping.is_set():
            self._step()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self.join(HANG_S)
        assert not self.is_alive()
