"""Loading a board: with openFPGALoader as it is, where no board is; with what it says of one, recorded."""

import os
import time

import pytest

from gateware import targets
from gateware.flow.flash import FlashError, built, confirm, flash
from tests.gateware.flow.test_build import gateware_flow
from tests.host.model import PeerBoard, SocketBoard

TARGET = targets.load("ecpix5", "eth")
CABLE = ["--board", "ecpix5"]


def detected(*models: str) -> str:
    """What openFPGALoader 0.10 prints of a chain."""
    lines = ["Jtag frequency : requested 6.00MHz   -> real 6.00MHz"]
    for n, model in enumerate(models):
        lines += [f"index {n}:", "\tidcode 0x81113043", "\tmanufacturer lattice", "\tfamily ECP5"]
        lines += [f"\tmodel  {model}", "\tirlength 8"]
    return "\n".join(lines)


ORANGECRAB = targets.load("orangecrab")


@pytest.fixture
def build(tmp_path):
    """A folder with a bitstream in it."""
    (tmp_path / "gateware").mkdir()
    for name in ("ecpix5_eth", "orangecrab"):
        (tmp_path / "gateware" / f"{name}.bit").write_bytes(b"\xff" * 64)
    return tmp_path


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """Puts an openFPGALoader first that notes its words, and says the same each time it is asked or writes."""
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    def place(detects: str, status: int = 0, writes: str = "Done", write_status: int = 0):
        for name, text in (("detects", detects), ("writes", writes)):
            (tmp_path / name).write_text(text)
        program = programs / "openFPGALoader"
        program.write_text(f"""#!/bin/sh
echo "$*" >> {log}
case "$*" in
*--detect*) cat {tmp_path}/detects; exit {status} ;;
*) cat {tmp_path}/writes >&2; exit {write_status} ;;
esac
""")
        program.chmod(0o755)
        return lambda: log.read_text().splitlines() if log.exists() else []

    return place


@pytest.mark.parametrize(("memory", "option"), [("sram", "--write-sram"), ("spi", "--write-flash")])
def test_the_part_is_read_before_anything_is_written(build, loader, memory, option):
    words = loader(detected("LFE5UM5G-85"))
    said = flash(TARGET, build, memory)
    assert said.startswith("ecpix5_eth.bit is loaded into LambdaConcept ECPIX-5") and "\n" not in said
    assert ("until its power is off" in said) == (memory == "sram")
    bit = build / "gateware" / "ecpix5_eth.bit"
    assert words() == ["--board ecpix5 --detect", f"--board ecpix5 {option} {bit}"]


@pytest.mark.parametrize(
    ("detects", "status", "says"),
    [
        (
            "unable to open ftdi device: -3 (device not found)\nJTAG init failed with: unable to open ftdi device",
            1,
            "no LambdaConcept ECPIX-5 .* could be opened: none is found: attach it by its USB cable, power it on",
        ),
        (
            "unable to open ftdi device: -4 (usb_open() failed)\nJTAG init failed with: unable to open ftdi device",
            1,
            "no LambdaConcept .*: no permission: run `sudo make udev` in .*, add yourself to the group plugdev.*",
        ),
        (
            "unable to open ftdi device: -5 (unable to claim device)\nJTAG init failed",
            1,
            "no LambdaConcept .*: another program has its cable: end that one",
        ),
        (detected(), 0, "nothing answers on the JTAG of LambdaConcept .*: power it on, .*"),
        (
            detected("LFE5U-25"),
            0,
            "on the cable is a LFE5U-25, and ecpix5_eth.bit is for a LFE5UM5G-85",
        ),
        (
            "JTAG init failed with: Unknown device with IDCODE: 0x00fa03fa (manufacturer: 0x1fd",
            1,
            "LambdaConcept .* could not be loaded: openFPGALoader says: JTAG init failed with: Unknown device .*",
        ),
    ],
)
def test_a_board_that_is_not_there_or_another_is_not_written(build, loader, detects, status, says):
    words = loader(detects, status)
    with pytest.raises(FlashError, match=rf"\A{says}\Z"):
        flash(TARGET, build, "spi")
    assert words() == ["--board ecpix5 --detect"]


