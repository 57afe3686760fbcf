# SPDX-License-Identifier: BSD-2-Clause
"""labgrid's exporter, extended to export any JTAG cable, and simulated boards. A simulated board starts when a client
acquires its place.

``python -m tests.hil.exporter --coordinator HOST:PORT RESOURCES`` takes the options and the file of labgrid's exporter.
Two more resources are possible in the file. One is ``JtagCable``, with a ``match`` as for USBDebugger. The other is

::

    NAME:
      SimulatedBoard:
        directory: /where/it/was/built

If a simulated board ended by itself or on demand, another one is started, which acts as a power cycle.
"""

import attr
from cipherlane.transport import simboard
from labgrid.remote import exporter

from tests.hil.board import JtagCable, SimulatedBoard


@attr.s(eq=False)
class SimulatedBoardExport(exporter.ResourceExport):
    """Exports a `SimulatedBoard` to clients as a `NetworkSimulatedBoard`, on this machine's loopback interface."""

    running = set()

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.data["cls"] = "NetworkSimulatedBoard"
        self.local = SimulatedBoard(target=None, name=None, **self.local_params)
        self.board = None

    def _get_start_params(self):
        # If the return value of this function changes, labgrid's exporter restarts the simulated board. The value
        # changes when the board's process has ended.
        return {"ended": bool(self.board and self.board.ended())}

    def _get_params(self):
        if not self.board or self.board.ended():
            return {"host": self.host, "port": None, "pid": None, "address": None}
        return {
            "host": self.host,
            "port": self.board.port,
            "pid": self.board.pid,
            "address": self.board.ip_address,
            "extra": {"directory": self.local.directory},
        }

    def _start(self, start_params):
        self.board = simboard.SimulatedBoard(self.local.directory)
        self.running.add(self.board)
        self.board.start()

    def _stop(self, start_params):
        board, self.board = self.board, None
        if board:
            board.stop()
            self.running.discard(board)


@attr.s(eq=False)
class JtagCableExport(exporter.USBGenericExport):
    """Exports a `JtagCable` to clients as a `NetworkUSBDebugger`, because labgrid's clients know that class."""

    def __attrs_post_init__(self):
        exporter.ResourceExport.__attrs_post_init__(self)
        self.data["cls"] = "NetworkUSBDebugger"
        self.local = JtagCable(target=None, name=None, **self.local_params)


def main():
    """Run labgrid's exporter, extended by the resources of this module."""
    exporter.exports["JtagCable"] = JtagCableExport
    exporter.exports["SimulatedBoard"] = SimulatedBoardExport
    try:
        exporter.main()
    finally:
        for board in SimulatedBoardExport.running:
            board.stop()


if __name__ == "__main__":
    main()
