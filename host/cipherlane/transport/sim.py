"""The port `sim`: starts the simulated board, talks to it over a socket and stops it at the end."""

from pathlib import Path

from ..errors import PortError, SimulatedBoardError
from .serial import SerialTransport
from .simboard import SimulatedBoard


class SimTransport(SerialTransport):
    """A serial transport that owns its simulated board."""

    def __init__(self, directory: Path | None = None):
        """Start the simulated board built in `directory` (see `simboard.find_board`) and connect.

        Raises:
            SimulatedBoardError: it is not built, or does not start.
        """
        self.board = SimulatedBoard(directory)
        self.board.start()
        try:
            super().__init__(self.board.url)
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
