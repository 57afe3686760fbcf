# SPDX-License-Identifier: BSD-2-Clause
"""Declares the registers of the CTR accelerator, each with its description."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourcePulse

from ..aes.standard import KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256
from ..ctr.counter import WIDTH_32, WIDTH_64, WIDTH_128
from ..ctr.key_store import WORDS
from .dispatch import SLOT_FIELD_BITS
from .errors import ERROR_BITS, Error
from .gcm_dispatch import (
    MODE_BITS,
    MODE_CTR,
    MODE_DECRYPT,
    MODE_ENCRYPT,
    MODE_VERIFY,
    TAG_LENGTH_BITS,
)
from .ledger import ENTRIES, NUMBER_BITS

SLOTS = 8  # default number of key slots of an accelerator

_NEXT_START = "Reset value 0. May be written at any time: start samples it, so a write affects only later starts."
_ERRORS = [(str(int(e)), e.name, e.describe()) for e in Error]


def _failures() -> list[CSRField]:
    return [
        CSRField(
            "failures",
            size=16,
            offset=16,
            description="Only with GCM: messages with a wrong tag since reset, at most 65,535. Reset value 0.",
        ),
    ]


def _gcm_options() -> list[CSRField]:
    return [
        CSRField(
            "mode",
            size=MODE_BITS,
            offset=12,
            description="Only with GCM: mode of operation. A mode other than CTR gives some registers another meaning.",
            values=[
                (str(MODE_CTR), "CTR", "Counter mode."),
                (str(MODE_ENCRYPT), "ENCRYPT", "Encrypt and authenticate; write the tag."),
                (
                    str(MODE_DECRYPT),
                    "DECRYPT",
                    "Verify the tag, then write the text. Without a tag that fits, the result is TAG.",
                ),
                (str(MODE_VERIFY), "VERIFY", "Verify the tag of a text of any length, and write nothing."),
            ],
        ),
        CSRField(
            "hash_iv",
            offset=14,
            description="Only with GCM: iv0 is the address of the IV, and iv1 its length in bytes, not 0 and not 12.",
        ),
        CSRField(
            "tag_length",
            size=TAG_LENGTH_BITS,
            offset=16,
            description="Only with GCM: bytes of the tag: 4, 8, or 12 to 16. Otherwise the result is LENGTH.",
        ),
    ]


class AcceleratorRegisters(LiteXModule):
    """Declares the registers of the accelerator. `gateware.dma.accelerator` connects them to the logic.

    Parameters
    ----------
    slots : int
        Key slots, 1 to 16.
    gcm : bool
        Declare the fields for GCM messages. The other fields and all addresses are the same without them.
    """

    def __init__(self, *, slots: int = SLOTS, gcm: bool = False):
        self._add_control(gcm)
        self._add_key_registers(slots)
        self._add_descriptor_registers(gcm)
        self._add_results()

    def _add_control(self, gcm: bool):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command; writing 0 does nothing. Reads as last "
            "written. If one write gives several commands, only the first of zeroize, abort, load_key, "
            "clear_key and start is carried out. An accepted command clears refused. A refused command "
            "sets refused and does nothing else.",
            fields=[
                CSRField(
                    "start",
                    pulse=True,
                    description="Submit a descriptor with the present values of source, destination, length, iv, "
                    "index and options. Its number is the value of submitted before this command. "
                    f"Refused while full ({ENTRIES} descriptors are outstanding), and during abort and "
                    "zeroize. Errors in the descriptor show in its result.",
                ),
                CSRField(
                    "load_key",
                    pulse=True,
                    description="Move the key from key0 to key7 into the slot in key_config, with the length there, "
                    "and expand it. The slot's previous key is lost, unless key_length is invalid. key0 "
                    "to key7 become 0 in either case. Meanwhile, descriptors of other slots continue, "
                    "and a newly submitted descriptor of this slot waits for the key. Refused while "
                    "key_busy, and while a descriptor of the slot is outstanding.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Set every copy of every key to zero, for all clients of the CTR service: key words, "
                    "round keys of all slots, and state. Ends everything under way; descriptors end with "
                    "ABORTED. Never refused. Happens by itself after reset.",
                ),
                CSRField(
                    "abort",
                    pulse=True,
                    description="End all outstanding descriptors with ABORTED, after the present bus access. Keys "
                    "stay. Refused while no descriptor is outstanding.",
                ),
                CSRField(
                    "clear_key",
                    pulse=True,
                    description="Zeroize the slot in key_config. Refused while key_busy, and while a descriptor of "
                    "the slot is outstanding.",
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
                CSRField(
                    "refused", description="The last command was refused. Each command updates it. Reset value 0."
                ),
                CSRField(
                    "error",
                    size=ERROR_BITS,
                    offset=4,
                    description="Result of the last descriptor that ended. Reset value 0.",
                    values=_ERRORS,
                ),
                CSRField(
                    "key_error",
                    size=ERROR_BITS,
                    offset=8,
                    description="Result of the last load_key, clear_key or zeroize that ended, with the codes of "
                    "error. Reset value 0.",
                ),
                *(_failures() if gcm else []),
            ],
        )

    def _add_key_registers(self, slots: int):
        self.key_config = CSRStorage(
            description="Key length and slot for load_key and clear_key. May be written at any time: the commands "
            "sample it.",
            fields=[
                CSRField(
                    "key_length",
                    size=2,
                    description="Length of the key for load_key. load_key refuses an invalid value with key_error "
                    "KEY_LENGTH. Reset value 0.",
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
                    description=f"Key slot, 0 to {slots - 1}. load_key and clear_key refuse other values with "
                    "key_error NO_KEY. Reset value 0.",
                ),
            ],
        )
        for i in range(WORDS):
            register = CSR(32, name=f"key{i}")
            register.description = (
                f"Bytes {4 * i} to {4 * i + 3} of the key, first byte in bits 7:0. Write-only: reads as 0. Zeroized "
                "by load_key once it has the key, by zeroize and by reset. Writes are ignored while key_busy."
            )
            setattr(self, f"key{i}", register)
        self.key_valid = CSRStatus(
            slots,
            description="Bit n: slot n holds a key. load_key and clear_key of the slot, and zeroize, clear the bit; "
            "the end of load_key sets it. Reset value 0.",
        )

    def _add_descriptor_registers(self, gcm: bool):
        for i in range(4):
            text = (
                f"Bytes {4 * i} to {4 * i + 3} of the initial counter block T1, first byte in bits 7:0. {_NEXT_START}"
            )
            setattr(self, f"iv{i}", CSRStorage(32, name=f"iv{i}", description=text))
        self.index_lo = CSRStorage(
            32,
            description="Bits 31:0 of the index. The index is added to T1, in the modulus of the option width. "
            f"{_NEXT_START}",
        )
        self.index_hi = CSRStorage(32, description=f"Bits 63:32 of the index. {_NEXT_START}")
        self.source = CSRStorage(32, description=f"Byte address of the data, at any alignment. {_NEXT_START}")
        self.destination = CSRStorage(
            32,
            description="Byte address for the result, at any alignment. It may equal source or lie before source. It "
            "must not lie inside the source buffer after its first byte. A later descriptor must not "
            f"read the bytes written here, unless it is ordered. {_NEXT_START}",
        )
        self.length = CSRStorage(
            32,
            description="Length of the data in bytes, or in bits with in_bits. 0 is allowed and accesses nothing. "
            f"Both buffers must be inside an allowed region. {_NEXT_START}",
        )
        self.options = CSRStorage(
            description=f"Options of the descriptor. {_NEXT_START}",
            fields=[
                CSRField(
                    "slot",
                    size=SLOT_FIELD_BITS,
                    description="Key slot. The result is NO_KEY if the slot holds no key when the descriptor's turn "
                    "comes.",
                ),
                CSRField(
                    "width",
                    size=2,
                    offset=4,
                    description="Number of counting bits at the end of the counter block. The other bits stay as in "
                    "T1.",
                    values=[
                        (str(WIDTH_128), "128", "Modulo 2^128 (SP 800-38A)."),
                        (str(WIDTH_64), "64", "Modulo 2^64 (128-EEA2)."),
                        (str(WIDTH_32), "32", "Modulo 2^32 (GCM, IPsec)."),
                        ("3", "invalid", "The result is WIDTH."),
                    ],
                ),
                CSRField(
                    "in_bits",
                    offset=8,
                    description="length counts bits. Bits of the last byte after the end of the data are written as 0.",
                ),
                CSRField("interrupt", offset=9, description="Raise the event done when the descriptor ends."),
                CSRField("ordered", offset=10, description="Begin only after all earlier descriptors have ended."),
                *(_gcm_options() if gcm else []),
            ],
        )

    def _add_results(self):
        self.submitted = CSRStatus(
            NUMBER_BITS,
            description="Number of descriptors submitted since reset, modulo 2^16. This is the number of the next "
            "descriptor. Reset value 0.",
        )
        self.completed = CSRStatus(
            NUMBER_BITS,
            description="Number of descriptors that have ended since reset, modulo 2^16. Descriptors end in order: "
            "descriptor n has ended when this value is beyond n. Reset value 0.",
        )
        self.results = CSRStatus(
            ERROR_BITS * ENTRIES,
            description=f"Results of the last {ENTRIES} descriptors, with the codes of error. The result of "
            f"descriptor n is in the 4 bits from bit 4 * (n modulo {ENTRIES}). It is valid from the end "
            f"of descriptor n until descriptor n + {ENTRIES} ends. Reset value 0.",
        )
        self.cycles = CSRStatus(
            32,
            description="Clock cycles during which a descriptor was outstanding, modulo 2^32. A start while no "
            "descriptor is outstanding sets it to 0. Reset value 0.",
        )
        self.ev = EventManager()
        self.ev.done = EventSourcePulse(
            description="A descriptor with the option interrupt has ended, or abort or zeroize has ended descriptors."
        )
        self.ev.finalize()
