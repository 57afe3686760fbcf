# SPDX-License-Identifier: BSD-2-Clause
"""Hardware for a loader: a lock for the code memory, the cause of the last reset, a watchdog, UART break detection.

::

    CPU's bus ──► lock ──► code memory         lock: written by the loader before it starts firmware, opened by a reset
    UART's rx ──► break detector ──┐
    watchdog ──────────────────────┼─► cause, kept over the reset ─► reset of the SoC
    CPU's own request ─────────────┘

The boot ROM holds the loader (`firmware/loader`). It checks the image in the code memory, locks that memory, and starts
the image. The firmware that then runs cannot write code, open the lock, or stop or slow down the watchdog. The watchdog
starts with the lock, and a register write feeds it. So however bad the firmware is, the loader still works after it.
Firmware could still feed the watchdog for ever without serving anybody; a break on the UART's line ends that, too.
"""

from cipherlane_base.wire.codes import Cause
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from migen import If, Memory, Module, Mux, Signal
from migen.genlib.cdc import MultiReg

from ..configurations import CODE_ORIGIN
from ..targets import Target

# A line that is low for this many seconds counts as a break. A zero byte at 1 Mbaud takes only a hundredth of this
# time. The shortest break that a host's driver can send is ten times as long as this time.
BREAK_S = 1e-3
# The watchdog's time limit in seconds, much longer than any request takes. In simulation the limit is shorter, because
# the simulator needs about a minute for one simulated second.
WATCHDOG_S, SIMULATED_WATCHDOG_S = 2.0, 0.125


