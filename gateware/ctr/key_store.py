# SPDX-License-Identifier: BSD-2-Clause
"""Stores the words of a key until the AES core has received them. Software writes the words, but no bus can read them.

Eight words of 32 bits lie in a small memory, so writing them disturbs no other work. The memory must stay a local
variable of this module. LiteX maps a memory into the address space if it is an attribute of a module with registers,
and then the key could be read.

Byte order: word i is bytes 4*i to 4*i+3 of the key, first byte in bits 7:0.
Handshake: `load` streams `count` words, first word first, one a cycle while `source.ready`. Then it zeroizes all words,
as `clear` does, in 8 cycles. `clear` ends a load. Writes during either are ignored.
"""

from litex.soc.interconnect import stream
from migen import If, Memory, Module, Mux, Signal

WORD_BITS = 32
WORDS = 8


class KeyStore(Module):
    """A memory for the words of the next key. Software can write the words but not read them.

    Attributes
    ----------
    write, index, word : Signal(), Signal(3), Signal(32), in
        Write port.
    load : Signal(), in
        Stream the words, then clear them; only while not `busy`.
    count : Signal(4), in
        Words to stream, 1 to 8, steady while `busy`.
    clear : Signal(), in
        Zeroize the words.
    busy : Signal(), out
        Streaming or clearing.
    source : stream.Endpoint, word(32), out
        The words.
    """

    def __init__(self):
        self.write = Signal()
        self.index = Signal(3)
        self.word = Signal(WORD_BITS)
        self.load = Signal()
        self.count = Signal(4)
        self.clear = Signal()
        self.busy = Signal()
        self.source = stream.Endpoint([("word", WORD_BITS)])

        # # #

        memory = Memory(WORD_BITS, WORDS, name="key_words")
        write_port = memory.get_port(write_capable=True, async_read=True)
        read_port = memory.get_port(async_read=True)
        self.specials += memory, write_port, read_port

        position = Signal(3)
        streaming = Signal()
        clearing = Signal()
        self.comb += [
            write_port.adr.eq(Mux(clearing, position, self.index)),
            write_port.dat_w.eq(Mux(clearing, 0, self.word)),
            write_port.we.eq(clearing | (self.write & ~streaming)),
            read_port.adr.eq(position),
            self.source.valid.eq(streaming),
            self.source.word.eq(read_port.dat_r),
            self.source.last.eq(position + 1 == self.count),
            self.busy.eq(streaming | clearing),
        ]
        self.sync += [
            If((streaming & self.source.ready) | clearing, position.eq(position + 1)),
            If(streaming & self.source.ready & self.source.last, streaming.eq(0), clearing.eq(1), position.eq(0)),
            If(clearing & (position == WORDS - 1), clearing.eq(0)),
            If(self.load, streaming.eq(1)),
            If(self.clear, clearing.eq(1), streaming.eq(0), position.eq(0)),
        ]
