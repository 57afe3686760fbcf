"""KeyExpansion (FIPS-197, 5.2): one word a cycle, all three key sizes, chosen for each key.

With Nk words in the key (4, 6 or 8) and Nr rounds (10, 12 or 14)::

    w[i] = key word i                                  i < Nk
    w[i] = w[i-Nk] ^ SubWord(RotWord(w[i-1])) ^ Rcon   i mod Nk = 0
    w[i] = w[i-Nk] ^ SubWord(w[i-1])                   Nk = 8 and i mod 8 = 4
    w[i] = w[i-Nk] ^ w[i-1]                            otherwise

The last eight words sit in a shift register::

    key word ─┐
              ├─► w[i-1] ─► w[i-2] ─► ... ─► w[i-8]
    w[i] ─────┘   └──────── round key ──┘

Every fourth word completes a round key, which is written to the user's memory. After the last word
the four newest words are round key Nr, and stay there.

Byte order: that of `gateware.aes`; a word's bits 7:0 are its first byte.
Handshake: `sink` takes the Nk key words, first word first (valid and ready); `key_length` counts with
the first of them. Cycles: 4 * (Nr + 1) + 1 from the first word to `done`, if the words come at once:
45, 53 or 61. `clear` zeroizes: words and all rows of the memory, in 17 cycles; it may come at any time.
"""

from litex.soc.interconnect import stream
from migen import Case, Cat, If, Module, Mux, Signal

from gateware.aes.sbox import SBox
from gateware.aes.transforms import xtime

WORD_BITS = 32
ROUND_KEY_ROWS = 16

# Key lengths as registers and ports code them: code, words of the key (Nk), rounds (Nr).
KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256 = range(3)
KEY_LENGTHS = {128: KEY_LENGTH_128, 192: KEY_LENGTH_192, 256: KEY_LENGTH_256}
KEY_WORDS = {KEY_LENGTH_128: 4, KEY_LENGTH_192: 6, KEY_LENGTH_256: 8}
ROUNDS = {KEY_LENGTH_128: 10, KEY_LENGTH_192: 12, KEY_LENGTH_256: 14}


class KeySchedule(Module):
    """Expands a key into a memory of round keys.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).

    Attributes
    ----------
    sink : stream.Endpoint, word(32), in
        Key words. `first` and `last` are not used.
    key_length : Signal(2), in
        `KEY_LENGTH_128`, `KEY_LENGTH_192` or `KEY_LENGTH_256`, sampled with the first word.
    enable : Signal(), in
        A new key may begin. Has no effect on one that has begun.
    clear : Signal(), in
        Forget the key: zero the words and write zeros to every row. Ends an expansion.
    write, row, round_key : Signal(), Signal(4), Signal(128), out
        Write port for the memory. `round_key` is round key Nr while `key_valid`.
    key_valid : Signal(), out
        The memory holds a whole schedule. Falls with the first word of the next key.
    last_round : Signal(4), out
        Nr - 1 for the present key.
    busy : Signal(), out
        An expansion or a clearing is under way.
    """

    def __init__(self, *, sbox: str = "table"):
        self.sink = stream.Endpoint([("word", WORD_BITS)])
        self.key_length = Signal(2)
        self.enable = Signal()
        self.clear = Signal()
        self.write = Signal()
        self.row = Signal(4)
        self.round_key = Signal(4 * WORD_BITS)
        self.key_valid = Signal()
        self.last_round = Signal(4)
        self.busy = Signal()

        # # #

        expanding = Signal()  # from the first word to the last row
        loading = Signal(reset=1)  # the next word comes from the key
        clearing = Signal()
        length = Signal(2)
        phase = Signal(3)  # i mod Nk
        column = Signal(2)  # i mod 4
        last_phase = Signal()
        rcon = Signal(8)
        advance = Signal()

        # Words: window[0] is w[i-1].
        window = [Signal(WORD_BITS, name=f"word_{k + 1}") for k in range(8)]
        word = Signal(WORD_BITS)
        self.comb += self.round_key.eq(Cat(*reversed(window[:4])))
        self.sync += If(advance, *[window[k].eq(word if k == 0 else window[k - 1]) for k in range(8)])

        # The next word.
        substituted = Signal(WORD_BITS)
        for i in range(4):
            substitution = SBox(implementation=sbox)
            self.submodules += substitution
            self.comb += [
                substitution.i.eq(window[0][8 * i : 8 * i + 8]),
                substituted[8 * i : 8 * i + 8].eq(substitution.o),
            ]
        rotated = Cat(substituted[8:], substituted[:8])  # SubWord(RotWord(w)) = RotWord(SubWord(w))
        oldest = Signal(WORD_BITS)
        change = Signal(WORD_BITS)
        self.comb += [
            Case(
                length,
                {
                    KEY_LENGTH_128: oldest.eq(window[3]),
                    KEY_LENGTH_192: oldest.eq(window[5]),
                    "default": oldest.eq(window[7]),
                },
            ),
            change.eq(window[0]),
            If(phase == 0, change.eq(rotated ^ rcon)),
            If((length == KEY_LENGTH_256) & (phase == 4), change.eq(substituted)),
            word.eq(Mux(loading, self.sink.word, oldest ^ change)),
        ]

        # Sequence.
        first = Signal()
        last_row = Signal()
        self.comb += [
            last_row.eq(self.write & (self.row == self.last_round + 1)),
            first.eq(~expanding & ~clearing & self.enable & self.sink.valid),
            self.sink.ready.eq(loading & (expanding | (~clearing & self.enable))),
            advance.eq(Mux(loading, self.sink.valid & self.sink.ready, expanding & ~last_row)),
            self.busy.eq(expanding | clearing),
            Case(
                length,
                {
                    KEY_LENGTH_128: [last_phase.eq(phase == 3), self.last_round.eq(9)],
                    KEY_LENGTH_192: [last_phase.eq(phase == 5), self.last_round.eq(11)],
                    "default": [last_phase.eq(phase == 7), self.last_round.eq(13)],
                },
            ),
        ]
        self.sync += [
            self.write.eq(advance & (column == 3)),
            If(self.write, self.row.eq(self.row + 1)),
            If(
                advance,
                column.eq(column + 1),
                phase.eq(phase + 1),
                If(last_phase, phase.eq(0), loading.eq(0), rcon.eq(Mux(loading, 0x01, xtime(rcon)))),
            ),
            If(first, expanding.eq(1), length.eq(self.key_length), self.key_valid.eq(0)),
            If(
                expanding & last_row,
                expanding.eq(0),
                loading.eq(1),
                phase.eq(0),
                column.eq(0),
                self.row.eq(0),
                self.key_valid.eq(1),
            ),
            If(
                clearing,
                self.write.eq(1),
                If(self.write & (self.row == ROUND_KEY_ROWS - 1), self.write.eq(0), clearing.eq(0)),
            ),
            If(
                self.clear,
                clearing.eq(1),
                expanding.eq(0),
                loading.eq(1),
                phase.eq(0),
                column.eq(0),
                self.row.eq(0),
                self.write.eq(0),
                self.key_valid.eq(0),
                *[w.eq(0) for w in window],
            ),
        ]
