"""What synthesis cannot see of a memory: that nobody needs a word which is read while it is written.

Block RAM of the ECP5 does not promise what a port reads in the cycle in which another one writes the same word. For a
memory whose Verilog does promise it, Yosys therefore adds a comparator and a bypass, or builds the memory of
flip-flops. The attribute is part of the Verilog, so that every flow that reads it builds the same.
"""

from litex.soc.interconnect import stream
from migen import Memory, Module

NO_RW_CHECK = ("no_rw_check", 1)
BLOCK_RAM = ("ram_style", "block")


def without_collisions(memory: Memory) -> Memory:
    """Declares that what is read of a word in the cycle of a write to it is not used; state the reason beside it."""
    memory.attr = {NO_RW_CHECK}
    return memory


def in_block_ram(module: Module) -> None:
    """Declares the memory of each FIFO that a module is, or has in it, for block RAM, as `buffered_fifo` does."""
    for special in module._fragment.specials:
        if isinstance(special, Memory):
            without_collisions(special).attr.add(BLOCK_RAM)
    for _, inner in module._submodules:
        in_block_ram(inner)


def buffered_fifo(layout: list, depth: int) -> stream.SyncFIFO:
    """LiteX's FIFO in block RAM, with its memory declared: synthesis would put one of few words into LUTs.

    It reads only while it holds a word and writes only while it has room: its read and its write address are the same
    when it is empty or full alone.
    """
    fifo = stream.SyncFIFO(layout, depth, buffered=True)
    in_block_ram(fifo)
    return fifo
