# SPDX-License-Identifier: BSD-2-Clause
"""Zephyr's devicetrees must match LiteX's description of the SoCs. Also tests that `make zephyr` reports an error if
Zephyr is not installed.
"""

import json
import os
import re
import subprocess
import sys

import pytest

from gateware import targets
from gateware.codegen import devicetree
from gateware.flow.devicetrees import zephyr_targets
from gateware.flow.firmware import REPOSITORY, describe_soc
from gateware.flow.zephyr import require_devicetree
from tests.waiting import HANG_S


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("soc")
    describe_soc(targets.load("sim", "zephyr"), folder)
    return folder


@pytest.fixture
def soc(directory):
    return json.loads((directory / "csr.json").read_text())


def node(text, label):
    """Return the properties of a devicetree node as text. The argument `label` is the label of the node, or a reference
    to it such as `&uart0`. The returned text ends at the first closing brace.
    """
    body = re.search(rf"(?:\b{label}: [^{{]*|&{label.lstrip('&')} ){{(.*?)}}", text, re.DOTALL)
    assert body, label
    return body.group(1)


def registers(body):
    values = [tuple(int(word, 16) for word in pair) for pair in re.findall(r"<(0x\w+) (0x\w+)>", body)]
    names = re.search(r"reg-names = (.*?);", body, re.DOTALL)
    return dict(zip(re.findall(r'"(\w+)"', names.group(1)), values, strict=True)) if names else values


@pytest.mark.parametrize(
    ("label", "prefix"), [("uart0", "uart"), ("timer0", "timer0"), ("console0", "console"), ("watchdog0", "watchdog")]
)
def test_registers_and_interrupts(directory, soc, label, prefix):
    body = node(devicetree.render(directory / "csr.json"), label)
    named = registers(body)
    assert named
    for name, (address, size) in named.items():
        described = soc["csr_registers"][f"{prefix}_{name}"]
        assert (address, size) == (described["addr"], 4 * described["size"])
    number = soc["constants"][f"{prefix}_interrupt"]
    assert f"interrupts = <{number} 0>;" in body


def test_every_register_of_the_uart_has_its_place(directory, soc):
    named = registers(node(devicetree.render(directory / "csr.json"), "uart0"))
    assert {f"uart_{name}" for name in named} == {name for name in soc["csr_registers"] if name.startswith("uart_")}


def test_ethernet_is_described_where_there_is_one(directory, tmp_path):
    without = devicetree.render(directory / "csr.json")
    assert "ethernet0" not in without and "fast_path0" not in without
    describe_soc(targets.load("sim", "eth_zephyr"), tmp_path)
    soc = json.loads((tmp_path / "csr.json").read_text())
    text = devicetree.render(tmp_path / "csr.json")
    named = registers(node(text, "ethernet0"))
    assert named["rx_slots"] == (soc["memories"]["ethmac_rx"]["base"], soc["memories"]["ethmac_rx"]["size"])
    assert named["tx_slots"] == (soc["memories"]["ethmac_tx"]["base"], soc["memories"]["ethmac_tx"]["size"])
    assert named["rx_slot"][0] == soc["csr_registers"]["ethmac_sram_writer_slot"]["addr"]
    assert named["tx_start"][0] == soc["csr_registers"]["ethmac_sram_reader_start"]["addr"]
    assert registers(node(text, "fast_path0"))[0][0] == soc["csr_bases"]["fastpath"]
    assert "local-mac-address = [02 43 4c 4e 45 01];" in text


