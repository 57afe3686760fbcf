# SPDX-License-Identifier: BSD-2-Clause
"""Starts the simulated board as a process, finds its TCP port, and ends it when this process ends.

The build directory is `build/sim` of the checkout that contains this file, or the directory that CIPHERLANE_SIM names.
Its `board.json` names the folder with the simulator's files (`gateware`) and the program inside it (`executable`). A
board with Ethernet (`build/sim_eth`, CIPHERLANE_SIM_ETH) also has an `ip_address`, and runs in a network namespace of
its own. A board with a `console` connects it to the simulator's standard input and output.

The UART listens on 127.0.0.1 only. The simulator chooses a free port and reports it over a socket, the tether. When
this process ends, in whatever way, the kernel closes the tether, and the simulator ends too. `launcher` creates a
folder for the simulator's files; the simulator deletes it before it reports the port. Its output goes to a file without
a name.
"""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from cipherlane_base.wire.layout import UDP_PORT

from ..errors import SimulatedBoardError
from . import launcher, namespace

DESCRIPTION = "board.json"
UART_BOARD, ETHERNET_BOARD = "sim", "sim_eth"
UART_MODULE = "loopback_uart"
START_TIMEOUT = 30.0
_LOOK_S = 0.1  # seconds between two checks of the time limit while a board starts
STOP_TIMEOUT = 3.0
_LISTEN = "0A"  # state of a listening socket in /proc/net/tcp
# 127.0.0.1 as written in /proc/net/tcp
_LOOPBACK = f"{int.from_bytes(socket.inet_aton('127.0.0.1'), sys.byteorder):08X}"
_PACKAGE = Path(__file__).resolve().parents[1]


def find_board(name: str = UART_BOARD) -> Path:
    """Return the build directory of the simulated board called `name`.

    This is the directory in the environment variable CIPHERLANE_<NAME>, or the build in the checkout that contains this
    file. No other place is searched, because the program found is executed.

    Raises:
        SimulatedBoardError: there is none.
    """
    variable = f"CIPHERLANE_{name.upper()}"
    named = os.environ.get(variable)
    checkout = _PACKAGE.parents[1] if (_PACKAGE.parent / "pyproject.toml").is_file() else None
    directory = Path(named) if named else checkout and checkout / "build" / name
    if directory and (directory / DESCRIPTION).is_file():
        return directory.resolve()
    target = "make sim" if name == UART_BOARD else "make sim TRANSPORT=udp"
    raise SimulatedBoardError(
        f"no simulated board found: run `{target}` in the repository, or set {variable} to the folder of one"
    )


