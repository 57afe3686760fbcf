# SPDX-License-Identifier: BSD-2-Clause
"""The fast path with its registers. It serves LiteEth's UDP and the CPU, and is a client of the CTR service.

::

    UDP in ──► checks ──► CTR packet engine ──► reply ──► UDP out
                 ▲               ▲
    CSRs ─┬─ sessions      CTR service ◄─ key words     (write-only: no path back)
          └─ counters, statistics

To open a session, software chooses a key slot and a `row` that is neither in `opened` nor in `in_use`. It writes
`key_config` and the key words, then `load_key`; it waits until `busy` is 0 and checks `key_valid`. Then it writes
`row`, all registers of the session, and its window, and finally `open`. To close a session, it writes `row`, then
`close`. Then it zeroizes the key of the slot with `clear_key` and waits until `busy` is 0.

A window (`gateware.net.records.window`) stores whether each of 64 records came, and the sum of its data. To write it,
software repeats these steps for each `window_place` from 0 to 63: write `window_base`, `window_came` and the sum, give
`write_window`, and wait until `window_busy` is 0. All 64 places must be written before a session is opened: a row keeps
the window of its last session. The window is final once the row is neither in `opened` nor in `in_use`. From then on
until it is written again, software can read it, place by place, with `read_window`. It can give the window to a session
that continues the stream, in any row.

A command on a key waits until no datagram of its slot is under way; other sessions continue. Every command ends within
a stated number of cycles, whatever comes from the network: see `control`. A session without a key is possible. Its
records are dropped and counted, and so are records that lose their key while they are under way.

There are 8 rows and 8 key slots, 0 to 7. The slots are the fast path's own, not the accelerator's of the same number.
There is no register for a result: `refused` tells that a command was not accepted, and `key_valid` tells whether
`load_key` succeeded. The fast path has no interrupt. Its base address is CSR_FASTPATH_BASE in the SoC's headers, and
0xF0002800 in the devicetrees in `firmware/zephyr/boards`.

Byte order: as in `gateware.net`. Word i of `key` and `iv` is bytes 4*i to 4*i+3, first byte in bits 7:0.
"""

from migen import Cat, If, Signal

from ...ctr.client import Client, Port
from ...ctr.key_store import WORDS
from ...ctr.packet import BLOCKS_BITS
from .fast_path import FastPath
from .packet_engine import PacketEngine
from .registers import FastPathRegisters
from .session_table import Column

KEY_LENGTH_INVALID = 3
SLOTS = 8
# The fast path's share of the AES core: three blocks for each block of the accelerator, while all clients use the core.
# With MACsec, each direction of the SecY has the same share as the fast path.
SHARE = 3


def client(slots: int = SLOTS) -> Client:
    """Return the fast path's parameters as a client of the CTR service."""
    return Client(slots=slots, count_bits=BLOCKS_BITS, share=SHARE)


class FastPathPeripheral(FastPathRegisters):
    """The fast path with registers for the CPU.

    Parameters
    ----------
    service : Port
        A port of the CTR service, made for `client()`.
    port : int
        UDP port of the records.
    ip_address : int
        Reset value of the hardware's IP address.
    rows : int
        Sessions.
    buffer_words : int
        Size of the transmit buffer, a power of two.

    Attributes
    ----------
    fast_path : FastPath
        Has the endpoints that connect to LiteEth.
    port : int
        The UDP port given.
    """

    def __init__(self, *, service: Port, port: int, ip_address: int = 0, rows: int = 8, buffer_words: int = 2048):
        slots = service.client.slots
        super().__init__(rows=rows, slots=slots, ip_address=ip_address)
        self.port = port
        self.submodules.fast_path = path = FastPath(port=port, rows=rows, slots=slots, buffer_words=buffer_words)
        self.submodules.engine = engine = PacketEngine(port=service)
        keys = service.keys

        # # #

        control, status = self.control.fields, self.status.fields
        table, window, statistics = path.table, path.window, path.statistics

        # Data.
        self.comb += [
            path.packet.connect(engine.sink),
            engine.source.connect(path.encrypted, keep={"valid", "ready", "data", "error"}),
            path.ip_address.eq(self.ip_address.storage),
            path.usable.eq(keys.usable),
            keys.begin.eq(path.begin),
            keys.end.eq(path.end),
            engine.flush.eq(keys.flush),
        ]

        # Sessions.
        written = Signal()  # 1 in the cycle in which software writes a register that describes a session
        for column in Column:
            register = getattr(self, column.name.lower())
            self.comb += [
                table.write[column].eq(register.re),
                If(register.re, table.word.eq(register.r), written.eq(1)),
            ]
        self.comb += [
            table.row.eq(self.row.storage),
            table.open.eq(control.open),
            table.close.eq(control.close),
            self.opened.status.eq(table.opened),
            self.in_use.status.eq(table.in_use),
        ]

        # Windows.
        given, values = window.given, window.values
        copies = [self.window_base, self.window_came, self.window_sum_lo, self.window_sum_hi]
        self.comb += [
            window.place.eq(self.window_place.storage),
            window.read.eq(control.read_window & ~window.busy),
            window.write.eq(control.write_window & ~window.busy & ~table.locked),
            given.base.eq(self.window_base.storage),
            given.came.eq(self.window_came.storage),
            given.sum.eq(Cat(self.window_sum_lo.storage, self.window_sum_hi.storage)),
            self.window_base.dat_w.eq(values.base),
            self.window_came.dat_w.eq(values.came),
            Cat(self.window_sum_lo.dat_w, self.window_sum_hi.dat_w).eq(values.sum),
            *[register.we.eq(window.taken) for register in copies],
            status.window_busy.eq(window.busy),
        ]

        # Keys.
        for i in range(WORDS):
            register = getattr(self, f"key{i}")
            self.comb += If(
                register.re,
                keys.write.eq(1),
                keys.index.eq(i),
                keys.word.eq(register.r),
            )
        wrong_length = Signal()
        self.comb += [
            wrong_length.eq(self.key_config.fields.key_length == KEY_LENGTH_INVALID),
            keys.slot.eq(self.key_config.fields.slot),
            keys.length.eq(self.key_config.fields.key_length),
            keys.load.eq(control.load_key & ~wrong_length),
            keys.clear_slot.eq(control.clear_key),
            keys.zeroize.eq(control.zeroize),
            self.key_valid.status.eq(keys.usable),
            status.busy.eq(keys.busy),
        ]

        # Counters.
        values = statistics.values
        self.comb += [
            path.events.select.eq(self.event.fields.code),
            self.event_count.status.eq(path.events.value),
            statistics.clear.eq(control.open & ~table.locked),
            statistics.capture.eq(control.read_statistics),
            self.bytes_lo.status.eq(values.bytes[:32]),
            self.bytes_hi.status.eq(values.bytes[32:]),
            self.blocks_lo.status.eq(values.blocks[:32]),
            self.blocks_hi.status.eq(values.blocks[32:]),
            self.records.status.eq(values.records),
        ]

        # Refusals.
        refuse = Signal()
        self.comb += refuse.eq(
            ((control.open | written) & table.locked)
            | (control.load_key & (~keys.ready | wrong_length))
            | (control.clear_key & ~keys.ready)
            | ((control.read_window | control.write_window) & window.busy)
            | (control.write_window & table.locked)
        )
        self.sync += [
            If(self.control.re, status.refused.eq(0)),
            If(refuse, status.refused.eq(1)),
        ]
