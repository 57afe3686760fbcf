# SPDX-License-Identifier: BSD-2-Clause
"""The test vectors of IEEE 802.1AE-2018, annex C."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.gateware.net.macsec.reference import Association, tag

LISTED = tomllib.loads(Path(__file__).with_name("annex_c.toml").read_text())
SUITES = ("icv128", "icv256", "xpn128", "xpn256")


@dataclass(frozen=True)
class Vector:
    """A test vector: a frame, the fields of its SecTAG, a key, and the ICV."""

    frame: bytes
    tci: int
    sl: int
    pn: int
    sci: bytes
    key: bytes
    icv: bytes
    xpn: bool

    @property
    def association(self) -> Association:
        extended = {"ssci": bytes.fromhex(LISTED["ssci"]), "salt": bytes.fromhex(LISTED["salt"])} if self.xpn else {}
        return Association(self.key, self.sci, self.pn, **extended)

    @property
    def header(self) -> bytes:
        """The first bytes of the protected frame: its addresses and its SecTAG."""
        return self.frame[:12] + tag(self.tci, self.sl, self.pn, self.sci)


def vectors() -> dict[str, Vector]:
    """Return a dictionary from name to vector. A name combines a clause of annex C and a cipher suite."""
    found = {}
    for number, listed in enumerate(LISTED["frame"], 1):
        addresses, end, sectag = (bytes.fromhex(listed[name]) for name in ("addresses", "end", "tag"))
        data = b"\x08\0" + bytes(range(15, 15 + listed["length"] - 16)) + end
        for suite in SUITES:
            xpn = suite.startswith("xpn")
            found[f"C.{number}-{suite}"] = Vector(
                frame=addresses + data,
                tci=sectag[2],
                sl=sectag[3],
                pn=int.from_bytes(sectag[4:8], "big") | (LISTED["upper"] << 32 if xpn else 0),
                sci=sectag[8:] or addresses[6:] + b"\0\1",
                key=bytes.fromhex(listed[f"key{suite[3:]}"]),
                icv=bytes.fromhex(listed[suite]),
                xpn=xpn,
            )
    return found
