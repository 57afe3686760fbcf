# SPDX-License-Identifier: BSD-2-Clause
"""Loads the keys of a CTR client, which arrive as streams of words. Reports to the key loader which keys are in use.

::

    key ─► words ─► key store ─► load, when the slot is unused
    message taken ─► begin of a use ... last block, or result ─► end of the use

A key is a stream of words, as for `gateware.aes.cores.Core`. After the last word the loader moves the key into its slot
as soon as no message uses the slot. Messages of the slot that arrive from then on wait until the key is there.
"""

from litex.soc.interconnect import stream
from migen import FSM, Array, If, Module, Mux, NextState, NextValue, ResetInserter, Signal, bits_for

from ..aes.standard import KEY_WORDS, WORD_BITS
from .client import USES_MAX, KeyPort


class KeyStream(Module):
    """Loads keys, which arrive as a stream of words, into the CTR service, and zeroizes keys.

    Parameters
    ----------
    keys : KeyPort
        The client's port; the client does not `waits`.
    slots : int
        Its slots.

    Attributes
    ----------
    key, key_slot, key_length, key_valid, clear, clear_slot, key_busy
        As `gateware.aes.cores.Core` has them. `clear_slot` waits until the slot is unused. `clear` waits for nothing.
    message_ready : Signal(), out
        A message may be accepted.
    message_slot : Signal, in
        Its slot.
    """

    def __init__(self, keys: KeyPort, slots: int):
        self.key = stream.Endpoint([("word", WORD_BITS)])
        self.key_slot = Signal(bits_for(slots - 1))
        self.key_length = Signal(2)
        self.key_valid = Signal(slots)
        self.clear = Signal()
        self.clear_slot = Signal()
        self.key_busy = Signal()
        self.message_ready = Signal()
        self.message_slot = Signal(bits_for(slots - 1))

        # # #

        slot, length = Signal(len(self.key_slot)), Signal(2)
        index = Signal(3)
        clears = Signal()  # 1: the present command zeroizes the slot; 0: it loads a key
        # 1: a command waits. It ends when no message uses its slot and the key loader has accepted the command
        waiting = Signal()
        last = Signal(3)
        # `changes`: 1 while a new key arrives or a command waits. `changed`: number of the slot that this key or
        # command changes.
        changes, changed = Signal(), Signal(len(slot))
        self.submodules.fsm = fsm = FSM(reset_state="WORDS")
        codes = Array([KEY_WORDS[code] - 1 for code in sorted(KEY_WORDS)])
        self.comb += [
            last.eq(codes[Mux(index == 0, self.key_length, length)]),
            keys.slot.eq(slot),
            keys.length.eq(length),
            keys.index.eq(index),
            keys.word.eq(self.key.word),
            keys.zeroize.eq(self.clear),
            waiting.eq(~fsm.ongoing("WORDS")),
            changes.eq(waiting | (index != 0) | self.key.valid),
            changed.eq(Mux(waiting | (index != 0), slot, self.key_slot)),
            *[self.key_valid[n].eq(keys.usable[n] & ~(changes & (changed == n))) for n in range(slots)],
            self.key_busy.eq(keys.busy | waiting),
            self.message_ready.eq(~keys.zeroizing & ~self.clear & ~(waiting & (self.message_slot == slot))),
        ]
        fsm.act(  # the state WORDS receives the words of a key, or a command to zeroize a slot
            "WORDS",
            self.key.ready.eq(~keys.busy),
            keys.write.eq(self.key.valid & self.key.ready),
            If(
                self.key.valid & self.key.ready,
                If(index == 0, NextValue(slot, self.key_slot), NextValue(length, self.key_length)),
                NextValue(index, index + 1),
                If(index == last, NextValue(index, 0), NextValue(clears, 0), NextState("COMMAND")),
            ).Elif(
                self.clear_slot & ~keys.busy,
                NextValue(slot, self.key_slot),
                NextValue(clears, 1),
                NextState("COMMAND"),
            ),
        )
        fsm.act(  # the state COMMAND waits until no message uses the slot
            "COMMAND",
            keys.load.eq(~clears & keys.ready),
            keys.clear_slot.eq(clears & keys.ready),
            If(keys.ready, NextState("WORDS")),
        )
        for state in ("WORDS", "COMMAND"):
            fsm.act(state, If(self.clear | keys.flush, NextValue(index, 0), NextState("WORDS")))


class Uses(Module):
    """Allows at most `USES_MAX` messages at a time, and reports to the key loader when each message begins and ends.

    Attributes
    ----------
    room : Signal(), out
        A message may be accepted.
    begin, slot : Signal(), Signal, in
        A message is accepted, under the key of this slot.
    end : Signal(), in
        The oldest message has ended.
    drop : Signal(), in
        All messages have ended.
    """

    def __init__(self, keys: KeyPort, slots: int):
        self.room = Signal()
        self.begin = Signal()
        self.slot = Signal(bits_for(slots - 1))
        self.end = Signal()
        self.drop = Signal()

        # # #

        fifo = ResetInserter()(stream.SyncFIFO([("slot", len(self.slot))], USES_MAX))
        self.submodules.fifo = fifo
        self.comb += [
            self.room.eq(fifo.sink.ready),
            fifo.sink.valid.eq(self.begin),
            fifo.sink.slot.eq(self.slot),
            fifo.source.ready.eq(self.end),
            fifo.reset.eq(self.drop),
            keys.begin.valid.eq(self.begin),
            keys.begin.number.eq(self.slot),
            keys.end.valid.eq(self.end),
            keys.end.number.eq(fifo.source.slot),
            keys.release.eq(self.drop),
        ]
