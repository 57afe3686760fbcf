# SPDX-License-Identifier: BSD-2-Clause
"""The sidecar of an incomplete output: parameters and progress of the transfer, from which a later run resumes.

`OUT.part.resume` is one JSON object, padded with spaces to `SIDECAR_SIZE` bytes. The fixed size allows it to be
rewritten in place with one call, even on a full disk.

For the key, it holds sixteen random bytes (`salt`) and 8 bytes of their HMAC-SHA-256 under the key (`key_check`). This
detects a wrong key without revealing an AES block under the key. `input_hash` and `output_hash` are running
HMAC-SHA-256 of the first `done` bytes of input and output, so they reveal nothing to those without the key. `done` is a
multiple of `record_bytes`. For an authenticated file, it counts plaintext, and never the last record: a resumed
transfer must still know that this record is the last.

The sidecar is written every quarter of a second or every megabyte, and when a transfer ends early. So it can lag behind
`OUT.part` only if the program was killed.
"""

import contextlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from cipherlane_base.wire.layout import BLOCK

from ..errors import FileError
from ..files.authenticated import TAG_BYTES, Header
from ..files.inputs import InputFile, trouble
from ..files.output import ANEW, SIDECAR_FORMAT, SIDECAR_SIZE, OutputFile, read_at, write_at
from .lte import CTR, GCM
from .transfer import Reader, Writer

PIECE = 1 << 20  # bytes read at once when files are checked
Note = Callable[[bytes, bytes], None]
_HEX = {"iv": 16, "salt": 16, "key_check": 8, "input_hash": 32, "output_hash": 32}  # bytes
_CHECKPOINT_BYTES, _CHECKPOINT_SECONDS = 1 << 20, 0.25


@dataclass(frozen=True)
class Side:
    """The layout of a stream's input or output: the bytes before the first record, and the size of a full record."""

    head: bytes
    record: int

    def at(self, number: int) -> int:
        """Return the offset in the file, in bytes, at which record `number` begins."""
        return len(self.head) + number * self.record


@dataclass(frozen=True)
class Parameters:
    """The parameters that determine the input and the output of a stream.

    `direction` is "encrypt" or "decrypt", `cipher` one of `lte.CIPHERS`. `iv` is the initial counter block
    (in GCM, the nonce prefix and 8 zeros), or None if the user gave none: then the board draws it, or the sidecar of an
    interrupted transfer has it. `bits` is the length of an LTE message in bits, or None.
    """

    key: bytes = field(repr=False)
    iv: bytes | None
    direction: str
    cipher: str = CTR
    bits: int | None = None

    def sides(self, iv: bytes, record_bytes: int) -> tuple[Side, Side]:
        """Return the layouts of input and output, with the initial counter block `iv` and with `record_bytes` bytes of
        plaintext in a full record.
        """
        plain = secret = Side(b"", record_bytes)
        if self.cipher == GCM:
            secret = Side(Header.of_stream(self.key, iv, record_bytes).encode(), record_bytes + TAG_BYTES)
        return (plain, secret) if self.direction == "encrypt" else (secret, plain)


