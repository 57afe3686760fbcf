# SPDX-License-Identifier: BSD-2-Clause
"""Computes how many block RAMs a target takes, and reduces a configuration until it fits into a small FPGA.

A block RAM of the ECP5 (DP16KD) holds 2 KB, in words of 1, 2, 4, 9 or 18 bits. If one port writes and the other reads,
words of 36 bits are possible. `tests/gateware/test_block_rams.py` compares the results with place-and-route.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from ...configurations import Configuration
from ...description import Board, Fit
from .parts import PARTS

KB = 1024
BLOCK_RAM = "block_ram"
_BANKS = 4  # of a buffer memory
_SLOT_BYTES = 2048
_CPU = 10  # block RAMs of the CPU: caches of 4 KB, the caches' tags, and the registers
_LANES, _KEY_REGISTERS = 4, 128  # vector unit: number of lanes, and round-key words in each lane
_COLUMN_TABLES = 8  # block RAMs for the vector unit's S-boxes: two for each of four columns
_SLOT_ROWS = 256  # rows of 128 bits that hold the round keys of all slots
_SECY_SLOT_ROWS = 128  # additional rows of 128 bits for the round keys of the SecY's slots
# The DMA's queues, each as (words, bits of a word): descriptors, data read, data to write.
_DMA = ((8, 299), (64, 131), (64, 147))
_GCM = ((128, 145),)  # GCM's memory for text that waits for its tag: (words, bits of a word)
# Small memories, as (words, bits of a word). Synthesis uses LUTs for them if the board's `Fit` allows it. `_SMALL`: the
# fast path's queue of replies, its queue of destinations, and four memories for the initial counter blocks.
# `_KEYSTREAM`: the keystream queue of a client.
_SMALL = ((16, 280), (16, 114), *((8, 32),) * 4)
_KEYSTREAM = (16, 129)
# Ethernet's memories, as (words, bits of a word): two clock crossings, two frame buffers, the sums of the records in
# the window, and the input queue of the packet engine.
_FRAMES = ((32, 42), (32, 42), (2048, 36), (2048, 36), (512, 72), (64, 34))
_FEW_WORDS = 16  # memories of at most this many words always become LUTs
_LINE, _TAG = 128, 22  # SDRAM's cache: bits of a line, bits of its tag
_SECY = ((512, 128),) * 2  # the two buffers of the SecY: (words, bits of a word)
_EVENTS = ((32, 32),) * 2  # event counters; two block RAMs, because a port that reads and writes has at most 18 bits

# Changes that make a bare-metal configuration smaller, applied in this order until its memories fit into the FPGA.
STEPS = (
    {"buffer_size": 32 * KB, "bench_bytes": 12 * KB},
    {"sram_size": 12 * KB},
    {"rx_slots": 4},
    {"rom_size": 48 * KB, "compact": True},
    {"buffer_size": 16 * KB, "bench_bytes": 1536, "max_data": 1024},
    {"core_datapath": 64},
    {"sdram_cache": 256},
)


def needed(words: int, bits: int, *, widest: int = 36) -> int:
    """Return how many block RAMs a memory takes. `widest`: maximum width of a block RAM (18 if both ports write)."""
    shapes = [(KB * 16 // width, width) for width in (1, 2, 4)] + [(2048, 9), (1024, 18), (512, 36)]
    return min(ceil(words / deep) * ceil(bits / wide) for deep, wide in shapes if wide <= widest)


def memories(board: Board, configuration: Configuration, fit: Fit) -> dict[str, int]:
    """Return how many block RAMs each unit of a target takes. The ROM can take fewer, if its end is empty.

    Raises
    ------
    ValueError
        The core is pipelined.
    """
    ethernet = configuration.ethernet
    core = ethernet.core_datapath if ethernet else configuration.core_datapath
    engines = ethernet.core_engines if ethernet else 1
    macsec = bool(ethernet and ethernet.macsec)
    if not isinstance(core, int):
        raise ValueError(f"the block RAMs of a {core} core are not counted: give its datapath's bits")
    found = {
        "rom": needed(configuration.rom_size // 4, 32),
        "code": needed(configuration.code_size // 4, 32, widest=18),
        "sram": needed(configuration.sram_size // 4, 32, widest=18),
        "buffer": _banked(configuration.buffer_size),
        "uart": 2 * sum(_in_block_ram([(board.uart_fifo_depth, 8)], _FEW_WORDS)),
        "cpu": _CPU,
        "vector unit": (_COLUMN_TABLES if fit.cfu_sbox == BLOCK_RAM else 0)
        + _LANES * sum(_in_block_ram([(_KEY_REGISTERS, 32)], fit.distributed_words)),
        "core": _core(core, engines, _SLOT_ROWS + (_SECY_SLOT_ROWS if macsec else 0), fit),
        "accelerator": sum(_in_block_ram(_DMA[:1], max(fit.lut_words, fit.distributed_words)))
        + sum(_in_block_ram([*_DMA[1:], *(_GCM if configuration.gcm_cycles else ())], fit.distributed_words)),
    }
    found |= {part.name: found[part.like] for part in configuration.parts}
    if configuration.sdram_cache:
        lines = configuration.sdram_cache * 8 // _LINE
        found["sdram cache"] = sum(_in_block_ram([(lines, _LINE), (lines, _TAG)], fit.distributed_words))
    if ethernet:
        small = [*_SMALL, *(_KEYSTREAM,) * (4 if macsec else 2)]
        found["slots"] = _banked((ethernet.rx_slots + ethernet.tx_slots) * _SLOT_BYTES)
        found["fast path"] = sum(_in_block_ram(small, max(fit.lut_words, fit.distributed_words))) + sum(
            _in_block_ram([*_FRAMES, *_EVENTS], fit.distributed_words)
        )
    if macsec:
        found["secy"] = sum(_in_block_ram([*_SECY, *_EVENTS], fit.distributed_words))
    return found


def scaled(board: Board, configuration: Configuration, fit: Fit) -> Configuration:
    """Return the configuration with as many reductions (`STEPS`) as its memories need to fit into the board's part.

    Zephyr's memories are sized for its image, and the part of a simulated board has no limit, so these stay unchanged.
    If even all steps do not suffice, the result has all of them applied.
    """
    if board.simulated or configuration.firmware != "baremetal" or not isinstance(configuration.core_datapath, int):
        return configuration
    for count in range(len(STEPS) + 1):
        found = shrunk(configuration, count)
        if sum(memories(board, found, fit).values()) <= PARTS[board.size].block_rams:
            break
    return found


def shrunk(configuration: Configuration, count: int) -> Configuration:
    """Return a configuration with the first `count` reductions of `STEPS`."""
    for step in STEPS[:count]:
        if slots := step.get("rx_slots"):
            if configuration.ethernet:
                configuration = replace(configuration, ethernet=replace(configuration.ethernet, rx_slots=slots))
        elif "rom_size" in step and configuration.code_size:  # the ROM holds the loader, not the firmware
            configuration = replace(configuration, code_size=step["rom_size"], compact=step["compact"])
        elif "sdram_cache" not in step or configuration.sdram_cache:
            configuration = replace(configuration, **step)
    return configuration


def _core(datapath: int, engines: int, rows: int, fit: Fit) -> int:
    sboxes = (datapath * engines + 32) // 16 if fit.core_sbox == BLOCK_RAM else 0
    return sboxes + engines * sum(_in_block_ram([(rows * 128 // datapath, datapath)], fit.distributed_words))


def _banked(size: int) -> int:
    return _BANKS * needed(size // (4 * _BANKS), 32, widest=18)


def _in_block_ram(shapes, in_luts: int) -> Iterator[int]:
    """Yield the number of block RAMs of each memory with more than `in_luts` words. Smaller memories take only LUTs."""
    return (needed(words, bits) for words, bits in shapes if words > in_luts)
