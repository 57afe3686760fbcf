# SPDX-License-Identifier: BSD-2-Clause
"""Instantiates ECP5 cells (LUT4s, wide multiplexers) where synthesis would not choose these cells by itself."""

from collections.abc import Callable
from itertools import product

from migen import Cat, ClockSignal, Constant, Instance, Module, Signal


def lut4(module: Module, contents: int, inputs: list) -> Signal:
    """Instantiate a LUT4. Return its output: bit k of `contents`. `inputs` are the bits of k, lowest bit first."""
    z = Signal()
    ports = {f"i_{port}": signal for port, signal in zip("ABCD", inputs, strict=True)}
    module.specials += Instance("LUT4", p_INIT=Constant(contents, 16), **ports, o_Z=z)
    return z


def mux(module: Module, cell: str, pair, select) -> Signal:
    """Instantiate a multiplexer of an ECP5 slice. Return its output: `pair[0]` if `select` is 0, else `pair[1]`."""
    z = Signal()
    names = ("BLUT", "ALUT", "C0") if cell == "PFUMX" else ("D0", "D1", "SD")
    ports = {f"i_{name}": signal for name, signal in zip(names, (*pair, select), strict=True)}
    module.specials += Instance(cell, **ports, o_Z=z)
    return z


def flip_flop(module: Module, d: Signal) -> Signal:
    """Instantiate a flip-flop in the clock domain `sys`, without reset.

    Synthesis cannot merge it with registers of equal value.
    """
    q = Signal()
    parameters = {"p_GSR": "DISABLED", "p_CEMUX": "1", "p_CLKMUX": "CLK", "p_LSRMUX": "LSR", "p_REGSET": "RESET"}
    ports = {"i_CLK": ClockSignal(), "i_LSR": 0, "i_CE": 1, "i_DI": d, "o_Q": q}
    module.specials += Instance("TRELLIS_FF", **parameters, **ports)
    return q


def lut7_halves(module: Module, address: Signal, truth: list[int]) -> list[Signal]:
    """Build a function of 8 bits from its truth table. Return two outputs: one for bit 7 = 0, and one for bit 7 = 1."""
    return [_lut7(module, address, truth[128 * half : 128 * half + 128]) for half in range(2)]


def _lut7(module: Module, address: Signal, truth: list[int]) -> Signal:
    """Build a function of the low seven bits of `address` from eight LUT4s and multiplexers of the slices."""
    level = []
    for first in range(0, 128, 16):
        contents = sum(bit << x for x, bit in enumerate(truth[first : first + 16]))
        level.append(lut4(module, contents, list(address[:4])))
    for cell, bit in (("PFUMX", 4), ("L6MUX21", 5), ("L6MUX21", 6)):
        level = [mux(module, cell, pair, address[bit]) for pair in zip(level[0::2], level[1::2], strict=True)]
    return level[0]


def sum_of(*bits: int) -> int:
    """Return the number of ones in `bits`. `Functions` uses only bit 0 of this number, which is the XOR of the bits."""
    return sum(bits)


class Functions:
    """Builds functions of up to four one-bit signals, each as one LUT4 or, with `portable`, as logic for any FPGA.

    Parameters
    ----------
    module : Module
        The module to which the logic is added.
    portable : bool
        Use an index into a constant instead of a LUT4.
    """

    def __init__(self, module: Module, *, portable: bool):
        self.module = module
        self.portable = portable

    def __call__(self, inputs: list, function: Callable[..., int]) -> Signal:
        """Return a signal with the value of `function` for these inputs.

        Calls `function` for every combination of input values (0 or 1).
        """
        values = product((0, 1), repeat=len(inputs))  # every combination of input values
        contents = sum((function(*bits) & 1) << sum(b << n for n, b in enumerate(bits)) for bits in values)
        if self.portable:
            z = Signal()
            self.module.comb += z.eq((Constant(contents, 2 ** len(inputs)) >> Cat(*inputs))[0])
            return z
        pattern = 2 ** len(inputs)
        whole = sum((contents >> (x % pattern) & 1) << x for x in range(16))
        return lut4(self.module, whole, [*inputs, *[0] * (4 - len(inputs))])
