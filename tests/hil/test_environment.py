# SPDX-License-Identifier: BSD-2-Clause
"""Tests the environment files of all targets, and USB devices that are plugged in and removed."""

import subprocess
from types import SimpleNamespace

import pytest
from cipherlane.errors import PortError
from labgrid import Environment, Target
from labgrid.resource.udev import USBDebugger, USBSerialPort

from tests.hil.board import UART, AttachedBoardDriver, JtagCable
from tests.hil.openfpgaloader import OpenFPGALoaderDriver
from tests.hil.strategy import BoardStrategy
from tests.hil.support import REPOSITORY
from tests.waiting import HANG_S

WRITE_ALL = """
import sys
from pathlib import Path
from gateware import targets
from gateware.flow import environment
for target in targets.load_all():
    no_port = target.board.simulated or target.board.uart_usb or not target.board.has_uart
    environment.write(Path(sys.argv[1], f"{target.name}.yaml"), target, Path("build"), "" if no_port else "/dev/ttyS7")
"""


def test_labgrid_makes_a_target_of_each(tmp_path):
    """The environment file of each target must contain the resources that its drivers need."""
    subprocess.run(
        [REPOSITORY / ".venv/bin/python", "-c", WRITE_ALL, tmp_path], cwd=REPOSITORY, check=True, timeout=HANG_S
    )
    files = sorted(tmp_path.glob("*.yaml"))
    assert {"ecpix5", "ulx3s_25f", "colorlight_i5", "butterstick_eth", "ecpix5_eth", "sim_eth_zephyr"} <= {
        path.stem for path in files
    }
    for path in files:
        strategy = Environment(str(path)).get_target("main").get_driver("Strategy", activate=False)
        assert isinstance(strategy, BoardStrategy)
        assert strategy.board.simulated or strategy.board.transports, path
        assert bool(strategy.loader) == bool(strategy.part), path
        assert strategy.build_id is None and strategy.status.name == "unknown"
        if strategy.loader:
            assert isinstance(strategy.loader, OpenFPGALoaderDriver) and (
                strategy.loader.board or strategy.loader.cable
            )


def device(vendor, product, kind="usb_device", path="/devices/usb1/1-1"):
    """Return a fake USB device with the attributes of a device of pyudev."""
    properties = {"ID_VENDOR_ID": vendor, "ID_MODEL_ID": product, "BUSNUM": "001", "DEVNUM": "007"}
    return SimpleNamespace(
        subsystem="usb",
        SUBSYSTEM="usb",
        device_type=kind,
        properties=properties,
        attributes={},
        ancestors=[],
        action=None,
        sys_path=path,
        sys_name="1-1",
        device_node="/dev/bus/usb/001/007",
    )


@pytest.mark.parametrize(
    ("vendor", "product", "known"), [("0403", "6010", True), ("0403", "6015", False), ("0d28", "0204", False)]
)
def test_a_cable_of_any_chip(vendor, product, known):
    """`JtagCable` finds cables with any chip. labgrid's own list lacks the chips in the cables of two boards: ULX3S and
    Colorlight i5.
    """
    match = {"ID_VENDOR_ID": vendor, "ID_MODEL_ID": product}
    for kind, found in ((JtagCable, True), (USBDebugger, known)):
        cable = kind(Target("main"), None, match=dict(match))
        assert cable.try_match(device(vendor, product)) is found and cable.avail is found
    cable = JtagCable(Target("main"), None, match=match)
    assert not cable.try_match(device(vendor, product, "usb_interface")) and not cable.try_match(device("046d", "c077"))
    assert cable.try_match(device(vendor, product)) and (cable.busnum, cable.devnum) == (1, 7)


def test_a_port_that_went_away():
    """A board's serial port disappears when its cable is used for JTAG or removed. Opening the port must then fail."""
    target = Target("main")
    port = USBSerialPort(target, None, match={"ID_VENDOR_ID": "ffff"}, speed=1_000_000)
    driver = AttachedBoardDriver(target, None)
    port.avail, port.port = True, "/dev/nonexistent"
    target.activate(driver)
    with pytest.raises(PortError, match="/dev/nonexistent"):
        driver.open(UART)
    port.port = None
    with pytest.raises(PortError, match="the board's serial port is gone: look at its cable and power"):
        driver.open(UART)
