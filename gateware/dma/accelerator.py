# SPDX-License-Identifier: BSD-2-Clause
"""The AES-CTR accelerator: a DMA with registers that uses the CTR service (SP 800-38A, 6.5; TS 33.401, annex B.1.3).

::

    CSRs ─┬─ key words ─► CTR service (write-only: no path back)
          └─ descriptor ─► DMA ─┬─► iv, index ─► CTR service ─► keystream ─┐
                                └─► read data ───────────────────────────(xor)──► DMA ─► written data

Software loads a key as follows. Write `key_config` and the key words, then `load_key`. Wait until `key_busy` is 0, and
check the slot's bit of `key_valid`.

Software submits a descriptor as follows. Write `iv`, `index`, `source`, `destination`, `length` and `options`, except
registers that keep their value. Then write `start`. Check that `refused` is 0. Up to 8 descriptors may be outstanding.
Then wait for the interrupt, or until `busy` is 0 or `completed` has passed the descriptor's number, and read `results`.

The accelerator executes descriptors in order. They overlap: the reads of one start while blocks of the previous one
are still in the core. `start` samples the registers, so software may write them for the next descriptor at once. An
error ends its own descriptor only. Every bus access has a time limit, so every descriptor ends.

A descriptor uses the key that its slot held, or was loading, when the descriptor was started. It is executed whole
with that key, or it ends with an error. So the key of a slot does not change while a descriptor names the slot.
There are three exceptions: zeroize, abort and reset. After them, only the access under way completes. No block
reaches the core without a key.

Commands end in bounded time, whatever descriptors are under way. With 8 slots they take at most

- 70 cycles for `load_key` on the 128-bit datapath, 170 on the pipelined one,
- 30 cycles for `clear_key` on the 128-bit datapath, 90 on the pipelined one,
- 160 cycles for `zeroize` on the 128-bit datapath, 230 on the pipelined one.

The command `abort` ends descriptors in 4 cycles, and so does `zeroize`. Both also wait for the access under way. A bus
access ends after 4,096 cycles at most (`timeout_cycles`).

With a fast path, both share one service. Then `load_key` and `clear_key` may wait for one key command of the fast path
first, which takes up to 8,704 cycles more. `zeroize` waits for no command, but covers the slots of both. It ends
within 2,272 cycles.

Buffers must lie inside an allowed region. These are the buffer memory (`buffer` in LiteX's memory map) and, with
Ethernet, the MAC's slots. SRAM, ROM and SDRAM are out of reach. The SoC's headers name the base address
(CSR_ACCELERATOR_BASE) and the interrupt (ACCELERATOR_INTERRUPT). The devicetrees in `firmware/zephyr/boards` have the
same numbers: 0xF0000000 and interrupt 2.

With GCM (SP 800-38D), a descriptor is a GCM message if the option `mode` says so. Its registers then mean:

| register | meaning |
| --- | --- |
| `source`, `length` | the text, in bytes: plaintext for mode encrypt, otherwise ciphertext |
| `destination` | the result, as many bytes as the text |
| `iv0` to `iv2` | the IV of 96 bits; with `hash_iv`, address and length in bytes of another IV |
| `iv3` | address of the tag: mode encrypt writes it, the other modes read it |
| `index_lo`, `index_hi` | address and length in bytes of the additional data |

Any alignment is allowed. The address of a part without bytes does not count. Text and additional data may have up to
2^32 - 1 bytes. A text for mode decrypt has at most 2,048 bytes (`gcm_depth`), because the hardware holds it until the
tag is verified. If the tag is wrong, the text is zeroized there, and nothing is written. A longer text takes two steps:
mode verify, and if its result is NONE, a CTR descriptor with T1 = IV || 1, index 1 and width 32. Nobody may change the
text between the steps. The hash subkey of a slot is computed when its key is loaded, and zeroized with the key. No
register and no bus reaches it.

Byte order: as in `gateware.aes`. Word i of `key` and `iv` is bytes 4*i to 4*i+3, first byte in bits 7:0.
"""

from migen import Cat, If, Signal

from ..aes.standard import KEY_WORDS
from ..ctr.blocks import BlockCTR
from ..ctr.client import Client, Port
from ..ctr.gcm import BlockGCM
from ..ctr.key_store import WORDS
from ..ctr.shared_port import SharedPort
from .dispatch import COUNT_BITS, SLOT_FIELD_BITS
from .dma import DescriptorDMA
from .errors import ERROR_BITS, Error
from .ledger import ENTRIES, Ledger
from .registers import SLOTS, AcceleratorRegisters

MAX_SLOTS = 2**SLOT_FIELD_BITS


def client(slots: int = SLOTS) -> Client:
    """Return the accelerator's parameters as a client of the CTR service.

    Its descriptors may be long, so its key commands do not wait for them.

    Raises
    ------
    ValueError
        There are not 1 to 16 slots.
    """
    if not 1 <= slots <= MAX_SLOTS:
        raise ValueError(f"slots is {slots}; give 1 to {MAX_SLOTS}")
    return Client(slots=slots, count_bits=COUNT_BITS, waits=False)


