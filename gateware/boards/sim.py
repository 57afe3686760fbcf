# SPDX-License-Identifier: BSD-2-Clause
"""The simulated board: Verilator simulates the SoC, cycle by cycle. Its UART is on TCP, its Ethernet on a TAP device.

It models the ECPIX-5: simulated time is counted in that board's clock. Its console is the simulator's standard input
and output. Its Ethernet is LiteX's `gmii_ethernet` module, in a clock domain of its own.
"""

from liteeth.phy.common import LiteEthPHYHWReset
from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain, ClockDomainsRenamer, Signal
from migen.genlib.resetsync import AsyncResetSynchronizer

from ..description import Board, Fit, Sdram
from ..platform.sim.sdram import create_model
from .ecpix5 import BOARD as ECPIX5

_SERIAL = (
    Subsignal("source_valid", Pins(1)),
    Subsignal("source_ready", Pins(1)),
    Subsignal("source_data", Pins(8)),
    Subsignal("sink_valid", Pins(1)),
    Subsignal("sink_ready", Pins(1)),
    Subsignal("sink_data", Pins(8)),
)
_GMII = (
    Subsignal("rx_data", Pins(8)),
    Subsignal("rx_dv", Pins(1)),
    Subsignal("rx_er", Pins(1)),
    Subsignal("tx_data", Pins(8)),
    Subsignal("tx_en", Pins(1)),
    Subsignal("tx_er", Pins(1)),
)
_IO = [
    ("sys_clk", 0, Pins(1)),
    # The clock of Ethernet. LiteX's Ethernet module requires that its clock pin has the name `sys_clk`. So two pins
    # have this name.
    ("sys_clk", 1, Subsignal("sys_clk", Pins(1))),
    ("serial", 0, *_SERIAL),
    ("serial", 1, *_SERIAL),
    ("gmii_eth", 0, *_GMII),
    # 1 while the host sends a break (on a real UART, the line is low for longer than a byte)
    ("uart_break", 0, Pins(1)),
]


class _CRG(LiteXModule):
    """Connects the SoC to the simulator's clock. Resets the SoC in the first cycle, and when the CPU requests it."""

    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)

        # # #

        clk = platform.request("sys_clk")
        power_on = Signal(reset=1)
        self.comb += [self.cd_sys.clk.eq(clk), self.cd_por.clk.eq(clk), self.cd_sys.rst.eq(power_on | self.rst)]
        self.sync.por += power_on.eq(0)


class _EthernetCRG(LiteXModule):
    """Connects both directions of Ethernet to the simulator's 125 MHz clock.

    Like LiteEth's PHYs, it resets these clock domains after power-on, together with the system, and if software sets
    the register `reset`.
    """

    def __init__(self, clock):
        self._reset = CSRStorage()
        self.cd_eth_rx = ClockDomain()
        self.cd_eth_tx = ClockDomain()

        # # #

        self.hw_reset = LiteEthPHYHWReset()
        reset = self._reset.storage | self.hw_reset.reset
        for domain in (self.cd_eth_rx, self.cd_eth_tx):
            self.comb += domain.clk.eq(clock)
            self.specials += AsyncResetSynchronizer(domain, reset)


class _SimulatedGMII(LiteXModule):
    """Simulates a GMII PHY that transfers 8 bits a cycle in each direction."""

    dw = 8
    tx_clk_freq = rx_clk_freq = 125e6

    def __init__(self, platform):
        # # #

        clock = platform.request("sys_clk", 1).sys_clk
        pads = platform.request("gmii_eth")
        self.crg = _EthernetCRG(clock)
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(pads))
        self.sink, self.source = self.tx.sink, self.rx.source


class _Module(ECPIX5.sdram.module):
    """The ECPIX-5's SDRAM with a sixteenth of its rows: 32 MB. At full size, the simulator would need a gigabyte."""

    nrows = ECPIX5.sdram.module.nrows // 16


BOARD = Board(
    name="sim",
    title="simulated board (Verilator)",
    models=ECPIX5,
    sys_clk_freq=ECPIX5.sys_clk_freq,
    create_platform=lambda: SimPlatform("SIM", list(_IO)),
    create_crg=_CRG,
    create_phy=_SimulatedGMII,
    sdram=Sdram(
        module=_Module,
        rate=ECPIX5.sdram.rate,
        create_phy=lambda platform, crg, sys_clk_freq: create_model(
            _Module(sys_clk_freq, ECPIX5.sdram.rate), sys_clk_freq
        ),
        create_crg=_CRG,
    ),
    uart_name="sim",
    uart_baudrate=ECPIX5.uart_baudrate,
    uart_fifo_depth=ECPIX5.uart_fifo_depth,
    # This receive window is smaller than on hardware. So the largest records are shorter, and their simulation takes
    # less time.
    rx_window=3040,
    console_name="sim",
    fit=Fit(sys_clk_freq=ECPIX5.fit.sys_clk_freq),
    fits={
        name: Fit(
            sys_clk_freq=ECPIX5.fits[name].sys_clk_freq if name in ECPIX5.fits else None,
            # On `ecpix5`, only the vector unit of `default` has a multiplier. On `sim`, the vector unit of
            # `sdram_zephyr` also has a multiplier, because tests of Zephyr's drivers need it.
            product_cycles=8 if name in ("default", "sdram_zephyr") else 0,
            # The core of the MACsec configurations has six engines with many S-boxes. So it uses `block_ram`, the S-box
            # that Verilator compiles fastest.
            core_sbox="block_ram" if name.startswith("macsec") else "table",
        )
        for name in (
            "default",
            "eth",
            "macsec",
            "macsec_required",
            "gcm",
            "zephyr",
            "eth_zephyr",
            "sdram",
            "loader",
            "sdram_zephyr",
        )
    },
)
