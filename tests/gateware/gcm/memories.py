# SPDX-License-Identifier: BSD-2-Clause
"""Reads a module's memory in Migen's simulator."""

from migen import Memory, Module


def memory_of(module: Module) -> Memory:
    """Return the only `Memory` of a Migen module. The module must not be finalized yet."""
    (found,) = (special for special in module._fragment.specials if isinstance(special, Memory))
    return found


def contents(memory: Memory):
    """Return all words of a memory; call this in a test bench with `yield from`."""
    words = []
    for n in range(memory.depth):
        words.append((yield memory[n]))
    return words
