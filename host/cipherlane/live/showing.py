# SPDX-License-Identifier: BSD-2-Clause
"""Prepares a picture for browsers: plaintext, bytes on the wire, decrypted picture, and a JSON object of facts."""

import functools
import json
from dataclasses import asdict, dataclass

from cipherlane_base.wire.layout import BLOCK

from ..link.counterblocks import CounterBlocks
from ..link.device import KEY_BITS
from ..measuring import oracle
from .frames import Sample
from .hub import Channel, Hub
from .randomness import SUSPICIOUS, evenness

NO, YES, RACE = "no", "yes", "race"
WIRETAPS = ("ctr", "ecb")
_of_film = functools.lru_cache(maxsize=128)(evenness)  # results are cached, because a film repeats its pictures


@dataclass(frozen=True)
class Choice:
    """The settings that a user chose, such as the film, the engine and the key length.

    `record_bytes` is 0 for the largest records; `bits` of a pixel is 0 for as many as the board can send in time.
    `beside` is the engine to compare with, if any; with `RACE`, engines of each kind take turns.
    """

    engine: str
    key_bits: int = KEY_BITS[0]
    record_bytes: int = 0
    source: str = "pattern"
    text: str = ""
    wiretap: str = WIRETAPS[0]
    tamper: str = NO
    bits: int = 0
    beside: str = NO


class Showing:
    """Passes pictures of `edge` x `edge` pixels to `hub`, and counts all pictures that the board returned."""

    def __init__(self, hub: Hub, edge: int):
        """Start with all counts at 0.

        Raises:
            VerifyError: the package `cryptography` is not installed.
        """
        self._hub, self._edge = hub, edge
        self._checked = {"equal": 0, "different": 0}
        self._ecb_key = CounterBlocks(KEY_BITS[0]).key  # this key is used for ECB only, never in a counter mode
        oracle.encrypted(self._ecb_key, bytes(BLOCK), b"")

    def check(self, plaintext: bytes, decrypted: bytes) -> None:
        """Compare `decrypted` with the original `plaintext`, and count it as equal or different. Every picture that the
        board returned counts, even if no viewer sees it.

        Call this before `tampered`, because tampering is not a fault of the board.
        """
        self._checked["equal" if decrypted == plaintext else "different"] += 1

    def tampered(self, sample: Sample) -> Sample:
        """Return a copy of `sample` with one inverted ciphertext byte in each row, along the picture's diagonal."""
        changed = bytearray(sample.ciphertext)
        width = len(changed) // self._edge
        for row in range(self._edge):
            changed[row * width + row * width // self._edge] ^= 0xFF
        return sample._replace(ciphertext=bytes(changed))

    def show(
        self, choice: Choice, sample: Sample, decrypted: bytes, by: str, channel: Channel = Channel.PICTURE
    ) -> None:
        """Pass `sample` and the `decrypted` picture to the hub. `by` tells the viewer where the picture was decrypted,
        and `choice` holds the settings.
        """
        equal, tampered = decrypted == sample.plaintext, choice.tamper == YES
        ecb = choice.wiretap == "ecb"
        wire = oracle.encrypted_ecb(self._ecb_key, sample.plaintext) if ecb else sample.ciphertext
        even = evenness(wire)
        head = {
            "channel": channel.name.lower(),
            "engine": choice.engine,
            "edge": self._edge,
            "bits": choice.bits,
            "wiretap": choice.wiretap,
            "decrypted_by": by,
            "equal": equal,
            "differ": 0 if equal else _differing(decrypted, sample.plaintext),
            "tampered": self._edge if tampered else 0,
            "checked": self._checked,
            "wire": {**asdict(even), "even": even.probability >= SUSPICIOUS},
            "plaintext_entropy": _of_film(sample.plaintext).entropy,
        }
        packed = json.dumps(head).encode()
        message = len(packed).to_bytes(4, "little") + packed + sample.plaintext + wire + decrypted
        self._hub.put(channel, message)


def _differing(one: bytes, other: bytes) -> int:
    """Return how many bytes differ between two pictures. An XOR of long integers is much faster than a loop."""
    differences = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    return len(one) - differences.to_bytes(len(one), "little").count(0)
