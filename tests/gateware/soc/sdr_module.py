# SPDX-License-Identifier: BSD-2-Clause
"""A model of an SDR SDRAM module at its pins, with the features that the data sheets of all manufacturers share
(JESD21-C, 3.11.5).

The model samples at each edge of its clock, domain `sdr`. The word of a read is on the bus for one clock, from CL - 1
edges after the command. The word of a write is taken with its command. Bursts have one word. The module is ready once
the mode register was set after a precharge of all banks and two refreshes. A command that the module's state or times
forbid is an error. After an error, and before the module is ready, all words that are read are inverted, so that the
user notices.

Times are in clocks, of 22 ns or more: tRP 1, tRCD 1, tRAS 2, tRC 3, tRFC 3, tMRD 2, tWR 1.
"""

from litex.gen import LiteXModule
from migen import Array, Cat, If, Memory, Mux, Replicate, Signal

BANKS = 4
RAS_TO_PRECHARGE, CYCLE, REFRESH, MODE = 2, 3, 3, 2
FLOATING = 0x69696969
# Levels of the active-low pins RAS, CAS and WE for each command.
CODES = {
    "activate": 0b011,
    "read": 0b101,
    "write": 0b100,
    "precharge": 0b010,
    "refresh": 0b001,
    "load_mode": 0b000,
}


