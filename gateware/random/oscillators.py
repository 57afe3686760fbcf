# SPDX-License-Identifier: BSD-2-Clause
"""The noise source (SP 800-90B, 2.2.1): free-running ring oscillators, made of ECP5 LUTs.

::

    ┌─► inv ─► inv ─► inv ─┬─► synchroniser ─┐
    └──────────────────────┘                 │
    ┌─► inv ─► inv ─► … ───┬─► synchroniser ─(+)─► bit
    └──────────────────────┘                 │
      …                                      │

A ring of an odd number of inverting LUTs oscillates at a frequency given by its delays, some hundreds of megahertz.
Each pass adds thermal noise to the time of its edges. After many passes the phase is unknown, and so is the sampled
bit. Rings of different lengths have different frequencies. Each ring is sampled by itself, because an XOR of the rings
would be too slow to follow them. Then the samples are added.

The rings have no input. They run from configuration on, and no path of timing analysis passes through them. Latency:
`bit` shows the rings as they were three cycles before. Rings have no simulation model, so simulated boards have none.
"""

from functools import reduce
from math import gcd
from operator import xor

from migen import Instance, Module, Signal
from migen.genlib.cdc import MultiReg

# Numbers of inverters in the rings. They are primes, so that the frequencies of any two rings have no simple ratio.
LENGTHS = (3, 5, 7, 11, 13, 17)
_NOT_A = 0x5555  # LUT4 contents for NOT A; bit n is the output for inputs DCBA = n


class RingOscillators(Module):
    """Ring oscillators and their samples in the clock domain `sys`.

    Parameters
    ----------
    lengths : tuple of int
        LUTs of each ring: odd, 3 or more, without common factors.

    Attributes
    ----------
    cells : int
        LUTs of all rings.
    bit : Signal(), out
        One bit of noise. Wait between samples until the rings have drifted, see `gateware.random.source`.

    Raises
    ------
    ValueError
        A length is even or below 3, or two have a common factor.
    """

    def __init__(self, lengths: tuple[int, ...] = LENGTHS):
        for n, length in enumerate(lengths):
            if length < 3 or length % 2 == 0:
                raise ValueError(f"a ring of {length} LUTs does not oscillate: give an odd number, 3 or more")
            if any(gcd(length, other) > 1 for other in lengths[:n]):
                raise ValueError(f"rings of {lengths} LUTs may lock to each other: give lengths without common factors")
        self.cells = sum(lengths)
        self.bit = Signal()

        # # #

        samples = []
        for length in lengths:
            sample = Signal()
            self.specials += MultiReg(self._ring(length), sample)
            samples.append(sample)
        self.sync += self.bit.eq(reduce(xor, samples))

    def _ring(self, length: int) -> Signal:
        """Build a loop of `length` inverters; return the output of one inverter. `keep` stops synthesis from removing
        or merging inverters.
        """
        nodes = [Signal(name=f"ring{length}_node{n}") for n in range(length)]
        for n, node in enumerate(nodes):
            pins = {"i_A": nodes[n - 1], "i_B": 0, "i_C": 0, "i_D": 0, "o_Z": node}
            self.specials += Instance("LUT4", p_INIT=_NOT_A, **pins, attr={("keep", 1)})
        return nodes[-1]
