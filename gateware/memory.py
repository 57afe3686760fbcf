"""What synthesis cannot see of a memory: that nobody needs a word which is read while it is written.

Block RAM of the ECP5 does not promise what a port reads in the cycle in which another one writes the same word. For a
memory whose Verilog does promise it, Yosys therefore adds a comparator and a bypass, or builds the memory of
flip-flops. The attribute is part of the Verilog, so that every flow that reads it builds the same.
"""

from litex.soc.interconnect import stream
from migen import If, Memory, Module, Signal

NO_RW_CHECK = ("no_rw_check", 1)
BLOCK_RAM = ("ram_style", "block")
DISTRIBUTED = ("ram_style", "distributed")
_PARTS = ("payload", "param", "first", "last")  # of what an endpoint carries


def without_collisions(memory: Memory) -> Memory:
    """Declares that what is read of a word in the cycle of a write to it is not used; state the reason beside it."""
    memory.attr = {NO_RW_CHECK}
    return memory


def block_ram(memory: Memory) -> Memory:
    """Declares the same, and that the memory is to be block RAM: synthesis would put one of few words into LUTs."""
    without_collisions(memory).attr.add(BLOCK_RAM)
    return memory


def in_block_ram(module: Module) -> None:
    """Declares the memory of each FIFO that a module is, or has in it, for block RAM, as `BlockRAMFIFO` does."""
    for special in module._fragment.specials:
        if isinstance(special, Memory):
            block_ram(special)
    for _, inner in module._submodules:
        in_block_ram(inner)


def in_luts(module: Module, words: int) -> None:
    """Takes that back for memories of at most so many words in a module and what is in it: synthesis takes LUTs."""
    for special in module._fragment.specials:
        if isinstance(special, Memory) and special.depth <= words:
            getattr(special, "attr", set()).discard(BLOCK_RAM)
    for _, inner in module._submodules:
        in_luts(inner, words)


def distributed(module: Module, words: int) -> None:
    """Declares memories without collisions, of at most so many words, in a module and what is in it for LUTs."""
    for special in module._fragment.specials:
        if isinstance(special, Memory) and special.depth <= words and NO_RW_CHECK in getattr(special, "attr", ()):
            special.attr = {NO_RW_CHECK, DISTRIBUTED}
    for _, inner in module._submodules:
        distributed(inner, words)


class BlockRAMFIFO(Module):
    """LiteX's FIFO in block RAM, and a register behind it: a block RAM answers late in a cycle.

    It reads only while it holds a word and writes only while it has room: its read and its write address are the same
    when it is empty or full alone.

    Parameters
    ----------
    layout : list
        What it holds.
    depth : int
        Words, beside those that are on their way out: two, or one if it is `paced`.
    paced : bool
        A word in four cycles at most: the block RAMs' addresses and enables are then registers, whatever
        `source.ready` is made of. For wide words, whose block RAMs lie far apart.

    Attributes
    ----------
    sink, source : stream.Endpoint
        In, and 3 cycles later out; 4 if it is `paced`.
    level : Signal, out
        Words inside.
    follows : Signal(), out
        There is a word at `source` in the cycle after one is taken.
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
            word = stream.Endpoint(layout, reset_less=True)  # the block RAMs' own register
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
