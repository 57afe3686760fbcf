"""Loads a bitstream into an attached board through openFPGALoader.

::

    revision ─► cable ─► part on it ─► is it the bitstream's? ─► configuration memory (until power is off), or SPI flash

The part is read before anything is written; a board with a bootloader over USB (DFU) cannot tell it. What
openFPGALoader says of a cable that it cannot open is libftdi's: no device, no permission, in use by another program.
What a bootloader may not be opened for is to it not there, and a download that such a one refused is to it a success:
who is attached is looked for, and what it says is read, whatever it ends with.
"""

import re
import shlex
import subprocess
from pathlib import Path

from cipherlane import cables
from cipherlane.build_id import require
from cipherlane.cables import REMEDY
from cipherlane.clock import REAL, Clock
from cipherlane.device import Device
from cipherlane.errors import CipherlaneError, NoReplyError
from cipherlane.plain import plain
from cipherlane.transport import open_transport

from gateware.boards import Board, Cable
from gateware.flow import build_id
from gateware.flow.revisions import RevisionError, cable_of
from gateware.targets import Target

# openFPGALoader itself has no bound: of reading a part, and of writing and reading back 2 MB by a slow cable.
DETECT_LIMIT_S, LIMIT_S = 60, 1800
# How long a board may take until it answers, and how long until it is asked again.
ANSWER_S = 20.0
_ASK_S, _AGAIN_S = 1.0, 0.2
MEMORIES = {"sram": ["--write-sram"], "spi": ["--write-flash", "--verify"]}
# What a message of a cable has in it: what to do. libftdi's numbers of ftdi_usb_open_desc.
_CABLE = r"unable to open|init failed|No cable"
_REMEDIES = {
    r"ftdi device: -3\b|device not found|No device|no device|Not found|No DFU": "none is found: attach it by its USB "
    "cable, power it on",
    r"ftdi device: -4\b|[Pp]ermission": f"no permission: {REMEDY}",
    r"Unknown device": "what answers is no part that openFPGALoader knows: look at its cable and power",
    r"ftdi device: -5\b|[Bb]usy|Fail to claim": "another program has its cable: end that one",
}
# What a line has that tells a cause, unless it begins with a tab, as the status register does, or has this; what a
# bootloader says that has taken all.
_CAUSE, _NO_CAUSE = r"FAIL|[Ff]ail|[Ee]rror|mismatch", "std::exception"
_SENT = "send zero sized download request: DONE"


class FlashError(RuntimeError):
    """The board cannot be loaded, or has not been; the message says what to do."""


