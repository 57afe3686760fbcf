# SPDX-License-Identifier: BSD-2-Clause
"""Drives the MKA participant `firmware/core/mka` over the pipes of `mka_peer.c`. A simulated SecY records its calls."""

import struct
from enum import IntEnum
from pathlib import Path

from tests.firmware import core_peer

MAC = bytes.fromhex("0200000000b0")
COUNTS = (
    "sent", "accepted", "malformed", "strangers", "forged", "repeated", "flooded", "crowded", "refused", "keys",
    "lost", "renamed", "faults",
)  # fmt: skip
_START = struct.Struct("<I6sH32sB32sBHBBBB")
_STATE = struct.Struct(f"<5I8s{len(COUNTS)}I")


class Phase(IntEnum):
    OFF, ALONE, PEER, RECEIVING, SECURED = range(5)


class State:
    """The participant's state, as `cl_mka_state` returns it. Each counter is also an attribute."""

    def __init__(self, packed: bytes):
        phase, server, self.key_bits, self.an, self.key_number, self.peer_sci, *counts = _STATE.unpack(packed)
        self.phase, self.server = Phase(phase), bool(server)
        self.counts = dict(zip(COUNTS, counts, strict=True))
        self.__dict__.update(self.counts)


def build() -> Path:
    sources = core_peer.portable_sources(over_secy=True)
    here = Path(__file__)
    return core_peer.link(here.with_suffix(".c"), *sources, include=[here.parent])


class MkaPeer(core_peer.CorePeer):
    """A participant with a simulated clock, which the test advances. Use it as a context manager."""

    def __init__(self, binary: Path, now_ms: int = 0xFFFFF000):  # the clock wraps soon
        super().__init__(binary)
        self.now_ms = now_ms

    def start(
        self, cak: bytes, ckn: bytes, *, mac=MAC, priority=16, sak_bits=128, encrypt=True, include_sci=True,
        replay_protect=True, window=0, seed=1,
    ) -> int:  # fmt: skip
        self.seed(seed)
        packed = _START.pack(
            self.now_ms & 0xFFFFFFFF, mac, 8 * len(cak), cak, len(ckn), ckn[:32], priority, sak_bits, encrypt,
            include_sci, replay_protect, window,
        )  # fmt: skip
        return struct.unpack("<i", self.call("S", packed))[0]

    def stop(self) -> None:
        self.call("X")

    def receive(self, frame: bytes) -> None:
        self.call("R", self._now(), frame)

    def poll(self, *, after_ms: int = 0) -> list[bytes]:
        """Let time pass, then poll the participant once; return the frames that it sends."""
        self.now_ms += after_ms
        packed, frames = self.call("P", self._now()), []
        while packed:
            size = int.from_bytes(packed[:4], "little")
            frames.append(packed[4 : 4 + size])
            packed = packed[4 + size :]
        assert len(frames) <= 1
        return frames

    def run(self, time_ms: int, step_ms: int = 50) -> list[bytes]:
        """Poll the participant every `step_ms` for `time_ms`; return all frames that it sends."""
        return [frame for _ in range(0, time_ms, step_ms) for frame in self.poll(after_ms=step_ms)]

    def _now(self) -> bytes:
        return struct.pack("<I", self.now_ms & 0xFFFFFFFF)

    def state(self) -> State:
        return State(self.call("T"))

    def rekey(self) -> int:
        return struct.unpack("<i", self.call("K"))[0]

    def log(self) -> list[str]:
        """Return the calls of the SecY's functions since the last call of this method, as lines of text."""
        return self.call("L").decode().splitlines()

    def numbers(self, direction: int, an: int, next_pn: int, *, expiring: bool = False) -> None:
        """Set the next packet number that the SecY reports for an SA. For `direction`, 0 means receive and 1 means
        transmit.
        """
        self.call("N", struct.pack("<BBQB", direction, an, next_pn, expiring))

    def fail(self, *, random: int = 0, receive: int = 0, transmit: int = 0) -> None:
        """Set the statuses that the random source, the installation of a receive SA and the installation of a transmit
        SA return.
        """
        self.call("F", struct.pack("<iii", random, receive, transmit))

    def seed(self, seed: int) -> None:
        self.call("r", struct.pack("<Q", seed))

    def set_number(self, number: int) -> None:
        self.call("n", struct.pack("<I", number))

    def memory(self) -> bytes:
        return self.call("M")

    def stack(self) -> bytes:
        """Return the contents of the stack memory directly after the last call into firmware/core."""
        return self.call("s")

    # Parts of the room

    def cmac(self, key: bytes, data: bytes) -> bytes:
        return self._ok(self.call("c", struct.pack("<H32s", 8 * len(key), key), data))

    def kdf(self, key: bytes, label: bytes, context: bytes, bits: int) -> bytes:
        return self._ok(self.call("k", struct.pack("<H32sH12s", 8 * len(key), key, bits, label), context))

    def wrap(self, kek: bytes, key: bytes) -> bytes:
        return self._ok(self.call("w", struct.pack("<BH32s", 0, 8 * len(kek), kek), key))

    def unwrap(self, kek: bytes, wrapped: bytes) -> tuple[int, bytes]:
        result = self.call("w", struct.pack("<BH32s", 1, 8 * len(kek), kek), wrapped)
        return struct.unpack("<i", result[:4])[0], result[4:]

    def rewrite(self, frame: bytes) -> tuple[int, int, bytes]:
        """Let the core read an MKPDU from a frame, then write the same MKPDU again. Return the status, the number of
        bytes that the ICV protects, and the written frame without its ICV.
        """
        result = self.call("f", frame)
        return *struct.unpack("<iI", result[:8]), result[8:]

    @staticmethod
    def _ok(result: bytes) -> bytes:
        assert result[:4] == bytes(4)
        return result[4:]
