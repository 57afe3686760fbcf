# SPDX-License-Identifier: BSD-2-Clause
"""Stores the stations that have a session. Tells for each received frame whether a stored station sent the frame.

::

    CPU ─► rows: MAC address, IPv4 address, known or not
                     │ one row a cycle
    frame ─► source ─┴─► known

A frame comes from a known station if its source MAC address is the row's and, in an IPv4 packet, its source address is
the row's too. Both are compared because all hosts beyond a router share the router's MAC address. Frames of other types
have no IPv4 source at its place. ARP is one of them: without ARP, a peer would soon lose the board's address.

While at least one station is known, frames of other stations may take only some of the MAC's receive slots
(`gateware.net.link.slots`). Software writes the addresses of a `row`, then sets its bit in `known`. A write of an
address clears that bit, so no frame is ever compared with half an address. The bytes are in the order of the frame:
bytes 6 to 11 are the source MAC address, and bytes 26 to 29 the source address of an IPv4 packet.

Latency: `searched` rises `rows` + 2 cycles after the eighth word of a frame, so before the third cycle after the last
word of any frame of 60 bytes. A frame of fewer than eight words comes from no known station. Handshake: none.
"""

from litex.gen import LiteXModule, reverse_bytes
from litex.soc.interconnect.csr import CSR, CSRStorage
from migen import Array, C, Case, If, Memory, Signal, bits_for

from .. import WORD_BITS
from .frame_checks import ETHERTYPE_IPV4

SOURCE_WORDS = 8  # number of words of a frame up to the end of its IPv4 source address
HALF = 16


class KnownStations(LiteXModule):
    """Compares the source of each frame with the stored stations.

    Parameters
    ----------
    rows : int
        Stations that can be known at once, 2 or more; also an attribute.

    Attributes
    ----------
    valid, last, data : Signal(), Signal(), Signal(32), in
        The words of frames, which are taken at once.
    known : Signal(), out
        A known station sent the frame. Final when `searched`; falls with the first word of the next frame.
    searched : Signal(), out
        All rows have been compared with the frame.
    any : Signal(), out
        At least one station is known.
    """

    def __init__(self, *, rows: int = 8):
        self.valid = Signal()
        self.last = Signal()
        self.data = data = Signal(WORD_BITS)
        self.known = Signal()
        self.searched = Signal()
        self.any = Signal()
        self.rows = rows
        row_bits = bits_for(rows - 1)
        self._row = CSRStorage(row_bits, reset_less=True, description="Row that `mac0`, `mac1` and `address` write.")
        self._mac0 = CSR(HALF)
        self._mac1 = CSR(WORD_BITS)
        self._address = CSR(WORD_BITS)
        columns = (self._mac0, self._mac1, self._address)
        for register, words in zip(
            columns, ("Bytes 0 and 1 of the MAC", "Bytes 2 to 5 of the MAC", "The IPv4"), strict=True
        ):
            register.description = (
                f"{words} address of `row`, first byte in bits 7:0. Write-only: reads as 0. A write clears the row's "
                "bit in `known`."
            )
        self._known = CSRStorage(
            rows,
            write_from_dev=True,
            description="Bit n: row n holds a known station. Reset value 0: all stations may take all slots. May be "
            "written at any time; a frame that is being received then may be judged by the old value or the new one.",
        )

        # # #

        # Small memories store the addresses of the stations, one row for each station. If a row is read in the cycle in
        # which it is written, the memory returns the old row.
        listed = Array([self._known.storage[n] for n in range(rows)])
        written, scanned = Signal(rows), Signal(row_bits)
        read = []
        for n, register in enumerate(columns):
            memory = Memory(register.size, rows, init=[0] * rows, name=f"station_column{n}")
            write_port = memory.get_port(write_capable=True, async_read=True)
            read_port = memory.get_port(async_read=True)
            self.specials += memory, write_port, read_port
            self.comb += [
                write_port.adr.eq(self._row.storage),
                write_port.dat_w.eq(register.r),
                write_port.we.eq(register.re),
                read_port.adr.eq(scanned),
            ]
            read.append(read_port.dat_r)
        any_written = columns[0].re | columns[1].re | columns[2].re
        self.comb += [
            Case(self._row.storage, {n: written.eq(1 << n) for n in range(rows)}),
            self._known.we.eq(any_written),
            self._known.dat_w.eq(self._known.storage & ~written),
            self.any.eq(self._known.storage != 0),
        ]

        # Copies the source addresses of the frame into registers.
        position = Signal(max=SOURCE_WORDS + 1)  # words of the frame before the present word, at most `SOURCE_WORDS`
        mac0, mac1, address, is_ipv4 = Signal(HALF), Signal(WORD_BITS), Signal(WORD_BITS), Signal()
        scanning = Signal()
        self.sync += If(
            self.valid,
            If(position != SOURCE_WORDS, position.eq(position + 1)),
            Case(
                position,
                {
                    4 // 4: mac0.eq(data[HALF:]),
                    8 // 4: mac1.eq(data),
                    12 // 4: is_ipv4.eq(reverse_bytes(data[:HALF]) == ETHERTYPE_IPV4),
                    24 // 4: address[:HALF].eq(data[HALF:]),
                    28 // 4: address[HALF:].eq(data[:HALF]),
                },
            ),
            If(self.last, position.eq(0)),
        )

        # The search compares one row a cycle with the frame's source, in two pipeline steps.
        same = Signal(3)
        compared, is_listed = Signal(), Signal()
        self.sync += [
            compared.eq(scanning),
            is_listed.eq(listed[scanned]),
            same[0].eq(read[0] == mac0),
            same[1].eq(read[1] == mac1),
            same[2].eq((read[2] == address) | ~is_ipv4),
            If(scanning, scanned.eq(scanned + 1), If(scanned == rows - 1, scanning.eq(0))),
            If(compared & is_listed & (same == 0b111), self.known.eq(1)),
            If(compared & ~scanning, self.searched.eq(1)),
            If(self.valid & (position == SOURCE_WORDS - 1), scanning.eq(1), scanned.eq(C(0, row_bits))),
            If(
                self.valid & (position == 0),
                scanning.eq(0),
                compared.eq(0),
                self.known.eq(0),
                self.searched.eq(0),
            ),
        ]
