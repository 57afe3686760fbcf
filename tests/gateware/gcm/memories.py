# SPDX-License-Identifier: BSD-2-Clause
"""Reads a module's memory in Migen's simulator."""

from migen import Memory, Module


def memory_of(module: Module) -> Memory:
    """Return the only memory of a module that is not finalized yet."""
    (found,) = (special for special in module._fragment.specials if isinstance(special, Memory))
    return found


def contents(memory: Memory):
    """Return the memory's words, in a test bench."""
    words = []
    for n in range(memory.depth):
        words.append((yield memory[n]))
    return words
