# SPDX-License-Identifier: BSD-2-Clause
"""LTE messages: ciphered with 128-EEA1 or 128-EEA2 (3GPP TS 33.401, annexes B.1.2 and B.1.3), or protected by 128-EIA2.

A message is one stream. COUNT, BEARER and DIRECTION form its initial counter block, which differs for any two messages
under one key. This also holds for 128-EEA1, because the board counts its keystream in such blocks. The length is in
bits; the first bit of a byte is the most significant.
"""

import argparse
from dataclasses import dataclass

from cipherlane_base.wire.layout import BLOCK

from ..errors import ArgumentError
from ..files.inputs import InputFile
from .transfer import Writer

CTR, GCM = "ctr", "gcm"
# Maps each value of the option --cipher to the cipher that the board's engine must implement.
CIPHERS = {GCM: "aes", CTR: "aes", "eea1": "snow3g", "eea2": "aes"}
MOST_SNOW3G = 1 << 20  # maximum bytes of an EEA1 message: 2^16 blocks of 16 bytes, because the block number has 16 bits
KEY_BITS = 128
# The options of an LTE message: name, attribute in the parsed arguments, and number of bits of the value.
_PARAMETERS = (("--count", "count", 32), ("--bearer", "bearer", 5), ("--direction", "link_direction", 1))


@dataclass(frozen=True)
class Message:
    """A message for an LTE algorithm. The message has `bits` bits, or as many bits as the input if `bits` is None."""

    algorithm: str
    count: int
    bearer: int
    direction: int
    bits: int | None = None

    @property
    def counter_block(self) -> bytes:
        """The initial counter block: COUNT || BEARER || DIRECTION || 90 zero bits."""
        return ((self.count << 6 | self.bearer << 1 | self.direction) << 90).to_bytes(BLOCK, "big")

    @property
    def most(self) -> int | None:
        """Maximum bytes of a message; None if the algorithm sets no limit. The general limit of streams applies too."""
        return MOST_SNOW3G if self.algorithm == "eea1" else None

    def check_length(self, source: InputFile) -> None:
        """Check that the size of the input `source` matches the message's number of bits and the algorithm's limit.

        Raises:
            ArgumentError: the input is too long, does not match the number of bits, or has an unknown length.
        """
        if self.most is not None and source.size is not None and source.size > self.most:
            raise ArgumentError(
                f"{source.name} has {source.size} bytes, but a message of {self.algorithm} at most {self.most}: "
                "give a shorter file, or --cipher eea2"
            )
        if self.bits is None:
            return
        if source.size is None:
            raise ArgumentError(
                "--bits goes with a file as IN, because the length must be known at the start: name a file"
            )
        if self.bits > 8 * source.size:
            raise ArgumentError(f"--bits {self.bits} is more than {source.name} has: give at most {8 * source.size}")
        if -(-self.bits // 8) != source.size:
            raise ArgumentError(
                f"{self.bits} bits end before the last byte of {source.name}: give --bits from "
                f"{8 * source.size - 7} to {8 * source.size}, or a shorter file"
            )

    def cut(self, data: bytes, offset: int) -> bytes:
        """Return `data`, which begins at byte `offset` of the message; set the bits after the message's end to 0."""
        if self.bits is None or not data or self.bits >= 8 * (offset + len(data)):
            return data
        behind = 8 * (offset + len(data)) - self.bits
        return (int.from_bytes(data, "big") >> behind << behind).to_bytes(len(data), "big")


class CutWriter:
    """Writes a message from byte `offset` on, and sets the bits after the message's last bit to 0."""

    def __init__(self, message: Message, writer: Writer, offset: int):
        """Write through `writer`. The first byte to write is byte `offset` of `message`."""
        self._message, self._writer, self._offset = message, writer, offset

    def write(self, data: bytes, /) -> None:
        """Write `data`, the next bytes of the message."""
        self._writer.write(self._message.cut(data, self._offset))
        self._offset += len(data)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the cipher, and the message parameters of the LTE ciphers."""
    parser.add_argument(
        "--cipher",
        choices=CIPHERS,
        default=GCM,
        help="an authenticated file with AES-GCM, AES-CTR as with --raw, or an LTE message with 128-EEA1 (SNOW 3G, if "
        "the board supports it) or 128-EEA2 (default: %(default)s)",
    )
    add_message_options(parser)


def add_message_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that give the parameters of an LTE message."""
    group = parser.add_argument_group("LTE messages (TS 33.401, annex B); numbers are decimal, or hexadecimal after 0x")
    for option, attribute, size in _PARAMETERS:
        meaning = ": 0 uplink, 1 downlink" if size == 1 else ""
        group.add_argument(
            option, dest=attribute, metavar="N", type=_number, help=f"{option[2:].upper()}, {size} bits{meaning}"
        )
    group.add_argument(
        "--bits",
        metavar="N",
        type=_number,
        help="length in bits; the unused low bits of the last byte are ignored, and 0 in OUT (default: the length of "
        "IN)",
    )


def message_of(args: argparse.Namespace, key: bytes) -> Message | None:
    """Return the LTE message that the options of `add_options` describe; None for AES-CTR and AES-GCM.

    Raises:
        ArgumentError: options are missing, contradictory or out of range, or the key is not 128 bits.
    """
    given = [option for option, attribute, _ in _PARAMETERS if getattr(args, attribute) is not None]
    if args.cipher in (CTR, GCM):
        if given or args.bits is not None:
            raise ArgumentError(f"{given[0] if given else '--bits'} goes with --cipher eea1 or eea2")
        return None
    if args.iv is not None:
        raise ArgumentError(f"--iv goes with --cipher {CTR}: --count, --bearer and --direction make the counter block")
    return described(args, args.cipher, key)


def described(args: argparse.Namespace, algorithm: str, key: bytes) -> Message:
    """Return the LTE message that the options of `add_message_options` describe.

    Raises:
        ArgumentError: options are missing or out of range, or the key is not 128 bits.
    """
    for option, attribute, size in _PARAMETERS:
        value = getattr(args, attribute)
        if value is None:
            raise ArgumentError(f"{algorithm} needs {option}: give 0 to {(1 << size) - 1}")
        if not 0 <= value < 1 << size:
            raise ArgumentError(f"{option} {value} is out of range: give 0 to {(1 << size) - 1}")
    if args.bits is not None and args.bits < 0:
        raise ArgumentError(f"--bits {args.bits} is negative: give 0 or more")
    if len(key) * 8 != KEY_BITS:
        raise ArgumentError(f"the key has {len(key) * 8} bits: 128-{algorithm.upper()} needs a key of {KEY_BITS}")
    return Message(algorithm, args.count, args.bearer, args.link_direction, args.bits)


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError("not a number: give decimal digits, or 0x and hexadecimal ones") from None
