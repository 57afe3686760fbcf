"""The simulated board: the SoC in Verilator, cycle for cycle; UART over TCP.

Its clock is the one that place-and-route reaches for the ECPIX-5 with the same configuration
(`gateware/boards/ecpix5.py`); simulated time is counted in that clock.
"""

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from migen import ClockDomain, Signal

from gateware.boards import Board
from gateware.boards.ecpix5 import BOARD as ECPIX5

SERIAL = (
    Subsignal("source_valid", Pins(1)),
    Subsignal("source_ready", Pins(1)),
    Subsignal("source_data", Pins(8)),
    Subsignal("sink_valid", Pins(1)),
    Subsignal("sink_ready", Pins(1)),
    Subsignal("sink_data", Pins(8)),
)
IO = [("sys_clk", 0, Pins(1)), ("serial", 0, *SERIAL)]


class _CRG(LiteXModule):
    """The simulator's clock, and a reset for the first cycle and on request of the CPU."""

    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)

        # # #

        clk = platform.request("sys_clk")
        power_on = Signal(reset=1)
        self.comb += [self.cd_sys.clk.eq(clk), self.cd_por.clk.eq(clk), self.cd_sys.rst.eq(power_on | self.rst)]
        self.sync.por += power_on.eq(0)


BOARD = Board(
    name="sim",
    title="simulated board (Verilator)",
    simulated=True,
    sys_clk_freq=ECPIX5.sys_clk_freq,
    create_platform=lambda: SimPlatform("SIM", list(IO)),
    create_crg=_CRG,
    uart_name="sim",
    uart_baudrate=ECPIX5.uart_baudrate,
    uart_fifo_depth=ECPIX5.uart_fifo_depth,
    # Less than a board's, so that full records are shorter and their simulation is; TCP would hold back more.
    rx_window=3040,
    max_data=ECPIX5.max_data,
    rom_size=ECPIX5.rom_size,
    sram_size=ECPIX5.sram_size,
    buffer_size=ECPIX5.buffer_size,
    clock_met_by=ECPIX5.name,
)
