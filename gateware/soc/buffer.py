# SPDX-License-Identifier: BSD-2-Clause
"""The memory that the CPU shares with units that read and write whole blocks: the DMA and the vector unit.

One memory of four banks of 32 bits has two Wishbone ports that work at the same time::

    CPU bus  ──► narrow port, 32 bits ──┐
                                        ├── bank 0 │ bank 1 │ bank 2 │ bank 3
    DMA bus  ──►  wide port, 128 bits ──┘

Word ``n`` of the narrow port is in bank ``n % 4``. So a block of 16 bytes is one word of the wide port, with byte ``i``
of the block at bits ``8*i+7 : 8*i``. Writes, and the later words of a burst, reach the banks from registers. This keeps
the bus's handshake out of the banks' address paths. A write is acknowledged in the cycle of the request and carried out
in the next cycle. A read takes two cycles, or three after a write. Each further word of an incrementing burst (CTI =
0b010) takes one cycle. A port always reads the values that were written through it before. If one port reads a word in
the cycle in which the other port writes it, it gets the old value in simulation and an undefined value in block RAM.
Firmware must not touch a buffer while the DMA works on it.

`urgent` serves a client that cannot wait: it takes a cycle of the narrow port whenever it needs one. The CPU's access
is carried out after it.
"""

from litex.soc.interconnect import wishbone
from migen import READ_FIRST, Array, If, Memory, Module, Mux, Record, Replicate, Signal, bits_for

from ..memory import without_collisions

BANKS = 4


class BufferMemory(Module):
    """A dual-port memory on Wishbone.

    Parameters
    ----------
    size : int
        Bytes; a multiple of 16.
    urgent : bool
        Add the port `urgent`.

    Attributes
    ----------
    narrow : wishbone.Interface
        32 bits, word addressing.
    wide : wishbone.Interface
        128 bits, word addressing.
    answers : Signal(), out
        Data read through the wide port are valid. A register.
    urgent : Record, valid, write, address, data(32), word(32)
        With `valid`, writes a word, or reads one: the word read is at `word` in the next cycle.

    Raises
    ------
    ValueError
        The size is not a positive multiple of 16.
    """

    def __init__(self, *, size: int, urgent: bool = False):
        if size <= 0 or size % (4 * BANKS):
            raise ValueError(f"buffer size of {size} bytes is not a positive multiple of {4 * BANKS}")
        self.narrow = wishbone.Interface(data_width=32, address_width=32, addressing="word", bursting=True)
        self.wide = wishbone.Interface(data_width=128, address_width=32, addressing="word", bursting=True)

        # # #

        depth = size // (4 * BANKS)
        wide = self._request(self.wide, 0)
        self.answers = wide.answers
        if urgent:
            layout = [("valid", 1), ("write", 1), ("address", bits_for(size // 4 - 1)), ("data", 32), ("word", 32)]
            self.urgent = first = Record(layout)
            second = self._request(self.narrow, first.valid)
            narrow = Record(second.layout)
            self.comb += [
                narrow.address.eq(Mux(first.valid, first.address, second.address)),
                narrow.data.eq(Mux(first.valid, first.data, second.data)),
                narrow.select.eq(Mux(first.valid, Replicate(first.write, 4), second.select)),
                first.word.eq(self.narrow.dat_r),
            ]
        else:
            narrow = self._request(self.narrow, 0)

        narrow_bank = Signal(2)
        narrow_read = Array(Signal(32, name=f"narrow_read{n}") for n in range(BANKS))
        self.sync += narrow_bank.eq(narrow.address[:2])
        self.comb += self.narrow.dat_r.eq(narrow_read[narrow_bank])

        for n in range(BANKS):
            memory = without_collisions(Memory(32, depth, init=[0] * depth, name=f"buffer_bank{n}"))
            narrow_port = memory.get_port(write_capable=True, we_granularity=8, mode=READ_FIRST)
            wide_port = memory.get_port(write_capable=True, we_granularity=8, mode=READ_FIRST)
            self.specials += memory, narrow_port, wide_port
            self.comb += [
                narrow_port.adr.eq(narrow.address[2:]),
                narrow_port.dat_w.eq(narrow.data),
                If(narrow.address[:2] == n, narrow_port.we.eq(narrow.select)),
                narrow_read[n].eq(narrow_port.dat_r),
                wide_port.adr.eq(wide.address),
                wide_port.dat_w.eq(wide.data[32 * n : 32 * n + 32]),
                wide_port.we.eq(wide.select[4 * n : 4 * n + 4]),
                self.wide.dat_r[32 * n : 32 * n + 32].eq(wide_port.dat_r),
            ]

    def _request(self, bus: wishbone.Interface, stolen) -> Record:
        """Acknowledge the accesses on one port; return the address, data and byte enables that go to the memory banks.

        The banks take them in cycles that are not `stolen`.
        """
        layout = [("address", len(bus.adr)), ("data", len(bus.dat_w)), ("select", len(bus.sel))]
        request, posted = Record([*layout, ("answers", 1)]), Record(layout)
        write = Signal()
        waits = Signal()  # 1: a write was acknowledged but is not in the banks yet
        writing = Signal()
        start = Signal()
        read_ready = Signal()
        active = bus.cyc & bus.stb
        self.comb += [
            waits.eq(writing & stolen),
            write.eq(active & bus.we & ~waits),
            start.eq(active & ~bus.we & ~writing & ~read_ready & ~stolen),
            bus.ack.eq(write | (active & read_ready)),
            request.address.eq(Mux(writing | read_ready, posted.address, bus.adr)),
            request.data.eq(posted.data),
            request.select.eq(posted.select),
            request.answers.eq(read_ready),
        ]
        self.sync += [
            writing.eq(write | waits),
            read_ready.eq(start | (read_ready & active & (bus.cti == wishbone.CTI_BURST_INCREMENTING) & ~stolen)),
            If(
                ~waits,
                # Read ahead for bursts: after each read, read the next word, too. If the bus does not request the next
                # word, it is dropped.
                posted.address.eq(Mux(read_ready, posted.address + 1, bus.adr + start)),
                posted.data.eq(bus.dat_w),
                posted.select.eq(Mux(write, bus.sel, 0)),
            ),
        ]
        return request


class BufferArbiter(wishbone.Arbiter):
    """Lets several masters use the wide port in turn. Each master's acknowledge depends only on its own request.

    In LiteX's arbiter every acknowledge depends on the request that reaches the memory, whichever master it comes from.
    Such a path is never used, but it limits the clock.
    """

    def __init__(self, masters: list[wishbone.Interface], memory: BufferMemory):
        super().__init__(masters, memory.wide)
        for n, master in enumerate(masters):
            granted = master.cyc & master.stb & (self.rr.grant == n)
            self.comb += master.ack.eq(granted & (master.we | memory.answers))  # replaces LiteX's
