"""ECPIX-5 with its gigabit Ethernet, an RGMII PHY, beside the UART.

Its three cores have Canright's S-boxes: half of a core's LUTs, and fast enough for 75 MHz.
"""

from dataclasses import replace

from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII

from gateware.boards import Ethernet
from gateware.boards.ecpix5 import BOARD as ECPIX5


def _create_phy(platform):
    # As litex-boards has it: the PHY chip delays the receive clock, the FPGA the transmit clock. LiteEth's register of
    # the link's state would be read out of the receive clock's domain without a synchroniser.
    return LiteEthPHYRGMII(
        clock_pads=platform.request("eth_clocks"),
        pads=platform.request("eth"),
        rx_delay=0e-9,
        with_inband_status=False,
    )


BOARD = replace(
    ECPIX5,
    name="ecpix5_eth",
    title="LambdaConcept ECPIX-5 (ECP5-85F) with Ethernet",
    core_sbox="canright_ecp5",
    ethernet=Ethernet(create_phy=_create_phy),
    # The default router does not end on so full a part; this one goes on until the clocks are met, and no further.
    pnr_seed=1,
    pnr_options=(*ECPIX5.pnr_options, "--router", "router2", "--tmg-ripup"),
)
