"""Loads and zeroizes the keys of a core while datagrams of other keys go on.

A command on a slot withdraws it from use (`usable`), waits until no datagram of it is under way, and only then touches
the key. So no datagram is ever encrypted with a part of a key, with a key that came later, or not at all. If they do
not end in time, as the network's side has stopped within one, the slot is zeroized and gets no key.

`clear` waits for nobody: whatever is under way is dropped, and so is the command that was.

Handshake: a command is taken while `busy` is 0. After reset everything is zeroized first. Every command ends within
`command_cycles`.
"""

from migen import FSM, Array, Case, If, Module, NextState, NextValue, Signal, bits_for

from gateware.aes.standard import KEY_LENGTH_128, KEY_WORDS, ROUND_KEY_ROWS
from gateware.ctr.key_store import KeyStore

# Longest wait for datagrams. One of 1448 bytes and a full queue behind it are some 110 blocks, of 56 cycles at most.
WAIT_CYCLES = 8192


def command_cycles(command: str, *, slots: int) -> int:
    """Most cycles of a command, ``load_key``, ``clear_key`` or ``zeroize``, with any core of so many slots.

    All memories: a row of 32 bits a cycle, and what is left in the datapath. One slot: the blocks in their rounds, a
    key schedule, and its rows.
    """
    if command == "zeroize":
        return (ROUND_KEY_ROWS * KEY_WORDS[KEY_LENGTH_128] + 3) * slots + 128
    return WAIT_CYCLES + 256


class KeyLoader(Module):
    """Carries out key commands.

    Parameters
    ----------
    core : Module
        A core of `gateware.aes.cores`; used, not added as a submodule.
    slots : int
        Its key slots.
    wait_cycles : int
        Longest wait for datagrams.

    Attributes
    ----------
    store : KeyStore
        Where the words of the next key are written.
    slot, length : Signal, in
        Slot and length code of a command; sampled with it.
    load, clear_slot, clear : Signal(), in
        Pulse: take the key from the store, which is zeroed; zeroize the slot; zeroize all slots and the store. Ignored
        while `busy`, but for `clear`, which ends what is under way.
    busy : Signal(), out
        A command is under way.
    under_way : Signal(slots), in
        Slots of which a datagram is under way.
    usable : Signal(slots), out
        Slots that hold a key and may be used.
    flush : Signal(), out
        Drop what the core has been given.
    """

    def __init__(self, *, core, slots: int, wait_cycles: int = WAIT_CYCLES):
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
        self.flush = Signal()

        # # #

        slot, length = Signal(slot_bits), Signal(2)
        loading = Signal()  # what the command is
        waited = Signal(max=wait_cycles + 1)
        withdrawn = Signal(slots)
        under_way = Array([self.under_way[n] for n in range(slots)])
        self.comb += [
            self.usable.eq(core.key_valid & ~withdrawn),
            core.key_slot.eq(slot),
            core.key_length.eq(length),
            store.source.connect(core.key),
            Case(length, {**{code: store.count.eq(n) for code, n in KEY_WORDS.items()}, "default": []}),
        ]
        self.submodules.fsm = fsm = FSM(reset_state="RESET")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE"))
        zeroize = [
            core.clear.eq(1),
            store.clear.eq(1),
            self.flush.eq(1),
            NextValue(withdrawn, 2**slots - 1),
            NextState("CLEAR"),
        ]
        fsm.act(  # one cycle after reset: nothing that a key left in the memories may stay
            "RESET",
            *zeroize,
        )
        fsm.act(  # waits for a command
            "IDLE",
            NextValue(slot, self.slot),
            NextValue(length, self.length),
            NextValue(loading, self.load),
            NextValue(waited, 0),
            If(
                self.load | self.clear_slot,
                Case(self.slot, {n: NextValue(withdrawn[n], 1) for n in range(slots)}),
                NextState("SETTLE"),
            ),
        )
        fsm.act(  # one cycle: a datagram accepted in the last one is under way now
            "SETTLE",
            NextState("QUIET"),
        )
        fsm.act(  # waits for the slot's datagrams, but not for ever
            "QUIET",
            NextValue(waited, waited + 1),
            If(
                ~under_way[slot] & loading,
                store.load.eq(1),
                NextState("LOAD"),
            ).Elif(
                ~under_way[slot] | (waited == wait_cycles),
                core.clear_slot.eq(1),
                store.clear.eq(loading),
                NextState("CLEAR"),
            ),
        )
        fsm.act(  # waits for the store to give its words
            "LOAD",
            If(~store.busy, store.clear.eq(1), NextState("CLEAR")),
        )
        fsm.act(  # one cycle: the core says whether it is busy
            "CLEAR",
            NextState("EXPAND"),
        )
        fsm.act(  # waits for the key schedule, or for the memories to be zero
            "EXPAND",
            If(~core.key_busy & ~store.busy, NextValue(withdrawn, 0), NextState("IDLE")),
        )
        for state in ("IDLE", "SETTLE", "QUIET", "LOAD", "CLEAR", "EXPAND"):
            fsm.act(state, If(self.clear, *zeroize))
