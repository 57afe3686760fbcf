"""SNOW 3G as it was mapped: what is measured of it, and that a wrong netlist has no figures."""

import json

import pytest

from gateware.explore import snow3g
from gateware.explore.flow import load, synthesise
from gateware.explore.measure import WrongResult
from gateware.explore.protocols import ProtocolError
from gateware.flow import toolchain
from tests.gateware.support import ROOT


@pytest.fixture(scope="module")
def mapped():
    environment = toolchain.environment(ROOT / "build" / "tools")
    design, ports = snow3g.design("lut", "lut")
    folder = ROOT / "build" / "tests" / "explore_snow3g"
    synthesise(design, folder, environment, json.dumps(toolchain.versions(environment)))
    return folder / "core.json", ports


def test_message_of_the_mapped_core(mapped):
    path, ports = mapped
    measured = snow3g.measure(load(path), ports)
    assert measured["cycles"] == 34 + 250 and measured["words"] == 10
    assert measured["toggles"] > 250 * 100


def test_a_wrong_netlist_has_no_figures(mapped):
    path, ports = mapped
    module = load(path)
    for cell in module["cells"].values():
        if cell["type"] == "LUT4":
            cell["parameters"]["INIT"] = f"{int(cell['parameters']['INIT'], 2) ^ 0x8000:016b}"
    with pytest.raises((WrongResult, ProtocolError)):
        snow3g.measure(module, ports)


def test_record_of_a_core():
    measured = {"cycles": 284, "toggles": 500_000.0, "words": 10}
    found = snow3g.record(
        "lut", "onehot", "25F-6", {"lut4": 2000, "ff": 600, "bram": 0}, measured, [99.0, 142.0, 150.0]
    )
    assert found | {"s_r": "lut", "s_q": "onehot", "device": "LFE5U-25F", "speed": 6} == found
    assert found["mbps"] == 4000.0 and found["mbps_per_lut"] == 2.0 and found["least_ns_a_byte"] == 2.0
    assert found["mhz_for_ns_a_byte"] == {"4": 71.0, "14": 20.29, "24": 11.83} and found["toggles_a_byte"] == 500.0
    assert (found["fmax_least_mhz"], found["fmax_mhz"], found["fmax_most_mhz"]) == (99.0, 142.0, 150.0)
