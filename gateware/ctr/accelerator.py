"""AES-CTR accelerator: registers, key store, CTR engine and DMA (SP 800-38A, 6.5; FIPS-197).

::

    CSRs ─┬─ key words ─► key store ─► AES core (write-only: no path back)
          ├─ iv, index ─────────────► counter ─► AES core ─► keystream ─┐
          └─ source, destination, length ─► DMA ─► read data ──────────(xor)──► DMA ─► written data

How software uses it: write `config` and the key words, then `load_key`; wait until `busy` is 0 and see
`key_valid`. For each run write what has changed of `iv`, `index`, `source`, `destination` and `length`,
then `start`; wait until `busy` is 0, or for the interrupt; then look at `error`.

A run samples its registers at the start, so they may be written for the next run while it is busy.

Cycles of a run of n > 0 blocks, on a memory that answers in the cycle after `stb` and that nobody else
uses: n * Nr + 11. They depend on length and key size alone. A command to load a key takes
45, 53 or 61 cycles and a few more, `zeroize` (done by itself after reset) 17 and a few more.

Byte order: that of `gateware.aes`; word i of `key` and `iv` is bytes 4*i to 4*i+3, first byte in bits 7:0.
"""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourcePulse
from migen import FSM, Case, Cat, If, NextState, NextValue, Signal

from gateware.aes.iterative import IterativeCore
from gateware.aes.key_schedule import KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256, KEY_WORDS
from gateware.ctr.dma import COUNT_BITS, BlockDMA
from gateware.ctr.engine import CTREngine
from gateware.ctr.errors import ERROR_BITS, Error
from gateware.ctr.key_store import WORDS, KeyStore

_NEXT_RUN = (
    "Reset value 0. May be written at any time: a run samples it at its start, the next one uses what is written."
)


