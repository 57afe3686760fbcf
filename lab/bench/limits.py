# SPDX-License-Identifier: BSD-2-Clause
"""Limits for the vector unit's CTR: target cycles, and the fewest possible cycles in each memory state."""

# Cycles per block at AES-128/192/256, with data read from memory and written to memory, including loads, stores and
# loop.
BARS = {
    "ise": {128: 39, 192: 43, 256: 47},
    "ise_fused": {128: 28, 192: 30, 256: 32},
    "ise_vmem": {128: 16, 192: 18, 256: 20},
}
# VexRiscv's data cache fetches a line of 32 bytes in 13 cycles: 8 for its words, 1 in the memory, 4 in the cache.
LINE_BYTES, LINE_CYCLES = 32, 13
BLOCK_BYTES = 16
STATES = {
    "buffer": "not in the data cache: passes over 32 KB",
    "buffer, cached": "in the data cache: passes over 2 KB",
}
VECTOR_STATES = {
    "buffer": "data cache not used: calls of 32 KB",
    "buffer, cached": "data cache not used: calls of 2 KB",
}


def issue_slots(engine: str, key_bits: int) -> int:
    """Return the number of instructions for one block: 1 for the counter, 1 or 2 for each round, and 12 for loads,
    moves and stores (4 of each), or 2 for a vector load and a vector store.
    """
    rounds = key_bits // 32 + 6
    return 1 + rounds * (2 if engine == "ise" else 1) + (2 if engine == "ise_vmem" else 12)


def floor(engine: str, key_bits: int, memory: str) -> float:
    """Return the fewest cycles per block on the unmodified core: one cycle per instruction, plus the cycles in which
    the data cache fetches lines.
    """
    refill = memory == "buffer" and engine != "ise_vmem"
    return issue_slots(engine, key_bits) + (LINE_CYCLES * BLOCK_BYTES / LINE_BYTES if refill else 0)


def state(engine: str, memory: str) -> str:
    """Return the description of the memory state `memory` for this engine, as text."""
    return (VECTOR_STATES if engine == "ise_vmem" else STATES)[memory]