@pytest.mark.parametrize("board", ["sim", "ecpix5"])
def test_sdram_is_described_where_there_is_some(directory, tmp_path, board):
    assert "sdram" not in devicetree.render(directory / "csr.json")
    describe_soc(targets.load(board, "sdram_zephyr"), tmp_path)
    soc = json.loads((tmp_path / "csr.json").read_text())
    text = devicetree.render(tmp_path / "csr.json")
    assert registers(node(text, "sdram0")) == [(0x6000_0000, 32 << 20 if board == "sim" else 512 << 20)]
    body = node(text, "sdram_controller0")
    named = registers(body)
    for name, (address, size) in named.items():
        place = next(place for place in (f"sdram_dfii_{name}", f"ddrphy_{name}") if place in soc["csr_registers"])
        assert (address, size) == (soc["csr_registers"][place]["addr"], 4 * soc["csr_registers"][place]["size"])
    levels = {"dly_sel", "rdly_dq_rst", "rdly_dq_inc", "rdly_dq_bitslip_rst", "rdly_dq_bitslip", "burstdet_seen"}
    assert levels.isdisjoint(named) if board == "sim" else levels <= named.keys()
    header = (tmp_path / "include" / "generated" / "cl_sdram.h").read_text()
    numbers = dict(re.findall(r"#define CL_SDRAM_(\w+) (\d+)\n", header))
    assert numbers == {
        name.upper().replace("-", "_"): value
        for name, value in re.findall(r"([\w-]+) = <(\d+)>;", body)
        if name != "l2-bytes"
    }
    assert f"l2-bytes = <{soc['constants']['config_l2_size']}>;" in body
    assert re.search(r'memory-kind = "(.*)";', body)[1] == re.search(r'CL_SDRAM_KIND "(.*)"', header)[1] == "DDR3"
    masks = re.search(r"CL_SDRAM_LANE_BITS {(.*)}", header)[1].split(", ")
    assert re.search(r"lane-bits = (.*);", body)[1] == ", ".join(f"<{mask}>" for mask in masks)
    steps = re.findall(r"^\t/\* (.*) \*/ (\d), (\d+), (0x\w+), (\d), (\d+), ", header, re.MULTILINE)
    assert [step[1:] for step in steps] == re.findall(r"<(\d) (\d+) (0x\w+) (\d) (\d+)> /\*", body) and len(steps) >= 7


@pytest.mark.parametrize(("label", "memory"), [("rom0", "rom"), ("sram0", "sram"), ("buffer0", "buffer")])
def test_memories(directory, soc, label, memory):
    body = node(devicetree.render(directory / "csr.json"), label)
    assert registers(body) == [(soc["memories"][memory]["base"], soc["memories"][memory]["size"])]


def test_accelerator_and_clock(directory, soc):
    text = devicetree.render(directory / "csr.json")
    body = node(text, "ctr_accelerator0")
    assert registers(body)[0][0] == soc["csr_bases"]["accelerator"]
    assert f"interrupts = <{soc['constants']['accelerator_interrupt']} 0>;" in body
    frequency = soc["constants"]["config_clock_frequency"]
    assert f"clock-frequency = <{frequency}>;" in text


def test_random_source(directory, soc):
    text = devicetree.render(directory / "csr.json")
    assert registers(node(text, "random0"))[0][0] == soc["csr_bases"]["random"]
    assert "zephyr,entropy = &insecure_entropy0;" in text


def test_a_real_board_has_no_insecure_entropy(tmp_path):
    describe_soc(targets.load("ecpix5", "zephyr"), tmp_path)
    text = devicetree.render(tmp_path / "csr.json")
    assert "zephyr,entropy = &random0;" in text and "insecure" not in text


def test_an_interrupt_beyond_zephyrs_table_is_refused(soc, tmp_path):
    description = tmp_path / "csr.json"
    soc["constants"]["uart_interrupt"] = 11
    description.write_text(json.dumps(soc))
    with pytest.raises(devicetree.DescriptionError, match="interrupt 11 of uart"):
        devicetree.render(description)


@pytest.mark.parametrize("target", zephyr_targets(), ids=lambda target: target.name)
def test_the_boards_are_of_the_socs(target, tmp_path):
    describe_soc(target, tmp_path)
    require_devicetree(target.name, tmp_path / "csr.json")


def test_a_soc_without_uptime_is_refused(directory, soc, tmp_path):
    description = tmp_path / "csr.json"
    del soc["csr_registers"]["timer0_uptime_latch"]
    description.write_text(json.dumps(soc))
    with pytest.raises(devicetree.DescriptionError, match="timer0_uptime_latch"):
        devicetree.render(description)


def test_without_a_tree_nothing_is_built(tmp_path):
    environment = {**os.environ, "ZEPHYR_BASE": str(tmp_path)}
    output = tmp_path / "out"
    command = [sys.executable, "-m", "gateware.flow", "sim", "zephyr", "--output", str(output)]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode != 0
    assert re.fullmatch(r"error: .*ZEPHYR_BASE.*make zephyr-setup.*\n", done.stderr)
    assert not output.exists()


def test_an_option_that_would_do_something_else_is_refused():
    for options in (["FIRMWARE=linux"], ["TRANSPORT=can"]):
        done = subprocess.run(
            ["make", "demo", *options], cwd=REPOSITORY, capture_output=True, text=True, timeout=HANG_S
        )
        assert done.returncode != 0
        assert re.fullmatch(r"Makefile:\d+: \*\*\* .*: choose .*\.  Stop\.\n", done.stderr)
