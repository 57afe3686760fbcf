"""AES-CTR accelerator: registers, key slots, CTR engine and DMA (SP 800-38A, 6.5; FIPS-197; TS 33.401, annex B.1.3).

::

    CSRs ─┬─ key words ─► key store ─► AES core, key slots (write-only: no path back)
          └─ descriptor ─► DMA ─┬─► iv, index ─► counter ─► AES core ─► keystream ─┐
                                └─► read data ───────────────────────────────────(xor)──► DMA ─► written data

How software uses it: write `key_config` and the key words, then `load_key`; wait until `key_busy` is 0 and see the
slot's bit of `key_valid`. For each descriptor write what has changed of `iv`, `index`, `source`, `destination`,
`length` and `options`, then `start`, up to 8 before the first has ended; see that `refused` is 0. Then wait until
`busy` is 0 or `completed` far enough, or for the interrupt, and look at `results`.

Descriptors are carried out in order and overlap: the reads of one begin while blocks of the one before are still in
the core. `start` samples the registers, so that they may be written for the next descriptor at once. An error ends the
descriptor that has it, and the others go on. Every bus access is bounded in time, so that every descriptor ends.

A descriptor is carried out whole with the key that its slot held when it was started, or was being loaded then; or it
ends with an error. So no key of a slot that a descriptor names changes before that has ended: but for zeroize, abort
and reset, after which no more than the access under way is carried out. No block reaches the core without a key.

Commands end in bounded time, whatever descriptors are under way. With 8 slots, on a datapath of 128 bits and on the
pipelined one: `load_key` in 70 and 170 cycles, `clear_key` in 30, `zeroize` in 160 and 230; `abort`, and the
descriptors' end by `zeroize`, in 4 cycles beside the access under way, which ends within `timeout_cycles`.

Byte order: that of `gateware.aes`; word i of `key` and `iv` is bytes 4*i to 4*i+3, first byte in bits 7:0.
"""

from migen import FSM, Case, Cat, If, NextState, NextValue, Signal

from gateware.aes.cores import create_core
from gateware.aes.standard import KEY_WORDS
from gateware.ctr.engine import CTREngine
from gateware.ctr.key_store import WORDS, KeyStore
from gateware.dma.dispatch import COUNT_BITS, SLOT_FIELD_BITS
from gateware.dma.dma import DescriptorDMA
from gateware.dma.errors import ERROR_BITS, Error
from gateware.dma.ledger import ENTRIES, Ledger
from gateware.dma.registers import SLOTS, AcceleratorRegisters

MAX_SLOTS = 2**SLOT_FIELD_BITS


