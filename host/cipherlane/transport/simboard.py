"""The simulated board as a process: a run directory of links to the build, a free TCP port, and the simulator.

The build directory (`build/sim` of the checkout that this file is in, or where the environment's CIPHERLANE_SIM
points) holds `board.json`, which names the folder with the simulator's files (`gateware`) and, below it, the program
(`executable`). A board with Ethernet (`build/sim_eth`, CIPHERLANE_SIM_ETH) also has an `ip_address`; it runs in a
network namespace of its own. A board with a `console` has it on the simulator's standard input and output. The UART
listens on 127.0.0.1 alone.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import SimulatedBoardError
from ..protocol.layout import UDP_PORT
from . import namespace

DESCRIPTION = "board.json"
CONFIG = "sim_config.js"
LOG = "sim.log"
UART_BOARD, ETHERNET_BOARD = "sim", "sim_eth"
UART_MODULE = "loopback_uart"
START_TIMEOUT = 30.0
STOP_TIMEOUT = 3.0
_LISTEN = "0A"  # state of a listening socket in /proc/net/tcp
_LOOPBACK = f"{int.from_bytes(socket.inet_aton('127.0.0.1'), sys.byteorder):08X}"  # as written there
_PACKAGE = Path(__file__).resolve().parents[1]


def find_board(name: str = UART_BOARD) -> Path:
    """Return the build directory of the simulated board called `name`.

    It is the one that the environment's CIPHERLANE_<NAME> names, or the one built in the checkout that this file is
    in. No other is looked for: what is found is run.

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
    """A running simulated board; a context manager. Clients connect to `url`, one at a time."""

    def __init__(self, directory: Path | None = None):
        """Describe the board built in `directory`, by default the one `find_board` finds.

        Raises:
            SimulatedBoardError: it is not built, or its description cannot be read.
        """
        self.directory = Path(directory).resolve() if directory else find_board()
        try:
            self.description: dict[str, Any] = json.loads((self.directory / DESCRIPTION).read_text())
            self._gateware = self.directory / self.description["gateware"]
            self._executable = self.description["executable"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SimulatedBoardError(f"unusable {self.directory / DESCRIPTION} ({error!r}): run `make sim`") from error
        self.ip_address: str | None = self.description.get("ip_address")
        self._has_console = bool(self.description.get("console"))
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._run_directory: Path | None = None
        self._log_tail = ""

    @property
    def url(self) -> str:
        """URL that pyserial opens to reach the board; in its namespace, if it has one."""
        return f"socket://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Number of the running board's process."""
        return self._running().pid

    def ended(self) -> bool:
        """Return whether the board's process is gone."""
        return self._process is None or self._process.poll() is not None

    def udp_socket(self) -> socket.socket:
        """Return an unconnected UDP socket from which the running board can be reached.

        Raises:
            SimulatedBoardError: the board has no Ethernet, or its network does not come up.
        """
        if not self.ip_address:
            raise SimulatedBoardError(f"the simulated board in {self.directory} has no Ethernet")
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                return namespace.udp_socket(self.pid, self.ip_address, UDP_PORT, START_TIMEOUT)
            except (OSError, subprocess.TimeoutExpired) as error:
                if time.monotonic() > deadline:
                    raise SimulatedBoardError(self.obituary(f"no way to the simulated board: {error}")) from error
                time.sleep(0.1)

    def enter(self, text: str) -> None:
        """Type `text` on the running board's console.

        Raises:
            SimulatedBoardError: the board has no console, or ended.
        """
        console = self._running().stdin
        if console is None:
            raise SimulatedBoardError(f"the simulated board in {self.directory} has no console")
        try:
            console.write(text.encode())
        except OSError as error:
            raise SimulatedBoardError(self.obituary(str(error))) from error

    def output(self) -> str:
        """Return what the running simulator has printed, and what the board has on its console."""
        return (self._folder() / LOG).read_text(errors="replace")

    def start(self) -> None:
        """Start the board and wait until it listens.

        Raises:
            SimulatedBoardError: it cannot be started, ended at once, or does not listen in time; or this is not Linux.
        """
        if sys.platform != "linux":
            raise SimulatedBoardError(
                "the simulated board runs on Linux alone: use a board, or `cipherlane null-board`, which needs none"
            )
        self.port = _free_port()
        self._run_directory = folder = Path(tempfile.mkdtemp(prefix="cipherlane-sim-"))
        try:
            self._lay_out(folder)
            with open(folder / LOG, "wb") as log:
                # Python ignores SIGPIPE; restore_signals=False lets the simulator inherit that, so that a client
                # that leaves does not end it.
                program = folder / self._executable
                program.stat()  # said here, where the namespace's launcher would fail for it
                self._process = subprocess.Popen(
                    namespace.command(program) if self.ip_address else [program],
                    cwd=folder,
                    stdin=subprocess.PIPE if self._has_console else subprocess.DEVNULL,
                    bufsize=0,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    restore_signals=False,
                )
            self._await_listener()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self.stop()
            raise SimulatedBoardError(f"cannot start the simulated board: {error}; run `make sim`") from error
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the board and remove its run directory; stopping twice is allowed."""
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
        if self._run_directory is not None:
            self._log_tail = self.log_tail()
            shutil.rmtree(self._run_directory, ignore_errors=True)
            self._run_directory = None

    def log_tail(self) -> str:
        """Return the last lines of the simulator's output, on one line."""
        if self._run_directory is None:
            return self._log_tail
        try:
            text = (self._run_directory / LOG).read_text(errors="replace")
        except OSError:
            return ""
        return " | ".join(line.strip() for line in text.splitlines()[-5:] if line.strip())

    def obituary(self, reason: str) -> str:
        """Return `reason`, or how the simulator ended if it did."""
        if self._process is None:
            return reason
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        status = self._process.poll()
        if status is None:
            return reason
        return f"the simulated board ended with status {status}; its log ends: {self.log_tail() or '(empty)'}"

    def _lay_out(self, folder: Path) -> None:
        for entry in self._gateware.iterdir():
            if entry.name != CONFIG:
                (folder / entry.name).symlink_to(entry)
        modules = json.loads((self._gateware / CONFIG).read_text())
        uarts = [module for module in modules if module.get("module") == UART_MODULE]
        if not uarts:
            raise ValueError(f"{CONFIG} has no module {UART_MODULE}, which keeps others off the UART")
        for module in uarts:
            module["args"]["port"] = type(module["args"]["port"])(self.port)
        (folder / CONFIG).write_text(json.dumps(modules, indent=4))

    def _await_listener(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while not _listens(self.port, self.pid):
            status = self._running().poll()
            if status is not None:
                if self.ip_address and namespace.was_refused(status, self.log_tail()):
                    raise SimulatedBoardError(
                        f"no network namespace with a TAP device for the simulated board ({self.log_tail()}): "
                        "run as root, or use --port sim, which needs neither"
                    )
                raise SimulatedBoardError(self.obituary("the simulated board ended"))
            if time.monotonic() > deadline:
                raise SimulatedBoardError(
                    f"the simulated board does not listen after {START_TIMEOUT:.0f} s; its log ends: {self.log_tail()}"
                )
            time.sleep(0.02)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise SimulatedBoardError(f"the simulated board in {self.directory} is not running: start it")
        return self._process

    def _folder(self) -> Path:
        if self._run_directory is None:
            raise SimulatedBoardError(f"the simulated board in {self.directory} is not running: start it")
        return self._run_directory

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _listens(port: int, pid: int) -> bool:
    """Return whether a socket listens on `port` of 127.0.0.1, and of that alone, where process `pid` is.

    Without connecting: the simulated UART has room for one client.
    """
    try:
        lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return False
    return any((fields := line.split())[1] == f"{_LOOPBACK}:{port:04X}" and fields[3] == _LISTEN for line in lines)
