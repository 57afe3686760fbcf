# SPDX-License-Identifier: BSD-2-Clause
"""Test the measurements of the synthesised LTE ciphers. If a netlist is wrong, the measurement must fail instead of
returning values.
"""

import json

import pytest

from gateware.flow import toolchain
from lab.explore import lte
from lab.explore.flow import load, synthesise
from lab.explore.lte_members import MEMBERS, Member, Message
from lab.explore.measure import WrongResult
from lab.explore.protocols import ProtocolError
from tests.gateware.support import ROOT

CHOSEN = {
    Member("snow3g", 32, "lut", "lut"): (34 + 250, 34, 10),
    Member("aes", 32, "lut", engines=2): (41 * 62.5 / 2, 41, 14 * 8),
}


@pytest.fixture(scope="module", params=CHOSEN, ids=lambda member: member.name)
def mapped(request):
    member = request.param
    environment = toolchain.environment(ROOT / "build" / "tools")
    design, ports = member.design()
    folder = ROOT / "build" / "tests" / f"explore_lte_{member.name}"
    synthesise(design, folder, environment, json.dumps(toolchain.versions(environment)))
    return member, folder / "core.json", ports


def test_message_of_a_mapped_core(mapped):
    member, path, ports = mapped
    message = member.measure(load(path), ports)
    assert (message.cycles, message.first, message.compared) == CHOSEN[member]
    assert message.toggles > 1000 * 100


def test_a_wrong_netlist_has_no_figures(mapped):
    member, path, ports = mapped
    module = load(path)
    for cell in module["cells"].values():
        if cell["type"] == "LUT4":
            cell["parameters"]["INIT"] = f"{int(cell['parameters']['INIT'], 2) ^ 0x8000:016b}"
    with pytest.raises((WrongResult, ProtocolError)):
        member.measure(module, ports)


def test_members_have_names_of_their_own():
    assert len({member.name for member in MEMBERS}) == len(MEMBERS) == 6 + 2 * 9


def test_record_of_a_core():
    message = Message(cycles=284, first=34, toggles=500_000.0, compared=10)
    member = Member("snow3g", 32, "lut", "onehot")
    found = lte.record(member, "25F-6", {"lut4": 2000, "ff": 600, "bram": 0}, message, [99.0, 142.0, 150.0])
    assert found | {"sbox": "lut", "s_q": "onehot", "engines": 1, "device": "LFE5U-25F", "speed": 6} == found
    assert found["mbps"] == 4000.0 and found["mbps_per_lut"] == 2.0 and found["least_ns_a_byte"] == 2.0
    assert found["mhz_for_ns_a_byte"] == {"4": 71.0, "14": 20.29, "24": 11.83} and found["toggles_a_byte"] == 500.0
    assert (found["fmax_least_mhz"], found["fmax_mhz"], found["fmax_most_mhz"]) == (99.0, 142.0, 150.0)