class Pads:
    """The pins of the SDRAM module. `dq` is the value on the data bus. While `dq.drives` is set, the controller puts
    the value `dq.driven` on the data bus.

    With `short`, CKE, CS and DM are missing: they are tied on the board, as on the Colorlight i5.
    """

    def __init__(self, address_bits: int, data_bits: int, short: bool = False):
        self.a = Signal(address_bits)
        self.ba = Signal(2)
        self.ras_n, self.cas_n, self.we_n = (Signal(reset=1, name=name) for name in ("ras_n", "cas_n", "we_n"))
        self.dq = Signal(data_bits)
        self.dq.driven, self.dq.drives = (Signal(data_bits, name=f"dq_{name}") for name in ("driven", "drives"))
        if not short:
            self.cs_n, self.cke, self.dm = Signal(reset=1), Signal(), Signal(data_bits // 8)


class _Since:
    """Counts clocks since an event. Before the first event, and after a long time, the count is at its maximum."""

    def __init__(self, module: LiteXModule, bits: int):
        self.cycles = Signal(bits, reset=2**bits - 1)
        module.sync.sdr += If(self.cycles != 2**bits - 1, self.cycles.eq(self.cycles + 1))

    def restart(self, at=1):
        """Return a statement that restarts the count. With `at` = 1, the event happens in this cycle. With `at` = 0,
        the event happens in the next cycle.
        """
        return self.cycles.eq(at)


class SdrModule(LiteXModule):
    """A model of an SDR SDRAM module.

    Parameters
    ----------
    pads : Pads
        The pins.
    rows, columns : int
        Rows and columns of each bank, powers of two.
    refresh_cycles : int
        Most clocks between two refreshes, counted from the first refresh after it is ready.
    """

    def __init__(self, pads: Pads, *, rows: int, columns: int, refresh_cycles: int):
        self.ready, self.wrong = Signal(), Signal()

        # # #

        enabled, selected = Signal(reset=1), Signal(reset=1)
        if hasattr(pads, "cke"):
            self.comb += [enabled.eq(pads.cke), selected.eq(pads.cke & ~pads.cs_n)]
        now = {name: Signal(name=name) for name in CODES}
        code = Cat(pads.we_n, pads.cas_n, pads.ras_n)
        self.comb += [signal.eq(selected & (code == CODES[name])) for name, signal in now.items()]
        column, anything = Signal(), Signal()
        self.comb += [column.eq(now["read"] | now["write"]), anything.eq(Cat(*now.values()) != 0)]

        # For each bank: whether a row is open, the number of this row, and the clocks since the bank was last activated
        # and precharged.
        opened, row = Signal(BANKS), Array(Signal(max=rows, name=f"row{n}") for n in range(BANKS))
        refreshed, mode_set = _Since(self, (2 * refresh_cycles).bit_length()), _Since(self, 2)
        for n in range(BANKS):
            activated, precharged = _Since(self, 2), _Since(self, 2)
            named, closed = Signal(), Signal()
            self.comb += [
                named.eq(pads.ba == n),
                closed.eq((now["precharge"] & (named | pads.a[10])) | (column & named & pads.a[10])),
            ]
            # After a read or write with auto-precharge, the bank begins its precharge one clock later.
            self.sync.sdr += [
                If(closed, opened[n].eq(0), precharged.restart(now["precharge"])),
                If(now["activate"] & named, opened[n].eq(1), row[n].eq(pads.a), activated.restart()),
            ]
            self._refuse(now["precharge"] & closed & opened[n] & (activated.cycles < RAS_TO_PRECHARGE))
            self._refuse(now["activate"] & named & (opened[n] | (activated.cycles < CYCLE) | (precharged.cycles < 1)))
            self._refuse(now["refresh"] & (precharged.cycles < 1))
            self._refuse(column & named & ~opened[n])
        self.sync.sdr += [If(now["refresh"], refreshed.restart()), If(now["load_mode"], mode_set.restart())]
        self._refuse(anything & ((refreshed.cycles < REFRESH) | (mode_set.cycles < MODE)))
        self._refuse((now["refresh"] | now["load_mode"]) & (opened != 0))

        # Check the initialisation sequence and, after it, the maximum interval between refreshes.
        latency, prepared, serves, known = Signal(3), Signal(2), Signal(), Signal()
        self.comb += known.eq((pads.a[:4] == 0) & ((pads.a[4:7] == 2) | (pads.a[4:7] == 3)) & (pads.a[7:10] == 0))
        self.sync.sdr += [
            If(now["precharge"] & pads.a[10] & (prepared == 0), prepared.eq(1)),
            If(now["refresh"] & (prepared != 0) & (prepared != 3), prepared.eq(prepared + 1)),
            If(now["load_mode"], self.ready.eq((prepared == 3) & known), latency.eq(pads.a[4:7])),
            If(now["refresh"] & self.ready, serves.eq(1)),
            If(~enabled, prepared.eq(0), self.ready.eq(0), serves.eq(0)),
        ]
        self._refuse(serves & (refreshed.cycles > refresh_cycles))

        # Data.
        bits = len(pads.dq)
        memory = Memory(bits, BANKS * rows * columns)
        port = memory.get_port(write_capable=True, async_read=True, we_granularity=8, clock_domain="sdr")
        self.specials += memory, port
        self.comb += [
            port.adr.eq(Cat(pads.a[: columns.bit_length() - 1], pads.ba, row[pads.ba])),
            port.dat_w.eq(pads.dq.driven),
            port.we.eq(Replicate(now["write"] & self.ready, bits // 8) & ~getattr(pads, "dm", 0)),
        ]
        given, valid = [Signal(bits, name=f"given{n}") for n in range(3)], Signal(3)
        self.sync.sdr += [
            given[0].eq(port.dat_r ^ Replicate(self.wrong | ~self.ready, bits)),
            given[1].eq(given[0]),
            given[2].eq(given[1]),
            valid.eq(Cat(now["read"], valid)),
        ]
        drives = Signal()
        self.comb += [
            drives.eq(Mux(latency == 3, valid[2], valid[1])),
            pads.dq.eq(Mux(pads.dq.drives[0], pads.dq.driven, FLOATING)),
            If(drives, pads.dq.eq(Mux(latency == 3, given[2], given[1]))),
        ]
        self._refuse(drives & (pads.dq.drives != 0))
        self._refuse(now["write"] & (pads.dq.drives != 2**bits - 1))

    def _refuse(self, condition) -> None:
        """After the module is initialised, set the error flag if `condition` is true. The flag then stays set."""
        self.sync.sdr += If(self.ready & condition, self.wrong.eq(1))
