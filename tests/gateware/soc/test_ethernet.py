# SPDX-License-Identifier: BSD-2-Clause
"""Test that Ethernet is refused if the system clock is too slow for the wire."""

from types import SimpleNamespace

import pytest

from gateware.configurations import Ethernet
from gateware.soc.ethernet import SYS_HZ_MIN, add_ethernet


def test_a_clock_too_slow_for_the_wire_is_refused():
    soc = SimpleNamespace(sys_clk_freq=SYS_HZ_MIN - 1)
    with pytest.raises(ValueError, match=f"give {SYS_HZ_MIN} or more"):
        add_ethernet(soc, None, Ethernet(), service=None, dma_bus=None)
