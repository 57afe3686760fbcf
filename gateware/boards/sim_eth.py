"""The simulated board with Ethernet: LiteX's `gmii_ethernet` module on a TAP device, in a clock domain of its own."""

from dataclasses import replace

from liteeth.phy.common import LiteEthPHYHWReset
from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain, ClockDomainsRenamer
from migen.genlib.resetsync import AsyncResetSynchronizer

from gateware.boards import Ethernet
from gateware.boards.sim import BOARD as SIM
from gateware.boards.sim import IO

ETHERNET_IO = [
    # LiteX's module takes its clock from an interface of this name alone: it is the second one.
    ("sys_clk", 1, Subsignal("sys_clk", Pins(1))),
    (
        "gmii_eth",
        0,
        Subsignal("rx_data", Pins(8)),
        Subsignal("rx_dv", Pins(1)),
        Subsignal("rx_er", Pins(1)),
        Subsignal("tx_data", Pins(8)),
        Subsignal("tx_en", Pins(1)),
        Subsignal("tx_er", Pins(1)),
    ),
]


class _CRG(LiteXModule):
    """The simulator's clock for both directions, 125 MHz, held in reset as LiteEth's PHYs are: after power-on, with the
    system and by the register `reset`.
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


class SimulatedGMII(LiteXModule):
    """A GMII PHY of 8 bits a cycle each way, whose clocks are the simulator's."""

    dw = 8
    tx_clk_freq = rx_clk_freq = 125e6

    def __init__(self, platform):
        # # #

        clock = platform.request("sys_clk", 1).sys_clk
        pads = platform.request("gmii_eth")
        self.crg = _CRG(clock)
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(pads))
        self.sink, self.source = self.tx.sink, self.rx.source


BOARD = replace(
    SIM,
    name="sim_eth",
    title="simulated board with Ethernet",
    create_platform=lambda: SimPlatform("SIM", [*IO, *ETHERNET_IO]),
    ethernet=Ethernet(create_phy=SimulatedGMII),
    clock_met_by="ecpix5_eth",
)