@dataclass(frozen=True)
class _Point:
    """A position in the stream. Data before the position are stored as a hash, and data after the position in full."""

    records: int
    input_hash: hmac.HMAC
    output_hash: hmac.HMAC
    read: list[bytes] = field(default_factory=list)
    written: list[bytes] = field(default_factory=list)

    def advanced(self, input_record: int, output_record: int, held: int) -> "_Point":
        """Return the position after the last record that is complete in both input and output.

        At least `held` bytes of the input must follow this position. `input_record` and `output_record` are the sizes
        of a full record in the input and in the output, in bytes.
        """
        read, written = b"".join(self.read), b"".join(self.written)
        count = min(len(written) // output_record, max(0, len(read) - held) // input_record)
        ends = count * input_record, count * output_record
        hashes = self.input_hash.copy(), self.output_hash.copy()
        hashes[0].update(read[: ends[0]])
        hashes[1].update(written[: ends[1]])
        return _Point(self.records + count, *hashes, [read[ends[0] :]], [written[ends[1] :]])


class Journal:
    """The state of a resumable transfer. If an exception ends this object's `with` block, the object writes the
    sidecar.

    `done` bytes are complete, under the initial counter block `iv`, in records of `record_bytes`. The board identifies
    the range of counter blocks by `ticket`; the range begins at byte `range_begin` of the stream. A signal may arrive
    at any instant, so the position advances in one assignment.
    """

    def __init__(self, output: OutputFile, facts: dict[str, Any], parameters: Parameters):
        """Start at byte 0 of the stream; `facts` are the sidecar's fields. Only `begin` and `resume` call this."""
        self._output = output
        self._facts = facts
        self.record_bytes: int = facts["record_bytes"]
        self.iv = bytes.fromhex(facts["iv"])
        salt = bytes.fromhex(facts["salt"])
        self._sides = parameters.sides(self.iv, self.record_bytes)
        self._last_counts = parameters.cipher != GCM
        self._point = _Point(0, _keyed(parameters.key, salt, "input"), _keyed(parameters.key, salt, "output"))
        self._held = 0
        self._saved = time.monotonic()

    @classmethod
    def begin(
        cls,
        output: OutputFile,
        source: InputFile,
        parameters: Parameters,
        *,
        iv: bytes,
        record_bytes: int,
        ticket: int | None,
    ) -> Self:
        """Return the journal of a new stream, and write its sidecar.

        If the transfer fails after this call, the incomplete output is kept, so that a later run can resume the stream.
        `iv` is the initial counter block, which the board may have drawn.

        Raises:
            FileError: the sidecar cannot be written.
        """
        salt = secrets.token_bytes(16)
        facts = {
            "format": SIDECAR_FORMAT,
            "direction": parameters.direction,
            "cipher": parameters.cipher,
            "bits": parameters.bits,
            "iv": iv.hex(),
            "record_bytes": record_bytes,
            "ticket": ticket,
            "range_begin": 0,
            "salt": salt.hex(),
            "key_check": _key_check(parameters.key, salt),
            "input": source.identity,
        }
        journal = cls(output, facts, parameters)
        try:
            journal._write()
        except OSError as error:
            raise trouble("write", output.sidecar, error) from error
        output.kept = 0
        return journal

    @classmethod
    def resume(cls, output: OutputFile, source: InputFile, parameters: Parameters) -> Self:
        """Return the journal in the sidecar of `output`, after checking that input and parameters match this run.

        Raises:
            FileError: the sidecar does not match, or cannot be read.
        """
        facts, iv = _read(output), parameters.iv
        salt = bytes.fromhex(facts["salt"])
        for what, same in (
            ("key", hmac.compare_digest(facts["key_check"], _key_check(parameters.key, salt))),
            ("direction", parameters.direction == facts["direction"]),
            ("cipher", parameters.cipher == facts["cipher"]),
            ("input" if parameters.cipher == GCM else "IV", iv is None or iv.hex() == facts["iv"]),
            ("length in bits", parameters.bits == facts["bits"]),
            (f"input, or {source.name} has changed since then", source.identity == facts["input"]),
        ):
            if not same:
                raise _refusal(output, f"was begun with another {what}")
        return cls(output, facts, parameters)

    @property
    def done(self) -> int:
        """Number of bytes from the stream's start that are complete in input and output, without header and tags."""
        return self._point.records * self.record_bytes

    @property
    def written(self) -> int:
        """Number of bytes of the output that are complete, with header and tags."""
        return self._sides[1].at(self._point.records)

    @property
    def ticket(self) -> int | None:
        """The ticket by which the board recognises the stream's range of counter blocks; None if no range has been
        opened yet.
        """
        ticket: int | None = self._facts["ticket"]
        return ticket

    @property
    def range_begin(self) -> int:
        """Offset in the stream, in bytes, at which the current range of counter blocks begins."""
        begin: int = self._facts["range_begin"]
        return begin

    def began_again(self, ticket: int) -> None:
        """Update the sidecar: a new range of counter blocks, with this `ticket`, begins at byte `done`."""
        self._facts = {**self._facts, "ticket": ticket, "range_begin": self.done}
        self._save()

    def check_kept(self, source: InputFile, note: Note | None = None) -> None:
        """Check that the complete parts of input and output are unchanged, by comparing their hashes.

        `note` is called with each piece of both files. After the check, `source` is positioned after its complete part.

        Raises:
            FileError: a byte of either file has changed.
        """
        head = self._sides[1].head
        if self._facts["done"] and self._output.read_kept(0, len(head)) != head:
            raise _refusal(self._output, f"cannot be resumed: {self._output.part} has changed since then")
        self.take_over(source, self._facts["done"], note)
        for name, now, hashed in (
            (source.name, self._point.input_hash, "input_hash"),
            (self._output.part, self._point.output_hash, "output_hash"),
        ):
            if not hmac.compare_digest(now.hexdigest(), self._facts[hashed]):
                raise _refusal(self._output, f"cannot be resumed: {name} has changed since then")
        self._output.kept = self.written

    def take_over(self, source: InputFile, end: int, note: Note | None = None) -> None:
        """Read the input and output from byte `done` to byte `end` of the stream, and mark these bytes as complete.

        `end` is a multiple of `record_bytes`.

        Raises:
            FileError: one of the files is shorter.
        """
        from_, to = self._sides
        while self.done < end:
            count = min(max(1, PIECE // self.record_bytes), (end - self.done) // self.record_bytes)
            size, result = count * from_.record, count * to.record
            read, written = source.read(size), self._output.read_kept(self.written, result)
            while 0 < len(read) < size and (piece := source.read(size - len(read))):
                read += piece
            if len(read) != size or len(written) != result:
                name = source.name if len(read) != size else self._output.part
                raise _refusal(self._output, f"cannot be resumed: {name} ends before byte {end}")
            if note:
                note(read, written)
            self._point.read.append(read)
            self._point.written.append(written)
            self._point = self._point.advanced(from_.record, to.record, 0)

    def watch(self, reader: Reader, writer: Writer) -> tuple[Reader, Writer]:
        """Return a reader and a writer that pass on all data, and also store all data in this journal."""
        return _WatchedReader(self, reader), _WatchedWriter(self, writer)

    def note_read(self, data: bytes) -> None:
        """Store `data` as the next bytes read from the input."""
        self._point.read.append(data)

    def note_written(self, data: bytes) -> None:
        """Store output data that were appended to `OUT.part`."""
        self._point.written.append(data)
        self._held += len(data)
        if self._held >= _CHECKPOINT_BYTES or time.monotonic() - self._saved >= _CHECKPOINT_SECONDS:
            self._save()

    def _save(self) -> None:
        """Write the current position to the sidecar. If that fails, the sidecar's older position remains valid."""
        from_, to = self._sides
        self._point = self._point.advanced(from_.record, to.record, 0 if self._last_counts else 1)
        self._held = 0
        self._saved = time.monotonic()
        self._output.kept = self.written
        with contextlib.suppress(OSError):
            self._write()

    def _write(self) -> None:
        point = self._point
        record = {
            **self._facts,
            "done": point.records * self.record_bytes,
            "input_hash": point.input_hash.hexdigest(),
            "output_hash": point.output_hash.hexdigest(),
        }
        write_at(self._output.sidecar_fd, json.dumps(record).encode().ljust(SIDECAR_SIZE), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if value is not None:
            self._save()
            with contextlib.suppress(FileError):  # report the error that ended the transfer, not this error
                self._output.sync()


class _WatchedReader:
    def __init__(self, journal: Journal, reader: Reader):
        self._journal = journal
        self._reader = reader

    def read(self, size: int, /) -> bytes:
        data = self._reader.read(size)
        self._journal.note_read(data)
        return data


class _WatchedWriter:
    def __init__(self, journal: Journal, writer: Writer):
        self._journal = journal
        self._writer = writer

    def write(self, data: bytes, /) -> None:
        self._writer.write(data)
        self._journal.note_written(data)


def _keyed(key: bytes, salt: bytes, purpose: str) -> hmac.HMAC:
    """Return a running HMAC. Its key is derived from the AES key in `key`, and from `salt` and `purpose`."""
    return hmac.new(hmac.digest(key, salt + purpose.encode(), "sha256"), digestmod="sha256")


def _key_check(key: bytes, salt: bytes) -> str:
    return hmac.digest(key, salt + b"key check", "sha256")[:8].hex()


def _read(output: OutputFile) -> dict[str, Any]:
    """Read the sidecar of `output`, check it, and return its fields."""
    try:
        facts: dict[str, Any] = {"cipher": CTR, "bits": None, **json.loads(read_at(output.sidecar_fd, SIDECAR_SIZE, 0))}
        good = (
            facts["format"] == SIDECAR_FORMAT
            and facts["record_bytes"] > 0
            and facts["record_bytes"] % BLOCK == 0
            and facts["done"] >= 0
            and facts["done"] % facts["record_bytes"] == 0
            and [len(bytes.fromhex(facts[name])) for name in _HEX] == list(_HEX.values())
            and isinstance(facts["cipher"], str)
            and isinstance(facts["bits"], int | None)
            and isinstance(facts["ticket"], int | None)
            and facts["range_begin"] in range(0, facts["done"] + 1, facts["record_bytes"])
            and isinstance(facts["input"], dict | None)
        )
    except OSError as error:
        raise trouble("read", output.sidecar, error) from error
    except (ValueError, KeyError, TypeError, RecursionError):
        good = False
    if not good:
        raise _refusal(output, f"cannot be resumed: {output.sidecar} does not record how far it got")
    return facts


def _refusal(output: OutputFile, reason: str) -> FileError:
    return FileError(
        f"{output.part} {reason}; resume with the original input and options, or delete it and "
        f"{output.sidecar.name} and {ANEW}"
    )
