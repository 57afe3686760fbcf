"""Limits with which the speed of CTR on the vector unit is compared: targets, and the fewest cycles possible in each
memory state.
"""

# Cycles per block at AES-128/192/256, with data read from memory and written to memory, including loads, stores and
# loop.
BARS = {
    "ise": {128: 39, 192: 43, 256: 47},
    "ise_fused": {128: 28, 192: 30, 256: 32},
    "ise_vmem": {128: 16, 192: 18, 256: 20},
}
# VexRiscv's data cache fetches a line of 32 bytes in 13 cycles: eight words, one cycle of the memory, four of the
# cache.
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
    """Return the number of instructions for one block: counter, rounds, and either 4 loads, 4 moves and 4 stores, or
    one vector load and one vector store.
    """
    rounds = key_bits // 32 + 6
    return 1 + rounds * (2 if engine == "ise" else 1) + (2 if engine == "ise_vmem" else 12)


def floor(engine: str, key_bits: int, memory: str) -> float:
    """Return the fewest cycles per block on the unmodified core: one cycle per instruction, plus the cache lines that
    the data cache fetches.
    """
    refill = memory == "buffer" and engine != "ise_vmem"
    return issue_slots(engine, key_bits) + (LINE_CYCLES * BLOCK_BYTES / LINE_BYTES if refill else 0)


def state(engine: str, memory: str) -> str:
    """Describe the memory state in words."""
    return (VECTOR_STATES if engine == "ise_vmem" else STATES)[memory]
