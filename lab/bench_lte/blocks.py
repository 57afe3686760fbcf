# SPDX-License-Identifier: BSD-2-Clause
"""Make transport blocks of LTE's downlink as a base station would.

128-EEA2 comes from the library `cryptography`. The library lacks 128-EEA1, so this cipher is written in Python from the
standard's text (`lab.tests.snow3g.reference`). `lab/bench_lte/firmware/layer2.h` describes the parts of a block.
"""

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lab.tests.snow3g.reference import eea1

PACKET_BYTES = 1500
SN_BITS, SN_LIMIT = 12, 1 << 12
RLC_LIMIT = 1 << 10
COUNT_LIMIT = 1 << 32
DOWNLINK = 1
# Sizes in bytes: a MAC subheader with a 15-bit length field, a MAC subheader without a length field, and the headers of
# RLC and PDCP together.
_LONG, _LAST, _HEADERS = 3, 1, 2 + 2


# Values for the generated packets: COUNT of the first packet, BEARER, and a part of the random seed. With this COUNT,
# PDCP's 12-bit sequence number wraps to 0 after three PDUs.
_COUNT, _IDENTITY, _SEED = 0x5A5A5 << SN_BITS | SN_LIMIT - 3, 0x15, 36323


@dataclass(frozen=True)
class Bearer:
    """A radio bearer: its logical channel, its BEARER value (5 bits), its 16-byte key for AES or SNOW 3G, and the name
    of its cipher in `CIPHERS`. The key is None for 128-EEA0.
    """

    lcid: int
    identity: int
    key: bytes | None
    cipher: str = "128-EEA2"


def eea2(key: bytes, count: int, bearer: int, direction: int, data: bytes) -> bytes:
    """Encrypt or decrypt whole bytes with 128-EEA2 (3GPP TS 33.401, B.1.3). COUNT has 32 bits, BEARER has 5 bits, and
    DIRECTION has 1 bit.
    """
    first = struct.pack(">IBxxxQ", count, bearer << 3 | direction << 2, 0)
    return Cipher(algorithms.AES(key), modes.CTR(first)).encryptor().update(data)


# Maps names of ciphers in TS 33.401, annex B.1, to functions. The functions' arguments are key, COUNT, BEARER,
# DIRECTION and data in whole bytes.
CIPHERS = {"128-EEA1": eea1, "128-EEA2": eea2}


def cipher_of(engine: str | None) -> str:
    """Return the name of the LTE cipher that an engine implements."""
    return {None: "128-EEA0", "snow3g": "128-EEA1"}.get(engine, "128-EEA2")


def pdu(bearer: Bearer, count: int, packet: bytes) -> bytes:
    """Return an RLC AMD PDU that contains one PDCP data PDU with the data of `packet`. The RLC sequence number is the
    low 10 bits of COUNT.
    """
    data = packet
    if bearer.key is not None:
        data = CIPHERS[bearer.cipher](bearer.key, count % COUNT_LIMIT, bearer.identity, DOWNLINK, packet)
    rlc = struct.pack(">H", 0x8000 | count % RLC_LIMIT)
    return rlc + struct.pack(">H", 0x8000 | count % SN_LIMIT) + data


def mac(parts: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the MAC PDU made of the given parts.

    A part is a logical channel or control element, and its bytes; the last takes the rest.
    """
    header = b""
    for lcid, part in parts[:-1]:
        header += bytes([0x20 | lcid])
        if lcid <= 10:
            header += struct.pack(">H", 0x8000 | len(part)) if len(part) > 127 else bytes([len(part)])
    return header + bytes([parts[-1][0]]) + b"".join(part for _, part in parts)


def lengths(size: int) -> Iterator[int]:
    """Yield the lengths of the packets that fill a block of `size` bytes. All packets except the last have
    PACKET_BYTES.

    Raises
    ------
    ValueError
        Whole packets cannot fill the block, because the last would be empty.
    """
    rest = size - _LAST - _HEADERS
    while rest > PACKET_BYTES:
        yield PACKET_BYTES
        rest -= PACKET_BYTES + _LONG + _HEADERS
    if rest < 1:
        raise ValueError(f"no packets fill {size} bytes")
    yield rest


def block(bearer: Bearer, count: int, packets: Sequence[bytes]) -> bytes:
    """Return the transport block that contains `packets`, which all belong to `bearer`. `count` is the COUNT of the
    first packet; COUNT increases by one from packet to packet.
    """
    return mac([(bearer.lcid, pdu(bearer, count + n, packet)) for n, packet in enumerate(packets)])


class Example(NamedTuple):
    """A transport block for a test or a measurement, and the packets that the block contains. A receiver needs `key`,
    `count` (COUNT of the first packet) and `identity` (BEARER) to decipher the packets.
    """

    key: bytes
    count: int
    identity: int
    block: bytes
    packets: list[bytes]

    def request(self, cipher: int, passes: int) -> bytes:
        """Return a request that contains this block. `lab/bench_lte/firmware/lte_bench.h` defines the request."""
        head = struct.pack("<2I16s3I", cipher, passes, self.key, self.count, self.identity, len(self.block))
        return head + self.block + bytes(-len(self.block) % 4)


def example(engine: str | None, size: int) -> Example:
    """Return a block of `size` bytes that contains random packets, encrypted with the cipher that `engine` implements.

    Equal arguments produce equal blocks.
    """
    random_bytes = random.Random(f"{_SEED} {engine} {size}").randbytes
    key = random_bytes(16)
    packets = [random_bytes(length) for length in lengths(size)]
    made = block(Bearer(3, _IDENTITY, key if engine else None, cipher_of(engine)), _COUNT, packets)
    return Example(key, _COUNT, _IDENTITY, made, packets)
