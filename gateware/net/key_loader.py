"""Loads and zeroizes the keys of a core while datagrams of other keys go on.

A command withdraws its slot from use (`usable`), waits until no datagram of it is under way, and only then touches
the key. So no datagram is ever encrypted with a part of a key, with a key that came later, or not at all.

Handshake: a command is taken while `busy` is 0. After reset everything is zeroized first.
"""

from migen import FSM, Array, Case, If, Module, NextState, NextValue, Signal, bits_for

from gateware.aes.standard import KEY_WORDS
from gateware.ctr.key_store import KeyStore


class KeyLoader(Module):
    """Carries out key commands.

    Parameters
    ----------
    core : Module
        A core of `gateware.aes.cores`; used, not added as a submodule.
    slots : int
        Its key slots.

    Attributes
    ----------
    store : KeyStore
        Where the words of the next key are written.
    slot, length : Signal, in
        Slot and length code of a command; sampled with it.
    load, clear_slot, clear : Signal(), in
        Pulse: take the key from the store, which is zeroed; zeroize the slot; zeroize all slots. Ignored while `busy`,
        but for `clear`, which comes next.
    busy : Signal(), out
        A command is under way.
    under_way : Signal(slots), in
        Slots of which a datagram is under way.
    usable : Signal(slots), out
        Slots that hold a key and may be used.
    """

    def __init__(self, *, core, slots: int):
        slot_bits = bits_for(slots - 1)
        self.submodules.store = store = KeyStore()
        self.slot = Signal(slot_bits)
        self.length = Signal(2)
        self.load = Signal()
        self.clear_slot = Signal()
        self.clear = Signal()
        self.busy = Signal()
        self.under_way = Signal(slots)
        self.usable = Signal(slots)

        # # #

        slot, length = Signal(slot_bits), Signal(2)
        loading, clearing_all = Signal(), Signal()  # what the command is
        wanted = Signal()  # everything must be cleared, now or after the present command
        withdrawn = Signal(slots)
        under_way = Array([self.under_way[n] for n in range(slots)])
        self.comb += [
            self.usable.eq(core.key_valid & ~withdrawn),
            core.key_slot.eq(slot),
            core.key_length.eq(length),
            store.source.connect(core.key),
            Case(length, {**{code: store.count.eq(n) for code, n in KEY_WORDS.items()}, "default": []}),
        ]
        self.sync += If(self.clear, wanted.eq(1))
        self.submodules.fsm = fsm = FSM(reset_state="RESET")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE") | wanted)
        fsm.act(  # one cycle after reset: nothing that a key left in the memories may stay
            "RESET",
            NextValue(wanted, 1),
            NextState("IDLE"),
        )
        fsm.act(  # waits for a command
            "IDLE",
            NextValue(slot, self.slot),
            NextValue(length, self.length),
            NextValue(loading, self.load),
            NextValue(clearing_all, wanted),
            If(
                wanted,
                NextValue(wanted, 0),
                NextValue(withdrawn, 2**slots - 1),
                NextState("SETTLE"),
            ).Elif(
                self.load | self.clear_slot,
                Case(self.slot, {n: NextValue(withdrawn[n], 1) for n in range(slots)}),
                NextState("SETTLE"),
            ),
        )
        fsm.act(  # one cycle: a datagram accepted in the last one is under way now
            "SETTLE",
            If(clearing_all, NextState("ALL_QUIET")).Else(NextState("QUIET")),
        )
        fsm.act(  # waits for the slot's datagrams
            "QUIET",
            If(
                ~under_way[slot],
                If(loading, store.load.eq(1), NextState("LOAD")).Else(core.clear_slot.eq(1), NextState("CLEAR")),
            ),
        )
        fsm.act(  # waits for the store to give its words
            "LOAD",
            If(~store.busy, store.clear.eq(1), NextState("CLEAR")),
        )
        fsm.act(  # waits for all datagrams
            "ALL_QUIET",
            If(
                self.under_way == 0,
                core.clear.eq(1),
                store.clear.eq(1),
                NextState("CLEAR"),
            ),
        )
        fsm.act(  # one cycle: the core says whether it is busy
            "CLEAR",
            NextState("EXPAND"),
        )
        fsm.act(  # waits for the key schedule, or for the memories to be zero
            "EXPAND",
            If(~core.key_busy & ~store.busy, NextValue(withdrawn, 0), NextState("IDLE")),
        )
