# SPDX-License-Identifier: BSD-2-Clause
"""Computes GHASH's subkey H for each key of a CTR service's client. H is the encrypted zero block (SP 800-38D, 7.1).

::

    usable, used ─► slot by slot ─► request ─► (CTR service)
                                         answer ─► memory ─► subkey

H is asked for as soon as a slot's key may be used. It is stored until the key is withdrawn and its last use has ended.
Uses that begin afterwards belong to the next key. Then the slot's row is zeroized, before another key can be complete.
An answer for a key that was withdrawn meanwhile is dropped. H has no path to software: the only reader is GHASH.

One slot is visited each cycle. One request is under way at a time. `clear` drops everything and zeroizes all rows, a
row a cycle.
"""

from litex.soc.interconnect import stream
from migen import Array, If, Memory, Module, Mux, Signal, bits_for

from ..aes.standard import BLOCK_BITS
from ..ctr.client import KEYSTREAM_LAYOUT
from ..memory import DISTRIBUTED, NO_RW_CHECK


class Subkeys(Module):
    """Computes and stores the subkey of each key slot.

    Parameters
    ----------
    slots : int
        Slots of the client.

    Attributes
    ----------
    usable, used : Signal(slots), in
        See `gateware.ctr.client.KeyPort`.
    request : stream.Endpoint, slot, out
        A request for the encrypted zero block.
    answer : stream.Endpoint, data(128), error, in
        The answer, always taken.
    held : Signal(slots), out
        Slots with a subkey.
    slot, subkey : Signal, in, and Signal(128), out
        The subkey of a slot, for GHASH only.
    ended, ended_slot : Signal(), Signal, out
        Pulse: a slot's subkey is being zeroized.
    flush : Signal(), in
        The request under way will not be answered: ask again.
    clear : Signal(), in
        Drop and zeroize everything.
    zeroizing : Signal(), out
        `clear` is under way.
    """

    def __init__(self, slots: int):
        slot_bits = bits_for(slots - 1)
        self.usable = Signal(slots)
        self.used = Signal(slots)
        self.request = stream.Endpoint([("slot", slot_bits)])
        self.answer = stream.Endpoint(KEYSTREAM_LAYOUT)
        self.held = Signal(slots)
        self.slot = Signal(slot_bits)
        self.subkey = Signal(BLOCK_BITS)
        self.ended = Signal()
        self.ended_slot = Signal(slot_bits)
        self.flush = Signal()
        self.clear = Signal()
        self.zeroizing = Signal()

        # # #

        # Registers store `usable` and `used`, because these signals arrive late in the cycle. This unit visits one slot
        # per cycle. A slot whose key was withdrawn stays unusable for more cycles than there are slots. So this unit
        # visits the slot in this time, and zeroizes the old subkey before the slot gets a new key.
        usable_before, used_before = Signal(slots), Signal(slots)
        over = Signal(slots)  # bit n is 1 if slot n's subkey must be zeroized: the key is withdrawn and unused
        self.sync += [
            usable_before.eq(self.usable),
            used_before.eq(self.used),
            over.eq(over | (self.held & ~usable_before & ~used_before)),
        ]
        usable, held, ends = (Array([bits[n] for n in range(slots)]) for bits in (usable_before, self.held, over))
        visited = Signal(slot_bits)
        last = Signal()
        asking = Signal()  # 1 until the present request is answered
        asked = Signal(slot_bits)
        stale = Signal()  # 1 if the key of the requested slot was withdrawn after the request
        fits = Signal()
        store = Signal()
        self.comb += [
            last.eq(visited == slots - 1),
            fits.eq(usable[asked] & ~stale & ~self.answer.error),
            store.eq(self.answer.valid & asking & fits & ~self.zeroizing),
            self.ended.eq(ends[visited] & ~store & ~self.zeroizing),
            self.ended_slot.eq(visited),
            self.answer.ready.eq(1),
            self.request.slot.eq(asked),
        ]
        self.sync += [
            If(~store, visited.eq(Mux(last, 0, visited + 1))),
            If(~usable[asked], stale.eq(1)),
            If(
                ~asking & usable[visited] & ~held[visited] & ~self.zeroizing,
                asking.eq(1),
                asked.eq(visited),
                stale.eq(0),
                self.request.valid.eq(1),
            ),
            If(self.request.valid & self.request.ready, self.request.valid.eq(0)),
            If(self.answer.valid, asking.eq(0)),
            If(store, held[asked].eq(1)),
            If(self.ended, held[visited].eq(0), ends[visited].eq(0)),
            If(self.zeroizing & last, self.zeroizing.eq(0)),
            If(self.flush | self.clear, asking.eq(0), self.request.valid.eq(0)),
            If(self.clear, self.zeroizing.eq(1), visited.eq(0), self.held.eq(0), over.eq(0)),
        ]

        # Reads and writes do not collide: GHASH uses no row in the cycle in which the row is written.
        memory = Memory(BLOCK_BITS, slots, name="subkeys")
        memory.attr = {NO_RW_CHECK, DISTRIBUTED}
        write_port = memory.get_port(write_capable=True, async_read=True)
        read_port = memory.get_port(async_read=True)
        self.specials += memory, write_port, read_port
        self.comb += [
            write_port.adr.eq(Mux(store, asked, visited)),
            If(store, write_port.dat_w.eq(self.answer.data)),
            write_port.we.eq(store | self.ended | self.zeroizing),
            read_port.adr.eq(self.slot),
            self.subkey.eq(read_port.dat_r),
        ]
