# SPDX-License-Identifier: BSD-2-Clause
"""KeyExpansion (FIPS-197, 5.2): computes one word a cycle, and stores the round keys of each key in a slot.

With Nk words in the key (4, 6 or 8) and Nr rounds (10, 12 or 14)::

    w[i] = key word i                                  i < Nk
    w[i] = w[i-Nk] ^ SubWord(RotWord(w[i-1])) ^ Rcon   i mod Nk = 0
    w[i] = w[i-Nk] ^ SubWord(w[i-1])                   Nk = 8 and i mod 8 = 4
    w[i] = w[i-Nk] ^ w[i-1]                            otherwise

A shift register holds the last words, as many as the longest key has::

    key word ─┐
              ├─► w[i-1] ─► w[i-2] ─► ... ─► w[i-8]
    w[i] ─────┘   └─── words of a row ──┘

When `width` new bits are complete, they are written to the round keys of the slot. A word that needs SubWord waits
until the S-boxes have processed the word before it.

Byte order: as in `gateware.aes`; a word's bits 7:0 are its first byte.

Handshake: `sink` takes the Nk key words, first word first (valid and ready). `slot` and `length` are sampled with the
first word. From the first word to `key_valid` it takes 4 * (Nr + 1) + 1 cycles, that is 45, 53 or 61, if the words
arrive at once and the S-boxes take one cycle.

Replacement: after the round keys of a key that is not the longest, zeros are written to the slot's remaining rows, a
row a cycle, so nothing of a longer earlier key remains. `key_valid` does not wait for this, but the next key does:
``128 / width`` cycles for each row.

Zeroization: `clear` and `clear_slot` may come at any time. They end an expansion into a slot that they clear; later
words of that key start a new expansion. They wait for any other expansion to end. Then, once `hold` is 0, they zeroize
the words and every row of the slots, a row a cycle.
"""

from litex.soc.interconnect import stream
from migen import Array, Cat, If, Module, Mux, Record, Signal, bits_for

from .standard import (
    BLOCK_BITS,
    KEY_LENGTH_256,
    KEY_WORDS,
    ROUND_KEY_ROWS,
    ROUNDS,
    WORD_BITS,
    by_length,
    length_codes,
)
from .sub_bytes import SubBytes
from .transforms import xtime


def key_writes(width: int, slots: int) -> Record:
    """Return the signals with which a key expansion writes round keys into the ciphers' memories.

    `write`: store `words` (`width` bits of a round key) as part `part`, part 0 first, of row `row` of `slot`. The row
    is the round's number. The slot's key has the length code `length`, or the longest while slots are cleared.
    `beyond`: the row does not belong to that key, and `words` are zero.
    """
    parts = BLOCK_BITS // width
    return Record(
        [
            ("write", 1),
            ("part", bits_for(parts - 1)),
            ("row", bits_for(ROUND_KEY_ROWS - 1)),
            ("slot", bits_for(slots - 1)),
            ("length", 2),
            ("beyond", 1),
            ("words", width),
        ]
    )