class CTRAccelerator(LiteXModule):
    """Encrypts memory to memory in CTR mode, as a bus master.

    Parameters
    ----------
    regions : list of (origin, size)
        Where source and destination may lie; see `BlockDMA`.
    timeout_cycles : int
        Longest time that a bus access may take.
    fifo_depth : int
        Blocks that the DMA can hold in each direction.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).

    Attributes
    ----------
    bus : wishbone.Interface
        The DMA's master, 128 bits.
    ev : EventManager
        Interrupt `ev.irq`, with the one event `done`.
    """

    def __init__(self, *, regions, timeout_cycles: int = 4096, fifo_depth: int = 4, sbox: str = "table"):
        self._add_registers()
        self.store = store = KeyStore()
        self.engine = engine = CTREngine(core=IterativeCore(sbox=sbox), count_bits=COUNT_BITS)
        self.dma = dma = BlockDMA(regions=regions, timeout_cycles=timeout_cycles, fifo_depth=fifo_depth)
        self.bus = dma.bus

        # # #

        core = engine.core

        # Key: registers to store, store to core.
        key_length = Signal(2)  # of the key being loaded
        for i in range(WORDS):
            register = getattr(self, f"key{i}")
            self.comb += If(register.re, store.write.eq(1), store.index.eq(i), store.word.eq(register.r))
        self.comb += [
            Case(key_length, {**{code: store.count.eq(n) for code, n in KEY_WORDS.items()}, "default": []}),
            core.key_length.eq(key_length),
            store.source.connect(core.key),
        ]

        # Data: DMA to engine and back.
        self.comb += [
            engine.initial.eq(Cat(*[getattr(self, f"iv{i}").storage for i in range(4)])),
            engine.index.eq(Cat(self.index_lo.storage, self.index_hi.storage)),
            engine.start.eq(dma.start),
            engine.enable.eq(dma.accepted),
            engine.count.eq(dma.blocks),
            engine.flush.eq(dma.flush),
            dma.source_address.eq(self.source.storage),
            dma.destination_address.eq(self.destination.storage),
            dma.length.eq(self.length.storage),
            dma.source.connect(engine.sink),
            engine.source.connect(dma.sink),
        ]

        # Commands: of several in one write the first in this order counts.
        control, status = self.control.fields, self.status.fields
        zeroize = Signal()
        abort = Signal()
        load_key = Signal()
        start = Signal()
        unheeded = Signal()  # a command that cannot be carried out now
        finish = Signal()  # a command ends
        result = Signal(ERROR_BITS)
        self.fsm = fsm = FSM(reset_state="RESET")
        idle = fsm.ongoing("IDLE")
        running = fsm.ongoing("RUN")
        self.comb += [
            zeroize.eq(control.zeroize),
            abort.eq(control.abort & ~zeroize),
            load_key.eq(control.load_key & ~control.abort & ~zeroize),
            start.eq(control.start & ~control.load_key & ~control.abort & ~zeroize),
            unheeded.eq(((load_key | start) & ~idle) | (abort & ~running)),
            store.clear.eq(core.clear),
            dma.abort.eq(running & (abort | zeroize)),
            status.busy.eq(~idle),
            status.key_valid.eq(core.key_valid),
            self.ev.done.trigger.eq(finish),
        ]
        self.sync += [
            If(unheeded, status.refused.eq(1)),
            If(running, self.cycles.status.eq(self.cycles.status + 1)),
            If(finish, status.done.eq(1), status.error.eq(result)),
            If(
                zeroize | ((load_key | start) & idle),
                status.refused.eq(0),
                status.done.eq(0),
                status.error.eq(Error.NONE),
            ),
        ]

        cleared = ~store.busy & ~core.busy & ~dma.busy
        fsm.act(  # one cycle after reset: nothing that a key left in the memories may stay
            "RESET",
            core.clear.eq(1),
            NextState("RESET_CLEAR"),
        )
        fsm.act(  # waits for the memories to be zero
            "RESET_CLEAR",
            If(cleared, NextState("IDLE")),
        )
        fsm.act(  # waits for a command
            "IDLE",
            If(
                start,
                NextValue(self.cycles.status, 0),
                If(core.key_valid, dma.start.eq(1), NextState("RUN")).Else(
                    NextValue(result, Error.NO_KEY), NextState("FINISH")
                ),
            ),
            If(
                load_key,
                NextValue(key_length, self.config.fields.key_length),
                If(self.config.fields.key_length < len(KEY_WORDS), NextState("LOAD")).Else(
                    NextValue(result, Error.KEY_LENGTH), NextState("FINISH")
                ),
            ),
        )
        fsm.act(  # waits for the DMA, which ends by itself
            "RUN",
            NextValue(result, dma.error),
            If(dma.done, NextState("FINISH")),
        )
        fsm.act(  # one cycle: the key length is known, the words follow
            "LOAD",
            store.load.eq(1),
            NextState("EXPAND"),
        )
        fsm.act(  # waits for the key schedule
            "EXPAND",
            NextValue(result, Error.NONE),
            If(~store.busy & ~core.busy, NextState("FINISH")),
        )
        fsm.act(  # waits for the memories to be zero and for an aborted run to leave the bus
            "CLEAR",
            If(dma.done, NextValue(result, Error.ABORTED)),
            If(cleared, NextState("FINISH")),
        )
        fsm.act(  # one cycle: the result and the interrupt
            "FINISH",
            finish.eq(1),
            NextState("IDLE"),
        )
        for state in ("RESET_CLEAR", "IDLE", "RUN", "LOAD", "EXPAND", "CLEAR", "FINISH"):
            fsm.act(state, If(zeroize, core.clear.eq(1), NextValue(result, Error.NONE), NextState("CLEAR")))

    def _add_registers(self):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command, 0 does nothing; reads as last written. "
            "Of several in one write, the first of zeroize, abort, load_key, start counts and the others are dropped. "
            "A command that is taken clears done, refused and error, and sets done at its end, with error.",
            fields=[
                CSRField(
                    "start",
                    pulse=True,
                    description="Encrypt or decrypt `length` bytes. While busy: ignored, sets refused. With an invalid "
                    "configuration: sets error and does nothing else. A length of 0 is a run without an access.",
                ),
                CSRField(
                    "load_key",
                    pulse=True,
                    description="Take the key from key0 to key7, with the length in config, and expand it. The key "
                    "before it is lost, unless key_length is invalid. While busy: ignored, sets refused.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Set every copy of the key to zero: key words, round keys and state. While busy: ends "
                    "what is under way, a run with error ABORTED. Done by itself after reset.",
                ),
                CSRField(
                    "abort",
                    pulse=True,
                    description="End the run after the present bus access, with error ABORTED; the key stays. While no "
                    "run is under way: ignored, sets refused.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the accelerator. Reading has no side effect.",
            fields=[
                CSRField(
                    "busy",
                    description="A command is under way. 1 for some 20 cycles after reset, then 0.",
                ),
                CSRField(
                    "done",
                    description="The last command has ended, with error. Reset value 0; cleared by the next command.",
                ),
                CSRField(
                    "key_valid",
                    description="A key is loaded and expanded. Reset value 0; falls with load_key and zeroize.",
                ),
                CSRField(
                    "refused",
                    description="A command was written at a time when it is ignored. Reset value 0; cleared by the "
                    "next command that is taken.",
                ),
                CSRField(
                    "error",
                    size=ERROR_BITS,
                    offset=4,
                    description="How the last command ended. Reset value 0; cleared by the next command.",
                    values=[(str(int(e)), e.name, e.describe()) for e in Error],
                ),
            ],
        )
        self.config = CSRStorage(
            description="Configuration.",
            fields=[
                CSRField(
                    "key_length",
                    size=2,
                    description="Length of the key that load_key takes. Reset value 0. May be written at any time: "
                    "used by load_key alone, which refuses an invalid value with error KEY_LENGTH.",
                    values=[
                        (str(KEY_LENGTH_128), "AES_128", "Key words 0 to 3."),
                        (str(KEY_LENGTH_192), "AES_192", "Key words 0 to 5."),
                        (str(KEY_LENGTH_256), "AES_256", "Key words 0 to 7."),
                        ("3", "invalid", "Refused by load_key."),
                    ],
                )
            ],
        )
        for i in range(WORDS):
            register = CSR(32, name=f"key{i}")
            register.description = (
                f"Bytes {4 * i} to {4 * i + 3} of the key, first byte in bits 7:0. Write-only: reads as 0. May be "
                "written at any time, for the next load_key; ignored during load_key and zeroize. Zeroized by reset."
            )
            setattr(self, f"key{i}", register)
        for i in range(4):
            text = f"Bytes {4 * i} to {4 * i + 3} of the initial counter block T1, first byte in bits 7:0. {_NEXT_RUN}"
            setattr(self, f"iv{i}", CSRStorage(32, name=f"iv{i}", description=text))
        self.index_lo = CSRStorage(
            32, description=f"Bits 31:0 of the number that is added to T1, modulo 2^128. {_NEXT_RUN}"
        )
        self.index_hi = CSRStorage(32, description=f"Bits 63:32 of that number. {_NEXT_RUN}")
        self.source = CSRStorage(
            32, description=f"Address of the data, a multiple of 16; others give error UNALIGNED. {_NEXT_RUN}"
        )
        self.destination = CSRStorage(
            32,
            description="Address for the result, a multiple of 16; others give error UNALIGNED. May equal source; must "
            f"not lie inside the source buffer otherwise. {_NEXT_RUN}",
        )
        self.length = CSRStorage(
            32, description=f"Bytes of data, 0 allowed; both buffers must be inside an allowed region. {_NEXT_RUN}"
        )
        self.cycles = CSRStatus(
            32,
            description="Clock cycles of the last run, from start to its end; counts while it is under way, and modulo "
            "2^32. Reset value 0; set to 0 by start.",
        )
        self.ev = EventManager()
        self.ev.done = EventSourcePulse(description="A command has ended: `done` of the status register was set.")
        self.ev.finalize()
