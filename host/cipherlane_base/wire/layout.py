# SPDX-License-Identifier: BSD-2-Clause
"""Record layouts and constants, derived from wire.toml.

All integers are little-endian, and fields follow each other without padding. Nothing here repeats the file: types,
sizes and names come from it directly, and codes through the generated codes.py.
"""

import struct
import tomllib
from collections import namedtuple
from dataclasses import dataclass
from importlib import resources
from typing import Any

from .codes import UDP_PORT as UDP_PORT
from .codes import VERSION as VERSION
from .codes import Cause as Cause
from .codes import Engine as Engine
from .codes import ErrorCode as ErrorCode
from .codes import ImageState as ImageState
from .codes import Kind as Kind
from .codes import Mode as Mode
from .codes import OpenFlag as OpenFlag
from .codes import RecordType as RecordType
from .codes import Suite as Suite

_FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


def _format(kind: str) -> str:
    return f"{int(kind[5:])}s" if kind.startswith("bytes") else _FORMATS[kind]


@dataclass(frozen=True)
class Field:
    """One field of a layout: its name, its type (a type name of wire.toml), and its meaning."""

    name: str
    type: str
    doc: str

    @property
    def size(self) -> int:
        """Size of the field in bytes."""
        return struct.calcsize("<" + _format(self.type))


def _tuple_type(name: str, fields: list[str]) -> Any:
    return namedtuple(name, fields)


class Layout:
    """The layout of a record: a sequence of fields. It packs values into bytes and unpacks them."""

    def __init__(self, name: str, fields: list[dict[str, str]]):
        """Derive the layout called `name` from the list of its fields in wire.toml."""
        self.name = name
        self.fields = tuple(Field(**field) for field in fields)
        self._struct = struct.Struct("<" + "".join(_format(field.type) for field in self.fields))
        self._tuple: Any = _tuple_type(name, [field.name for field in self.fields])

    @property
    def size(self) -> int:
        """Size of all fields in bytes."""
        return self._struct.size

    def pack(self, **values: int | bytes) -> bytes:
        """Return the fields as bytes. A value must be given for every field."""
        return self._struct.pack(*self._tuple(**values))

    def unpack(self, data: bytes) -> Any:
        """Return a named tuple of the fields at the start of `data`."""
        return self._tuple(*self._struct.unpack_from(data))

    def codec(self, *names: str) -> struct.Struct:
        """Return the layout's `struct.Struct`. Raise ValueError if `names` are not the names of all fields in order."""
        if names != self._tuple._fields:
            raise ValueError(f"{self.name} has the fields {self._tuple._fields}")
        return self._struct


def load_wire() -> dict[str, Any]:
    """Return the contents of wire.toml."""
    return tomllib.loads(resources.files(__package__).joinpath("wire.toml").read_text(encoding="utf-8"))


_WIRE = load_wire()

REPLY = 0x80  # this bit is set in the type field of every reply
BLOCK = 16  # size of an AES block in bytes
INFO_MAGIC = int.from_bytes(b"CLNE", "little")

ERROR_TYPE: int = _WIRE["error"]["code"]
ERROR_DOCS: dict[int, str] = {table["code"]: table["doc"] for table in _WIRE["error_code"]}

HEADER = Layout("Header", _WIRE["header"]["fields"])
ERROR = Layout("Error", _WIRE["error"]["fields"])
IMAGE = Layout("Image", _WIRE["image"]["fields"])
IMAGE_MAGIC = int.from_bytes(b"CLFW", "little")
IMAGE_STATE_DOCS: dict[int, str] = {table["code"]: table["doc"] for table in _WIRE["image_state"]}
CAUSE_DOCS: dict[int, str] = {table["code"]: table["doc"] for table in _WIRE["cause"]}
REQUESTS: dict[int, Layout] = {}
"Layout of each request's data by record type; types without a layout are missing."
REPLIES: dict[int, Layout] = {}
"Layout of each reply's data by record type; types without a layout are missing."

for _record in _WIRE["record"]:
    for _side, _layouts in (("request", REQUESTS), ("reply", REPLIES)):
        _fields = _record[_side]
        _name = (_record["name"] + "_" + _side).title().replace("_", "")
        if _fields != "data":
            _layouts[_record["code"]] = Layout(_name, _fields)