class SimulatedBoard:
    """A simulated board. The context manager starts and stops the board. Clients connect to `url`, one at a time."""

    def __init__(self, directory: Path | None = None):
        """Prepare the board built in `directory`, by default the result of `find_board`.

        Raises:
            SimulatedBoardError: the board is not built, or its description cannot be read.
        """
        self.directory = Path(directory).resolve() if directory else find_board()
        try:
            self.description: dict[str, Any] = json.loads((self.directory / DESCRIPTION).read_text())
            self._gateware = self.directory / self.description["gateware"]
            self._executable = self.description["executable"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise SimulatedBoardError(f"unusable {self.directory / DESCRIPTION} ({error!r}): run `make sim`") from error
        self.ip_address: str | None = self.description.get("ip_address")
        self._has_console = bool(self.description.get("console"))
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._tether: socket.socket | None = None
        self._folder: Path | None = None  # the simulator's folder; None after the simulator has deleted it
        self._log: BinaryIO | None = None
        self._log_tail = ""

    @property
    def url(self) -> str:
        """URL of the board's UART. A board with its own network namespace is reachable only inside this namespace."""
        return f"socket://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the running board."""
        return self._running().pid

    def ended(self) -> bool:
        """Return whether the board's process has ended."""
        return self._process is None or self._process.poll() is not None

    def udp_socket(self) -> socket.socket:
        """Return an unconnected UDP socket that can exchange datagrams with the running board.

        Raises:
            SimulatedBoardError: the board has no Ethernet, or its network does not start.
        """
        if not self.ip_address:
            raise SimulatedBoardError(f"the simulated board in {self.directory} has no Ethernet")
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                return namespace.udp_socket(self.pid, self.ip_address, UDP_PORT, START_TIMEOUT)
            except (OSError, subprocess.TimeoutExpired) as error:
                if time.monotonic() > deadline:
                    raise SimulatedBoardError(self.obituary(f"cannot reach the simulated board: {error}")) from error
                time.sleep(0.1)

    def enter(self, text: str) -> None:
        """Type `text` on the running board's console.

        Raises:
            SimulatedBoardError: the board has no console, or has ended.
        """
        console = self._running().stdin
        if console is None:
            raise SimulatedBoardError(f"the simulated board in {self.directory} has no console")
        try:
            console.write(text.encode())
        except OSError as error:
            raise SimulatedBoardError(self.obituary(str(error))) from error

    def output(self) -> str:
        """Return the output of the running simulator, including the board's console."""
        self._running()
        return self._logged()

    def start(self) -> None:
        """Start the board and wait until it listens.

        Raises:
            SimulatedBoardError: it cannot be started, ends at once, or does not listen in time; or this is not Linux.
        """
        if sys.platform != "linux":
            raise SimulatedBoardError(
                "the simulated board runs only on Linux: use a board, or `cipherlane null-board`, which needs none"
            )
        self._folder = folder = Path(tempfile.gettempdir()) / f"cipherlane-sim-{secrets.token_hex(8)}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._tether, theirs = socket.socketpair()
        try:
            with theirs:
                # Check that the program exists before the launcher starts: `stat` raises OSError if the program is
                # missing.
                (self._gateware / self._executable).stat()
                config = self._config(theirs.fileno())
                words = [sys.executable, "-I", launcher.__file__, folder, self._gateware, self._executable, config]
                # Python ignores SIGPIPE. With restore_signals=False, the simulator ignores it too, so it continues when
                # a client disconnects.
                self._process = subprocess.Popen(
                    namespace.command(*map(str, words)) if self.ip_address else words,
                    stdin=subprocess.PIPE if self._has_console else subprocess.DEVNULL,
                    bufsize=0,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    restore_signals=False,
                )
            self.port = self._told_port()
            self.require_own_port()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            self.stop()
            raise SimulatedBoardError(f"cannot start the simulated board: {error}; run `make sim`") from error
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the board. A second call has no effect."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(STOP_TIMEOUT)
            if self._process.stdin:
                self._process.stdin.close()
            self._process = None
        if self._tether is not None:
            self._tether.close()
            self._tether = None
        if self._log is not None:
            self._log_tail = self.log_tail()
            self._log.close()
            self._log = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def require_own_port(self) -> None:
        """Check that the board's own process, and not another one, listens on `port` of 127.0.0.1.

        The check makes no connection, because the simulated UART accepts only one client. A client connected before the
        check has also reached the board, which has listened since it reported the port.

        Raises:
            SimulatedBoardError: the board's process does not listen there; another process may.
        """
        if not _listens(self.port, self.pid):
            raise SimulatedBoardError(
                self.obituary(
                    f"port {self.port} of 127.0.0.1 does not belong to the simulated board: run the command again; "
                    f"its log ends: {self.log_tail()}"
                )
            )

    def log_tail(self) -> str:
        """Return the last lines of the simulator's output, joined to one line."""
        text = self._logged()
        return " | ".join(line.strip() for line in text.splitlines()[-5:] if line.strip()) or self._log_tail

    def obituary(self, reason: str) -> str:
        """Return a sentence about how the simulator ended; return `reason` if the simulator is still running."""
        if self._process is None:
            return reason
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        status = self._process.poll()
        if status is None:
            return reason
        return f"the simulated board ended with status {status}; its log ends: {self.log_tail() or '(empty)'}"

    def _logged(self) -> str:
        """Return the simulator's output. `pread` does not move the file offset, where the simulator writes next."""
        if self._log is None:
            return ""
        number = self._log.fileno()
        return os.pread(number, os.fstat(number).st_size, 0).decode(errors="replace")

    def _config(self, tether: int) -> str:
        """Return the simulator's configuration as text. It makes the simulator choose a free TCP port. The simulator
        then sends the port's number through the socket with the file descriptor `tether`.
        """
        modules = json.loads((self._gateware / launcher.CONFIG).read_text())
        uarts = [module for module in modules if module.get("module") == UART_MODULE]
        if not uarts:
            raise ValueError(f"{launcher.CONFIG} has no module {UART_MODULE}, which keeps others off the UART")
        for module in uarts:
            module["args"] |= {"port": "0", "tether": str(tether)}
        return json.dumps(modules, indent=4)

    def _told_port(self) -> int:
        """Wait until the simulator has deleted its folder and reported its TCP port. Return the port."""
        assert self._tether
        told = b""
        deadline = time.monotonic() + START_TIMEOUT
        self._tether.settimeout(_LOOK_S)
        while not told.endswith(b"\n"):
            if time.monotonic() > deadline:
                raise SimulatedBoardError(
                    f"the simulated board does not listen after {START_TIMEOUT:.0f} s; its log ends: {self.log_tail()}"
                )
            try:
                piece = self._tether.recv(16)
            except TimeoutError:
                continue
            if not piece:
                raise self._ended_early()
            told += piece
        self._folder = None
        return int(told)

    def _ended_early(self) -> SimulatedBoardError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running().wait(STOP_TIMEOUT)
        status = self._running().poll()
        if status is not None and self.ip_address and namespace.was_refused(status, self.log_tail()):
            return SimulatedBoardError(
                f"no network namespace with a TAP device for the simulated board ({self.log_tail()}): "
                "run as root, or use --port sim, which needs neither"
            )
        return SimulatedBoardError(self.obituary("the simulated board ended"))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise SimulatedBoardError(f"the simulated board in {self.directory} is not running: start it")
        return self._process

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()


def _listens(port: int, pid: int) -> bool:
    """Return whether process `pid` listens on `port` of the address 127.0.0.1. Port `port` of 0.0.0.0 is not enough."""
    try:
        lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        sockets = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return False
    return any(
        (fields := line.split())[1] == f"{_LOOPBACK}:{port:04X}"
        and fields[3] == _LISTEN
        and f"socket:[{fields[9]}]" in sockets
        for line in lines
    )
