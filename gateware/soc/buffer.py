"""The memories where the CPU meets what reads and writes whole blocks: DMA, vector unit.

One memory of four banks of 32 bits with two Wishbone ports that work at the same time::

    CPU bus  ──► narrow port, 32 bits ──┐
                                        ├── bank 0 │ bank 1 │ bank 2 │ bank 3
    DMA bus  ──►  wide port, 128 bits ──┘

Word ``n`` of the narrow port lies in bank ``n % 4``, so a block of 16 bytes is one word of the wide
port, byte ``i`` of the block at bits ``8*i+7 : 8*i``. Writes and the further words of a burst reach the banks
from registers, which keeps the bus's handshake out of the banks' address paths: a write is acknowledged in the
cycle of the request and carried out in the next one; a read takes two cycles (three behind a write), and each
further word of an incrementing burst (CTI = 0b010) one. A port reads what was written through it before. A read
of a word in the same cycle in which the other port writes it gives its old value in simulation and an undefined
one in block RAM: firmware does not touch a buffer that the DMA works on.

Where something cannot wait, `urgent` takes a cycle of the narrow port whenever it needs one; the CPU's access is
carried out behind it.
"""

from litex.soc.interconnect import wishbone
from migen import READ_FIRST, Array, If, Memory, Module, Mux, Record, Replicate, Signal, bits_for

from gateware.memory import without_collisions

BANKS = 4


class BufferMemory(Module):
    """A dual-port memory on Wishbone.

    Parameters
    ----------
    size : int
        Bytes; a multiple of 16.
    urgent : bool
        Whether there is the port of that name.

    Attributes
    ----------
    narrow : wishbone.Interface
        32 bits, word addressing.
    wide : wishbone.Interface
        128 bits, word addressing.
    answers : Signal(), out
        What was read through the wide port is there. A register.
    urgent : Record, valid, write, address, data(32), word(32)
        With `valid`, a word is written, or read: it is at `word` in the next cycle.

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
        """Acknowledges one port; returns what to present to the banks in cycles that are not `stolen`.

        That is an address, data, and bytes to write.
        """
        layout = [("address", len(bus.adr)), ("data", len(bus.dat_w)), ("select", len(bus.sel))]
        request, posted = Record([*layout, ("answers", 1)]), Record(layout)
        write = Signal()
        waits = Signal()  # a write that was acknowledged, for a cycle of its own
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
                # The next word of a burst is read ahead; what is not asked for is dropped.
                posted.address.eq(Mux(read_ready, posted.address + 1, bus.adr + start)),
                posted.data.eq(bus.dat_w),
                posted.select.eq(Mux(write, bus.sel, 0)),
            ),
        ]
        return request


class BufferArbiter(wishbone.Arbiter):
    """Gives several masters the wide port in turn, and each its acknowledge from its own request.

    LiteX's hangs every master's on the request that reaches the memory, whosesoever it is: no such path is ever used,
    but none is slower.
    """

    def __init__(self, masters: list[wishbone.Interface], memory: BufferMemory):
        super().__init__(masters, memory.wide)
        for n, master in enumerate(masters):
            granted = master.cyc & master.stb & (self.rr.grant == n)
            self.comb += master.ack.eq(granted & (master.we | memory.answers))  # in place of LiteX's
