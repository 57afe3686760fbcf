# SPDX-License-Identifier: BSD-2-Clause
"""Tests the driver for openFPGALoader with recorded output of that program."""

from types import SimpleNamespace

import attr
import pytest
from labgrid import Target
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.resource.udev import USBDebugger

from tests.hil.openfpgaloader import OpenFPGALoaderDriver
from tests.hil.support import DETECTED, NO_CABLE, recorded_loader

ASKED = "--board ecpix5 --busdev-num 1:7"


@target_factory.reg_resource
@attr.s(eq=False)
class RecordedCable(USBDebugger):
    """A fake JTAG cable that udev seems to have found as device 7 on USB bus 1."""

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        properties = {"BUSNUM": "001", "DEVNUM": "007"}
        self.device = SimpleNamespace(subsystem="usb", device_type="usb_device", properties=properties, sys_name="1-1")
        self.avail = True


@pytest.fixture
def bitstream(tmp_path):
    path = tmp_path / "ecpix5.bit"
    path.write_bytes(b"\xff" * 64)
    return path


@pytest.fixture
def driver(tmp_path, bitstream):
    """Return two functions. The first makes an active driver for a fake openFPGALoader. The second lists the command
    lines of all calls of the fake.
    """

    def make(detects=DETECTED, *recorded, options=None, tool=None):
        program, words = recorded_loader(tmp_path / "programs", detects, *recorded)
        config = SimpleNamespace(
            get_tool=lambda name: str(tool or program), get_image_path=lambda kind: {"bitstream": str(bitstream)}[kind]
        )
        target = Target("main", env=SimpleNamespace(config=config))
        RecordedCable(target, None)
        made = OpenFPGALoaderDriver(target, None, board="ecpix5", **(options or {}))
        target.activate(made)
        return made, words

    return make


def test_detect(driver):
    made, words = driver()
    assert made.detect() == ["LFE5UM-85"]
    assert words() == [f"{ASKED} --detect"]


def test_detect_of_several_and_of_none(driver):
    assert driver(DETECTED + DETECTED.replace("UM-85", "U-25"))[0].detect() == ["LFE5UM-85", "LFE5U-25"]
    assert driver("Jtag frequency : requested 6.00MHz\n")[0].detect() == []


@pytest.mark.parametrize(("method", "option"), [("load", "--write-sram"), ("flash", "--write-flash --verify")])
def test_write(driver, bitstream, method, option):
    made, words = driver()
    getattr(made, method)(str(bitstream))
    assert words() == [f"{ASKED} {option} {bitstream}"]


def test_the_image_of_the_environment_by_default(driver, bitstream):
    made, words = driver(options={"image": "bitstream"})
    made.load()
    assert words() == [f"{ASKED} --write-sram {bitstream}"]


def test_options(driver):
    made, words = driver(options={"cable": "ft2232", "fpga_part": "LFE5UM5G-85F", "frequency": 10_000_000})
    made.reset()
    options = "--board ecpix5 --cable ft2232 --fpga-part LFE5UM5G-85F --freq 10000000 --busdev-num 1:7"
    assert words() == [f"{options} --reset"]


def test_what_it_says_when_it_fails_is_kept(driver):
    made, _ = driver(NO_CABLE, 1)
    with pytest.raises(ExecutionError, match="openFPGALoader failed with status 1") as caught:
        made.detect()
    assert caught.value.stdout == NO_CABLE.splitlines()
    made, _ = driver(DETECTED, 0, "Erasing: [##  ]\rError: Fail to write data\n", 3)
    with pytest.raises(ExecutionError, match="status 3") as caught:
        made.reset()
    assert caught.value.stdout[-1] == "Error: Fail to write data"


def test_its_time_is_bounded(driver, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\necho Erasing\nsleep 3600\n")
    slow.chmod(0o755)
    made, _ = driver(options={"timeout": 1}, tool=slow)
    with pytest.raises(ExecutionError, match="did not end in 1 s") as caught:
        made.detect()
    assert caught.value.stdout == ["Erasing"]


def test_without_a_bitstream(driver, tmp_path):
    made, words = driver()
    with pytest.raises(ExecutionError, match="no bitstream named"):
        made.load()
    with pytest.raises(FileNotFoundError, match=r"none\.bit"):
        made.load(str(tmp_path / "none.bit"))
    assert words() == []


def test_without_the_tool(driver, tmp_path):
    made, _ = driver(tool=tmp_path / "none")
    with pytest.raises(ExecutionError, match="openFPGALoader is not installed"):
        made.detect()
