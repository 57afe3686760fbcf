# SPDX-License-Identifier: BSD-2-Clause
"""128-EIA2 (3GPP TS 33.401, B.2.3): a board computes the message authentication code (MAC) of one LTE message."""

import secrets

from cipherlane_base.wire.layout import BLOCK, REQUESTS, Engine, RecordType

from ..errors import ArgumentError, KeyLengthError
from ..protocol.records import Record
from .device import Device
from .lte import Message
from .replies import fields_of

ALGORITHM = "eia2"
KEY_BYTES = 16
HEAD_BYTES = 8  # bytes of the header: COUNT || BEARER || DIRECTION || 26 zero bits
MAC_BYTES = 4  # 128-EIA2 uses the first 4 of the 16 bytes that AES-CMAC computes


def eia2(device: Device, key: bytes, message: Message, data: bytes, engine: Engine) -> bytes:
    """Return the message authentication code of `data`: 4 bytes.

    Args:
        device: a board; it zeroizes key and data after it has answered.
        key: 16 bytes.
        message: COUNT, BEARER, DIRECTION, and the length in bits if it is not a multiple of 8.
        data: the message, each byte's most significant bit first; bits after the length are ignored.
        engine: one of `device.info().engines`; an AES engine that works from memory to memory.

    Raises:
        ArgumentError: the message is longer than a record.
        KeyLengthError: the key is not 16 bytes.
        BoardError: the board refuses, for example because older firmware does not know the record.
    """
    layout = REQUESTS[RecordType.MAC]
    most = (device.info().max_data - layout.size) // BLOCK * BLOCK - HEAD_BYTES
    if len(key) != KEY_BYTES:
        raise KeyLengthError(f"the key has {len(key) * 8} bits: 128-EIA2 needs a key of 128")
    if len(data) > most:
        raise ArgumentError(f"a message of {len(data)} bytes: the board takes at most {most}, give a shorter one")
    bits = 8 * len(data) if message.bits is None else message.bits
    text, subkey = padded(message.counter_block[:HEAD_BYTES] + data, 8 * HEAD_BYTES + bits)
    fields = layout.pack(engine=engine, subkey=subkey, key=key)
    reply = device.exchange(Record(RecordType.MAC, token=secrets.randbits(64), data=fields + text))
    mac: bytes = fields_of(reply).mac
    return mac[:MAC_BYTES]


def padded(data: bytes, bits: int) -> tuple[bytes, int]:
    """Pad the first `bits` bits of `data` to whole blocks (SP 800-38B); `bits` is at least 1. Return the padded blocks,
    and the number of the AES-CMAC subkey to use, 1 or 2.

    If the last block is incomplete, a 1 and zeros follow the last bit, and subkey 2 applies; otherwise subkey 1 (SP
    800-38B, 6.2).
    """
    behind = -bits % (8 * BLOCK)
    value = int.from_bytes(data, "big") >> (8 * len(data) - bits) << behind
    if behind:
        value |= 1 << (behind - 1)
    return value.to_bytes((bits + behind) // 8, "big"), 2 if behind else 1
