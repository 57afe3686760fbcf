# SPDX-License-Identifier: BSD-2-Clause
"""Test the measurements of the synthesised GHASH units. If a netlist is wrong, the measurement must fail instead of
returning values.
"""

import json

import pytest

from gateware.flow import toolchain
from lab.explore import ghash
from lab.explore.flow import load, synthesise
from lab.explore.ghash_members import LANES, MEMBERS, Member, Message, measure
from lab.explore.measure import WrongResult
from lab.explore.protocols import ProtocolError
from tests.gateware.support import ROOT

# Maximum number of LUT4s per GHASH unit.
MOST = {Member(8): 1600, Member(4): 2800}


def mapped(member: Member) -> tuple[dict, dict, dict]:
    environment = toolchain.environment(ROOT / "build" / "tools")
    design, ports = member.design()
    folder = ROOT / "build" / "tests" / f"explore_{member.name}"
    area = synthesise(design, folder, environment, json.dumps(toolchain.versions(environment)))
    return area, load(folder / "core.json"), ports


def test_a_mapped_unit():
    area, module, ports = mapped(Member(8))
    message = measure(module, ports)
    assert (message.cycles_per_block, message.subkey_cycles, message.tag_cycles) == (8, 17, 2)
    assert message.compared == 2 * LANES and message.toggles_per_block > 1000
    assert area["lut4"] <= MOST[Member(8)]


def test_area_of_a_product_in_four_cycles():
    area, _, _ = mapped(Member(4))
    assert area["lut4"] <= MOST[Member(4)]


def test_a_wrong_netlist_has_no_figures():
    _, module, ports = mapped(Member(8))
    for cell in module["cells"].values():
        if cell["type"] == "LUT4":
            cell["parameters"]["INIT"] = f"{int(cell['parameters']['INIT'], 2) ^ 0x8000:016b}"
    with pytest.raises((WrongResult, ProtocolError)):
        measure(module, ports)


def test_members_have_names_of_their_own():
    assert len({member.name for member in MEMBERS}) == len(MEMBERS) == 7


def test_record_of_a_unit():
    message = Message(cycles_per_block=8.0, subkey_cycles=17, tag_cycles=2, toggles_per_block=5440.53, compared=16)
    area = {"lut4": 1000, "ff": 390, "bram": 0}
    found = ghash.record(Member(8), "25F-6", area, 128, message, [99.0, 125.0, 150.0])
    assert found | {"cycles": 8, "portable": False, "device": "LFE5U-25F", "speed": 6, "sites": 1256} == found
    assert found["mbps"] == 2000.0 and found["mbps_per_lut"] == 2.0 and found["toggles_per_block"] == 5440.5
    assert (found["fmax_least_mhz"], found["fmax_mhz"], found["fmax_most_mhz"]) == (99.0, 125.0, 150.0)
