"""Registers of the CTR accelerator, each described where it is declared."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourcePulse

from gateware.aes.standard import KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256
from gateware.ctr.counter import WIDTH_32, WIDTH_64, WIDTH_128
from gateware.ctr.key_store import WORDS
from gateware.dma.dispatch import SLOT_FIELD_BITS
from gateware.dma.errors import ERROR_BITS, Error
from gateware.dma.ledger import ENTRIES, NUMBER_BITS

SLOTS = 8  # the default of an accelerator

_NEXT_START = (
    "Reset value 0. May be written at any time: start samples it, the next start uses what is written by then."
)
_ERRORS = [(str(int(e)), e.name, e.describe()) for e in Error]


class AcceleratorRegisters(LiteXModule):
    """Declares the registers; `gateware.dma.accelerator` gives them their function.

    Parameters
    ----------
    slots : int
        Key slots, 1 to 16.
    """

    def __init__(self, *, slots: int = SLOTS):
        self._add_control()
        self._add_key_registers(slots)
        self._add_descriptor_registers()
        self._add_results()

    def _add_control(self):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command, 0 does nothing; reads as last written. "
            "Of several in one write, the first of zeroize, abort, load_key, clear_key, start counts and the others "
            "are dropped. A command that is taken clears refused, one that is not sets it and does nothing else.",
            fields=[
                CSRField(
                    "start",
                    pulse=True,
                    description="Submit a descriptor: source, destination, length, iv, index and options as they are "
                    f"now. Its number is that of submitted before. Refused while full ({ENTRIES} are outstanding), and "
                    "during abort and zeroize. What is wrong with the descriptor shows in its result.",
                ),
                CSRField(
                    "load_key",
                    pulse=True,
                    description="Take the key from key0 to key7 into the slot of key_config, with the length there, "
                    "and expand it. The slot's key before it is lost, unless key_length is invalid; key0 to key7 "
                    "become 0 in either case. Descriptors of other slots go on meanwhile; one of this slot that is "
                    "submitted meanwhile waits for the key. Refused while key_busy, and while a descriptor of the slot "
                    "is outstanding.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Set every copy of every key to zero, of all clients of the CTR service: key words, "
                    "round keys of all slots and state. Ends what is under way, descriptors with ABORTED. Never "
                    "refused. Done by itself after reset.",
                ),
                CSRField(
                    "abort",
                    pulse=True,
                    description="End all outstanding descriptors after the present bus access, with ABORTED; keys "
                    "stay. Refused while none is outstanding.",
                ),
                CSRField(
                    "clear_key",
                    pulse=True,
                    description="Zeroize the slot of key_config. Refused while key_busy, and while a descriptor of the "
                    "slot is outstanding.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the accelerator. Reading has no side effect.",
            fields=[
                CSRField("busy", description="A descriptor is outstanding. Reset value 0."),
                CSRField(
                    "key_busy",
                    description="load_key, clear_key or zeroize is under way. 1 for some cycles after reset, then 0.",
                ),
                CSRField("full", description=f"{ENTRIES} descriptors are outstanding. Reset value 0."),
                CSRField("refused", description="The last command was refused. Reset value 0; set by each command."),
                CSRField(
                    "error",
                    size=ERROR_BITS,
                    offset=4,
                    description="Result of the descriptor that ended last. Reset value 0.",
                    values=_ERRORS,
                ),
                CSRField(
                    "key_error",
                    size=ERROR_BITS,
                    offset=8,
                    description="Result of the load_key, clear_key or zeroize that ended last, a code as in error. "
                    "Reset value 0.",
                ),
            ],
        )

    def _add_key_registers(self, slots: int):
        self.key_config = CSRStorage(
            description="What load_key and clear_key work on. May be written at any time: they sample it.",
            fields=[
                CSRField(
                    "key_length",
                    size=2,
                    description="Length of the key that load_key takes. Reset value 0. load_key refuses an invalid "
                    "value with key_error KEY_LENGTH.",
                    values=[
                        (str(KEY_LENGTH_128), "AES_128", "Key words 0 to 3."),
                        (str(KEY_LENGTH_192), "AES_192", "Key words 0 to 5."),
                        (str(KEY_LENGTH_256), "AES_256", "Key words 0 to 7."),
                        ("3", "invalid", "Refused by load_key."),
                    ],
                ),
                CSRField(
                    "slot",
                    size=SLOT_FIELD_BITS,
                    offset=4,
                    description=f"Key slot, 0 to {slots - 1}; load_key and clear_key refuse others with key_error "
                    "NO_KEY. Reset value 0.",
                ),
            ],
        )
        for i in range(WORDS):
            register = CSR(32, name=f"key{i}")
            register.description = (
                f"Bytes {4 * i} to {4 * i + 3} of the key, first byte in bits 7:0. Write-only: reads as 0. Zeroized by "
                "load_key once the key is taken, by zeroize and by reset; ignored while key_busy."
            )
            setattr(self, f"key{i}", register)
        self.key_valid = CSRStatus(
            slots,
            description="Slots that hold a key, slot 0 in bit 0. Reset value 0; a bit falls with load_key and "
            "clear_key of its slot and with zeroize, and rises at the end of load_key.",
        )

    def _add_descriptor_registers(self):
        for i in range(4):
            text = (
                f"Bytes {4 * i} to {4 * i + 3} of the initial counter block T1, first byte in bits 7:0. {_NEXT_START}"
            )
            setattr(self, f"iv{i}", CSRStorage(32, name=f"iv{i}", description=text))
        self.index_lo = CSRStorage(
            32, description=f"Bits 31:0 of the number that is added to T1, in the width's modulus. {_NEXT_START}"
        )
        self.index_hi = CSRStorage(32, description=f"Bits 63:32 of that number. {_NEXT_START}")
        self.source = CSRStorage(32, description=f"Address of the data, in bytes, at any alignment. {_NEXT_START}")
        self.destination = CSRStorage(
            32,
            description="Address for the result, in bytes, at any alignment. May equal source or lie before it; must "
            "not lie inside the source buffer otherwise. Nor may a later descriptor that is not ordered read what is "
            f"written here. {_NEXT_START}",
        )
        self.length = CSRStorage(
            32,
            description="Length of the data in bytes, or in bits with in_bits; 0 is allowed and accesses nothing. Both "
            f"buffers must be inside an allowed region. {_NEXT_START}",
        )
        self.options = CSRStorage(
            description=f"How to carry the descriptor out. {_NEXT_START}",
            fields=[
                CSRField(
                    "slot",
                    size=SLOT_FIELD_BITS,
                    description="Key slot. One that holds no key when the descriptor's turn comes gives NO_KEY.",
                ),
                CSRField(
                    "width",
                    size=2,
                    offset=4,
                    description="Bits at the end of the counter block that are counted; the others stay as in T1.",
                    values=[
                        (str(WIDTH_128), "128", "Modulo 2^128 (SP 800-38A)."),
                        (str(WIDTH_64), "64", "Modulo 2^64 (128-EEA2)."),
                        (str(WIDTH_32), "32", "Modulo 2^32 (GCM, IPsec)."),
                        ("3", "invalid", "Gives WIDTH."),
                    ],
                ),
                CSRField(
                    "in_bits",
                    offset=8,
                    description="length is in bits; the bits of the last byte behind the last are written as 0.",
                ),
                CSRField("interrupt", offset=9, description="Raise the event done at the end."),
                CSRField("ordered", offset=10, description="Begin when all descriptors before this one have ended."),
            ],
        )

    def _add_results(self):
        self.submitted = CSRStatus(
            NUMBER_BITS,
            description="Descriptors submitted since reset, modulo 2^16: the number of the next. Reset value 0.",
        )
        self.completed = CSRStatus(
            NUMBER_BITS,
            description="Descriptors ended since reset, modulo 2^16; they end in order. Descriptor n has ended when "
            "this is beyond n. Reset value 0.",
        )
        self.results = CSRStatus(
            ERROR_BITS * ENTRIES,
            description=f"Results of the last {ENTRIES} descriptors, codes as in error: that of number n in the 4 bits "
            f"from bit 4 * (n modulo {ENTRIES}), right when it has ended and until number n + {ENTRIES} ends. Reset "
            "value 0.",
        )
        self.cycles = CSRStatus(
            32,
            description="Clock cycles with a descriptor outstanding, modulo 2^32. Reset value 0; set to 0 by a start "
            "while none is outstanding.",
        )
        self.ev = EventManager()
        self.ev.done = EventSourcePulse(
            description="A descriptor with interrupt set in its options has ended, or abort or zeroize has ended some."
        )
        self.ev.finalize()
