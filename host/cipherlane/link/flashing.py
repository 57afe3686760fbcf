# SPDX-License-Identifier: BSD-2-Clause
"""Loads a bitstream into an attached board through openFPGALoader.

::

    revision ─► cable ─► part on it ─► is it the bitstream's? ─► configuration memory (until power is off), or SPI flash

The part is read before anything is written. A board with a USB bootloader (DFU) cannot report its part. For a cable
that it cannot open, openFPGALoader prints libftdi's reason: no device, no permission, or in use by another program. It
does not see a bootloader that it may not open, and it exits with success if a bootloader refuses the download. So this
module looks for attached boards itself, and reads openFPGALoader's output whatever its exit status.
"""

import re
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from cipherlane_base.plain import plain

from ..clock import REAL, Clock
from ..errors import CipherlaneError, FlashError, NoReplyError
from ..transport import open_transport
from . import cables
from .cables import REMEDY
from .device import Device
from .expected_build import require

# Time limits in seconds, because openFPGALoader has none: DETECT_LIMIT_S for reading the FPGA's name, LIMIT_S for
# writing and verifying 2 MB through a slow cable.
DETECT_LIMIT_S, LIMIT_S = 60, 1800
# Seconds to wait for the flashed board: in total, for the answer to one request, and between two requests.
ANSWER_S = 20.0
_ASK_S, _AGAIN_S = 1.0, 0.2
MEMORIES = {"sram": ["--write-sram"], "spi": ["--write-flash", "--verify"]}
# Patterns of openFPGALoader's messages about the cable, and the remedy for each message. The numbers in the patterns
# are return values of libftdi's ftdi_usb_open_desc.
_CABLE = r"unable to open|init failed|No cable"
_REMEDIES = {
    r"ftdi device: -3\b|device not found|No device|no device|Not found|No DFU": "none is found: attach it by its USB "
    "cable, power it on",
    r"ftdi device: -4\b|[Pp]ermission": f"no permission: {REMEDY}",
    r"Unknown device": "what answers is no part that openFPGALoader knows: look at its cable and power",
    r"ftdi device: -5\b|[Bb]usy|Fail to claim": "another program uses its cable: end that program",
}
# Patterns of openFPGALoader's output. A line that matches `_CAUSE` gives the reason for a failure, unless the line also
# matches `_NO_CAUSE` or begins with a tab (the status register). openFPGALoader prints `_SENT` when a bootloader has
# received the whole bitstream.
_CAUSE, _NO_CAUSE = r"FAIL|[Ff]ail|[Ee]rror|mismatch", "std::exception"
_SENT = "send zero sized download request: DONE"


class BoardCable(Protocol):
    """A kind of cable: a USB device through which openFPGALoader loads bitstreams into some revisions of a board."""

    @property
    def revision(self) -> str:
        """The name by which users choose this kind of cable; empty if the board has only one kind."""

    @property
    def revisions(self) -> str:
        """All board revisions with this kind of cable, as text to print."""

    @property
    def usb(self) -> str:
        """The USB identity of this kind of cable, `vendor:product`."""

    @property
    def loader(self) -> Sequence[str]:
        """The options of openFPGALoader that choose this kind of cable."""


class Board(Protocol):
    """The facts about a board that are needed to load a bitstream into it."""

    @property
    def title(self) -> str:
        """The board's name, as text to print."""

    @property
    def part(self) -> str:
        """The board's FPGA, by the name that openFPGALoader prints."""

    @property
    def bootloader(self) -> bool:
        """True if the board is loaded through a USB bootloader, which reports no FPGA and writes only the SPI flash."""

    @property
    def cables(self) -> Sequence[BoardCable]:
        """The kinds of cables that the revisions of the board have, the most common kind first."""


def cable_of(board: Board, attached: Iterable[str], revision: str = "", option: str = "--revision ") -> BoardCable:
    """Return the kind of cable through which to load a bitstream into the board.

    Args:
        board: the board.
        attached: USB identities of the attached devices. If none belongs to the board, its first cable is chosen.
        revision: the revision that the user names, in upper or lower case; empty to find it by the attached devices.
        option: how users name a revision, for messages.

    Raises:
        FlashError: the board does not have the revision, or cables of several revisions are attached.
    """
    named = [cable.revision for cable in board.cables if cable.revision]
    if revision:
        if not named:
            raise FlashError(f"{board.title} has one kind of cable: leave {option}{revision} out")
        found = [cable for cable in board.cables if cable.revision.lower() == revision.lower()]
        if not found:
            raise FlashError(f"{board.title} has no revision {revision}: choose {option}{' or '.join(named)}")
        return found[0]
    there = set(attached)
    seen = [cable for cable in board.cables if cable.usb in there]
    if len(seen) > 1:
        raise FlashError(
            f"cables of several revisions of {board.title} are attached "
            f"({', '.join(f'{cable.usb} of {cable.revisions}' for cable in seen)}): "
            f"attach only one, or choose {option}{' or '.join(cable.revision for cable in seen)}"
        )
    return seen[0] if seen else board.cables[0]


