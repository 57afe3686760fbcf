# SPDX-License-Identifier: BSD-2-Clause
"""Test a simulated board made from a netlist: the host's bytes become bits at the board's pins, and unsupported cases
cause an error.
"""

import json
import socket

import pytest
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from gateware import targets
from gateware.flow import netlist, netlist_board, netlist_check
from gateware.flow.cache import REPOSITORY

TIMEOUT_S = 60
# A design that connects the UART's input to its output, through a flip-flop with the board's clock.
PORTS = {"clk100": ("input", 2), "rst_n": ("input", 3), "serial_rx": ("input", 4), "serial_tx": ("output", 5)}
WIRE = {
    "type": "TRELLIS_FF",
    "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "INV", "REGSET": "SET", "SRMODE": "LSR_OVER_CE"},
    "port_directions": {"CLK": "input", "LSR": "input", "DI": "input", "Q": "output"},
    "connections": {"CLK": [6], "LSR": [3], "DI": [4], "Q": [5]},
}
PLL = {
    "type": "EHXPLLL",
    "parameters": {"CLKI_DIV": "1", "CLKFB_DIV": "1", "CLKOP_DIV": "100", "CLKOP_CPHASE": "11", "FEEDBK_PATH": "CLKOP"},
    "port_directions": {"CLKI": "input", "RST": "input", "STDBY": "input", "CLKOP": "output"},
    "connections": {"CLKI": [2], "RST": ["0"], "STDBY": ["0"], "CLKOP": [6]},
}
MODULE = {
    "ports": {name: {"direction": direction, "bits": [bit]} for name, (direction, bit) in PORTS.items()},
    "cells": {"wire": WIRE, "pll": PLL},
}


@pytest.fixture(scope="module")
def board():
    folder = REPOSITORY / "build" / "tests" / "netlist_board"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "netlist.json"
    source.write_text(json.dumps({"modules": {"top": MODULE}}))
    description = netlist_board.build(targets.load("ecpix5"), source, folder)
    with SimulatedBoard(description.parent) as running:
        yield running


def test_bytes_come_back_as_they_went(board):
    data = bytes(range(256))
    with socket.create_connection(("127.0.0.1", board.port), TIMEOUT_S) as client:
        client.sendall(data)
        received = b""
        while len(received) < len(data):
            part = client.recv(4096)
            assert part, "the board hung up"
            received += part
    assert received == data


def test_a_simulated_board_has_no_netlist():
    with pytest.raises(netlist.NetlistError, match="board sim has no netlist: choose BOARD=ecpix5"):
        netlist_board.require(targets.load("sim"))


def test_the_clock_of_the_pll_is_that_of_the_configuration():
    netlist_board.require_clock(targets.load("ecpix5"), MODULE)
    eth = targets.load("ecpix5", "eth")
    with pytest.raises(netlist.NetlistError, match=r"the PLL of ecpix5_eth makes 1e.08 Hz instead of 80000000"):
        netlist_board.require_clock(eth, MODULE)
    divided = {"CLKI_DIV": "101", "CLKFB_DIV": "100"}  # by five, times four
    pll = {**PLL, "parameters": {**PLL["parameters"], **divided}}
    netlist_board.require_clock(eth, {"cells": {"pll": pll}})


@pytest.mark.parametrize("names", [("ecpix5",), ("ulx3s",), ("ecpix5", "eth"), ("versa_ecp5",)])
def test_a_netlist_is_compared_with_a_board_that_has_the_same_maps(names):
    assert netlist_check.require_equal_maps(targets.load(*names)) is None


@pytest.mark.parametrize("names", [("colorlight_i5",), ("ulx3s_25f", "sdram")])
def test_a_smaller_core_or_fewer_slots_are_refused_before_anything_is_built(names, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["netlist_check", *names])
    assert netlist_check.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("has a smaller core or fewer slots than the simulated board: choose a larger part")


def test_other_cycles_than_the_simulated_board_are_named():
    expected = {Engine.ISE: {"cycles": 2893, "transfer_cycles": 3232}}
    same = {"stage": "routed", "engine": "ise", "cycles": 2893, "transfer_cycles": 3232}
    assert netlist_check.differences([same], expected) == []
    (difference,) = netlist_check.differences([{**same, "cycles": 2894}], expected)
    assert difference == "ise has cycles 2894 after routed, 2893 there"
    later = {**same, "transfer_cycles": 3242}
    assert netlist_check.differences([later], expected, 10) == []
    assert len(netlist_check.differences([{**later, "cycles": 2894}], expected, 10)) == 1
    assert (
        len(netlist_check.differences([later], expected, 9)) == len(netlist_check.differences([later], expected)) == 1
    )
