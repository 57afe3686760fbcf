# SPDX-License-Identifier: BSD-2-Clause
"""The security tag of MACsec (IEEE 802.1AE-2018, clause 9): its bits, and the checks of a received tag (9.12).

=======  ==========================================================================================
bytes    field
=======  ==========================================================================================
0, 1     EtherType 0x88E5
2        TCI and AN, see `TCI`
3        SL: the length of the data if it is below 48 bytes, otherwise 0; bits 7:6 are 0
4-7      PN, the lower 32 bits of the packet number
8-15     SCI, if bit SC is set: MAC address and port of the sender
=======  ==========================================================================================

The tag stands between the frame's addresses and its data. The data begin with the frame's own EtherType. The ICV
follows, 16 bytes. A short frame may have padding after its ICV, up to the MAC's 60 bytes, because SL tells where the
ICV begins.
"""

from enum import IntEnum

from litex.gen import reverse_bytes
from migen import Cat, Constant, If, Module, Mux, Signal

from .. import WORD_BITS
from . import ADDRESS_BYTES, FRAME_BYTES_MIN, LENGTH_BITS

ETHERTYPE_MACSEC = 0x88E5
ETHERTYPE_EAPOL = 0x888E
SECTAG_BYTES = 8
SCI_BYTES = 8
ICV_BYTES = 16
SHORT = 48  # the field SL (short length) is 0 if a frame has at least this many bytes of data
AN_BITS = 2
SCI_BITS = 64


class TCI(IntEnum):
    """Numbers of the bits in the SecTAG's byte with TCI and AN (9.5, 9.6); AN is in bits 1:0."""

    C = 2  # "changed text": the frame's data differ from the user's data
    E = 3  # "encryption"
    SCB = 4  # "single copy broadcast"
    SC = 5  # the tag contains the SCI
    ES = 6  # "end station": the SCI consists of the source address and port 1
    V = 7  # version, 0


def tci_of(*, an, encrypted, with_sci, end_station) -> Cat:
    """Return the byte with TCI and AN for a frame to send. If the tag contains the SCI, bit ES is 0 (9.5)."""
    return Cat(an, encrypted, encrypted, Constant(0, 1), with_sci, end_station & ~with_sci, Constant(0, 1))


def short_length(length: Signal):
    """Return the field SL (short length) of the tag for data of this length."""
    return Mux(length < SHORT, length[:6], 0)


def first_word(tci, sl) -> Cat:
    """Return the first word of a SecTAG, in wire order."""
    return Cat(Constant(ETHERTYPE_MACSEC >> 8, 8), Constant(ETHERTYPE_MACSEC & 0xFF, 8), tci, sl)


class SecTAGChecks(Module):
    """Checks a received SecTAG and the length of its frame. Combinational.

    A frame with bit E and without C, which the standard reserves for the KaY (9.5), fails too.

    Attributes
    ----------
    tci, sl : Signal(8), in
        Bytes of the tag.
    pn : Signal(32), in
        In wire order.
    xpn : Signal(), in
        The packet number has 64 bits, so its lower 32 bits may be 0.
    length : Signal(11), in
        Bytes of the frame, without check sequence.
    good : Signal(), out
        The tag passes.
    data_length : Signal(11), out
        Bytes of the data, if `good`.
    """

    def __init__(self):
        self.tci = tci = Signal(8)
        self.sl = sl = Signal(8)
        self.pn = Signal(WORD_BITS)
        self.xpn = Signal()
        self.length = length = Signal(LENGTH_BITS)
        self.good = Signal()
        self.data_length = Signal(LENGTH_BITS)

        # # #

        around = Signal(max=64)  # total length in bytes of addresses, SecTAG and ICV
        needed = Signal(LENGTH_BITS)
        fits = Signal()
        bare = ADDRESS_BYTES + SECTAG_BYTES + ICV_BYTES
        self.comb += [
            around.eq(Mux(tci[TCI.SC], bare + SCI_BYTES, bare)),
            If(
                sl == 0,
                needed.eq(around + SHORT),
                fits.eq(length >= needed),
                self.data_length.eq(length - around),
            ).Else(
                needed.eq(around + sl[:6]),
                fits.eq((length == needed) | ((length == FRAME_BYTES_MIN) & (needed < FRAME_BYTES_MIN))),
                self.data_length.eq(sl[:6]),
            ),
            self.good.eq(
                fits
                & ~tci[TCI.V]
                & ~((tci[TCI.ES] | tci[TCI.SCB]) & tci[TCI.SC])
                & (sl[6:] == 0)
                & ((self.pn != 0) | self.xpn)
                & ~(tci[TCI.E] & ~tci[TCI.C])
            ),
        ]


def number(wire: Signal):
    """Reverse the bytes of a signal, to convert from wire order (first byte in bits 7:0) to a number, or back."""
    return reverse_bytes(wire)
