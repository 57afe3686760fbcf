# SPDX-License-Identifier: BSD-2-Clause
"""Test the exploration of RGMII on the slowest FPGA: the design that is placed and routed, and the table of results."""

import pytest

from lab.explore import rgmii
from lab.results.tables import explore_rgmii


@pytest.mark.parametrize("mac", rgmii.MACS)
def test_a_mac_is_on_the_boards_pins_and_timed_for_125_mhz(mac, tmp_path):
    """The design must contain the MAC's CRC check of received frames, so that the timing analysis covers this check."""
    rgmii.write_sources(rgmii.MACS[mac], tmp_path)
    constraints = (tmp_path / "top.lpf").read_text()
    assert 'FREQUENCY PORT "eth_clocks_rx" 125.0 MHz' in constraints
    assert all(f'LOCATE COMP "eth_{pin}"' in constraints for pin in ("rx_ctl", "tx_ctl", "rx_data[3]", "tx_data[3]"))
    assert "liteethmaccrc32checker" in (tmp_path / "top.v").read_text()


def test_record_has_the_spread_over_seeds_and_what_ends_the_slowest():
    def seed(achieved, start):
        path = {"path_from": start, "path_to": "end"}
        return [
            {"clock": "sys", "required_mhz": 40, "achieved_mhz": 1.0, **path},
            {"clock": rgmii.CLOCK, "required_mhz": 125, "achieved_mhz": achieved, **path},
        ]

    records = [rgmii.record("a", [seed(130.5, "x"), seed(120.5, "slow"), seed(126.0, "y")])]
    (found,) = records
    assert (found["median_mhz"], found["least_mhz"], found["most_mhz"]) == (126.0, 120.5, 130.5)
    assert (found["path_from"], found["required_mhz"]) == ("slow", 125)
    records += [rgmii.record("b", [seed(124.9, "x")]), rgmii.record("c", [seed(125.0, "x")])]
    content = {"kind": "est", "device": "part", "seeds": [1, 2, 3], "records": records}
    lines = explore_rgmii.render({"explore-rgmii": explore_rgmii.keep(content)})
    assert lines[4:] == [
        "| a | 126.0 (est) | 120.5 to 130.5 | by some |",
        "| b | 124.9 (est) | 124.9 to 124.9 | no |",
        "| c | 125.0 (est) | 125.0 to 125.0 | yes |",
    ]
