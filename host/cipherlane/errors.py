# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions of the host tool. The class of an exception determines the exit status of the command."""


class CipherlaneError(Exception):
    """Base class of all errors. The message of an error is one line and names the remedy."""

    exit_code = 1


class ArgumentError(CipherlaneError):
    """A value given by the user cannot be used."""

    exit_code = 2


class KeyLengthError(ArgumentError):
    """The key is not 128, 192 or 256 bits in hexadecimal digits."""


class IvLengthError(ArgumentError):
    """The initial counter block is not 16 bytes in hexadecimal digits."""


class FileError(ArgumentError):
    """A file cannot be read or written."""


class ExistsError(FileError):
    """A file exists, and the user did not ask to replace it."""

    def __init__(self, name: str, remedy: str = "name another OUT", link: bool = False):
        """Create the error for the file `name`. `remedy` is advice on how to avoid replacing this file. `link` is
        true if the file is a symbolic link.
        """
        self.question = f"{name} {'is a symbolic link' if link else 'already exists'}. Replace it?"
        super().__init__(
            f"{name} is a symbolic link, which is not followed: {remedy}, or replace the link with --force"
            if link
            else f"{name} already exists: {remedy}, or replace it with --force"
        )


class ReaderGoneError(CipherlaneError):
    """The program that reads this tool's output has closed the pipe. This is no failure: the tool prints no message."""

    exit_code = 141  # shells report this exit status for a program that the signal SIGPIPE has ended


class PortError(CipherlaneError):
    """The port does not exist, is busy, or has disappeared."""

    exit_code = 3


class SimulatedBoardError(PortError):
    """The simulated board is not built, did not start, or stopped."""


class NoReplyError(CipherlaneError):
    """The port is open, but no Cipherlane board answers."""

    exit_code = 4


class VersionMismatchError(CipherlaneError):
    """The board and this tool use different versions of the record layout."""

    exit_code = 5

    def __init__(self, host: int, board: int):
        """Create the error. `host` is the record version of this tool, `board` is the record version of the board."""
        super().__init__(
            f"version mismatch: this tool speaks record version {host}, the board speaks version {board}; "
            "install the matching tool, or flash the matching firmware"
        )
        self.host = host
        self.board = board


class BoardError(CipherlaneError):
    """The board refused a request; `code` gives the reason."""

    exit_code = 6

    def __init__(self, code: int, name: str, text: str, detail: int, request: str, remedy: str = ""):
        """Create the error. The board answered `request` with the error code `code`, which is called `name`."""
        super().__init__(f"the board refused {request}: {text} (error {code}, {name}, detail {detail}){remedy}")
        self.code = code
        self.name = name
        self.detail = detail
        self.request = request


class ReusedError(BoardError):
    """Counter blocks of the requested range were already used with this key, or belong to an open session."""


class RangesFullError(BoardError):
    """The board's table of counter-block ranges is full."""


class RandomSourceError(BoardError):
    """The board cannot generate an initial counter block: its random source is missing or failed its health test."""


class TicketError(BoardError):
    """The ticket in a request matches no range of counter blocks that the board can resume."""


class WindowError(BoardError):
    """A record's offset lies outside the window of records that the board accepts."""


class OtherDataError(BoardError):
    """A record uses counter blocks that were already used for different data."""


class BusyError(BoardError):
    """The board is busy with the session of another client."""


class SharedBoardError(CipherlaneError):
    """The board reports no cycle counts, because another client had a session at the same time."""

    exit_code = 6

    def __init__(self) -> None:
        """Create the error; its message names the remedy."""
        super().__init__(
            "the board reports no cycles, because another peer had a session at the same time: measure again "
            "after that session"
        )


class ReplyError(CipherlaneError):
    """A reply of the board contains an invalid value; the message names the value and the remedy."""

    def __init__(self, reply: str, what: str):
        """Create the error. `reply` is the name of the board's reply, and `what` describes the invalid value."""
        super().__init__(f"the board's {reply} says {what}: flash the matching firmware, or check which board it is")


class TransferError(CipherlaneError):
    """A transfer ended before the results of all bytes had arrived.

    `missing` lists the byte ranges (start, end) without a result; `end` is None if the input was not read that far.
    `written` is the number of bytes from the start of the stream that were written in order. Resume at the last
    multiple of `record_bytes` that does not exceed it.
    """

    exit_code = 7

    def __init__(self, reason: str, missing: list[tuple[int, int | None]], written: int, record_bytes: int = 16):
        """Create the error. Its message gives the reason, the missing bytes, and the byte from which to resume."""
        ranges = ", ".join(f"{start}-{'end' if end is None else end - 1}" for start, end in missing[:8])
        more = f" and {len(missing) - 8} more ranges" if len(missing) > 8 else ""
        super().__init__(
            f"transfer incomplete: {reason}; missing bytes {ranges}{more}; "
            f"the first {written} bytes are complete: resume at offset {written // record_bytes * record_bytes}"
        )
        self.reason = reason
        self.missing = missing
        self.written = written


class NoLoaderError(CipherlaneError):
    """The firmware answers instead of the loader, so the board cannot receive new firmware."""

    exit_code = 6


class LoadError(CipherlaneError):
    """New firmware was not loaded, or does not run; the board's loader still works."""

    exit_code = 7


class FlashError(CipherlaneError):
    """A bitstream was not loaded into a board, or the board does not run it."""

    exit_code = 7


class VerifyError(CipherlaneError):
    """A result of the board differs from the result of the package `cryptography`, or the package is not installed."""


class TamperedError(CipherlaneError):
    """A part of an authenticated file was altered or encrypted with a different key. No data of this part were written.

    `part` names the header or the record, `name` the file; the caller that knows the file sets `name`.
    """

    exit_code = 8

    def __init__(self, part: str, name: str = "the input"):
        """Create the error. `part` is the altered part of the file `name`, for example "the header"."""
        super().__init__(part, name)
        self.part = part
        self.name = name

    @classmethod
    def of_record(cls, number: int) -> "TamperedError":
        """Return the error for an altered record; `number` counts the records of the file from 0."""
        return cls(f"record {number}")

    def __str__(self) -> str:
        return (
            f"{self.part} of {self.name} was changed, moved or cut off, or belongs to another key: "
            "get the file again, or give the key that encrypted it"
        )
