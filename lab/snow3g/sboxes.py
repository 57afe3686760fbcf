# SPDX-License-Identifier: BSD-2-Clause
"""The S-boxes S1 and S2 of SNOW 3G (3GPP TS 35.216, 3.3). Each applies a byte S-box to four bytes, then MixColumns. S1
and S2 use different polynomials for MixColumns.

Latency: none (combinational).

S_R is the S-box of AES, in any implementation of `gateware.aes.sbox`. No small tower of fields is known for S_Q: it is
``table``, ``ecp5`` or ``onehot``, as described there.
"""

from migen import Cat, Module, Signal

from gateware.aes.sbox import ByteTable, SBox, check_implementation
from lab.snow3g.standard import S_Q, S_Q_POLYNOMIAL, S_R_POLYNOMIAL

S_Q_IMPLEMENTATIONS = ("table", "ecp5", "onehot")


class WordSBox(Module):
    """The S-box S1 or S2: S1 if `boxes` implement the byte S-box S_R, S2 if they implement S_Q.

    Parameters
    ----------
    boxes : list of Module
        Four, with `i` and `o`.
    polynomial : int
        x^8 in the field of the mix.

    Attributes
    ----------
    i, o : Signal(32)
        Word and its substitution.
    """

    def __init__(self, boxes: list[Module], polynomial: int):
        self.i = Signal(32)
        self.o = Signal(32)

        # # #

        self.submodules += boxes
        highest_first = [slice(24 - 8 * n, 32 - 8 * n) for n in range(4)]
        self.comb += [box.i.eq(self.i[byte]) for box, byte in zip(boxes, highest_first, strict=True)]
        y = [box.o for box in boxes]
        doubled = [_mulx(byte, polynomial) for byte in y]
        # Row n of the result is 2y[n] + y[n+1] + y[n+2] + 3y[n+3], with indices modulo 4. Since 3y = 2y + y, the
        # doubled byte 2y[n] is a term of row n and of row n+1.
        self.comb += [
            self.o[byte].eq(doubled[n] ^ doubled[n - 1] ^ y[n - 1] ^ y[n - 2] ^ y[n - 3])
            for n, byte in enumerate(highest_first)
        ]


def create_s1(implementation: str = "table") -> WordSBox:
    """Return the S-box S1. Raise ValueError unless `implementation` is in `gateware.aes.sbox.IMPLEMENTATIONS`."""
    return WordSBox([SBox(implementation=implementation) for _ in range(4)], S_R_POLYNOMIAL)


def create_s2(implementation: str = "table") -> WordSBox:
    """Return the S-box S2. Raise ValueError unless `implementation` is in `S_Q_IMPLEMENTATIONS`."""
    check_implementation(implementation, S_Q_IMPLEMENTATIONS)
    return WordSBox([ByteTable(S_Q, implementation) for _ in range(4)], S_Q_POLYNOMIAL)


def _mulx(byte, polynomial: int):
    return Cat(*[(byte[n - 1] ^ byte[7] if polynomial >> n & 1 else byte[n - 1]) if n else byte[7] for n in range(8)])
