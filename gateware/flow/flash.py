"""Loads a bitstream into an attached board through openFPGALoader.

::

    cable ─► part on it ─► is it the bitstream's? ─► configuration memory (until power is off), or SPI flash

The part is read before anything is written; a board with a bootloader over USB (DFU) cannot tell it. What
openFPGALoader says of a cable that it cannot open is libftdi's: no device, no permission, in use by another program.
"""

import re
import shlex
import subprocess
import time
from pathlib import Path

from cipherlane.build_id import require
from cipherlane.cables import REMEDY
from cipherlane.device import Device
from cipherlane.errors import CipherlaneError
from cipherlane.transport import open_transport

from gateware.flow import build_id
from gateware.targets import Target

# openFPGALoader itself has no bound.
LIMIT_S = 600
# How long a board may take until it answers, and how long until it is asked again.
ANSWER_S = 20.0
_AGAIN_S = 0.2
MEMORIES = {"sram": "--write-sram", "spi": "--write-flash"}
# What a message has in it: what to do. libftdi's numbers of ftdi_usb_open_desc.
_REMEDIES = {
    r"ftdi device: -3\b|device not found|No device|no device|Not found|No DFU": "none is found: attach it by its USB "
    "cable, power it on",
    r"ftdi device: -4\b|[Pp]ermission": f"no permission: {REMEDY}",
    r"ftdi device: -5\b|[Bb]usy": "another program has its cable: end that one",
}


class FlashError(RuntimeError):
    """The board cannot be loaded, or has not been; the message says what to do."""


def flash(target: Target, directory: Path, memory: str, *, dry_run: bool = False) -> str:
    """Loads the bitstream that `make bitstream` left in a folder; returns what is where then, or the command alone.

    Parameters
    ----------
    target : Target
        Board and configuration.
    directory : Path
        The build's.
    memory : str
        One of `MEMORIES`: ``sram`` is the FPGA's configuration until its power is off, ``spi`` is what it starts from.
    dry_run : bool
        Ask and write nothing, and return the command.

    Raises
    ------
    FlashError
        The board is simulated, or its bootloader does not load the FPGA itself; there is no bitstream, no cable or none
        that may be opened, another part on it, or openFPGALoader failed or did not end.
    """
    board = target.board
    if board.simulated:
        raise FlashError(f"board {board.name} is simulated: there is nothing to flash")
    if board.bootloader and memory == "sram":
        raise FlashError(f"{board.title} is loaded by its bootloader, into its SPI flash alone: run `make flash-spi`")
    bitstream = directory / "gateware" / f"{target.name}.bit"
    if not bitstream.exists():
        raise FlashError(f"no bitstream for {target.name}: run `make bitstream {target.variables}` first")
    loader = ["openFPGALoader", *board.flash_cable]
    command = [*loader, *([] if board.bootloader else [MEMORIES[memory]]), str(bitstream)]
    if dry_run:
        return shlex.join(command)
    if not board.bootloader:
        found = re.findall(r"^\s*model\s+(\S+)", _run([*loader, "--detect"], board.title), re.M)
        require_part(board.part, found, board.title, bitstream.name)
    _run(command, board.title)
    where = "in its SPI flash, it starts from it" if memory == "spi" else "in the FPGA until its power is off"
    return f"{bitstream.name} is loaded into {board.title}: {where}"


def confirm(build: str, port: str, timeout: float = ANSWER_S) -> str:
    """Waits until the board at a port answers, and says who it is.

    Parameters
    ----------
    build : str
        The id of the build that is to answer.
    port : str
        As the host tool names it.
    timeout : float
        Seconds to wait. A board that starts may be asked too early, and one that has not started anew yet answers too.

    Raises
    ------
    FlashError
        Nobody has answered, or another build.
    """
    end = time.monotonic() + timeout
    while True:
        try:
            with Device(open_transport(port)) as device:
                info = device.info()
            require(info.build_id, build)
        except CipherlaneError as error:
            if time.monotonic() > end:
                raise FlashError(f"at {port}, {timeout:g} s after it was loaded: {error}") from error
            time.sleep(_AGAIN_S)
        else:
            return f"at {port} answers {info.board}, {info.firmware} {info.firmware_version}, build {build}: that is it"


def built(target: Target, directory: Path) -> str:
    """The id of the build in a folder.

    Raises
    ------
    FlashError
        There is none.
    """
    try:
        return build_id.read(directory / "gateware", target.name)
    except build_id.BuildIdError as error:
        raise FlashError(str(error)) from error


def require_part(part: str, found: list[str], title: str, bitstream: str = "the bitstream") -> None:
    """Raises FlashError unless the part is among those found on the cable of a board."""
    if not found:
        raise FlashError(f"nothing answers on the JTAG of {title}: power it on, or cut a loop in its chain")
    if part not in found:
        raise FlashError(f"on the cable is a {', '.join(dict.fromkeys(found))}, and {bitstream} is for a {part}")


def reason(said: str, title: str) -> str:
    """Why a board was not loaded, in one line with the remedy, from what openFPGALoader said before it failed."""
    for pattern, remedy in _REMEDIES.items():
        if re.search(pattern, said):
            return f"no {title} could be opened: {remedy}"
    lines = [line.strip() for line in re.split(r"[\r\n]+", said) if line.strip()]
    return f"{title} could not be loaded: openFPGALoader " + (f"says: {lines[-1]}" if lines else "says nothing")


def _run(command: list[str], title: str) -> str:
    """What a command prints."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    except FileNotFoundError as error:
        raise FlashError("openFPGALoader is missing: run `make setup`") from error
    except subprocess.TimeoutExpired as error:
        raise FlashError(f"openFPGALoader did not end in {LIMIT_S // 60} minutes: check the cable") from error
    said = result.stdout + result.stderr
    if result.returncode:
        raise FlashError(reason(said, title))
    return said