class CTRAccelerator(AcceleratorRegisters):
    """Encrypts memory to memory in CTR mode, as a bus master.

    Parameters
    ----------
    regions : list of (origin, size)
        Where source and destination may lie; see `Dispatcher`.
    datapath, sbox, engines
        The core; see `gateware.aes.cores`.
    slots : int
        Key slots, 1 to 16.
    burst_beats, timeout_cycles : int
        See `BurstMaster`.

    Attributes
    ----------
    bus : wishbone.Interface
        The DMA's master, 128 bits.
    burst_beats : int
        As given.
    ev : EventManager
        Interrupt `ev.irq`, with the one event `done`.
    """

    def __init__(
        self,
        *,
        regions,
        datapath: int | str = 128,
        sbox: str = "table",
        engines: int = 1,
        slots: int = SLOTS,
        burst_beats: int = 32,
        timeout_cycles: int = 4096,
    ):
        if not 1 <= slots <= MAX_SLOTS:
            raise ValueError(f"slots is {slots}; give 1 to {MAX_SLOTS}")
        super().__init__(slots=slots)
        core = create_core(datapath=datapath, sbox=sbox, slots=slots, engines=engines)
        self.store = store = KeyStore()
        self.engine = engine = CTREngine(core=core, count_bits=COUNT_BITS)
        self.dma = dma = DescriptorDMA(
            regions=regions, slots=slots, queue_depth=ENTRIES, burst_beats=burst_beats, timeout_cycles=timeout_cycles
        )
        self.ledger = ledger = Ledger(slot_bits=SLOT_FIELD_BITS)
        self.bus = dma.bus
        self.burst_beats = burst_beats

        # # #

        # Key: registers to store, store to core.
        key_length = Signal(2)
        key_slot = Signal(SLOT_FIELD_BITS)
        key_error = Signal(ERROR_BITS)
        takes_words = Signal()  # no key command is under way or just being taken
        for i in range(WORDS):
            register = getattr(self, f"key{i}")
            self.comb += If(register.re, store.write.eq(takes_words), store.index.eq(i), store.word.eq(register.r))
        self.comb += [
            Case(key_length, {**{code: store.count.eq(n) for code, n in KEY_WORDS.items()}, "default": []}),
            core.key_length.eq(key_length),
            core.key_slot.eq(key_slot),
            store.source.connect(core.key, omit={"first", "last"}),
        ]

        # Data: DMA to engine and back.
        descriptor, options = dma.descriptor, self.options.fields
        self.comb += [
            descriptor.initial.eq(Cat(*[getattr(self, f"iv{i}").storage for i in range(4)])),
            descriptor.index.eq(Cat(self.index_lo.storage, self.index_hi.storage)),
            descriptor.source.eq(self.source.storage),
            descriptor.destination.eq(self.destination.storage),
            descriptor.length.eq(self.length.storage),
            *[
                getattr(descriptor, name).eq(getattr(options, name))
                for name in ("width", "in_bits", "interrupt", "ordered")
            ],
            descriptor.slot.eq(options.slot),
            dma.key_valid.eq(core.key_valid),
            dma.message.connect(engine.message),
            dma.source.connect(engine.sink),
            engine.source.connect(dma.sink),
            engine.flush.eq(dma.flush),
        ]

        # Commands: of several in one write the first in this order counts.
        control, status, key_config = self.control.fields, self.status.fields, self.key_config.fields
        names = ("zeroize", "abort", "load_key", "clear_key", "start")
        command = {name: Signal(name=name) for name in names}
        earlier = 0
        for name in names:
            self.comb += command[name].eq(getattr(control, name) & ~earlier)
            earlier = earlier | getattr(control, name)
        self.fsm = fsm = FSM(reset_state="RESET")
        key_idle = fsm.ongoing("IDLE")
        clearing = fsm.ongoing("RESET") | fsm.ongoing("CLEAR")
        key_free = Signal()
        taken, refused = Signal(), Signal()
        self.comb += [
            ledger.slot.eq(key_config.slot),
            key_free.eq(key_idle & ~ledger.slot_used),
            takes_words.eq(key_idle & ~(command["load_key"] & key_free)),
            ledger.submit.eq(command["start"] & ~ledger.full & ~dma.aborting & ~clearing),
            ledger.submit_slot.eq(options.slot),
            descriptor.valid.eq(ledger.submit),
            dma.abort.eq((command["abort"] & ledger.busy) | command["zeroize"]),
            ledger.done.eq(dma.done),
            ledger.done_error.eq(dma.done_error),
            ledger.flush.eq(dma.flush),
            taken.eq(ledger.submit | dma.abort | ((command["load_key"] | command["clear_key"]) & key_free)),
            refused.eq((Cat(*command.values()) != 0) & ~taken),
            status.busy.eq(ledger.busy),
            status.key_busy.eq(~key_idle),
            status.full.eq(ledger.full),
            status.error.eq(ledger.last_error),
            status.key_error.eq(key_error),
            self.key_valid.status.eq(core.key_valid),
            self.submitted.status.eq(ledger.submitted),
            self.completed.status.eq(ledger.completed),
            self.results.status.eq(ledger.results),
            self.ev.done.trigger.eq((dma.done & dma.done_interrupt) | (dma.flush & ledger.busy)),
        ]
        self.sync += [
            If(taken, status.refused.eq(0)),
            If(refused, status.refused.eq(1)),
            If(ledger.busy, self.cycles.status.eq(self.cycles.status + 1)),
            If(ledger.submit & ~ledger.busy, self.cycles.status.eq(0)),
        ]

        # Keys.
        loading = Signal()
        self.comb += [
            loading.eq(fsm.ongoing("LOAD") | fsm.ongoing("EXPAND") | fsm.ongoing("CLEAR_SLOT")),
            *[dma.key_pending[n].eq(loading & (key_slot == n)) for n in range(slots)],
        ]
        settled = ~store.busy & ~core.key_busy
        fsm.act(  # one cycle after reset: nothing that a key left in the memories may stay
            "RESET",
            core.clear.eq(1),
            store.clear.eq(1),
            NextState("CLEAR"),
        )
        fsm.act(  # waits for a command
            "IDLE",
            NextValue(key_slot, key_config.slot),
            NextValue(key_length, key_config.key_length),
            If(
                command["load_key"] & key_free,
                If(
                    key_config.slot >= slots,
                    NextValue(key_error, Error.NO_KEY),
                    store.clear.eq(1),
                    NextState("WIPE"),
                )
                .Elif(
                    key_config.key_length >= len(KEY_WORDS),
                    NextValue(key_error, Error.KEY_LENGTH),
                    store.clear.eq(1),
                    NextState("WIPE"),
                )
                .Else(NextState("LOAD")),
            ),
            If(
                command["clear_key"] & key_free,
                NextValue(key_error, Error.NO_KEY),
                If(key_config.slot < slots, NextState("CLEAR_SLOT")),
            ),
        )
        fsm.act(  # one cycle: slot and length are known, the words follow
            "LOAD",
            store.load.eq(1),
            NextState("EXPAND"),
        )
        fsm.act(  # waits for the core to take and expand the key, and for the key words to be zero
            "EXPAND",
            NextValue(key_error, Error.NONE),
            If(settled, NextState("IDLE")),
        )
        fsm.act(  # one cycle: the slot is known
            "CLEAR_SLOT",
            NextValue(key_error, Error.NONE),
            core.clear_slot.eq(1),
            NextState("SETTLE"),
        )
        fsm.act(  # one cycle: the core begins to clear
            "SETTLE",
            NextState("WIPE"),
        )
        fsm.act(  # waits for the memories to be zero
            "WIPE",
            If(settled, NextState("IDLE")),
        )
        fsm.act(  # waits for the memories to be zero and for what was under way to leave the bus
            "CLEAR",
            NextValue(key_error, Error.NONE),
            If(settled & ~dma.aborting & ~ledger.busy, NextState("IDLE")),
        )
        for state in ("IDLE", "LOAD", "EXPAND", "CLEAR_SLOT", "SETTLE", "WIPE", "CLEAR"):
            fsm.act(state, If(command["zeroize"], core.clear.eq(1), store.clear.eq(1), NextState("CLEAR")))