class CTRAccelerator(AcceleratorRegisters):
    """Reads data from memory as a bus master, encrypts them in CTR mode, and writes them to memory.

    Parameters
    ----------
    regions : list of (origin, size)
        Where source and destination may lie; see `Dispatcher`.
    service : Port
        Of the CTR service, for a `client`.
    burst_beats, timeout_cycles : int
        See `BurstMaster`.
    gcm_cycles, gcm_depth : int
        Cycles of a product of GHASH, one of `gateware.gcm.ghash.CYCLES`, or 0 for an accelerator without GCM; most
        blocks of text in mode decrypt (`BlockGCM`).

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
        service: Port,
        burst_beats: int = 32,
        timeout_cycles: int = 4096,
        gcm_cycles: int = 0,
        gcm_depth: int = 128,
    ):
        slots = service.client.slots
        super().__init__(slots=slots, gcm=gcm_cycles > 0)
        keys = service.keys
        gcm = None
        if gcm_cycles:
            self.shared_port = SharedPort(service)
            service, gcm_port = self.shared_port.ports
            self.gcm = gcm = BlockGCM(port=gcm_port, cycles=gcm_cycles, depth=gcm_depth)
        self.engine = engine = BlockCTR(port=service)
        self.dma = dma = DescriptorDMA(
            regions=regions,
            slots=slots,
            queue_depth=ENTRIES,
            burst_beats=burst_beats,
            timeout_cycles=timeout_cycles,
            gcm=gcm,
        )
        self.ledger = ledger = Ledger(slot_bits=SLOT_FIELD_BITS)
        self.bus = dma.bus
        self.burst_beats = burst_beats

        # # #

        for i in range(WORDS):
            register = getattr(self, f"key{i}")
            self.comb += If(register.re, keys.write.eq(1), keys.index.eq(i), keys.word.eq(register.r))

        # The fields of a descriptor come from the registers.
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
            dma.key_valid.eq(keys.usable),
            dma.key_pending.eq(keys.withdrawn),
            dma.message.connect(engine.message),
            dma.source.connect(engine.sink),
            engine.source.connect(dma.sink),
            engine.flush.eq(dma.flush),
        ]
        if gcm:
            self.comb += [
                *[getattr(descriptor, name).eq(getattr(options, name)) for name in ("mode", "hash_iv", "tag_length")],
                self.status.fields.failures.eq(gcm.failures),
            ]

        # Commands. If one write to `control` contains several commands, only the command that comes first in the
        # tuple `names` has an effect.
        control, status, key_config = self.control.fields, self.status.fields, self.key_config.fields
        names = ("zeroize", "abort", "load_key", "clear_key", "start")
        command = {name: Signal(name=name) for name in names}
        earlier = 0
        for name in names:
            self.comb += command[name].eq(getattr(control, name) & ~earlier)
            earlier = earlier | getattr(control, name)
        taken, refused = Signal(), Signal()
        key_error = Signal(ERROR_BITS)
        self.comb += [
            ledger.submit.eq(command["start"] & ~ledger.full & ~dma.aborting & ~keys.zeroizing),
            ledger.submit_slot.eq(options.slot),
            descriptor.valid.eq(ledger.submit),
            dma.abort.eq((command["abort"] & ledger.busy) | keys.flush),
            ledger.done.eq(dma.done),
            ledger.done_error.eq(dma.done_error),
            ledger.flush.eq(dma.flush),
            taken.eq(
                ledger.submit
                | command["zeroize"]
                | (command["abort"] & ledger.busy)
                | ((command["load_key"] | command["clear_key"]) & keys.ready)
            ),
            refused.eq((Cat(*command.values()) != 0) & ~taken),
            status.busy.eq(ledger.busy),
            status.key_busy.eq(keys.busy),
            status.full.eq(ledger.full),
            status.error.eq(ledger.last_error),
            status.key_error.eq(key_error),
            self.key_valid.status.eq(keys.usable),
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

        # Key commands. A command with a wrong slot or a wrong key length is refused. A refused `load_key` still
        # zeroizes the key words that software has written.
        no_slot, wrong_length = Signal(), Signal()
        self.comb += [
            no_slot.eq(key_config.slot >= slots),
            wrong_length.eq(key_config.key_length >= len(KEY_WORDS)),
            keys.slot.eq(key_config.slot),
            keys.length.eq(key_config.key_length),
            keys.load.eq(command["load_key"] & ~no_slot & ~wrong_length),
            keys.wipe.eq(command["load_key"] & (no_slot | wrong_length)),
            keys.clear_slot.eq(command["clear_key"] & ~no_slot),
            keys.zeroize.eq(command["zeroize"]),
            keys.begin.valid.eq(ledger.submit),
            keys.begin.number.eq(options.slot),
            keys.end.valid.eq(dma.done),
            keys.end.number.eq(ledger.done_slot),
            keys.release.eq(dma.flush),
        ]
        self.sync += [
            If(
                (command["load_key"] | command["clear_key"]) & keys.ready,
                key_error.eq(Error.NONE),
                If(command["load_key"] & wrong_length, key_error.eq(Error.KEY_LENGTH)),
                If(no_slot, key_error.eq(Error.NO_KEY)),
            ),
            If(keys.flush, key_error.eq(Error.NONE)),
        ]