class KeyExpansion(Module):
    """Expands keys, writes their round keys into slots, and records which slots contain a key.

    Parameters
    ----------
    width : int
        Bits of a write: 32, 64 or 128.
    slots : int
        Number of keys that are held.
    key_lengths : tuple of int
        Key lengths in bits that can be loaded. Other length codes count as the longest of these.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sub_bytes`).
    sbox_stages : int
        Registers in the S-boxes. Each one after the first costs a cycle for each word that needs SubWord.

    Attributes
    ----------
    sink : stream.Endpoint, word(32), in
        Key words. `first` and `last` are not used.
    slot, length : Signal, Signal(2), in
        Slot and length code (`gateware.aes.standard`), sampled with the first word.
    enable : Signal(), in
        A new key may start. Does not affect a key that has started.
    clear, clear_slot : Signal(), in
        Zeroize all slots, or `slot`.
    clearing : Signal(), out
        Slots are being zeroized, currently `keys.slot` if it is one of them.
    hold : Signal(), in
        The slot in `keys.slot` is still read: its zeroization waits.
    keys : Record, out
        Round keys for the memories (`key_writes`).
    key_valid : Signal(slots), out
        The slots that hold a complete schedule. A bit falls with the first word of the next key, and when the slot is
        cleared.
    lengths : list of Signal(2), out
        Length code of each slot's key.
    busy : Signal(), out
        An expansion, the writes of zeros after it, or a clearing is under way.
    """

    def __init__(
        self,
        *,
        width: int = BLOCK_BITS,
        slots: int = 1,
        key_lengths=(128, 192, 256),
        sbox: str = "table",
        sbox_stages: int = 1,
    ):
        codes = length_codes(key_lengths)
        self.sink = stream.Endpoint([("word", WORD_BITS)])
        self.slot = Signal(bits_for(slots - 1))
        self.length = Signal(2)
        self.enable = Signal()
        self.clear = Signal()
        self.clear_slot = Signal()
        self.clearing = clearing = Signal()
        self.hold = Signal()
        self.keys = keys = key_writes(width, slots)
        self.key_valid = Signal(slots)
        self.lengths = [Signal(2, name=f"length_{n}") for n in range(slots)]
        self.busy = Signal()

        # # #

        valid = Array([self.key_valid[n] for n in range(slots)])
        expanding = Signal()  # 1 from a key's first word until its last round key is written
        loading = Signal(reset=1)  # 1: the next word of the round keys is copied from the key, not computed
        erasing = keys.beyond
        pending = Signal(slots)  # slots to zeroize
        awaited = Array([pending[n] for n in range(slots)])
        length = Signal(2)
        phase = Signal(3)  # i mod Nk
        column = Signal(2)  # i mod 4
        last_phase = Signal()
        waiting = Signal(max=max(sbox_stages, 2))  # cycles until the outputs of the S-boxes are valid
        rcon = Signal(8)
        advance = Signal()

        # Words: window[0] is w[i-1].
        window = [Signal(WORD_BITS, name=f"word_{k + 1}") for k in range(KEY_WORDS[codes[-1]])]
        word = Signal(WORD_BITS)
        self.comb += keys.words.eq(Cat(*reversed(window[: width // WORD_BITS])))
        wipe = Signal()  # 1: zeroize `window` by the flip-flops' reset inputs; this saves a LUT per bit
        self.sync += [
            If(advance, *[window[k].eq(window[k - 1] if k else word) for k in range(len(window))]),
            If(wipe, *[w.eq(0) for w in window]),
        ]

        # The next word.
        self.submodules.sub_word = sub_word = SubBytes(WORD_BITS // 8, sbox=sbox, stages=sbox_stages)
        substituted = sub_word.o
        rotated = Cat(substituted[8:], substituted[:8])  # SubWord(RotWord(w)) = RotWord(SubWord(w))
        change = Signal(WORD_BITS)
        oldest = by_length(length, {code: window[KEY_WORDS[code] - 1] for code in codes})
        self.comb += [
            sub_word.i.eq(word),
            sub_word.enable.eq(Cat(advance | clearing, *[1] * (sbox_stages - 1))),
            change.eq(window[0]),
            If(phase == 0, change.eq(Cat(rotated[:8] ^ rcon, rotated[8:]))),
            If(~clearing, word.eq(Mux(loading, self.sink.word, oldest ^ change))),
        ]

        # Sequence of an expansion.
        substituting = Signal()  # 1: the computation of the next word includes SubWord
        resting = Signal()
        first = Signal()
        last_write = Signal()
        row_bits = Cat(keys.part, keys.row) if width < BLOCK_BITS else keys.row
        address = Signal(len(row_bits))
        parts = BLOCK_BITS // width
        final_row = by_length(length, {code: ROUNDS[code] for code in codes})
        last_row = ROUNDS[codes[-1]]
        is_shorter = by_length(length, {code: int(code != codes[-1]) for code in codes})
        final_phase = by_length(length, {code: KEY_WORDS[code] - 1 for code in codes})
        self.comb += [
            row_bits.eq(address),
            keys.length.eq(length),
            last_write.eq(keys.write & (keys.row == final_row) & (keys.part == parts - 1)),
            resting.eq(~expanding & ~erasing & (pending == 0)),
            first.eq(resting & self.enable & self.sink.valid),
            last_phase.eq(phase == final_phase),
            self.sink.ready.eq(loading & (expanding | (resting & self.enable))),
            substituting.eq(phase == 0),
            advance.eq(
                Mux(
                    loading,
                    self.sink.valid & self.sink.ready,
                    expanding & ~last_write & ~(substituting & (waiting != 0)),
                )
            ),
            clearing.eq((pending != 0) & ~expanding & ~erasing),
            wipe.eq(clearing | (expanding & last_write & is_shorter)),
            self.busy.eq(~resting),
        ]
        if KEY_LENGTH_256 in codes:
            self.comb += If((length == KEY_LENGTH_256) & (phase == 4), change.eq(substituted), substituting.eq(1))
        begin = [loading.eq(1), phase.eq(0), column.eq(0), address.eq(0), keys.write.eq(0)]
        end_of_row = (column & (width // WORD_BITS - 1)) == width // WORD_BITS - 1
        chosen = Signal()
        self.comb += chosen.eq(awaited[keys.slot])
        self.sync += [
            keys.write.eq(advance & end_of_row),
            If(advance, waiting.eq(sbox_stages - 1)).Elif(waiting != 0, waiting.eq(waiting - 1)),
            If(keys.write, address.eq(address + 1)),
            If(
                advance,
                column.eq(column + 1),
                phase.eq(phase + 1),
                If(last_phase, phase.eq(0), loading.eq(0), rcon.eq(Mux(loading, 0x01, xtime(rcon)))),
            ),
            If(
                first,
                expanding.eq(1),
                length.eq(self.length),
                keys.slot.eq(self.slot),
                valid[self.slot].eq(0),
            ),
            If(
                expanding & last_write,
                expanding.eq(0),
                valid[keys.slot].eq(1),
                Array(self.lengths)[keys.slot].eq(length),
                *begin,
                If(is_shorter, erasing.eq(1), address.eq(address + 1), keys.write.eq(1)),
            ),
            If(erasing, keys.write.eq(1)),
            If(erasing & (keys.row == last_row) & (keys.part == parts - 1), erasing.eq(0), *begin),
        ]

        # Signals that the formal proofs use.
        self.control = {"advance": advance, "loading": loading, "expanding": expanding, "first": first}
        self.control |= {"erasing": erasing, "phase": phase, "rcon": rcon, "length_of_key": length, "word": word}
        self.control["pending"] = pending
        self.control |= {"sub_input": sub_word.i, "sub_enable": sub_word.enable, "substituted": substituted}
        self.control |= {f"word_{k + 1}": window[k] for k in range(len(window))}

        # Zeroization: go through all slots, and write zeros into all rows of each slot that is marked in `pending`.
        self.sync += [
            If(expanding & chosen, expanding.eq(0), erasing.eq(0), valid[keys.slot].eq(0), *begin),
            If(
                clearing,
                length.eq(codes[-1]),
                keys.write.eq(chosen & ~self.hold),
                If(~chosen, keys.slot.eq(Mux(keys.slot == slots - 1, 0, keys.slot + 1))),
                If(
                    chosen & keys.write & (address == 2 ** len(address) - 1),
                    keys.write.eq(0),
                    awaited[keys.slot].eq(0),
                ),
            ),
            If(
                self.clear_slot,
                awaited[self.slot].eq(1),
                valid[self.slot].eq(0),
            ),
            If(self.clear, pending.eq(2**slots - 1), self.key_valid.eq(0)),
        ]