def load(
    board: Board,
    bitstream: Path,
    memory: str,
    *,
    dry_run: bool = False,
    revision: str = "",
    option: str = "--revision ",
) -> str:
    """Load a bitstream into the attached board; return a sentence that tells what was loaded where.

    Args:
        board: the board that the bitstream is for.
        bitstream: the file.
        memory: one of `MEMORIES`: ``sram`` is the FPGA's configuration until its power is off, ``spi`` the flash it
            starts from. A board with a bootloader takes only ``spi``.
        dry_run: read and write nothing on the board, and return only the command.
        revision: the board's revision; empty to find it by the attached cable.
        option: how users name a revision, for messages.

    Raises:
        FlashError: there is no such revision or no cable, the cable may not be opened, or it reports another part. Or
            openFPGALoader failed or timed out.
    """
    there = cables.attached() or []
    cable = cable_of(board, [each.usb for each in there], revision, option)
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
            several = f"{alike} cables {cable.usb} are attached: attach only the board's"
            raise FlashError(f"nothing answers on the JTAG of {board.title}; {several}")
        require_part(board.part, found, board.title, bitstream.name)
        _run(command, board, cable)
    where = "in its SPI flash, from which it starts" if memory == "spi" else "in the FPGA until its power is off"
    return f"{bitstream.name} is loaded into {board.title}: {where}"


def confirm(
    build: str, port: str, timeout: float = ANSWER_S, again: str = "cipherlane flash", clock: Clock = REAL
) -> str:
    """Wait until the board at `port` answers with the expected build id; return a sentence about the board.

    Args:
        build: the id of the expected build.
        port: the port, in this tool's form.
        timeout: seconds to wait. A board that is starting may not answer yet, and a board that has not restarted yet
            still answers with its old build.
        again: the command that loads the board whatever it runs.
        clock: counts those seconds.

    Raises:
        FlashError: no board has answered, or another build has.
    """
    end = clock.now() + timeout
    while True:
        try:
            with Device(open_transport(port), timeout=_ASK_S) as device:
                info = device.info()
            require(info.build_id, build)
        except CipherlaneError as error:
            if clock.now() > end:
                silent = f"; if its firmware does not run, `{again}` loads another"
                hint = silent if isinstance(error, NoReplyError) else ""
                raise FlashError(f"at {port}, {timeout:g} s after it was loaded: {error}{hint}") from error
            clock.sleep(_AGAIN_S)
        else:
            return (
                f"{info.board} answers at {port}: {info.firmware} {info.firmware_version}, build {build}, as expected"
            )


def require_part(part: str, found: list[str], title: str, bitstream: str = "the bitstream") -> None:
    """Raise FlashError unless the bitstream was made for one of the FPGAs that were `found` in the board's JTAG chain.

    openFPGALoader before 0.12 ignores the version in the IDCODE, which distinguishes the families of a size. It calls
    all of them LFE5UM. It compares the whole IDCODE with the bitstream's before it writes.
    """
    if not found:
        raise FlashError(f"nothing answers on the JTAG of {title}: power it on, or cut a loop in its chain")
    if part not in found and f"LFE5UM-{part.partition('-')[2]}" not in found:
        seen = plain(", ".join(dict.fromkeys(found)))
        raise FlashError(f"on the cable is a {seen}, and {bitstream} is for a {part}: attach the board that it is for")


def reason(said: str, title: str, words: str = "", *, locked: bool = False) -> str:
    """Return the reason why a board was not loaded, in one line with the remedy.

    Args:
        said: output of openFPGALoader before it failed: standard output and standard error in the order of arrival.
        title: the board's name for people.
        words: openFPGALoader's arguments for the board's cable.
        locked: whether the cable is attached but may not be opened. openFPGALoader may report this as no cable.
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
        f"reports: {plain(causes[-1].strip())}" if causes else "printed nothing"
    )


def _run(command: list[str], board: Board, cable: BoardCable) -> str:
    """Run an openFPGALoader command for a board; return the command's output."""
    detects = "--detect" in command
    limit = DETECT_LIMIT_S if detects else LIMIT_S
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit
        )
    except FileNotFoundError as error:
        raise FlashError(
            "openFPGALoader is missing: run `make setup`, or install it (Debian: apt-get install openfpgaloader)"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise FlashError(f"openFPGALoader did not end in {limit} s: check the cable") from error
    except KeyboardInterrupt as error:
        left = "nothing was written" if detects else f"{board.title} may hold an incomplete bitstream: run this again"
        raise FlashError(f"interrupted: {left}") from error
    if result.returncode:
        found = [each for each in cables.attached() or () if each.usb == cable.usb]
        locked = bool(found) and not any(each.usable for each in found)
        raise FlashError(reason(result.stdout, board.title, shlex.join(cable.loader), locked=locked))
    return result.stdout
