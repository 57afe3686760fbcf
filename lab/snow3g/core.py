# SPDX-License-Identifier: BSD-2-Clause
"""128-EEA1 (TS 33.401, B.1.2) with the interface of the AES cores: counter blocks in, blocks of SNOW 3G keystream out.

::

    key ─► words of each slot ─┐
                               ▼
    sink ─► (which stream?) ─► SNOW 3G ─► four words ─► source, with `error` where there is none

So the CTR service serves it like AES (`gateware.ctr.service`), and its clients see no difference. A message has the
counter blocks of 128-EEA2: COUNT (32) || BEARER (5) || DIRECTION (1) || 26 zeros || number of the block (64). Block n
is bits 128 n to 128 n + 127 of the message's keystream. The number is below `BLOCKS`, so a message has up to 2^20
bytes. Any other counter block is answered with zeros and `error`, as if its slot held no key. The same happens if the
slot gets another key, or is cleared, before the block is complete.

The generator stays where the last block ended. The next block continues there. A later block of the same message runs
the generator up to it, four words for each block. Any other block restarts the generator.

Cycles: 4 for the next block; 40 for the first block of a message; 40 + 4 n for block n after a restart; 7, plus 4 for
each skipped block, if the generator is before it.
Byte order: as in `gateware.aes`.
"""

from litex.soc.interconnect import stream
from migen import FSM, Array, Case, Cat, If, Module, Mux, NextState, NextValue, Signal, bits_for

from gateware.aes.iterative_cipher import RESULT_LAYOUT
from gateware.aes.key_memory import KeyMemory
from gateware.aes.standard import BLOCK_BITS, KEY_LENGTH_128, KEY_WORDS, WORD_BITS
from lab.snow3g.keystream import Snow3G

NUMBER_BITS = 16
BLOCKS = 2**NUMBER_BITS
WORDS = 4  # number of words in a key; a block also has this number of words


