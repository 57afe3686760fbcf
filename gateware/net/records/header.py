# SPDX-License-Identifier: BSD-2-Clause
"""The record header in hardware, generated from the wire layout (host/cipherlane_base/wire/wire.toml).

All fields are little-endian and follow each other without padding. So a `migen.Record` of the fields has the layout of
the header: word i of its raw bits is word i of the datagram.
"""

from cipherlane_base.wire.layout import BLOCK, HEADER, REPLY, VERSION, RecordType
from migen import Record

from .. import WORD_BYTES

HEADER_BYTES = HEADER.size
HEADER_WORDS = HEADER_BYTES // WORD_BYTES
HEADER_LAYOUT = [(field.name, 8 * field.size) for field in HEADER.fields]
HEADER_VERSION = VERSION
DATA_REQUEST = int(RecordType.DATA)
DATA_REPLY = DATA_REQUEST | REPLY
OFFSET_UNIT = BLOCK


def header_record(name: str) -> Record:
    """Return a Migen `Record` with the header's fields as signals, in the order in which they are sent."""
    return Record(HEADER_LAYOUT, name=name)


def word_of(name: str) -> int:
    """Return the number of the header's word in which a field begins.

    Raises
    ------
    ValueError
        The header has no such field.
    """
    position = 0
    for field in HEADER.fields:
        if field.name == name:
            return position // WORD_BYTES
        position += field.size
    raise ValueError(f"the header has no field {name!r}; it has {', '.join(f.name for f in HEADER.fields)}")
