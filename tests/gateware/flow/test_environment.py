# SPDX-License-Identifier: BSD-2-Clause
"""Test the environment files that we generate for labgrid. Data files of the boards determine the cable, UART and
address. If a file cannot be generated, a one-line error states the reason.
"""

import subprocess
import sys

import pytest
import yaml
from cipherlane.link import cables
from cipherlane_base.wire.codes import Engine

from gateware import boards, targets
from gateware.flow import cable_table, environment
from gateware.flow.firmware import REPOSITORY
from tests.waiting import HANG_S

HARDWARE = [board for board in map(boards.load, boards.names()) if not board.simulated]


def main_of(target, port="", remote=False):
    found = environment.content(target, REPOSITORY / "build", port, remote=remote)
    return found["targets"]["main"]


def run(*words):
    command = [sys.executable, "-m", "gateware.flow.environment", *map(str, words)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=HANG_S)


@pytest.mark.parametrize("target", targets.load_all(), ids=lambda target: target.name)
def test_every_target_has_one(target):
    """Each target's environment file lists a resource for each transport, and lists only engines known to the host
    tool. For an FPGA board without a bootloader, the file also contains the JTAG cable and the cable's driver.
    """
    port = "" if target.board.uart_usb or "uart" not in environment.transports(target) else "/dev/ttyUSB7"
    main = main_of(target, "" if target.board.simulated else port)
    resources, options = main["resources"], main["options"]
    assert options["target"] == target.name and options["clock_hz"] == target.sys_clk_freq
    assert options["transports"] and {name.upper() for name in options["engines"]} <= set(Engine.__members__)
    if target.board.simulated:
        assert list(resources) == ["SimulatedBoard"] and options["kind"] == "sim"
        return
    ways = {"uart": {"USBSerialPort", "RawSerialPort"}, "udp": {"BoardAddress"}}
    for way, names in ways.items():
        assert (way in options["transports"]) == bool(names & set(resources))
    assert ("JtagCable" in resources) == ("OpenFPGALoaderDriver" in main["drivers"]) == (not target.board.bootloader)
    assert main["drivers"]["BoardStrategy"].get("part", target.board.part) == target.board.part


def test_a_board_is_loaded_with_the_words_that_make_flash_has():
    """For the ECPIX-5, openFPGALoader needs the board's name. Without it, openFPGALoader uses wrong pins of the
    board's JTAG cable.
    """
    assert main_of(targets.load("ecpix5"))["drivers"]["OpenFPGALoaderDriver"]["board"] == "ecpix5"
    assert main_of(targets.load("versa_ecp5"))["drivers"]["OpenFPGALoaderDriver"]["cable"] == "ft2232"
    assert targets.load("ecpix5").board.part == "LFE5UM5G-85" and targets.load("ulx3s_25f").board.part == "LFE5U-25"


def test_ports_that_are_named():
    target = targets.load("ecpix5", "eth")
    usb = {"ID_VENDOR_ID": "0403", "ID_MODEL_ID": "6010"}
    named, addressed, plain = main_of(target, "/dev/ttyS5"), main_of(target, "udp://10.0.0.9"), main_of(target)
    assert named["resources"]["RawSerialPort"] == {"port": "/dev/ttyS5", "speed": 1_000_000}
    assert named["resources"]["BoardAddress"] == plain["resources"]["BoardAddress"] == {"address": "192.168.1.50"}
    assert addressed["resources"]["BoardAddress"] == {"address": "10.0.0.9"}
    serial = {"match": {**usb, "ID_USB_INTERFACE_NUM": "01"}, "speed": 1_000_000}
    assert addressed["resources"]["USBSerialPort"] == plain["resources"]["USBSerialPort"] == serial
    assert plain["resources"]["JtagCable"] == {"match": usb}
    assert main_of(targets.load("orangecrab"), remote=True)["resources"] == {}, "the place has them"


@pytest.mark.parametrize("board", HARDWARE, ids=lambda board: board.name)
def test_each_boards_cable_is_one_that_doctor_and_udev_know(board):
    for cable in board.cables:
        identity, _, interface = cable.uart_usb.partition("/")
        assert cable.usb in cables.CABLES and f'ATTR{{idProduct}}=="{cable.usb[5:]}"' in cables.rules()
        assert not identity or cables.boards_at(identity, int(interface or 0)), "`find` knows its UART"
    identities = [cable.usb for cable in board.cables]
    assert board.cables and len(set(identities)) == len(identities), "the bus tells them apart"
    assert all(bool(cable.revision) == (len(identities) > 1) and cable.source for cable in board.cables)


def test_the_host_tool_knows_what_the_boards_files_say():
    assert cable_table.PATH.read_text() == cable_table.render(), "run `make pages`"


def test_another_revision_has_its_own_cable_and_uart(monkeypatch):
    usb = {"ID_VENDOR_ID": "0403", "ID_MODEL_ID": "6011"}
    there = [cables.Cable("0403:6011", "", "", True)]
    target = targets.load("ecpix5")
    for attached, revision in ((there, ""), ([], "R03")):
        monkeypatch.setattr(cables, "attached", lambda attached=attached: attached)
        main = environment.content(target, REPOSITORY / "build", revision=revision)["targets"]["main"]
        assert main["resources"]["JtagCable"] == {"match": usb}
        assert main["resources"]["USBSerialPort"]["match"] == {**usb, "ID_USB_INTERFACE_NUM": "02"}
        assert main["drivers"]["OpenFPGALoaderDriver"] == {"cable": "ft4232", "image": "bitstream"}
    options = {"remote": True, "revision": "R03"}
    remote = environment.content(target, REPOSITORY / "build", **options)["targets"]["main"]
    assert remote["resources"] == {} and remote["drivers"]["OpenFPGALoaderDriver"]["cable"] == "ft4232"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["ulx3s", "eth"],
            "board ulx3s has no configuration 'eth' (Cipherlane sets up no Ethernet on this board): choose one of "
            "default, sdram, loader, or combine features as in eth+sdram (`make boards` lists them)",
        ),
        (["orangecrab"], "the UART of OrangeCrab r0.2 (ECP5-25F) may be at any adapter: name it by PORT=/dev/ttyUSB0"),
        (
            ["ulx3s", "--port", "udp://10.0.0.9"],
            "Radiona ULX3S (ECP5-85F) answers only by uart, not at PORT=udp://10.0.0.9",
        ),
        (
            ["butterstick", "eth", "--port", "/dev/ttyUSB0"],
            "ButterStick (ECP5-85F), Ethernet answers only by udp, not at PORT=/dev/ttyUSB0",
        ),
        (
            ["ecpix5", "--revision", "R9"],
            "LambdaConcept ECPIX-5 (ECP5-85F) has no revision R9: choose REVISION=R02 or R03",
        ),
        (["sim", "--port", "/dev/ttyUSB0"], "the simulated board has no port: leave PORT out"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path, words, says):
    done = run(*words, "--to", tmp_path / "file.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"hil: error: {says}\n")
    assert not (tmp_path / "file.yaml").exists()


def test_the_file_is_what_was_said(tmp_path):
    path = tmp_path / "new" / "file.yaml"
    assert run("ecpix5", "eth", "--build", tmp_path, "--to", path).returncode == 0
    assert yaml.safe_load(path.read_text()) == environment.content(targets.load("ecpix5", "eth"), tmp_path)
    assert path.read_text().startswith(
        "# LambdaConcept ECPIX-5 (ECP5-85F), Ethernet: written by `make hil BOARD=ecpix5 "
    )
