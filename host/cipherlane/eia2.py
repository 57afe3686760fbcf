"""The 128-EIA2 of a message of LTE (3GPP TS 33.401, B.2.3), which a board computes in one record."""

import secrets

from .device import Device
from .errors import ArgumentError, KeyLengthError
from .lte import Message
from .protocol.layout import REQUESTS, Engine, Record, RecordType
from .replies import fields_of

ALGORITHM = "eia2"
KEY_BYTES = 16


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
    most = device.info().max_data - layout.size
    if len(key) != KEY_BYTES:
        raise KeyLengthError(f"the key has {len(key) * 8} bits: 128-EIA2 takes one of 128")
    if len(data) > most:
        raise ArgumentError(f"a message of {len(data)} bytes: the board takes at most {most}, give a shorter one")
    fields = layout.pack(
        count=message.count,
        bits=8 * len(data) if message.bits is None else message.bits,
        engine=engine,
        bearer=message.bearer,
        direction=message.direction,
        reserved=0,
        key=key,
    )
    reply = device.exchange(Record(RecordType.MAC, token=secrets.randbits(64), data=fields + data))
    mac: bytes = fields_of(reply).mac
    return mac
