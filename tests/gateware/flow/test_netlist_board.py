"""A simulated board of a netlist: the host's bytes are bits at its pins; what cannot be is told at once."""

import json
import socket

import pytest
from cipherlane.protocol.layout import Engine
from cipherlane.transport.simboard import SimulatedBoard

from gateware import targets
from gateware.flow import netlist, netlist_board, netlist_check
from gateware.flow.cache import REPOSITORY

TIMEOUT_S = 60
# A wire from the UART's input to its output, through a flip-flop in the board's clock.
PORTS = {"clk100": ("input", 2), "rst_n": ("input", 3), "serial_rx": ("input", 4), "serial_tx": ("output", 5)}
WIRE = {
    "type": "TRELLIS_FF",
    "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "INV", "REGSET": "SET", "SRMODE": "LSR_OVER_CE"},
    "port_directions": {"CLK": "input", "LSR": "input", "DI": "input", "Q": "output"},
    "connections": {"CLK": [2], "LSR": [3], "DI": [4], "Q": [5]},
}
MODULE = {
    "ports": {name: {"direction": direction, "bits": [bit]} for name, (direction, bit) in PORTS.items()},
    "cells": {"wire": WIRE},
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


@pytest.mark.parametrize(
    ("board_name", "configuration", "reason"),
    [
        ("sim", "default", "board sim has no netlist: choose BOARD=ecpix5"),
        ("ecpix5", "eth", "nothing is simulated at the pins of ecpix5_eth"),
        ("ecpix5", "zephyr", "nothing is simulated at the pins of ecpix5_zephyr"),
        ("ecpix5", "pipelined", "no PLL is simulated that gives the clock of ecpix5_pipelined"),
    ],
)
def test_what_cannot_be_simulated_is_refused(board_name, configuration, reason):
    with pytest.raises(netlist.NetlistError, match=reason):
        netlist_board.require(targets.load(board_name, configuration))


def test_other_cycles_than_the_simulated_board_are_named():
    expected = {Engine.ISE: {"cycles": 2893, "transfer_cycles": 3232}}
    same = {"stage": "routed", "engine": "ise", "cycles": 2893, "transfer_cycles": 3232}
    assert netlist_check.differences([same], expected) == []
    (difference,) = netlist_check.differences([{**same, "cycles": 2894}], expected)
    assert difference == "ise has cycles 2894 after routed, 2893 there"
