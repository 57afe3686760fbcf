# SPDX-License-Identifier: BSD-2-Clause
"""The ports `sim` and `sim+udp`: start the simulated board, connect to it over a socket, and stop it at the end."""

from pathlib import Path

from ..errors import PortError, SimulatedBoardError
from ..protocol.datarun import Run
from .serial import SerialTransport
from .simboard import ETHERNET_BOARD, SimulatedBoard, find_board
from .udp import SIMULATED_NETWORK, UdpTransport

_ADVICE = "the simulated board is slow on a busy machine: wait longer with --timeout, or build it again with `make sim`"


class SimTransport(SerialTransport):
    """A serial transport that starts and stops its own simulated board."""

    simulated = True

    def __init__(self, directory: Path | None = None):
        """Start the simulated board built in `directory` (see `simboard.find_board`) and connect.

        Raises:
            SimulatedBoardError: the board is not built or does not start.
        """
        self.board = SimulatedBoard(directory)
        self.board.start()
        try:
            super().__init__(self.board.url)
            self.advice = _ADVICE
            # `start` has checked that the port belongs to the board. Check again after connecting: another process may
            # have taken the port meanwhile.
            self.board.require_own_port()
            self.tools = self.board.description.get("tools", {})
        except BaseException:
            self.board.stop()
            raise

    def _write(self, data: bytes) -> None:
        try:
            super()._write(data)
        except PortError as error:
            raise SimulatedBoardError(self.board.obituary(str(error))) from error

    def _read(self, timeout: float) -> bytes:
        try:
            return super()._read(timeout)
        except PortError as error:
            raise SimulatedBoardError(self.board.obituary(str(error))) from error

    def close(self) -> None:
        """Close the connection and stop the board."""
        try:
            super().close()
        finally:
            self.board.stop()


class SimUdpTransport(UdpTransport):
    """A UDP transport that starts and stops its own simulated board with Ethernet, in a private network namespace."""

    pace = SIMULATED_NETWORK
    simulated = True

    def __init__(self, directory: Path | None = None):
        """Start the simulated board built in `directory` (see `simboard.find_board`) and connect.

        Raises:
            SimulatedBoardError: the board is not built, does not start, or may not create its network.
        """
        self.board = SimulatedBoard(directory or find_board(ETHERNET_BOARD))
        self.board.start()
        try:
            super().__init__(f"udp://{self.board.ip_address}", self.board.udp_socket())
            self.advice = _ADVICE
            self.tools = self.board.description.get("tools", {})
        except BaseException:
            self.board.stop()
            raise

    def _receive(self, timeout: float) -> Run | None:
        run = super()._receive(timeout)
        if run is None and self.board.ended():
            raise SimulatedBoardError(self.board.obituary("the simulated board ended"))
        return run

    def close(self) -> None:
        """Close the socket and stop the board."""
        try:
            super().close()
        finally:
            self.board.stop()
