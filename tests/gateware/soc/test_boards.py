# SPDX-License-Identifier: BSD-2-Clause
"""Tests hardware boards: each SoC elaborates, all names in the board's file exist, and the FPGA part is correct."""

import logging
import subprocess

import pytest

from gateware import targets
from gateware.flow.constraints import frequencies
from gateware.flow.firmware import REPOSITORY
from gateware.soc.soc import CipherlaneSoC
from tests.waiting import HANG_S

# Skip the pipelined core: it takes minutes to elaborate, and uses the same pads as the board's other configurations.
HARDWARE = [t for t in targets.load_all() if not t.board.simulated and t.configuration.name != "pipelined"]
GIGABIT = 125.0


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.INFO)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("target", HARDWARE, ids=lambda target: target.name)
def test_a_soc_is_made_of_pads_that_there_are_for_the_part_that_there_is(target):
    board, configuration = target.board, target.configuration
    soc = CipherlaneSoC(target, firmware=[0])
    soc.finalize()
    manager = soc.platform.constraint_manager
    pads = {}
    for _, pins, _, (name, number, part) in manager.get_sig_constraints():
        assert pins and all(pin != "X" for pin in pins), f"{name} {number} {part} has no pins"
        pads["_".join(filter(None, (name, part)))] = pins
    pins = [pin for of_pad in pads.values() for pin in of_pad]
    assert len(set(pins)) == len(pins), "a pin has two pads"
    assert soc.platform.device.startswith(board.device)
    assert board.device.split("-")[2].startswith(board.speed_grade)
    assert ("serial_tx" in pads) == (board.uart_name == "serial")
    assert ("eth_clocks_rx" in pads) == bool(configuration.ethernet)
    for name in filter(None, (board.clock_pin, board.reset_pin)):
        assert name in pads
    if board.constraints:
        lpf = (REPOSITORY / "constraints" / board.constraints).read_text()
        assert set(frequencies(lpf)) <= set(pads)
        assert all(frequency == GIGABIT for frequency in frequencies(lpf).values())
    regions = soc.bus.regions
    sizes = {"rom": configuration.rom_size, "sram": configuration.sram_size, "buffer": configuration.buffer_size}
    assert {name: regions[name].size for name in sizes} == sizes
    assert soc.sys_clk_freq == target.sys_clk_freq


def listed(option):
    """Let openFPGALoader print its list of boards or cables. Return a dictionary that maps each board to its cable, or
    each cable to its USB identity.
    """
    said = subprocess.run(["openFPGALoader", option], capture_output=True, text=True, timeout=HANG_S).stdout
    return dict((*line.split(), "")[:2] for line in said.splitlines() if line.strip())


def test_openfpgaloader_knows_the_boards_by_their_names():
    """Each board or its cable must be in openFPGALoader's lists. Its USB identity must be as in our board file."""
    loaders = {cable.loader: cable for t in HARDWARE for cable in t.board.cables}
    known, adapters = listed("--list-boards"), listed("--list-cables")
    boards = {words[1]: cable for words, cable in loaders.items() if words[0] == "--board"}
    assert set(boards) == {"ecpix5", "colorlight-i5", "orangeCrab", "ulx3s"} and set(boards) <= set(known)
    named = {words[1]: cable for words, cable in loaders.items() if words[0] == "--cable"}
    assert set(named) == {"ft2232", "ft4232"}
    named |= {known[board]: cable for board, cable in boards.items() if known[board] != "dfu"}
    assert all(adapters[name].removeprefix("0x") == cable.usb for name, cable in named.items())