class Snow3GCore(Module):
    """A core for 128-EEA1: a SNOW 3G generator and the memory of its keys.

    Parameters
    ----------
    slots : int
        Number of keys that are held.
    s_r, s_q : str
        As for `Snow3G`.

    Attributes
    ----------
    sink, source, key, key_slot, key_length, key_valid, clear, clear_slot, flush, idle, key_busy
        As in `gateware.aes.cores.Core`. But keys have 128 bits; a key of another length leaves its slot empty. `flush`
        also zeroizes the generator.
    generator : Snow3G
    rows : list of KeyMemory
        One word of all slots' keys each.
    """

    def __init__(self, *, slots: int = 8, s_r: str = "table", s_q: str = "table"):
        slot_bits = bits_for(slots - 1)
        self.sink = sink = stream.Endpoint([("data", BLOCK_BITS), ("slot", slot_bits)])
        self.source = source = stream.Endpoint(RESULT_LAYOUT)
        self.key = key = stream.Endpoint([("word", WORD_BITS)])
        self.key_slot = Signal(slot_bits)
        self.key_length = Signal(2)
        self.key_valid = Signal(slots, name="slots_with_key")
        self.clear = Signal()
        self.clear_slot = Signal()
        self.flush = Signal()
        self.idle = Signal()
        self.key_busy = Signal()

        # # #

        self.submodules.generator = generator = Snow3G(s_r, s_q)

        # The keys. Each of the four words of a key is in its own memory, so one cycle is enough to read or zeroize a
        # slot.
        slot = Signal(slot_bits)  # the key slot that the current block uses
        self.rows = rows = [KeyMemory(width=WORD_BITS, depth=slots, registered=False) for _ in range(WORDS)]
        self.submodules += rows
        number, row = Signal(3), Signal(slot_bits)
        clearing, short, last_word = Signal(), Signal(), Signal()
        stored = Signal(slots)
        offered = [key.valid & (self.key_slot == n) for n in range(slots)]
        chosen = Array([self.key_valid[n] for n in range(slots)])
        self.comb += [
            key.ready.eq(~clearing & ~self.clear),
            short.eq(self.key_length == KEY_LENGTH_128),
            Case(self.key_length, {c: last_word.eq(number == n - 1) for c, n in KEY_WORDS.items()} | {"default": []}),
            *[self.key_valid[n].eq(stored[n] & ~offered[n]) for n in range(slots)],
            self.key_busy.eq(clearing),
        ]
        for n, memory in enumerate(rows):
            self.comb += [
                memory.write.eq(clearing | self.clear_slot | (key.valid & key.ready & (number == n))),
                memory.write_address.eq(Mux(clearing, row, self.key_slot)),
                memory.write_data.eq(Mux(clearing | self.clear_slot | ~short, 0, key.word)),
                memory.read_address.eq(slot),
            ]
        self.sync += [
            If(
                key.valid & key.ready,
                number.eq(number + 1),
                Case(self.key_slot, {n: stored[n].eq(last_word & short) for n in range(slots)}),
                If(last_word, number.eq(0)),
            ),
            If(self.clear_slot, Case(self.key_slot, {n: stored[n].eq(0) for n in range(slots)})),
            If(clearing, row.eq(row + 1), If(row == slots - 1, clearing.eq(0))),
            If(self.clear, clearing.eq(1), row.eq(0), number.eq(0), stored.eq(0)),
        ]

        # Counter blocks.
        given = [sink.data[8 * n : 8 * n + 8] for n in range(16)]
        # The signal `given_head` is COUNT || BEARER || DIRECTION from the counter block at the input.
        given_head = Cat(given[4][2:], *reversed(given[:4]))
        given_number = Cat(given[15], given[14])
        zeros = Cat(given[4][:2], *given[5:14])
        head, block, bad = Signal(len(given_head)), Signal(NUMBER_BITS), Signal()
        # While `live` is 1, the generator produces the keystream of one message. `position` is the number of the next
        # block in this keystream. `running` is the COUNT || BEARER || DIRECTION of the message. `generator_slot` is the
        # slot of the message's key.
        live = Signal()
        running, position = Signal(len(head)), Signal(NUMBER_BITS + 1)
        generator_slot = Signal(slot_bits)
        # Number of keystream words that the core has so far used or skipped for the current block.
        count = Signal(max=WORDS)
        same, follows, takes = Signal(), Signal(), Signal()
        self.comb += [
            same.eq(live & (head == running) & (slot == generator_slot)),
            follows.eq(
                live
                & (given_head == running)
                & (sink.slot == generator_slot)
                & (given_number == position + (count == WORDS - 1))
                & (zeros == 0)
            ),
        ]
        key_words = [memory.read_data for memory in rows]
        fields = {f"k{WORDS - 1 - n}": _swapped(word) for n, word in enumerate(key_words)}
        message = head[6:], Cat(*[0] * 26, head[:6])
        fields |= {"iv3": message[0], "iv2": message[1], "iv1": message[0], "iv0": message[1]}
        self.comb += [getattr(generator.sink, name).eq(value) for name, value in fields.items()]

        # `touched` is 1 if the client replaces or removes a key in this cycle. Then `cut` is 1 if the current block
        # uses this key, and `stale` is 1 if the generator produces keystream with this key.
        touched, cut, stale = Signal(), Signal(), Signal()
        room, shift, whole, pass_over = Signal(), Signal(), Signal(), Signal()
        refuse = Signal()
        self.comb += [
            touched.eq(key.valid | self.clear_slot),
            cut.eq(touched & (self.key_slot == slot)),
            stale.eq(touched & (self.key_slot == generator_slot)),
            generator.clear.eq(self.clear | self.flush | stale),
            room.eq(~source.valid | source.ready),
            generator.source.ready.eq(shift | pass_over),
            whole.eq(shift & (count == WORDS - 1)),
            sink.ready.eq(takes),
        ]
        self.sync += [
            If(source.ready, source.valid.eq(0), If(source.valid, source.data.eq(0))),
            If(shift, source.data.eq(Cat(source.data[WORD_BITS:], _swapped(generator.source.z))), source.error.eq(0)),
            If(whole, source.valid.eq(1)),
            If(refuse, source.data.eq(0), source.error.eq(1), source.valid.eq(1)),
            If(shift | pass_over, count.eq(count + 1), If(count == WORDS - 1, position.eq(position + 1))),
            If(
                takes & sink.valid,
                slot.eq(sink.slot),
                head.eq(given_head),
                block.eq(given_number),
                bad.eq(zeros != 0),
            ),
        ]

        self.submodules.fsm = fsm = FSM(reset_state="WAIT")
        taking = [
            takes.eq(1),
            NextState("WAIT"),
            If(sink.valid, NextState("CHOOSE"), If(follows & ~stale, NextState("GIVE"))),
        ]
        fsm.act(  # state WAIT: the core waits for a counter block
            "WAIT",
            *taking,
        )
        # State CHOOSE takes one cycle: the core compares the block's number with the generator's position.
        fsm.act(
            "CHOOSE",
            If(bad | cut | ~chosen[slot], NextState("REFUSE"))
            .Elif(~same | (block < position), NextState("BEGIN"))
            .Else(NextState("PASS")),
        )
        # State BEGIN: the core waits until the generator accepts a key. While the generator initialises itself, it
        # accepts no key.
        fsm.act(
            "BEGIN",
            If(
                cut,
                NextState("REFUSE"),
            ).Else(
                generator.sink.valid.eq(1),
                If(
                    generator.sink.ready,
                    NextValue(live, 1),
                    NextValue(running, head),
                    NextValue(generator_slot, slot),
                    NextValue(position, 0),
                    NextValue(count, 0),
                    NextState("PASS"),
                ),
            ),
        )
        fsm.act(  # state PASS: the core skips keystream until the generator reaches the block
            "PASS",
            If(
                cut,
                NextState("REFUSE"),
            )
            .Elif(
                position == block,
                NextState("GIVE"),
            )
            .Else(
                pass_over.eq(generator.source.valid),
            ),
        )
        # State GIVE: the core waits until the client has taken the previous result. Then the core collects the
        # keystream words of the block. In the cycle of the last word, the core accepts the next counter block.
        fsm.act(
            "GIVE",
            If(
                cut,
                NextState("REFUSE"),
            ).Elif(
                generator.source.valid & room,
                shift.eq(1),
                If(count == WORDS - 1, *taking),
            ),
        )
        fsm.act(  # state REFUSE: the core waits until the previous result is taken, then returns an error
            "REFUSE",
            If(room, refuse.eq(1), NextState("WAIT")),
        )
        for state in ("WAIT", "CHOOSE", "BEGIN", "PASS", "GIVE", "REFUSE"):
            fsm.act(state, If(self.flush | self.clear, NextState("WAIT")))
        self.comb += self.idle.eq(fsm.ongoing("WAIT") & ~source.valid)
        self.sync += [
            If(stale, live.eq(0)),
            If(
                self.flush | self.clear,
                live.eq(0),
                source.valid.eq(0),
                source.data.eq(0),
            ),
        ]


def _swapped(word) -> Cat:
    """Return the bytes of a word in reverse order."""
    return Cat(word[24:32], word[16:24], word[8:16], word[:8])
