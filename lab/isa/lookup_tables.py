# SPDX-License-Identifier: BSD-2-Clause
"""The eight tables of Fiskiran and Lee's instruction ``ptlu``, each with 256 words. An instruction makes up to four
lookups.

Lookup i uses byte ``offset + i step`` of a word as its index, and returns ``subword`` bytes: subword i of the result.
The paper is silent on the following points, so they are our choice. There are ``min(4, bytes of a word / subword)``
lookups, and bytes of the result after the last one are 0. Byte numbers wrap. Lookup i reads subword i of the entries,
so each byte of them is a memory with one port, which is read or written. Latency: one cycle. Tables keep their
contents, also over a reset.
"""

from migen import READ_FIRST, Array, Case, Cat, If, Memory, Module, Mux, Signal, log2_int

from gateware.aes.transforms import masked

TABLES, ENTRIES, LOOKUPS = 8, 256, 4
SUBWORDS = (1, 2, 4)  # possible sizes of a subword in bytes


class LookupTables(Module):
    """The eight tables of `ptlu`; `width` is the number of bits in a word.

    Parameters
    ----------
    width : int
        Bits of a word: 32, 64 or 128.

    Attributes
    ----------
    enable : Signal(), in
        Take the inputs below; otherwise the result stays.
    word : Signal(width), in
        The word that holds the indices.
    subword : Signal(2), in
        log2 of the subword's bytes, 0 to 2.
    table, offset, step : Signal(3), Signal(log2(width / 8)), likewise, in
        The instruction's other fields.
    write, index, lane, data : Signal(), Signal(8), Signal(2), Signal(32), in
        Instead of a lookup, write 32 bits into lane `lane` of entry `index`.
    result : Signal(width), out
        One cycle later.
    """

    def __init__(self, width: int):
        if width not in (32, 64, 128):
            raise ValueError(f"words are of 32, 64 or 128 bits, not {width}")
        count = width // 8
        self.enable = Signal()
        self.word = Signal(width)
        self.subword = Signal(2)
        self.table = Signal(3)
        self.offset, self.step = Signal(log2_int(count)), Signal(log2_int(count))
        self.write = Signal()
        self.index, self.lane, self.data = Signal(8), Signal(2), Signal(32)
        self.result = Signal(width)

        # # #

        column = Array([self.word[8 * i : 8 * i + 8] for i in range(count)])
        multiples = (0, self.step, self.step << 1, self.step + (self.step << 1))
        numbers = [Signal(log2_int(count), name=f"number{i}") for i in range(LOOKUPS)]
        self.comb += [number.eq(self.offset + multiple) for number, multiple in zip(numbers, multiples, strict=True)]
        # Multiplexers select the index bytes from `word`; `numbers` contains the byte number of each lookup. With words
        # wider than 32 bits, each lookup has its own multiplexer. With words of 32 bits, each memory below has its own
        # multiplexer.
        are_shared = count > LOOKUPS
        choices = numbers
        if are_shared:
            choices = [Signal(8, name=f"index{i}") for i in range(LOOKUPS)]
            self.comb += [index.eq(column[number]) for index, number in zip(choices, numbers, strict=True)]

        # Memory i contains byte i of all table entries. The size of a subword determines which lookup reads memory i.
        results = []
        for i in range(count):
            lookups = {n: i // subword for n, subword in enumerate(SUBWORDS) if i // subword < LOOKUPS}
            choice, serves, served = Signal(8 if are_shared else log2_int(count)), Signal(), Signal()
            memory = Memory(8, TABLES * ENTRIES, name=f"ptlu_{i}")
            port = memory.get_port(write_capable=True, has_re=True, mode=READ_FIRST)
            self.specials += memory, port
            self.comb += [
                Case(self.subword, {n: [choice.eq(choices[lookup]), serves.eq(1)] for n, lookup in lookups.items()}),
                port.adr.eq(Cat(Mux(self.write, self.index, choice if are_shared else column[choice]), self.table)),
                port.dat_w.eq(self.data[8 * (i % 4) : 8 * (i % 4) + 8]),
                port.we.eq(self.enable & self.write & (self.lane == i // 4)),
                port.re.eq(self.enable),
            ]
            if len(lookups) < len(SUBWORDS):
                self.sync += If(self.enable, served.eq(serves))
                results.append(masked(served, port.dat_r))
            else:
                results.append(port.dat_r)
        self.comb += self.result.eq(Cat(*results))
