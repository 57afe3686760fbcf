# SPDX-License-Identifier: BSD-2-Clause
"""The RGMII PHY of boards with an ECP5."""

from collections.abc import Callable

from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII


def create_rgmii(**delays: float) -> Callable:
    """Return a board's function `create_phy`, which makes a PHY for the board's first RGMII port.

    `delays` are in seconds and come from litex-boards. The PHY lacks LiteEth's register of the link's state, which
    would cross clock domains without a synchroniser.
    """

    def create(platform):
        pads = {"clock_pads": platform.request("eth_clocks"), "pads": platform.request("eth")}
        return LiteEthPHYRGMII(**pads, **delays, with_inband_status=False)

    return create
