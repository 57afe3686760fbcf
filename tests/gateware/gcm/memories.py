# SPDX-License-Identifier: BSD-2-Clause
"""Reads a module's memory in Migen's simulator."""

from migen import Memory, Module


def memory_of(module: Module) -> Memory:
    """Return the memory of a module that has exactly one. The module must not be finalized yet."""
    (found,) = (special for special in module._fragment.specials if isinstance(special, Memory))
    return found


def contents(memory: Memory):
    """Read all words of a memory in a test bench (with `yield from`)."""
    words = []
    for n in range(memory.depth):
        words.append((yield memory[n]))
    return words
