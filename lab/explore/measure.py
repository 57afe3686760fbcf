# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the netlist of an AES core, and measures cycles, correctness and switching activity for each key length.

Every lane has its own key and blocks, random but seeded. The results are compared with the results of `cryptography`. A
core that encrypts incorrectly is not measured.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.flow.mapped import Netlist
from lab.explore.protocols import Protocol

LANES = 16
# The first WARM_UP results are not measured, because the core must first reach a steady state. Then BLOCKS results are
# measured. A core with several engines finishes blocks in groups, so BLOCKS is a multiple of each number of engines.
WARM_UP = 8
BLOCKS = 16
# Number of results during which the simulation counts the transitions of cell outputs.
COUNTED = 4


class WrongResult(RuntimeError):
    """A core returned wrong results."""


@dataclass(frozen=True)
class Measurement:
    """Results of one simulation, for one key length.

    Attributes
    ----------
    key_bits : int
    cycles_first : int
        Cycles of a single block, including its loading: from the cycle in which it is offered, inclusive, until its
        result is there.
    cycles_per_block : float
        Cycles in the steady state, while blocks are offered and results are accepted in every cycle.
    key_cycles : int
        Cycles from the first word of a key until it can encrypt blocks; 0 if the key comes with each block.
    toggles_per_block : float
        Transitions of cell outputs for each block in the steady state: see `gateware.flow.mapped`.
    """

    key_bits: int
    cycles_first: int
    cycles_per_block: float
    key_cycles: int
    toggles_per_block: float


def measure(
    module: dict, clock: str, protocol: Callable[[Netlist], Protocol], key_lengths: tuple[int, ...]
) -> list[Measurement]:
    """Measures the netlist of a core with each key length.

    Parameters
    ----------
    module : dict
        The mapped module, in the form of Yosys' JSON.
    clock : str
        The port of its clock.
    protocol : callable
        Makes the core's protocol.
    key_lengths : tuple of int
        In bits.

    Raises
    ------
    WrongResult, NetlistError, ProtocolError
        See there.
    """
    netlist = Netlist(module, clock=clock, lanes=LANES)
    return [_measure(netlist, protocol(netlist), key_bits) for key_bits in key_lengths]


def _measure(netlist: Netlist, driver: Protocol, key_bits: int) -> Measurement:
    rng = random.Random(key_bits)
    keys = [rng.randbytes(key_bits // 8) for _ in range(netlist.lanes)]
    encryptors = [Cipher(algorithms.AES(key), modes.ECB()).encryptor() for key in keys]
    expected: list[list[bytes]] = []

    def blocks() -> Iterator[list[bytes]]:
        while True:
            given = [rng.randbytes(16) for _ in keys]
            expected.append([encryptor.update(block) for encryptor, block in zip(encryptors, given, strict=True)])
            yield given

    key_cycles = driver.load(keys)
    begun, cycles = netlist.cycle, []
    for n, result in enumerate(driver.encrypt(blocks())):
        if result.blocks != expected[n]:
            raise WrongResult(f"block {n} of AES-{key_bits} is wrong after synthesis")
        cycles.append(result.cycle)
        netlist.is_counting = WARM_UP + BLOCKS <= n < WARM_UP + BLOCKS + COUNTED
        if n == WARM_UP + BLOCKS:
            netlist.transitions = 0
        if n == WARM_UP + BLOCKS + COUNTED:
            break
    netlist.is_counting = False
    return Measurement(
        key_bits=key_bits,
        cycles_first=cycles[0] - begun,
        cycles_per_block=(cycles[WARM_UP + BLOCKS] - cycles[WARM_UP]) / BLOCKS,
        key_cycles=key_cycles,
        toggles_per_block=netlist.transitions / (COUNTED * netlist.lanes),
    )
