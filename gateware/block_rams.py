"""How many block RAMs a target takes, by arithmetic, and how a configuration is made to fit into a part that has few.

A block RAM of the ECP5 (DP16KD) holds 2 KB, as words of 1, 2, 4, 9, 18 or, where one port writes and another reads, 36
bits. `tests/gateware/test_block_rams.py` compares this with what place-and-route reported.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from gateware.boards import Board, Fit
from gateware.configurations import Configuration
from gateware.parts import PARTS

KB = 1024
BLOCK_RAM = "block_ram"
_BANKS = 4  # of a buffer memory
_SLOT_BYTES = 2048
_CPU = 10  # caches of 4 KB, their tags, registers
_LANES, _KEY_REGISTERS = 4, 128  # of the vector unit, of 32 bits
_COLUMN_TABLES = 8  # its S-boxes, two of a column for each direction
_SLOT_ROWS = 256  # of 128 bits: round keys of all slots
# Words and bits. Those of the DMA: descriptors, what was read, what is to be written.
_DMA = ((8, 299), (64, 131), (64, 147))
# Keystream twice, replies and destinations, initial counter blocks: synthesis takes LUTs for so few words if it may.
_SMALL = ((16, 129), (16, 129), (16, 280), (16, 114), *((8, 32),) * 4)
# Changes of clock, frames whole, the window's sums, the queue of the packets' engine.
_FRAMES = ((32, 42), (32, 42), (2048, 36), (2048, 36), (512, 72), (64, 34))
_FEW_WORDS = 16  # of bytes, in one memory: LUTs, whatever a target wants
_LINE, _TAG = 128, 22  # bits of the SDRAM's cache
_EVENTS = 2  # a memory of 32 words of 32 bits, two in one cycle

# What a configuration on bare metal gives up, one after the other, until it fits.
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
    """Block RAMs of a memory; of at most 18 bits each if both of its ports write."""
    shapes = [(KB * 16 // width, width) for width in (1, 2, 4)] + [(2048, 9), (1024, 18), (512, 36)]
    return min(ceil(words / deep) * ceil(bits / wide) for deep, wide in shapes if wide <= widest)


def memories(board: Board, configuration: Configuration, fit: Fit) -> dict[str, int]:
    """Block RAMs of each part of a target. A ROM takes fewer where its end is empty.

    Raises
    ------
    ValueError
        The core's datapath is one that is not counted here.
    """
    ethernet = configuration.ethernet
    core = ethernet.core_datapath if ethernet else configuration.core_datapath
    engines = ethernet.core_engines if ethernet else 1
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
        "core": ((core * engines + 32) // 16 if fit.core_sbox == BLOCK_RAM else 0)
        + engines * sum(_in_block_ram([(_SLOT_ROWS * 128 // core, core)], fit.distributed_words)),
        "accelerator": sum(_in_block_ram(_DMA[:1], max(fit.lut_words, fit.distributed_words)))
        + sum(_in_block_ram(_DMA[1:], fit.distributed_words)),
    }
    if configuration.snow3g:
        found["snow3g"] = found["accelerator"]  # its keys are LUTs
    if configuration.sdram_cache:
        lines = configuration.sdram_cache * 8 // _LINE
        found["sdram cache"] = sum(_in_block_ram([(lines, _LINE), (lines, _TAG)], fit.distributed_words))
    if ethernet:
        found["slots"] = _banked((ethernet.rx_slots + ethernet.tx_slots) * _SLOT_BYTES)
        found["fast path"] = (
            sum(_in_block_ram(_SMALL, max(fit.lut_words, fit.distributed_words)))
            + sum(_in_block_ram(_FRAMES, fit.distributed_words))
            + _EVENTS
        )
    return found


def scaled(board: Board, configuration: Configuration, fit: Fit) -> Configuration:
    """The configuration with memories that the board's part holds: as it is, or after as few of `STEPS` as suffice.

    Zephyr's memories are what its image takes, and the part of a simulated board has no end: these stay as they are.
    What does not fit after all steps is given with all of them taken.
    """
    if board.simulated or configuration.firmware != "baremetal" or not isinstance(configuration.core_datapath, int):
        return configuration
    for count in range(len(STEPS) + 1):
        found = shrunk(configuration, count)
        if sum(memories(board, found, fit).values()) <= PARTS[board.size].block_rams:
            break
    return found


def shrunk(configuration: Configuration, count: int) -> Configuration:
    """A configuration after so many of `STEPS`."""
    for step in STEPS[:count]:
        if slots := step.get("rx_slots"):
            if configuration.ethernet:
                configuration = replace(configuration, ethernet=replace(configuration.ethernet, rx_slots=slots))
        elif "sdram_cache" not in step or configuration.sdram_cache:
            configuration = replace(configuration, **step)
    return configuration


def _banked(size: int) -> int:
    return _BANKS * needed(size // (4 * _BANKS), 32, widest=18)


def _in_block_ram(shapes, in_luts: int) -> Iterator[int]:
    """Block RAMs of each memory that has more words than those that are LUTs."""
    return (needed(words, bits) for words, bits in shapes if words > in_luts)
