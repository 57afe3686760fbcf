# SPDX-License-Identifier: BSD-2-Clause
"""Declares the registers of the fast path, each with its description."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from migen import bits_for

from ...aes.cores import MOST_SLOTS
from ...aes.standard import KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256
from ...ctr.key_loader import WAIT_CYCLES, command_cycles
from ...ctr.key_store import WORDS
from ..events import EVENT_BITS, Event
from .session_table import Column
from .window import BLOCKS_BITS, INDEX_BITS, RECORDS

_LOCKED = (
    "Write-only: reads as 0. While the session is open or a datagram of it is under way, a write is ignored and sets "
    "refused. Cleared by close and by reset."
)
_SESSION_REGISTERS = {
    Column.SESSION: (32, "Number of the session in records. No other open session may have the same number."),
    Column.PEER_IP: (32, "IPv4 address of the peer; 192.168.1.100 is 0xC0A80164."),
    Column.PEER_PORT: (16, "UDP port of the peer."),
    Column.TOKEN_LO: (32, "Bits 31:0 of the token."),
    Column.TOKEN_HI: (32, "Bits 63:32 of the token."),
    Column.LIMIT_LO: (
        32,
        "Bits 31:0 of the limit, an offset in bytes. Records with data that end after it are dropped.",
    ),
    Column.LIMIT_HI: (32, "Bits 63:32 of the limit."),
    Column.SLOT: (5, "Key slot of the session: a number that key_config can name."),
    **{
        column: (32, f"Bytes {4 * n} to {4 * n + 3} of the initial counter block T1, first byte in bits 7:0.")
        for n, column in enumerate((Column.IV0, Column.IV1, Column.IV2, Column.IV3))
    },
    Column.RECORD_BLOCKS: (
        BLOCKS_BITS,
        "Distance, in 16-byte blocks, from one record of the session to the next; no record is longer. With 0, all are "
        "dropped.",
    ),
}
_KEY_LENGTHS = [
    (str(KEY_LENGTH_128), "AES_128", "Key words 0 to 3."),
    (str(KEY_LENGTH_192), "AES_192", "Key words 0 to 5."),
    (str(KEY_LENGTH_256), "AES_256", "Key words 0 to 7."),
    ("3", "invalid", "Refused by load_key."),
]


class FastPathRegisters(LiteXModule):
    """Declares the registers; `gateware.net.records.peripheral` connects them.

    Parameters
    ----------
    rows, slots : int
        Sessions and key slots.
    ip_address : int
        Reset value of the hardware's IP address.
    """

    def __init__(self, *, rows: int, slots: int, ip_address: int):
        self._add_control(slots)
        self._add_addresses(ip_address)
        self._add_sessions(rows)
        self._add_keys(slots)
        self._add_counters()

    def _add_control(self, slots: int):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command; writing 0 does nothing. Reads as last "
            "written. A command that is refused sets refused and does nothing else.",
            fields=[
                CSRField(
                    "open",
                    pulse=True,
                    description="Open the session `row` with the values written for it, and clear its statistics. "
                    "Refused while the session is open or a datagram of it is under way.",
                ),
                CSRField(
                    "close",
                    pulse=True,
                    description="Close the session `row` and clear its registers, in one cycle. Later datagrams of "
                    "the session are dropped. Datagrams accepted before are still answered, with the "
                    "session's key and its other values (see in_use). Closing a session that is not open "
                    "is allowed.",
                ),
                CSRField(
                    "load_key",
                    pulse=True,
                    description="Move the key from key0 to key7 into the slot in key_config, and expand it. The "
                    "slot's previous key can no longer be used from that moment. The command waits up to "
                    f"{WAIT_CYCLES} cycles for datagrams that were accepted with that key. If some "
                    "remain, they are dropped, and the slot gets no key (see key_valid). Other slots "
                    "continue. key0 to key7 are zeroized. Ends within "
                    f"{command_cycles('load_key', slots=slots)} cycles. Refused while busy, and with an "
                    "invalid key_length.",
                ),
                CSRField(
                    "clear_key",
                    pulse=True,
                    description="Zeroize the slot in key_config, after waiting for its datagrams as load_key does. "
                    f"Ends within {command_cycles('clear_key', slots=slots)} cycles. Refused while busy.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Zeroize all slots and key0 to key7 at once, and the accelerator's slots too if both "
                    "share one CTR service. Datagrams under way are dropped. While busy, this ends the "
                    f"command under way. Ends within {command_cycles('zeroize', slots=MOST_SLOTS)} "
                    "cycles. Happens by itself after reset.",
                ),
                CSRField(
                    "read_statistics",
                    pulse=True,
                    description="Copy the statistics of the session `row` to bytes, blocks and records.",
                ),
                CSRField(
                    "read_window",
                    pulse=True,
                    description="Copy the base of the window of session `row`, and the window's record window_place, "
                    "to window_base, window_came and window_sum. The copy is complete when window_busy "
                    "is 0. Refused while window_busy. Allowed while the session is open, but then its "
                    "records may change afterwards.",
                ),
                CSRField(
                    "write_window",
                    pulse=True,
                    description="Replace the base of the window of session `row`, and the window's record "
                    "window_place, by the values of these registers. Refused while window_busy, and "
                    "while the session is open or a datagram of it is under way.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the fast path. Reading has no side effect.",
            fields=[
                CSRField(
                    "busy",
                    description="A command on keys is under way. 1 after reset, until everything is zeroized.",
                ),
                CSRField(
                    "refused",
                    description="A command or a write was refused. A write to control clears it, unless that write "
                    "gives a command that is refused. Reset value 0.",
                ),
                CSRField(
                    "window_busy",
                    description="read_window or write_window is under way; this takes about 10 cycles at most. Reset "
                    "value 0.",
                ),
            ],
        )

    def _add_addresses(self, ip_address: int):
        self.ip_address = CSRStorage(
            32,
            reset=ip_address,
            description="IPv4 address for which the hardware answers ARP, ICMP echo and UDP. It differs from the "
            "CPU's address. May be written at any time, but datagrams that are being answered then may "
            "be lost. Reset value: the board's address.",
        )

    def _add_sessions(self, rows: int):
        self.row = CSRStorage(
            bits_for(rows - 1),
            description="Session to which commands and the session's registers apply. Reset value 0.",
        )
        for column, (size, text) in _SESSION_REGISTERS.items():
            register = CSR(size, name=column.name.lower())
            register.description = f"{text} {_LOCKED}"
            setattr(self, register.name, register)
        self.opened = CSRStatus(rows, description="Bit n: session n is open. Reset value 0.")
        self.in_use = CSRStatus(
            rows,
            description="Bit n: a datagram of session n has been accepted and not yet been encrypted. After close, "
            "the bit becomes 0 for good within the time of one datagram.",
        )

        self._add_window()

    def _add_window(self):
        self.window_place = CSRStorage(
            bits_for(RECORDS - 1),
            description="Record for read_window and write_window, counted from the window's first record. Must not "
            "be written while window_busy. Reset value 0.",
        )
        for name, size, text in (
            (
                "base",
                INDEX_BITS,
                "Index of the 16-byte block at which the window begins, a multiple of record_blocks. The "
                f"{2 * RECORDS} records from there on are accepted; a record after the window's {RECORDS} moves the "
                "window.",
            ),
            ("came", 1, "1: the record came. 0: it did not, and its sum is meaningless."),
            ("sum_lo", 32, "Bits 31:0 of the sum of the record's data."),
            ("sum_hi", 32, "Bits 63:32 of the sum of the record's data."),
        ):
            description = (
                f"{text} Set by read_window, used by write_window. Must not be written while window_busy. Reset "
            )
            register = CSRStorage(
                size, name=f"window_{name}", write_from_dev=True, description=f"{description}value 0."
            )
            setattr(self, register.name, register)

    def _add_keys(self, slots: int):
        self.key_config = CSRStorage(
            description="Key length and slot for load_key and clear_key. Reset value 0. May be written at any time.",
            fields=[
                CSRField("key_length", size=2, values=_KEY_LENGTHS, description="Length of the key. Reset value 0."),
                CSRField("slot", size=bits_for(slots - 1), offset=4, description="Key slot. Reset value 0."),
            ],
        )
        for i in range(WORDS):
            register = CSR(32, name=f"key{i}")
            register.description = (
                f"Bytes {4 * i} to {4 * i + 3} of the key, first byte in bits 7:0. Write-only: reads as 0. Writes are "
                "ignored while busy. Zeroized by reset, load_key and zeroize."
            )
            setattr(self, register.name, register)
        self.key_valid = CSRStatus(
            slots,
            description="Bit n: slot n holds a key that may be used. Reset value 0.",
        )

    def _add_counters(self):
        self.event = CSRStorage(
            fields=[
                CSRField(
                    "code",
                    size=EVENT_BITS,
                    values=[(str(int(event)), event.name, event.describe()) for event in Event],
                    description="Counter that event_count shows. Each dropped frame for the hardware's address, and "
                    "each datagram for its port, counts once, for the first cause in this order. Reset "
                    "value 0.",
                )
            ],
            description="Selects a counter.",
        )
        self.event_count = CSRStatus(
            32, description="The selected counter, modulo 2^32. It counts from power-on and is never cleared."
        )
        for name, text in (
            ("bytes_lo", "Bits 31:0 of the number of data bytes in the session's answered records."),
            ("bytes_hi", "Bits 63:32 of the number of data bytes."),
            (
                "blocks_lo",
                ("Bits 31:0 of the number of 16-byte blocks in these records; a partial block counts as one."),
            ),
            ("blocks_hi", "Bits 63:32 of the number of 16-byte blocks."),
            ("records", "Number of answered records, modulo 2^32."),
        ):
            setattr(self, name, CSRStatus(32, name=name, description=f"{text} Value at the last read_statistics."))