def test_a_write_that_fails_is_told(build, loader):
    loader(detected("LFE5UM5G-85"), writes="Erasing: [##  ]\rError: Fail to write data\n", write_status=1)
    with pytest.raises(FlashError, match="could not be loaded: openFPGALoader says: Error: Fail to write data"):
        flash(TARGET, build, "sram")


def test_the_command_alone(build, loader):
    words = loader(detected("LFE5UM5G-85"))
    assert flash(TARGET, build, "spi", dry_run=True) == (
        f"openFPGALoader --board ecpix5 --write-flash {build}/gateware/ecpix5_eth.bit"
    )
    assert words() == []


# Of `PeerBoard`.
BUILD = "0001020304050607-08090a0b0c0d0e0f"


def test_the_board_that_answers_is_compared():
    with SocketBoard(PeerBoard()) as server:
        said = confirm(BUILD, server.url)
        assert said.startswith(f"at {server.url} answers model, ")
    assert f"build {BUILD}: that is it" in said and "\n" not in said


def test_another_board_that_answers_is_told():
    with SocketBoard(PeerBoard()) as server, pytest.raises(FlashError) as raised:
        confirm(BUILD[:-1] + "e", server.url, 0.5)
    assert f"says build {BUILD}, of other firmware than {BUILD[:-1]}e: flash the matching firmware" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_board_that_still_starts_is_waited_for():
    """First nobody listens, then nothing comes back, then the board of before answers."""
    board = PeerBoard()
    board.build_id = bytes(16)
    begin = time.monotonic()

    def start(frame):
        passed = time.monotonic() - begin
        if passed > 3:
            board.build_id = bytes(range(16))
        return frame if passed > 1.5 else b"\2"

    with SocketBoard(board, mangle=start) as server:
        assert BUILD in confirm(BUILD, server.url)
    assert time.monotonic() - begin > 3


def test_a_board_that_does_not_answer_is_given_up(tmp_path):
    begin = time.monotonic()
    with pytest.raises(FlashError, match=r"0\.5 s after it was loaded: "):
        confirm(BUILD, str(tmp_path / "tty"), 0.5)
    assert time.monotonic() - begin < 10


def test_a_build_without_an_id_is_told_before_anything_is_written(build, loader):
    words = loader(detected("LFE5UM5G-85"))
    with pytest.raises(FlashError, match=r"\Ano build id in .*ecpix5_eth\.build_id: build it anew\Z"):
        built(TARGET, build)
    result = gateware_flow("ecpix5", "eth", "--flash", "sram", "--port", "nowhere", "--output", str(build))
    assert result.returncode == 1 and result.stderr.startswith("error: no build id in ") and words() == []
    (build / "gateware" / "ecpix5_eth.build_id").write_text(BUILD + "\n")
    assert built(TARGET, build) == BUILD


def test_a_bootloader_is_given_the_flash_s_content_and_asked_nothing(build, loader):
    words = loader("no --detect is asked for", 1)
    bit = build / "gateware" / "orangecrab.bit"
    assert flash(ORANGECRAB, build, "spi", dry_run=True) == f"openFPGALoader --board orangeCrab {bit}"
    assert flash(ORANGECRAB, build, "spi").endswith("in its SPI flash, it starts from it")
    assert words() == [f"--board orangeCrab {bit}"]
    with pytest.raises(FlashError, match="by its bootloader, into its SPI flash alone: run `make flash-spi`"):
        flash(ORANGECRAB, build, "sram")
    assert len(words()) == 1


def test_a_bootloader_that_is_not_there(build):
    """By the real openFPGALoader."""
    result = gateware_flow("orangecrab", "--flash", "spi", "--output", str(build))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no OrangeCrab") and "none is found" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ("ecpix5", "run `make bitstream BOARD=ecpix5` first"),
        ("sim", "board sim is simulated: there is nothing to flash"),
    ],
)
def test_without_a_bitstream(tmp_path, board, says):
    result = gateware_flow(board, "--flash", "sram", "--output", str(tmp_path))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ") and result.stderr.rstrip().endswith(says)


def test_without_a_board(build):
    """By the real openFPGALoader: no board is attached to a machine that tests."""
    result = gateware_flow("ecpix5", "eth", "--flash", "sram", "--output", str(build))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no LambdaConcept ECPIX-5") and len(result.stderr.splitlines()) == 1
