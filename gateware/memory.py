# SPDX-License-Identifier: BSD-2-Clause
"""Sets synthesis attributes of memories, mainly `no_rw_check`: nothing uses a word that is read while it is written.

ECP5 block RAM does not define what a port reads in the cycle in which the other port writes the same word. If the
Verilog of a memory does define it, Yosys adds a comparator and a bypass, or builds the memory from flip-flops. The
attribute `no_rw_check` declares that nothing uses such a word. It is part of the Verilog, so every flow builds the same
memory.
"""

from litex.soc.interconnect import stream
from migen import If, Memory, Module, Signal

NO_RW_CHECK = ("no_rw_check", 1)
BLOCK_RAM = ("ram_style", "block")
DISTRIBUTED = ("ram_style", "distributed")
_PARTS = ("payload", "param", "first", "last")  # fields of an endpoint


def without_collisions(memory: Memory) -> Memory:
    """Declare that no logic uses a word that is read while it is written. The caller gives the reason in a comment."""
    memory.attr = {NO_RW_CHECK}
    return memory


def block_ram(memory: Memory) -> Memory:
    """Mark a memory as `without_collisions`, and force block RAM, even for a memory that would fit into LUTs."""
    without_collisions(memory).attr.add(BLOCK_RAM)
    return memory


def in_block_ram(module: Module) -> None:
    """Force block RAM for the memory of each FIFO in a module, as `BlockRAMFIFO` does.

    The module may be a FIFO itself.
    """
    for special in module._fragment.specials:
        if isinstance(special, Memory):
            block_ram(special)
    for _, inner in module._submodules:
        in_block_ram(inner)


def in_luts(module: Module, words: int) -> None:
    """Let synthesis use LUTs for small memories (at most `words` words) of a module and its submodules.

    This also cancels an earlier call of `block_ram` for these memories.
    """
    for special in module._fragment.specials:
        if isinstance(special, Memory) and special.depth <= words:
            getattr(special, "attr", set()).discard(BLOCK_RAM)
    for _, inner in module._submodules:
        in_luts(inner, words)


def distributed(module: Module, words: int) -> None:
    """Force LUTs for memories that are small (at most `words` words) and `without_collisions`, also in submodules."""
    for special in module._fragment.specials:
        if isinstance(special, Memory) and special.depth <= words and NO_RW_CHECK in getattr(special, "attr", ()):
            special.attr = {NO_RW_CHECK, DISTRIBUTED}
    for _, inner in module._submodules:
        distributed(inner, words)


class BlockRAMFIFO(Module):
    """LiteX's FIFO in block RAM, followed by a register, because a block RAM answers late in a cycle.

    It reads only while it holds a word, and writes only while it has room. So its read and write addresses are equal
    only when it is empty or full.

    Parameters
    ----------
    layout : list
        Fields of a word.
    depth : int
        Words, not counting those on their way out: two, or one if it is `paced`.
    paced : bool
        At most one word every four cycles. The addresses and enables of the block RAMs are then registers, whatever
        `source.ready` depends on. Made for wide words, whose block RAMs lie far apart.

    Attributes
    ----------
    sink, source : stream.Endpoint
        In, and 3 cycles later out; 4 if it is `paced`.
    level : Signal, out
        Words inside.
    follows : Signal(), out
        `source` will hold another word in the cycle after one is taken.
    """

    def __init__(self, layout: list, depth: int, *, paced: bool = False):
        self.submodules.fifo = fifo = stream.SyncFIFO(layout, depth, buffered=not paced)
        in_block_ram(fifo)
        self.sink, self.source = fifo.sink, stream.Endpoint(layout)
        self.level = Signal(max=depth + 3)
        self.follows = fifo.source.valid

        # # #

        def take(into: stream.Endpoint, word: stream.Endpoint) -> list:
            return [getattr(into, part).eq(getattr(word, part)) for part in _PARTS]

        head, source = fifo.source, self.source
        fetch = Signal()  # into the register
        if paced:
            read = Signal()
            word = stream.Endpoint(layout, reset_less=True)  # so synthesis can use the block RAMs' output registers
            self.sync += [
                read.eq(head.valid & ~source.valid & ~read & ~fetch),
                fetch.eq(read),
                If(read, *take(word, head)),
            ]
            self.comb += [head.ready.eq(read), self.level.eq(fifo.level + fetch + source.valid)]
        else:
            word = head
            self.comb += [
                fetch.eq(head.valid & (~source.valid | source.ready)),
                head.ready.eq(fetch),
                self.level.eq(fifo.level + source.valid),
            ]
        self.sync += [
            If(source.ready, source.valid.eq(0)),
            If(fetch, source.valid.eq(1), *take(source, word)),
        ]
