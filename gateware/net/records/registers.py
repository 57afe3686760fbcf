"""Declares the registers of the fast path, each with its description."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from migen import bits_for

from gateware.aes.cores import MOST_SLOTS
from gateware.aes.standard import KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256
from gateware.ctr.key_loader import WAIT_CYCLES, command_cycles
from gateware.ctr.key_store import WORDS
from gateware.net.events import EVENT_BITS, Event
from gateware.net.records.session_table import Column
from gateware.net.records.window import BLOCKS_BITS, INDEX_BITS, RECORDS

_LOCKED = (
    "Write-only: reads as 0. Ignored while the session is open or a datagram of it is under way; sets refused. "
    "Zeroed by close and by reset."
)
_SESSION_REGISTERS = {
    Column.SESSION: (32, "Number of the session, as records name it. No other open session may have it."),
    Column.PEER_IP: (32, "IPv4 address of the peer; 192.168.1.100 is 0xC0A80164."),
    Column.PEER_PORT: (16, "UDP port of the peer."),
    Column.TOKEN_LO: (32, "Bits 31:0 of the token."),
    Column.TOKEN_HI: (32, "Bits 63:32 of the token."),
    Column.LIMIT_LO: (32, "Bits 31:0 of the limit: records whose data end behind this offset, in bytes, are dropped."),
    Column.LIMIT_HI: (32, "Bits 63:32 of the limit."),
    Column.SLOT: (5, "Key slot, smaller than the number of slots."),
    **{
        column: (32, f"Bytes {4 * n} to {4 * n + 3} of the initial counter block T1, first byte in bits 7:0.")
        for n, column in enumerate((Column.IV0, Column.IV1, Column.IV2, Column.IV3))
    },
    Column.RECORD_BLOCKS: (
        BLOCKS_BITS,
        "16-byte blocks from one record of the session to the next; none is longer. With 0 all are dropped.",
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
            description="Commands. Writing 1 to a field gives the command, 0 does nothing; reads as last written. A "
            "command that cannot be carried out sets refused and does nothing.",
            fields=[
                CSRField(
                    "open",
                    pulse=True,
                    description="Open the session `row` with what was written for it, and zero its statistics. Refused "
                    "while it is open or a datagram of it is under way.",
                ),
                CSRField(
                    "close",
                    pulse=True,
                    description="Close the session `row` and zero its registers, in one cycle. Datagrams of it that "
                    "come later are dropped; those that were accepted before are answered, with the session's key and "
                    "what else it had (see in_use). Closing a session that is not open is allowed.",
                ),
                CSRField(
                    "load_key",
                    pulse=True,
                    description="Take the key from key0 to key7 into the slot of key_config, and expand it. Its key "
                    "before it goes out of use at once, and datagrams that were accepted with it are waited for, for "
                    f"{WAIT_CYCLES} cycles at most: if there still are some the slot gets no key (see key_valid), and "
                    "they are dropped. Other slots go on. key0 to key7 are zeroed. Ends within "
                    f"{command_cycles('load_key', slots=slots)} cycles. Refused while busy, and with an invalid "
                    "key_length.",
                ),
                CSRField(
                    "clear_key",
                    pulse=True,
                    description="Zeroize the slot of key_config, after its datagrams as load_key waits for them. Ends "
                    f"within {command_cycles('clear_key', slots=slots)} cycles. Refused while busy.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Zeroize all slots and key0 to key7 at once, and those of the accelerator, if "
                    "it has the same CTR service. Datagrams that are under way are dropped. "
                    "While busy: ends the command that is under way. Ends within "
                    f"{command_cycles('zeroize', slots=MOST_SLOTS)} cycles. Done by itself after reset.",
                ),
                CSRField(
                    "read_statistics",
                    pulse=True,
                    description="Copy the statistics of the session `row` to bytes, blocks and records.",
                ),
                CSRField(
                    "read_window",
                    pulse=True,
                    description="Copy the record window_place of the window of session `row`, and the window's base, "
                    "to window_came, window_sum and window_base: they hold it when window_busy is 0. Refused while "
                    "window_busy. Allowed while the session is open, but its records then go on to change.",
                ),
                CSRField(
                    "write_window",
                    pulse=True,
                    description="Replace the record window_place of the window of session `row`, and the window's "
                    "base, by what these registers hold. Refused while window_busy, and while the session is open or a "
                    "datagram of it is under way.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the fast path. Reading has no side effect.",
            fields=[
                CSRField(
                    "busy",
                    description="A command on keys is under way. 1 after reset, while everything is zeroized.",
                ),
                CSRField(
                    "refused",
                    description="A command or a write was refused. Reset value 0; cleared by writing control without a "
                    "command that is refused.",
                ),
                CSRField(
                    "window_busy",
                    description="read_window or write_window is under way, for some 10 cycles at most. Reset value 0.",
                ),
            ],
        )

    def _add_addresses(self, ip_address: int):
        self.ip_address = CSRStorage(
            32,
            reset=ip_address,
            description="IPv4 address that the hardware answers for, by ARP, ICMP echo and UDP. Not that of the CPU. "
            "Reset value: the board's. May be written at any time; datagrams that are answered meanwhile may be lost.",
        )

    def _add_sessions(self, rows: int):
        self.row = CSRStorage(
            bits_for(rows - 1),
            description="Session that commands and the session's registers mean. Reset value 0.",
        )
        for column, (size, text) in _SESSION_REGISTERS.items():
            register = CSR(size, name=column.name.lower())
            register.description = f"{text} {_LOCKED}"
            setattr(self, register.name, register)
        self.opened = CSRStatus(rows, description="Bit n: session n is open. Reset value 0.")
        self.in_use = CSRStatus(
            rows,
            description="Bit n: a datagram of session n has been accepted and not yet been encrypted; 0 for good "
            "within a datagram's time of close.",
        )

        self._add_window()

    def _add_window(self):
        self.window_place = CSRStorage(
            bits_for(RECORDS - 1),
            description="Record that read_window and write_window mean, counted from the window's first. Not to be "
            "written while window_busy. Reset value 0.",
        )
        for name, size, text in (
            (
                "base",
                INDEX_BITS,
                f"Index of the 16-byte block where the window begins, a multiple of record_blocks. {2 * RECORDS} "
                f"records from there on may come; one that lies behind the window's {RECORDS} moves it.",
            ),
            ("came", 1, "1: the record came. 0: it did not, and its sum says nothing."),
            ("sum_lo", 32, "Bits 31:0 of the sum of the record's data."),
            ("sum_hi", 32, "Bits 63:32 of it."),
        ):
            description = (
                f"{text} Set by read_window, taken by write_window; not to be written while window_busy. Reset "
            )
            register = CSRStorage(
                size, name=f"window_{name}", write_from_dev=True, description=f"{description}value 0."
            )
            setattr(self, register.name, register)

    def _add_keys(self, slots: int):
        self.key_config = CSRStorage(
            description="What load_key and clear_key are about. Reset value 0. May be written at any time.",
            fields=[
                CSRField("key_length", size=2, values=_KEY_LENGTHS, description="Length of the key. Reset value 0."),
                CSRField("slot", size=bits_for(slots - 1), offset=4, description="Key slot. Reset value 0."),
            ],
        )
        for i in range(WORDS):
            register = CSR(32, name=f"key{i}")
            register.description = (
                f"Bytes {4 * i} to {4 * i + 3} of the key, first byte in bits 7:0. Write-only: reads as 0. Ignored "
                "while busy. Zeroed by reset, load_key and zeroize."
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
                    description="Which counter event_count shows. Each frame for the hardware's address that is "
                    "dropped, and each datagram for its port, counts once, for the first cause in this order. Reset "
                    "value 0.",
                )
            ],
            description="Selects a counter.",
        )
        self.event_count = CSRStatus(
            32, description="The selected counter, modulo 2^32; counts from power-on and is never cleared."
        )
        for name, text in (
            ("bytes_lo", "Bits 31:0 of the data bytes of the session's records that were answered."),
            ("bytes_hi", "Bits 63:32 of them."),
            ("blocks_lo", "Bits 31:0 of the 16-byte blocks, a partial block counted as one."),
            ("blocks_hi", "Bits 63:32 of them."),
            ("records", "Records, modulo 2^32."),
        ):
            setattr(self, name, CSRStatus(32, name=name, description=f"{text} As of the last read_statistics."))
