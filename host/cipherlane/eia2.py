"""The 128-EIA2 of a message of LTE (3GPP TS 33.401, B.2.3), which a board computes in one record."""

import secrets

from .device import Device
from .errors import ArgumentError, KeyLengthError
from .lte import Message
from .protocol.layout import BLOCK, REQUESTS, Engine, Record, RecordType
from .replies import fields_of

ALGORITHM = "eia2"
KEY_BYTES = 16
HEAD_BYTES = 8  # COUNT || BEARER || DIRECTION || 26 zeros
MAC_BYTES = 4  # of the 16 of AES-CMAC, the first


def eia2(device: Device, key: bytes, message: Message, data: bytes, engine: Engine) -> bytes:
    """Return the MAC of `data`, 4 bytes.

    Args:
        device: a board, which erases key and data when it has answered.
        key: 16 bytes.
        message: COUNT, BEARER, DIRECTION, and the length in bits if that is no multiple of 8.
        data: the message, a byte's first bit the highest; bits behind the length do not count.
        engine: one of `device.info().engines`, of AES and from memory to memory.

    Raises:
        ArgumentError: the message is longer than a record; KeyLengthError: the key has not 16 bytes.
        BoardError: the board refuses; one with older firmware, as it does not know the record.
    """
    layout = REQUESTS[RecordType.MAC]
    most = (device.info().max_data - layout.size) // BLOCK * BLOCK - HEAD_BYTES
    if len(key) != KEY_BYTES:
        raise KeyLengthError(f"the key has {len(key) * 8} bits: 128-EIA2 takes one of 128")
    if len(data) > most:
        raise ArgumentError(f"a message of {len(data)} bytes: the board takes at most {most}, give a shorter one")
    bits = 8 * len(data) if message.bits is None else message.bits
    text, subkey = padded(message.counter_block[:HEAD_BYTES] + data, 8 * HEAD_BYTES + bits)
    fields = layout.pack(engine=engine, subkey=subkey, key=key)
    reply = device.exchange(Record(RecordType.MAC, token=secrets.randbits(64), data=fields + text))
    mac: bytes = fields_of(reply).mac
    return mac[:MAC_BYTES]


def padded(data: bytes, bits: int) -> tuple[bytes, int]:
    """Return the first `bits` bits of `data`, at least one, in whole blocks, and which subkey AES-CMAC adds then.

    Where the last block is not whole, that is the second, and a 1 and zeros follow the last bit (SP 800-38B, 6.2).
    """
    behind = -bits % (8 * BLOCK)
    value = int.from_bytes(data, "big") >> (8 * len(data) - bits) << behind
    if behind:
        value |= 1 << (behind - 1)
    return value.to_bytes((bits + behind) // 8, "big"), 2 if behind else 1
