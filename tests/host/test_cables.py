# SPDX-License-Identifier: BSD-2-Clause
"""Tests the search for JTAG cables in a folder that imitates Linux's sysfs, and the udev rules for the cables."""

import os
import re

from cipherlane.link import cables


def add(root, name, mode=0o600, **says):
    device = root / "sys" / "bus" / "usb" / "devices" / name
    device.mkdir(parents=True)
    for file, text in says.items():
        (device / file).write_text(text + "\n")
    if mode is not None and "busnum" in says:
        node = root / "dev" / "bus" / "usb" / f"{int(says['busnum']):03}" / f"{int(says['devnum']):03}"
        node.parent.mkdir(parents=True, exist_ok=True)
        node.write_bytes(b"")


def test_nothing_is_said_where_the_system_says_nothing(tmp_path):
    assert cables.attached(tmp_path) is None


def test_a_cable_names_the_boards_and_revisions_that_have_it(tmp_path):
    add(tmp_path, "1-1", idVendor="0403", idProduct="6011", busnum="1", devnum="7", product="Quad RS232-HS")
    (found,) = cables.attached(tmp_path)
    assert (found.title, found.product) == ("FT4232H, as on LambdaConcept ECPIX-5 R03", "Quad RS232-HS")


def test_a_uart_is_one_interface_of_a_cable():
    """On the ECPIX-5 R03, the UART is interface 2 of a cable with the interfaces 0 to 3.

    If the system reports no interface number, any interface may match.
    """
    assert [cables.boards_at("0403:6011", each) for each in (0, 1, 3)] == [[], [], []]
    assert cables.boards_at("0403:6011", 2) == cables.boards_at("0403:6011", None) == ["LambdaConcept ECPIX-5 R03"]
    assert cables.boards_at("0403:6010", 1) == ["LambdaConcept ECPIX-5 R01, R02", "Lattice ECP5-5G Versa"]
    assert cables.boards_at("0403:6015", None) == ["Radiona ULX3S"]
    assert cables.boards_at("1209:5af0", None) == cables.boards_at(None, None) == []


def test_cables_are_told_from_what_else_is_there(tmp_path):
    add(tmp_path, "1-1", idVendor="0403", idProduct="6010", busnum="1", devnum="7", serial="FT\x01123")
    add(tmp_path, "1-2", idVendor="046d", idProduct="c077", busnum="1", devnum="8")
    add(tmp_path, "1-1:1.0", bInterfaceNumber="00")
    add(tmp_path, "2-1", idVendor="0d28", idProduct="0204", busnum="2", devnum="3", mode=None)
    add(tmp_path, "2-2", idVendor="0403", idProduct="6014")
    found = cables.attached(tmp_path)
    assert [(each.usb, each.serial_number, each.usable) for each in found] == [
        ("0403:6010", "FT\x01123", True),
        ("0d28:0204", "", False),
    ], "the second has no node to be opened, and the last one has gone"


def test_a_node_that_may_not_be_opened(tmp_path, monkeypatch):
    add(tmp_path, "1-1", idVendor="0403", idProduct="6010", busnum="1", devnum="7")
    node, asked = tmp_path / "dev" / "bus" / "usb" / "001" / "007", []
    # os.access is replaced, because tests that run as root are allowed to open every file.
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append((path, mode)))
    assert [bool(each.usable) for each in cables.attached(tmp_path)] == [False]
    assert asked == [(node, os.R_OK | os.W_OK)]


def test_a_cmsis_dap_is_opened_as_a_human_interface_device(tmp_path, monkeypatch):
    """The tool openFPGALoader opens a CMSIS-DAP cable through hidraw, so access to the USB device does not suffice."""
    for usb, name in (("0d28", "1-1"), ("0403", "1-2")):
        product = {"0d28": "0204", "0403": "6010"}[usb]
        add(tmp_path, name, idVendor=usb, idProduct=product, busnum="1", devnum=name[-1])
        (tmp_path / f"sys/bus/usb/devices/{name}/{name}:1.0/0003:0D28:0204.0001/hidraw/hidraw3").mkdir(parents=True)
    asked = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append(path) or path.name != "hidraw3")
    assert [each.usable for each in cables.attached(tmp_path)] == [False, True]
    assert asked == [tmp_path / "dev/hidraw3", tmp_path / "dev/bus/usb/001/002"]
    rule = re.compile(
        r'SUBSYSTEM=="hidraw", ATTRS\{idVendor\}=="(.*?)", ATTRS\{idProduct\}=="(.*?)", .*GROUP="plugdev"'
    )
    assert rule.findall(cables.rules()) == [("0d28", "0204")]


def test_each_cable_has_a_rule():
    rules = [line for line in cables.rules().splitlines() if not line.startswith("#") and "hidraw" not in line]
    match = (
        r'SUBSYSTEM=="usb", ATTR\{idVendor\}=="(\w{4})", ATTR\{idProduct\}=="(\w{4})", MODE="0660", GROUP="plugdev", .*'
    )
    assert [":".join(re.fullmatch(match, rule).groups()) for rule in rules] == list(cables.CABLES)
