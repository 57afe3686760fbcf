# SPDX-License-Identifier: BSD-2-Clause
"""Test the ring oscillators after synthesis for ECP5, and test that place-and-route accepts them."""

import contextlib
import json
import os
import subprocess

import pytest
from litex.gen.fhdl import verilog
from migen import ClockDomain, Module

from gateware.flow import toolchain
from gateware.flow.constraints import looping
from gateware.random.oscillators import LENGTHS, RingOscillators
from tests.gateware.support import ROOT


@pytest.fixture(scope="module")
def folder():
    """Synthesise the ring oscillators. Return the folder that contains the netlist `top.json`; Yosys and nextpnr can
    read files in this folder.
    """
    folder = ROOT / "build" / "tests" / "random"
    folder.mkdir(parents=True, exist_ok=True)
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys", reset_less=True)
    top.submodules.rings = rings = RingOscillators()
    with contextlib.chdir(folder), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        verilog.convert(top, {top.cd_sys.clk, rings.bit}, name="top").write("top.v")
    run(folder, "yosys", "-q", "-p", "read_verilog top.v; synth_ecp5 -top top -json top.json")
    return folder


def run(folder, *command):
    environment = toolchain.environment(ROOT / "build" / "tools")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rings_survive_synthesis(folder):
    """Start at the input of each flip-flop that samples a ring, and follow the inverters backwards. The path must
    return to its start after exactly the number of inverters that the ring was built with.
    """
    cells = json.loads((folder / "top.json").read_text())["modules"]["top"]["cells"].values()
    inverters = {}
    for cell in cells:
        if cell["type"] == "LUT4" and int(cell["parameters"]["INIT"], 2) == 0x5555:
            inverters[cell["connections"]["Z"][0]] = cell["connections"]["A"][0]
    assert len(inverters) == sum(LENGTHS)
    found = []
    for cell in cells:
        data = cell["connections"].get("DI", [None])[0]
        if cell["type"] == "TRELLIS_FF" and data in inverters:
            ring, node = [data], inverters[data]
            while node != data:
                ring.append(node)
                node = inverters[node]
            found.append(len(ring))
    assert sorted(found) == sorted(LENGTHS)


def test_rings_are_the_only_loops(folder):
    module = json.loads((folder / "top.json").read_text())["modules"]["top"]
    assert len(looping(module)) == RingOscillators().cells == sum(LENGTHS)


def test_place_and_route_takes_the_loops_on_request_alone(folder):
    command = ["nextpnr-ecp5", "--85k", "--package", "CABGA554", "--json", "top.json", "--lpf-allow-unconstrained"]
    command += ["--freq", "75", "--textcfg", "top.config"]
    run(folder, *command, "--ignore-loops")
    with pytest.raises(AssertionError, match="combinational loops"):
        run(folder, *command)


@pytest.mark.parametrize("lengths", [(4,), (1,), (3, 5, 9), (3, 3)])
def test_lengths_that_do_not_oscillate_apart(lengths):
    with pytest.raises(ValueError, match="give"):
        RingOscillators(lengths)
