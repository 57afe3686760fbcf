# SPDX-License-Identifier: BSD-2-Clause
"""The description of an FPGA bitstream: a JSON file in the bitstream's folder. `cipherlane flash` needs this file.

The build flow writes it, and `cipherlane flash` reads it. It names the board with its cables, the FPGA, the build id,
and the bitstream's size and SHA-256. It detects mistakes and damage. It does not prove who made the bitstream.
"""

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Self

from .build_id import is_text

FORMAT = "cipherlane bitstream 1"
SUFFIX = ".json"  # appended to the bitstream's file name: X.bit becomes X.bit.json
MOST_BYTES = 64 << 10  # maximum size of a description file in bytes
_NAME, _WORD = r"[a-z0-9_]{1,40}", r"[A-Za-z0-9][\w.-]{0,40}"
# Regular expressions that the text fields of a description must match.
_TEXTS = {"board": _NAME, "configuration": _NAME, "title": ".{1,80}", "part": _WORD, "build_id": ".*"}
_TEXTS |= {"version": _WORD, "sha256": "[0-9a-f]{64}"}
# The only openFPGALoader options that a description may contain. They choose a cable or a bootloader. Other
# openFPGALoader options could erase or unlock memories.
_LOADER = re.compile(
    rf"(?:(?:--dfu|--(?:board|cable) {_WORD}|--(?:vid|pid) 0x[0-9a-f]{{4}}|--altsetting [0-9]{{1,2}})(?: (?=-)|\Z))+"
)


class DescriptionError(ValueError):
    """Raised if a text is not a valid description of a bitstream. The message gives the reason."""


@dataclass(frozen=True)
class Cable:
    """A kind of cable. The fields have the meanings given in `cipherlane.link.flashing.BoardCable`."""

    revision: str
    revisions: str
    usb: str
    loader: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """A bitstream and its board. `cipherlane.link.flashing.Board` explains the fields about the board."""

    board: str
    configuration: str
    title: str
    part: str
    bootloader: bool
    cables: tuple[Cable, ...]
    build_id: str
    version: str
    size: int
    sha256: str

    def text(self) -> str:
        """Return the text of the JSON file that stores this description."""
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}, indent=1) + "\n"

    def is_of(self, bitstream: bytes) -> bool:
        """Return whether `bitstream` has the size and the SHA-256 that this description states."""
        return len(bitstream) == self.size and hashlib.sha256(bitstream).hexdigest() == self.sha256

    @classmethod
    def of(cls, bitstream: bytes, **fields: Any) -> Self:
        """Return the description of `bitstream`; `fields` are all fields except size and SHA-256."""
        return cls(size=len(bitstream), sha256=hashlib.sha256(bitstream).hexdigest(), **fields)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the description in `text`, the content of the JSON file.

        Raises:
            DescriptionError: it contains none, or a field is missing or wrong.
        """
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DescriptionError("it is not JSON") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise DescriptionError(f"its format is not {FORMAT}")
        rows = found.get("cables")
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise DescriptionError("cables must be a list")
        cables = tuple(_cable(row) for row in rows)
        bootloader, size = found.get("bootloader"), found.get("size")
        if not isinstance(bootloader, bool):
            raise DescriptionError("bootloader must be true or false")
        if type(size) is not int or size < 1:
            raise DescriptionError("size must be a number of bytes")
        texts = {name: _field(found, name, pattern) for name, pattern in _TEXTS.items()}
        if not is_text(texts["build_id"]):
            raise DescriptionError("build_id must be two digests")
        return cls(bootloader=bootloader, cables=cables, size=size, **texts)


def _cable(row: dict[str, Any]) -> Cable:
    words = row.get("loader")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DescriptionError("loader must be a list of words")
    line = " ".join(words)
    if line.split(" ") != words or not _LOADER.fullmatch(line):
        raise DescriptionError("loader must choose a board, a cable or a bootloader, and nothing else")
    return Cable(
        _field(row, "revision", ".{0,20}"),
        _field(row, "revisions", ".{0,80}"),
        _field(row, "usb", r"[0-9a-f]{4}:[0-9a-f]{4}"),
        tuple(words),
    )


def _field(found: dict[str, Any], name: str, pattern: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value.isprintable() or not re.fullmatch(pattern, value, re.ASCII):
        raise DescriptionError(f"{name} must be {'a text' if pattern.startswith('.') else f'as {pattern}'}")
    return value