class CodeMemory(LiteXModule):
    """A memory of 32-bit words on Wishbone, with bursts, that accepts writes only while `locked` is 0.

    A write to the locked memory is acknowledged but changes nothing.

    Parameters
    ----------
    size : int
        Size in bytes.
    init : list[int]
        The first words; the others are 0.

    Attributes
    ----------
    bus : wishbone.Interface
        The CPU's bus.
    locked : Signal(), in
        Writes are ignored.
    """

    def __init__(self, size: int, init: list[int]):
        self.bus = wishbone.Interface(data_width=32, address_width=32, addressing="word", bursting=True)
        self.locked = Signal()

        # # #

        inner = wishbone.Interface(data_width=32, address_width=32, addressing="word", bursting=True)
        self.memory = wishbone.SRAM(Memory(32, size // 4, init=init, name="code"), bus=inner)
        self.comb += [self.bus.connect(inner, omit={"we"}), inner.we.eq(self.bus.we & ~self.locked)]


class BreakDetector(Module):
    """Detects breaks: pulses once each time the line has been low for `cycles` clock cycles.

    After a reset the detector does nothing until it has seen the line high. So a break that lasts longer than the
    reset, or a cable that is not connected, does not reset the SoC again.

    Attributes
    ----------
    rx : Signal(), in
        The line, in no clock domain.
    detected : Signal(), out
        High for one cycle when a break is detected.
    """

    def __init__(self, cycles: int):
        self.rx = Signal(reset=1)
        self.detected = Signal()

        # # #

        rx = Signal()
        # Number of further cycles after which a low line counts as a break; 0 from a break until the line is high.
        left = Signal(max=cycles + 1)
        self.specials += MultiReg(self.rx, rx)
        self.comb += self.detected.eq((left == 1) & ~rx)
        self.sync += If(rx, left.eq(cycles)).Elif(left != 0, left.eq(left - 1))


class Loader(LiteXModule):
    """Code lock, watchdog and cause of resets, with their registers.

    The loader reads `status`, does its work, writes `lock`, and starts the firmware. The firmware then writes `feed` at
    least every `watchdog_cycles`.

    Attributes
    ----------
    locked : Signal(), out
        The code memory is locked and the watchdog runs.
    asked, broken : Signal(), in
        The CPU asks for a reset; there was a break. High for one cycle each.
    reset : Signal(), out
        Resets the SoC; high for one cycle. `cause` is written in the cycle before, so it is valid whatever the reset
        does to the clock.
    cause : Signal(2), out
        One of `Cause`; kept over resets.
    """

    def __init__(self, watchdog_cycles: int):
        self.locked = Signal()
        self.asked, self.broken = Signal(), Signal()
        self.reset = Signal()
        self.cause = Signal(2, reset=Cause.POWER, reset_less=True)

        self._status = CSRStatus(
            fields=[
                CSRField(
                    "cause",
                    size=2,
                    offset=0,
                    values=[(f"``{cause.value}``", cause.name.lower()) for cause in Cause],
                    description="Why the SoC was reset, as record loader has it. Firmware that was ended stays named "
                    "until firmware is started, whatever resets the SoC meanwhile; a start, by ``lock``, makes it 0.",
                ),
                CSRField("locked", size=1, offset=2, description="Whether the code memory is locked; 0 after a reset."),
            ]
        )
        self._lock = CSRStorage(
            fields=[
                CSRField(
                    "lock",
                    size=1,
                    offset=0,
                    pulse=True,
                    description="Write 1 to lock the code memory and to start the watchdog: until the next reset.",
                )
            ]
        )
        self._feed = CSRStorage(
            fields=[
                CSRField(
                    "feed",
                    size=1,
                    offset=0,
                    pulse=True,
                    description="Write 1 to have the watchdog begin anew; it does nothing before ``lock``.",
                )
            ]
        )

        # # #

        left = Signal(max=watchdog_cycles + 1, reset=watchdog_cycles)
        ended = Signal()  # 1 if the watchdog's time has expired
        self.comb += [
            ended.eq(self.locked & (left == 0)),
            self._status.fields.cause.eq(self.cause),
            self._status.fields.locked.eq(self.locked),
        ]
        self.sync += [
            If(self._lock.fields.lock, self.locked.eq(1)),
            If(self._feed.fields.feed | ~self.locked, left.eq(watchdog_cycles)).Elif(left != 0, left.eq(left - 1)),
            self.reset.eq((ended | self.asked | self.broken) & ~self.reset),
            If(self._lock.fields.lock, self.cause.eq(Cause.POWER)),
            If(
                ~self.reset,  # a reset request during a reset does not change the cause
                If(
                    self.locked,
                    If(ended, self.cause.eq(Cause.WATCHDOG))
                    .Elif(self.asked, self.cause.eq(Cause.FIRMWARE))
                    .Elif(self.broken, self.cause.eq(Cause.BREAK)),
                ).Elif(self.broken, self.cause.eq(Mux(self.cause == Cause.POWER, Cause.BREAK, self.cause))),
            ),
        ]


def add_loader(soc: SoCCore, target: Target, firmware: list[int]) -> None:
    """Add the code memory, which holds `firmware`, and the loader with its registers. The SoC must have UART and CRG.

    The CPU's own request for a reset goes through the loader, which records the cause.
    """
    board = target.board
    soc.code = CodeMemory(target.configuration.code_size, firmware)
    soc.bus.add_slave("code", soc.code.bus, SoCRegion(origin=CODE_ORIGIN, size=target.configuration.code_size))
    seconds = SIMULATED_WATCHDOG_S if board.simulated else WATCHDOG_S
    soc.loader = loader = Loader(int(seconds * target.sys_clk_freq))
    soc.submodules.break_detector = detector = BreakDetector(int(BREAK_S * target.sys_clk_freq))
    line = ~soc.platform.request("uart_break") if board.simulated else soc.platform.lookup_request(board.uart_name).rx
    soc.comb += [
        detector.rx.eq(line),
        loader.broken.eq(detector.detected),
        loader.asked.eq(soc.ctrl.soc_rst),
        soc.code.locked.eq(loader.locked),
    ]
    soc.ctrl.soc_rst = loader.reset  # LiteX resets the SoC while `soc_rst` is 1
