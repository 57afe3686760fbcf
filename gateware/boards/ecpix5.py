"""LambdaConcept ECPIX-5 with an ECP5-85 (LFE5UM5G-85F-8BG554)."""

from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex_boards.platforms import lambdaconcept_ecpix5
from migen import ClockDomain, If, Signal

from gateware.boards import Board


class _CRG(LiteXModule):
    """The system clock from the board's 100 MHz oscillator, held in reset for 2^16 cycles after power-on."""

    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)

        # # #

        clk100 = platform.request("clk100")
        rst_n = platform.request("rst_n")
        por_count = Signal(16, reset=2**16 - 1)
        self.comb += self.cd_por.clk.eq(clk100)
        self.sync.por += If(por_count != 0, por_count.eq(por_count - 1))

        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((por_count != 0) | ~rst_n | self.rst)
        pll.register_clkin(clk100, 100e6)
        pll.create_clkout(self.cd_sys, sys_clk_freq)


BOARD = Board(
    name="ecpix5",
    title="LambdaConcept ECPIX-5 (ECP5-85F)",
    simulated=False,
    sys_clk_freq=75_000_000,
    create_platform=lambda: lambdaconcept_ecpix5.Platform(device="85F", toolchain="trellis"),
    create_crg=_CRG,
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=8192,
    rx_window=8192,
    max_data=2048,
    sbox="ecp5",
    core_sbox="ecp5",
    device="LFE5UM5G-85F-8BG554",
    speed_grade="8",
    flash_cable=("--board", "ecpix5"),
    constraints="ecpix5.lpf",
    pnr_seed=4,
)
