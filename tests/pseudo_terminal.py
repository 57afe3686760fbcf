# SPDX-License-Identifier: BSD-2-Clause
"""A simulated board at a serial port, for the tests in both Python environments (the main one and `tests/hil`)."""

import os
import pty
import select
import threading
import tty

import serial
from cipherlane.transport.simboard import SimulatedBoard, find_board

from tests.waiting import HANG_S


class SerialBoard:
    """The simulated board at a pseudo-terminal, which replaces the serial port of a real board."""

    def __init__(self):
        self._board = SimulatedBoard(find_board())

    def __enter__(self):
        self._board.start()
        self._ours, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        self._wire = serial.serial_for_url(self._board.url, timeout=0)
        self._stop, self._stopped = os.pipe()
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()
        self.port = os.ttyname(self._theirs)
        return self

    def _carry(self):
        wire = self._wire._socket
        while True:
            ready, _, _ = select.select([self._ours, wire, self._stop], [], [])
            if self._stop in ready:
                return
            if self._ours in ready:
                wire.sendall(os.read(self._ours, 4096))
            if wire in ready:
                os.write(self._ours, wire.recv(4096))

    def __exit__(self, *_):
        os.close(self._stopped)
        self._thread.join(HANG_S)
        self._wire.close()
        for descriptor in (self._ours, self._theirs, self._stop):
            os.close(descriptor)
        self._board.stop()
