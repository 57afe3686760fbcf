# SPDX-License-Identifier: BSD-2-Clause
"""Cycles per block of CTR on the vector unit: our targets, and the lowest possible values. The lowest possible values
depend on whether the data are in the data cache.
"""

# Target cycles per block for each engine, with AES-128, AES-192 and AES-256. These cycles include the loop, and all
# loads and stores of data.
BARS = {
    "ise": {128: 39, 192: 43, 256: 47},
    "ise_fused": {128: 28, 192: 30, 256: 32},
    "ise_vmem": {128: 16, 192: 18, 256: 20},
}
# VexRiscv's data cache takes 13 cycles to fetch a line of 32 bytes: 8 cycles for the 8 words, 1 cycle of latency in the
# memory, and 4 cycles in the cache itself.
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
    """Return the number of instructions per block: 1 for the counter, 1 or 2 per round, and 12 to move the data (4
    loads, 4 moves, 4 stores). The engine `ise_vmem` needs only 2 instructions to move the data.
    """
    rounds = key_bits // 32 + 6
    return 1 + rounds * (2 if engine == "ise" else 1) + (2 if engine == "ise_vmem" else 12)


def floor(engine: str, key_bits: int, memory: str) -> float:
    """Return the lowest possible number of cycles per block on the unmodified CPU core. Each instruction takes one
    cycle, and the CPU waits while its data cache fetches a line.
    """
    refill = memory == "buffer" and engine != "ise_vmem"
    return issue_slots(engine, key_bits) + (LINE_CYCLES * BLOCK_BYTES / LINE_BYTES if refill else 0)


def state(engine: str, memory: str) -> str:
    """Return a text that tells whether the data are in the cache. The argument `memory` is a key of `STATES`."""
    return (VECTOR_STATES if engine == "ise_vmem" else STATES)[memory]