def flash(target: Target, directory: Path, memory: str, *, dry_run: bool = False, revision: str = "") -> str:
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
    revision : str
        The board's; empty to go by the cable that is attached.

    Raises
    ------
    FlashError
        The board is simulated or has no such revision, or its bootloader does not load the FPGA itself; there is no
        bitstream, no cable or none that may be opened, another part on it, or openFPGALoader failed or did not end.
    """
    board = target.board
    if board.simulated:
        raise FlashError(f"board {board.name} is simulated: there is nothing to flash")
    if board.bootloader and memory == "sram":
        raise FlashError(f"{board.title} is loaded by its bootloader, into its SPI flash alone: run `make flash-spi`")
    bitstream = directory / "gateware" / f"{target.name}.bit"
    if not bitstream.exists():
        raise FlashError(f"no bitstream for {target.name}: run `make bitstream {target.variables}` first")
    there = cables.attached() or []
    try:
        cable = cable_of(board, [each.usb for each in there], revision)
    except RevisionError as error:
        raise FlashError(str(error)) from error
    loader = ["openFPGALoader", *cable.loader]
    command = [*loader, *([] if board.bootloader else MEMORIES[memory]), str(bitstream)]
    if dry_run:
        return shlex.join(command)
    if board.bootloader:
        said = _run(command, board, cable)
        if _SENT not in said or "dfuERROR" in said:
            raise FlashError(reason(said, board.title))
    else:
        found = re.findall(r"^\s*model\s+(\S+)", _run([*loader, "--detect"], board, cable), re.M)
        alike = len([each for each in there if each.usb == cable.usb])
        if not found and alike > 1:
            several = f"{alike} cables {cable.usb} are attached: leave the board's only"
            raise FlashError(f"nothing answers on the JTAG of {board.title}; {several}")
        require_part(board.part, found, board.title, bitstream.name)
        _run(command, board, cable)
    where = "in its SPI flash, it starts from it" if memory == "spi" else "in the FPGA until its power is off"
    return f"{bitstream.name} is loaded into {board.title}: {where}"


def confirm(build: str, port: str, timeout: float = ANSWER_S, again: str = "make flash", clock: Clock = REAL) -> str:
    """Waits until the board at a port answers, and says who it is.

    Parameters
    ----------
    build : str
        The id of the build that is to answer.
    port : str
        As the host tool names it.
    timeout : float
        Seconds to wait. A board that starts may be asked too early, and one that has not started anew yet answers too.
    again : str
        What loads the board whatever it runs.
    clock : Clock
        What counts those seconds.

    Raises
    ------
    FlashError
        Nobody has answered, or another build.
    """
    end = clock.now() + timeout
    while True:
        try:
            with Device(open_transport(port), timeout=_ASK_S) as device:
                info = device.info()
            require(info.build_id, build)
        except CipherlaneError as error:
            if clock.now() > end:
                silent = f"; else its firmware does not run: `{again}` loads another, whatever it does"
                hint = silent if isinstance(error, NoReplyError) else ""
                raise FlashError(f"at {port}, {timeout:g} s after it was loaded: {error}{hint}") from error
            clock.sleep(_AGAIN_S)
        else:
            return f"at {port} answers {info.board}, {info.firmware} {info.firmware_version}, build {build}: that is it"


def loaded_by(target: Target) -> str:
    """The command that loads a board whatever it runs."""
    boot = target.board.bootloader
    return f"make {'flash-spi' if boot else 'flash'} {target.variables}" + (", from its bootloader" if boot else "")


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
    """Raises FlashError unless the part is among those found on the cable of a board.

    openFPGALoader before 0.12 leaves the version out of the IDCODE, in which the families of a size differ: it calls
    each of them LFE5UM. It compares the whole IDCODE with the bitstream's before it writes.
    """
    if not found:
        raise FlashError(f"nothing answers on the JTAG of {title}: power it on, or cut a loop in its chain")
    if part not in found and f"LFE5UM-{part.partition('-')[2]}" not in found:
        seen = plain(", ".join(dict.fromkeys(found)))
        raise FlashError(f"on the cable is a {seen}, and {bitstream} is for a {part}: `make boards` lists both")


def reason(said: str, title: str, words: str = "", *, locked: bool = False) -> str:
    """Why a board was not loaded, in one line with the remedy.

    Parameters
    ----------
    said : str
        What openFPGALoader said before it failed, standard output and standard error as they came.
    title : str
        What a person calls the board.
    words : str
        openFPGALoader's for the board's cable.
    locked : bool
        Whether its cable is attached and may not be opened, which openFPGALoader may not tell from none.
    """
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", said) if line.strip()]
    cable = "\n".join(line for line in lines if re.search(_CABLE, line))
    for pattern, remedy in _REMEDIES.items():
        if re.search(pattern, cable):
            return f"no {title} could be opened: {f'no permission: {REMEDY}' if locked else remedy}"
    if "block protection is set" in said:
        unlock = " ".join(filter(None, ("openFPGALoader", words, "--unprotect-flash")))
        return f"{title} could not be loaded: its SPI flash is protected: run `{unlock}`, then this again"
    causes = [
        line for line in lines if re.match(rf"\S.*?(?:{_CAUSE})|{_CAUSE}", line) and _NO_CAUSE not in line
    ] or lines
    return f"{title} could not be loaded: openFPGALoader " + (
        f"says: {plain(causes[-1].strip())}" if causes else "says nothing"
    )


def _run(command: list[str], board: Board, cable: Cable) -> str:
    """What a command prints."""
    detects = "--detect" in command
    limit = DETECT_LIMIT_S if detects else LIMIT_S
    to_one = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        result = subprocess.run(command, **to_one, text=True, errors="replace", timeout=limit)
    except FileNotFoundError as error:
        raise FlashError("openFPGALoader is missing: run `make setup`") from error
    except subprocess.TimeoutExpired as error:
        raise FlashError(f"openFPGALoader did not end in {limit} s: check the cable") from error
    except KeyboardInterrupt as error:
        left = "nothing was written" if detects else f"{board.title} may hold half of it: run this again"
        raise FlashError(f"interrupted: {left}") from error
    if result.returncode:
        found = [each for each in cables.attached() or () if each.usb == cable.usb]
        locked = bool(found) and not any(each.usable for each in found)
        raise FlashError(reason(result.stdout, board.title, shlex.join(cable.loader), locked=locked))
    return result.stdout
