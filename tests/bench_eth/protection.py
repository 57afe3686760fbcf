# SPDX-License-Identifier: BSD-2-Clause
"""Protect the frames of a measurement with MACsec. The firmware's driver installs the keys in the board's SecY."""

import random

from cipherlane_base.wire.layout import Suite

from gateware.net.macsec.counters import Counter
from tests.gateware.net.gmii import GMIIBoard
from tests.gateware.net.macsec import driver as c
from tests.gateware.net.macsec.driver import OWN_SCI, PEER_SCI
from tests.gateware.net.macsec.reference import Association, Receiver, protect

OVERHEAD = 32  # bytes that MACsec adds to each frame: 16 for the SecTAG with SCI, 16 for the ICV


class Bare:
    """A model of the peer on a link without MACsec. It leaves frames unchanged."""

    suite = ""

    def seal(self, frame: bytes) -> bytes:
        return frame

    def open(self, frame: bytes) -> bytes | None:
        return frame

    def overruns(self) -> int:
        return 0


class Link(Bare):
    """A model of the peer on a link with MACsec. It protects and verifies frames.

    Parameters
    ----------
    board : GMIIBoard
        After a reset, because the keys are the same each time.
    suite : Suite
        Of both directions.
    receives, transmits : bool
        Whether the board demands protection of the frames that it receives, and protects those that it sends.
    """

    def __init__(self, board: GMIIBoard, suite: Suite, *, receives: bool = True, transmits: bool = True):
        self.suite = suite.name.replace("_", "-")
        self._receives, self._transmits = receives, transmits
        rng = random.Random(suite)
        size = 32 if suite == Suite.GCM_AES_256 else 16
        self._peer_s, board_s = (Association(rng.randbytes(size), sci) for sci in (PEER_SCI, OWN_SCI))
        self._receiver = Receiver(OWN_SCI, {0: board_s})
        self._driver = c.Driver(board)
        statuses = [self._driver.set_sci(OWN_SCI, PEER_SCI)]
        statuses += [self._driver.install(c.RECEIVE, 0, self._peer_s), self._driver.install(c.TRANSMIT, 0, board_s)]
        if any(statuses):
            raise RuntimeError(f"the SecY did not take its keys: {statuses}")
        self._driver.set_policy(**c.STRICTLY | {"protect": transmits, "validate": c.STRICT if receives else c.DISABLED})

    def seal(self, frame: bytes) -> bytes:
        """Return the frame that the peer sends: with MACsec protection if the board requires protection."""
        return protect(frame, self._peer_s, 0) if self._receives else frame

    def open(self, frame: bytes) -> bytes | None:
        """Verify a frame that the board sent; return it without the MACsec protection, or None if the verification
        fails.
        """
        if not self._transmits:
            return frame
        taken = self._receiver.take(frame)
        return taken and taken[0]

    def overruns(self) -> int:
        """Return the number of frames that the SecY dropped because it could not keep up with the wire."""
        return self._driver.count(int(Counter.InPktsOverrun))
