"""LambdaConcept ECPIX-5 with an ECP5-85 (LFE5UM5G-85F-8BG554): UART, DDR3, gigabit Ethernet by an RGMII PHY."""

from dataclasses import replace

from litedram.modules import MT41K256M16
from litedram.phy import ECP5DDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex_boards.platforms import lambdaconcept_ecpix5
from migen import ClockDomain, ClockSignal, If, Instance, Signal
from migen.genlib.resetsync import AsyncResetSynchronizer

from gateware.boards import Board, Fit, Sdram

_INIT_HZ = 25e6  # of what starts the DDR3 PHY's delay lines


class _CRG(LiteXModule):
    """The system clock from the board's 100 MHz oscillator, held in reset for 2^16 cycles after power-on.

    The reset goes to thousands of flip-flops: it has a global net, as a clock has.
    """

    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)
        self.cd_start = ClockDomain()  # that clock, with its reset before the global net

        # # #

        clk100 = platform.request("clk100")
        rst_n = platform.request("rst_n")
        por_count = Signal(16, reset=2**16 - 1)
        self.comb += self.cd_por.clk.eq(clk100)
        self.sync.por += If(por_count != 0, por_count.eq(por_count - 1))

        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((por_count != 0) | ~rst_n | self.rst)
        pll.register_clkin(clk100, 100e6)
        pll.create_clkout(self.cd_start, sys_clk_freq)
        self.comb += self.cd_sys.clk.eq(self.cd_start.clk)
        self.specials += Instance("DCCA", i_CLKI=self.cd_start.rst, i_CE=1, o_CLKO=self.cd_sys.rst)


class _SdramCRG(LiteXModule):
    """The clocks with DDR3: the system's, by division of one twice as fast that the memory's pins work with.

    So the two are in step. The PHY stops the fast one and resets the division (`stop`, `reset`) when its delay lines
    have locked, by the clock `init`, which goes on; the system is in reset meanwhile.
    """

    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.stop = Signal()
        self.reset = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)
        self.cd_init = ClockDomain()
        self.cd_sys2x = ClockDomain(reset_less=True)
        self.cd_fast = ClockDomain(reset_less=True)  # sys2x, before it can be stopped
        self.cd_start = ClockDomain()  # the system's, with its reset before the global net

        # # #

        clk100 = platform.request("clk100")
        rst_n = platform.request("rst_n")
        por_count = Signal(16, reset=2**16 - 1)
        self.comb += self.cd_por.clk.eq(clk100)
        self.sync.por += If(por_count != 0, por_count.eq(por_count - 1))

        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((por_count != 0) | ~rst_n | self.rst)
        pll.register_clkin(clk100, 100e6)
        pll.create_clkout(self.cd_fast, 2 * sys_clk_freq, with_reset=False)
        pll.create_clkout(self.cd_init, _INIT_HZ)
        self.specials += [
            Instance("ECLKSYNCB", i_ECLKI=ClockSignal("fast"), i_STOP=self.stop, o_ECLKO=self.cd_sys2x.clk),
            Instance(
                "CLKDIVF",
                p_DIV="2.0",
                i_ALIGNWD=0,
                i_CLKI=self.cd_sys2x.clk,
                i_RST=self.reset,
                o_CDIVX=self.cd_start.clk,
            ),
            AsyncResetSynchronizer(self.cd_start, ~pll.locked | self.reset),
            Instance("DCCA", i_CLKI=self.cd_start.rst, i_CE=1, o_CLKO=self.cd_sys.rst),
        ]
        self.comb += self.cd_sys.clk.eq(self.cd_start.clk)


def _create_ddrphy(platform, crg, sys_clk_freq):
    phy = ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=sys_clk_freq)
    crg.comb += [crg.stop.eq(phy.init.stop), crg.reset.eq(phy.init.reset)]
    return phy


def _create_phy(platform):
    # As litex-boards has it: the PHY chip delays the receive clock, the FPGA the transmit clock. LiteEth's register of
    # the link's state would be read out of the receive clock's domain without a synchroniser.
    return LiteEthPHYRGMII(
        clock_pads=platform.request("eth_clocks"),
        pads=platform.request("eth"),
        rx_delay=0e-9,
        with_inband_status=False,
    )


# Of the part's 208 block RAMs, the S-boxes of the vector unit take 8, those of a core 10, or 18 with two engines.
_FIT = Fit(cfu_sbox="block_ram", core_sbox="block_ram", pnr_seed=4)
# No place-and-route of the others has met the board's clock.
_SLOWER = replace(_FIT, sys_clk_freq=75_000_000)
# Zephyr's memories and those of Ethernet leave no room for these, nor for queues of some wide words.
_LUTS = replace(_SLOWER, cfu_sbox="ecp5", core_sbox="ecp5", lut_words=16)

BOARD = Board(
    name="ecpix5",
    title="LambdaConcept ECPIX-5 (ECP5-85F)",
    sys_clk_freq=100_000_000,
    create_platform=lambda: lambdaconcept_ecpix5.Platform(device="85F", toolchain="trellis"),
    create_crg=_CRG,
    create_phy=_create_phy,
    sdram=Sdram(module=MT41K256M16, rate="1:2", create_phy=_create_ddrphy, create_crg=_SdramCRG),
    uart_name="serial",
    uart_baudrate=1_000_000,
    uart_fifo_depth=8192,
    rx_window=8192,
    console_name="jtag_uart",
    fits={
        "default": replace(_FIT, pnr_seed=2, clock_met=True),
        # With nearly all block RAMs taken, the other placer's wires are a quarter longer. With long paths
        # it has some 5 % fewer LUTs.
        "eth": replace(
            _FIT,
            pnr_seed=2,
            pnr_options=("--placer", "static"),
            path_ps=7000,
            sys_clk_freq=80_000_000,
            clock_met=True,
        ),
        "pipelined": replace(_SLOWER, core_sbox="tower_cut"),
        "zephyr": _SLOWER,
        "sdram": _SLOWER,
        "eth_zephyr": replace(_LUTS, pnr_seed=1, pnr_options=("--placer", "static"), path_ps=7000),
    },
    device="LFE5UM5G-85F-8BG554",
    speed_grade="8",
    flash_cable=("--board", "ecpix5"),
    constraints="ecpix5.lpf",
    clock_pin="clk100",
    reset_pin="rst_n",
)
