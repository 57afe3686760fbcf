# SPDX-License-Identifier: BSD-2-Clause
"""Test the command that loads a bitstream into a board: with the real openFPGALoader but without a board, and with a
fake openFPGALoader that prints recorded output.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from cipherlane.errors import FlashError
from cipherlane.link import cables, flashing
from cipherlane.link.flashing import confirm
from cipherlane_base.bitstream import Description

from gateware import boards, targets
from gateware.flow import bitstream
from gateware.flow.firmware import REPOSITORY
from gateware.flow.flash import built, flash
from tests.gateware.flow.test_build import gateware_flow
from tests.host.links import SimulatedClock
from tests.host.model import PeerBoard, SocketBoard
from tests.waiting import HANG_S, until

TARGET = targets.load("ecpix5", "eth")
CABLE = ["--board", "ecpix5"]


def detected(*models: str) -> str:
    """Return the text that openFPGALoader prints when it finds these FPGA models on the JTAG chain.

    Before 0.12, it calls each model of a size LFE5UM, with part of its IDCODE.
    """
    lines = ["Jtag frequency : requested 6.00MHz   -> real 6.00MHz"]
    for n, model in enumerate(models):
        idcode = {"LFE5UM-85": "0x1113043"}.get(model, "0x81113043")
        lines += [f"index {n}:", f"\tidcode {idcode}", "\tmanufacturer lattice", "\tfamily ECP5"]
        lines += [f"\tmodel  {model}", "\tirlength 8"]
    return "\n".join(lines)


ORANGECRAB = targets.load("orangecrab")


@pytest.fixture
def build(tmp_path):
    """Return a build folder that contains a bitstream."""
    (tmp_path / "gateware").mkdir()
    for name in ("ecpix5_eth", "orangecrab"):
        (tmp_path / "gateware" / f"{name}.bit").write_bytes(b"\xff" * 64)
    return tmp_path


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """Put a fake openFPGALoader first in PATH. It records its arguments and always prints the given output."""
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


@pytest.mark.parametrize(("memory", "option"), [("sram", "--write-sram"), ("spi", "--write-flash --verify")])
@pytest.mark.parametrize("model", ["LFE5UM5G-85", "LFE5UM-85"], ids=["0.12", "0.10"])
def test_the_part_is_read_before_anything_is_written(build, loader, memory, option, model):
    words = loader(detected(model))
    said = flash(TARGET, build, memory)
    assert said.startswith("ecpix5_eth.bit is loaded into LambdaConcept ECPIX-5") and "\n" not in said
    assert ("until its power is off" in said) == (memory == "sram")
    bit = build / "gateware" / "ecpix5_eth.bit"
    assert words() == ["--board ecpix5 --detect", f"--board ecpix5 {option} {bit}"]


# Output of openFPGALoader 0.10 and 1.1 during programming; standard output and standard error are merged in order.
OPENED = "Open file: DONE\nParse file: DONE\n"
NOT_PROGRAMMED = "Error: Failed to program FPGA: std::exception\n"
STATUS = "displayReadReg\n\tConfig Target Selection : 0\n\tBusy Flag\n\tFail Flag\n\tNo err\n"
SENT = "Loading: [==] 100.00%\nDone\nsend zero sized download request: DONE\n"


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
            "no LambdaConcept .*: another program uses its cable: end that program",
        ),
        (
            "Couldn't open device. Check permissions for /dev/hidraw3\n"
            "JTAG init failed with: Couldn't open device. Check permissions for /dev/hidraw3",
            1,
            "no LambdaConcept .*: no permission: run `sudo make udev` in .*",
        ),
        (detected(), 0, "nothing answers on the JTAG of LambdaConcept .*: power it on, .*"),
        (
            detected("LFE5U-25"),
            0,
            "on the cable is a LFE5U-25, and ecpix5_eth.bit is for a LFE5UM5G-85: attach the board that it is for",
        ),
        (detected("LFE5UM-45"), 0, "on the cable is a LFE5UM-45, and ecpix5_eth.bit is for a LFE5UM5G-85: .*"),
        (
            "JTAG init failed with: Unknown device with IDCODE: 0x00fa03fa (manufacturer: 0x1fd",
            1,
            "no LambdaConcept .* could be opened: what answers is no part that openFPGALoader knows: look at .*",
        ),
    ],
)
def test_a_board_that_is_not_there_or_another_is_not_written(build, loader, detects, status, says):
    words = loader(detects, status)
    with pytest.raises(FlashError, match=rf"\A{says}\Z"):
        flash(TARGET, build, "spi")
    assert words() == ["--board ecpix5 --detect"]


@pytest.mark.parametrize(
    ("writes", "says"),
    [
        (
            OPENED + "Enable configuration: DONE\nSRAM erase: FAIL\n" + STATUS,
            "openFPGALoader reports: SRAM erase: FAIL",
        ),
        (OPENED + "Loading: [=  ] 20.00%\rLoading: [== ] 99.00%\nFail\n" + STATUS, "openFPGALoader reports: Fail"),
        (
            OPENED + "mismatch between target's idcode and bitstream idcode\n"
            "\tbitstream has 0x81113043 hardware requires 0x41111043\n",
            "openFPGALoader reports: mismatch between target's idcode and bitstream idcode",
        ),
        ("Open file FAIL\n", "openFPGALoader reports: Open file FAIL"),
        ("Error: cable \x1b]0;t\x07\u202e\n", r"openFPGALoader reports: Error: cable \x1b]0;t\x07\u202e"),
        (OPENED + "Erasing: [==] 100.00%\nDone\nVerification failed at 4711\n", "reports: Verification failed at 4711"),
        (
            OPENED
            + "Error: Can't erase flash: block protection is set\n       can't unlock without --unprotect-flash\n",
            "its SPI flash is protected: run `openFPGALoader --board ecpix5 --unprotect-flash`, then this again",
        ),
        ("", "openFPGALoader printed nothing"),
    ],
)
def test_a_write_that_fails_is_told(build, loader, writes, says):
    """The error message shows the line of openFPGALoader's output that states the cause. It shows neither the last
    line nor the dump of a status register.
    """
    loader(detected("LFE5UM5G-85"), writes=writes + (NOT_PROGRAMMED if writes else ""), write_status=1)
    with pytest.raises(FlashError) as raised:
        flash(TARGET, build, "spi")
    assert str(raised.value).endswith(says) and str(raised.value).startswith(
        "LambdaConcept ECPIX-5 (ECP5-85F) could not"
    )


def test_a_flash_that_was_interrupted_is_told(build, loader, monkeypatch):
    """Ctrl-C interrupts both our command and openFPGALoader. The command then reports an incomplete bitstream."""
    words = loader(detected("LFE5UM5G-85"))
    program = Path(shutil.which("openFPGALoader"))
    program.write_text(program.read_text().replace("\n*) cat", f"\n*) touch {build}/started; sleep 3600; cat"))
    command = [sys.executable, "-m", "gateware.flow", "ecpix5", "eth", "--flash", "spi", "--output", str(build)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        until(lambda: (build / "started").exists() or process.poll() is not None)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=HANG_S)
    finally:
        process.kill()
    assert len(words()) == 2 and process.returncode == 1
    assert (
        said
        == "error: interrupted: LambdaConcept ECPIX-5 (ECP5-85F) may hold an incomplete bitstream: run this again\n"
    )


@pytest.mark.parametrize(
    ("limit", "program", "says"),
    [
        (1, "#!/bin/sh\nexec sleep 3600\n", "openFPGALoader did not end in 1 s: check the cable"),
        (600, None, "openFPGALoader is missing: run `make setup`, or install it .*"),
    ],
)
def test_an_openfpgaloader_that_hangs_or_is_missing(build, tmp_path, monkeypatch, limit, program, says):
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin" if program else str(folder))
    monkeypatch.setattr(flashing, "DETECT_LIMIT_S", limit)
    if program:
        (folder / "openFPGALoader").write_text(program)
        (folder / "openFPGALoader").chmod(0o755)
    with pytest.raises(FlashError, match=rf"\A{says}\Z"):
        flash(TARGET, build, "sram")


def test_the_command_alone(build, loader):
    words = loader(detected("LFE5UM5G-85"))
    assert flash(TARGET, build, "spi", dry_run=True) == (
        f"openFPGALoader --board ecpix5 --write-flash --verify {build}/gateware/ecpix5_eth.bit"
    )
    assert words() == []


# Of `PeerBoard`.
BUILD = "0001020304050607-08090a0b0c0d0e0f"


def test_the_board_that_answers_is_compared():
    with SocketBoard(PeerBoard()) as server:
        said = confirm(BUILD, server.url)
        assert said.startswith(f"model answers at {server.url}: ")
    assert f"build {BUILD}, as expected" in said and "\n" not in said


def test_another_board_that_answers_is_told(monkeypatch):
    monkeypatch.setattr(flashing, "_ASK_S", HANG_S)
    with SocketBoard(PeerBoard()) as server, pytest.raises(FlashError) as raised:
        confirm(BUILD[:-1] + "e", server.url, 0.5, clock=SimulatedClock())
    assert f"says build {BUILD}, of other firmware than {BUILD[:-1]}e: flash the matching firmware" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_board_that_still_starts_is_waited_for(monkeypatch):
    """After a load, the tool asks for the board's build id. It repeats the request while the board does not answer, or
    still answers with the old build id.
    """
    monkeypatch.setattr(flashing, "_ASK_S", 0.05)
    board, asked = PeerBoard(), []
    board.build_id = bytes(16)

    def start(frame):
        asked.append(frame)
        if len(asked) == SILENT:
            monkeypatch.setattr(flashing, "_ASK_S", HANG_S)  # the board answers all later requests
        if len(asked) == SILENT + 3:
            board.build_id = bytes(range(16))
        return frame if len(asked) > SILENT else b"\2"

    with SocketBoard(board, mangle=start) as server:
        assert BUILD in confirm(BUILD, server.url, clock=SimulatedClock())
    assert len(asked) >= SILENT + 3


SILENT = 5  # the first five requests get no valid answer, so the tool must repeat them


def test_a_board_that_does_not_answer_is_given_up(tmp_path):
    clock = SimulatedClock()
    begin = clock.now()
    with pytest.raises(FlashError, match=r"0\.5 s after it was loaded: "):
        confirm(BUILD, str(tmp_path / "tty"), 0.5, clock=clock)
    assert 0.5 < clock.now() - begin < 1


def test_a_build_without_an_id_is_told_before_anything_is_written(build, loader):
    words = loader(detected("LFE5UM5G-85"))
    with pytest.raises(FlashError, match=r"\Ano build id in .*ecpix5_eth\.build_id: build again\Z"):
        built(TARGET, build)
    result = gateware_flow("ecpix5", "eth", "--flash", "sram", "--port", "nowhere", "--output", str(build))
    assert result.returncode == 1 and result.stderr.startswith("error: no build id in ") and words() == []
    (build / "gateware" / "ecpix5_eth.build_id").write_text(BUILD + "\n")
    assert built(TARGET, build) == BUILD


def test_a_bootloader_is_given_the_flash_s_content_and_asked_nothing(build, loader):
    words = loader("no --detect is asked for", 1, SENT)
    bit = build / "gateware" / "orangecrab.bit"
    assert flash(ORANGECRAB, build, "spi", dry_run=True) == f"openFPGALoader --board orangeCrab {bit}"
    assert flash(ORANGECRAB, build, "spi").endswith("in its SPI flash, from which it starts")
    assert words() == [f"--board orangeCrab {bit}"]
    with pytest.raises(FlashError, match="by its bootloader, only into its SPI flash: run `make flash-spi`"):
        flash(ORANGECRAB, build, "sram")
    assert len(words()) == 1


@pytest.mark.parametrize(
    ("writes", "status", "says"),
    [
        ("Loading: [=  ] 30.00%\ndownload: failed 10 5\nFail\n", 0, "openFPGALoader reports: Fail"),
        (
            "Error: download is not supported by the device\n",
            0,
            "openFPGALoader reports: Error: download is not supported by the device",
        ),
        (SENT + "Error: dfuERROR state\n", 0, "openFPGALoader reports: Error: dfuERROR state"),
        (
            "Error: fail to claim interface with error code -6\nDFU init failed with: Fail to claim device\n",
            1,
            "another program uses its cable: .*",
        ),
        ("DFU init failed with: No DFU compatible device found\n", 1, "none is found: attach it by its USB .*"),
    ],
)
def test_a_bootloader_that_takes_it_not(build, loader, writes, status, says):
    """After a failed download, openFPGALoader can exit with status 0. The command must still report an error."""
    loader("", 0, writes, status)
    with pytest.raises(FlashError, match=rf": {says}\Z"):
        flash(ORANGECRAB, build, "spi")


@pytest.mark.parametrize("usable", [True, False])
def test_what_is_attached_and_may_not_be_opened_is_not_called_missing(build, loader, monkeypatch, usable):
    """If the user is not allowed to open the device, openFPGALoader reports that no device exists. Our error message
    names the right cause.
    """
    loader("", 0, "DFU init failed with: No DFU compatible device found\n", 1)
    there = [cables.Cable("1209:5af0", "OrangeCrab", "", usable), cables.Cable("0403:6010", "another", "", False)]
    monkeypatch.setattr(cables, "attached", lambda: there)
    with pytest.raises(FlashError, match=": none is found" if usable else ": no permission: run `sudo make udev`"):
        flash(ORANGECRAB, build, "spi")


def test_several_cables_of_a_kind_are_told(build, loader, monkeypatch):
    """Two attached cables of one kind are an error, because openFPGALoader would use the first of them."""
    loader(detected())
    monkeypatch.setattr(cables, "attached", lambda: 2 * [cables.Cable("0403:6010", "FT2232H", "", True)])
    with pytest.raises(
        FlashError, match=r"nothing answers .*; 2 cables 0403:6010 are attached: attach only the board's"
    ):
        flash(TARGET, build, "spi")


REVISIONS = {
    "R02": (["0403:6010"], "--board ecpix5"),
    "R03": (["0403:6011"], "--cable ft4232"),
}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_revision_is_loaded_by_its_cable(build, loader, monkeypatch, revision):
    """The type of the attached cable shows the board's revision. If no cable is attached, or if cables for both
    revisions are attached, the argument `revision` selects the revision.
    """
    usb, words = REVISIONS[revision]
    said = loader(detected("LFE5UM5G-85"))
    bit = build / "gateware" / "ecpix5_eth.bit"
    written = [f"{words} --detect", f"{words} --write-sram {bit}"]

    def attach(*identities):
        monkeypatch.setattr(cables, "attached", lambda: [cables.Cable(each, "", "", True) for each in identities])

    attach("1209:5af0", *usb)
    flash(TARGET, build, "sram")
    assert said() == written
    for attached in ((), ("0403:6010", "0403:6011")):
        attach(*attached)
        flash(TARGET, build, "sram", revision=revision.lower())
        assert said()[-2:] == written
    with pytest.raises(
        FlashError, match=r"cables of several revisions .* attach only one, or choose REVISION=R02 or R03"
    ):
        flash(TARGET, build, "sram")
    assert len(said()) == 6


def test_a_revision_that_there_is_not(build):
    with pytest.raises(FlashError, match=r"LambdaConcept ECPIX-5 .* has no revision R04: choose REVISION=R02 or R03"):
        flash(TARGET, build, "sram", revision="R04")
    with pytest.raises(FlashError, match=r"OrangeCrab .* has one kind of cable: leave REVISION=r0\.2 out"):
        flash(ORANGECRAB, build, "spi", revision="r0.2")


def test_make_passes_the_revision_on(build):
    result = gateware_flow("ecpix5", "eth", "--flash", "sram", "--dry-run", "--revision", "R03", "--output", str(build))
    assert result.stdout == f"openFPGALoader --cable ft4232 --write-sram {build}/gateware/ecpix5_eth.bit\n"


def test_a_bootloader_that_is_not_there(build):
    """Without an attached board, the real openFPGALoader finds no bootloader."""
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
    """Run the real openFPGALoader. The machine that runs the tests has no board."""
    result = gateware_flow("ecpix5", "eth", "--flash", "sram", "--output", str(build))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no LambdaConcept ECPIX-5") and len(result.stderr.splitlines()) == 1


HARDWARE = [targets.load(name, next(iter(boards.load(name).fits))) for name in boards.names() if name != "sim"]


@pytest.mark.parametrize("target", HARDWARE, ids=lambda target: target.name)
def test_another_machine_loads_it_by_its_description_as_this_one(tmp_path, target):
    """The file that describes a bitstream must contain all data for loading, and the parser must accept the file."""
    (tmp_path / "gateware").mkdir()
    path = tmp_path / "gateware" / f"{target.name}.bit"
    path.write_bytes(b"\xff" * 64)
    path.with_suffix(".build_id").write_text(BUILD + "\n")
    described = bitstream.describe(target, path.parent)
    assert Description.parse(described.text()) == described and described.is_of(path.read_bytes())
    assert (described.title, described.part, described.build_id) == (target.board.title, target.board.part, BUILD)
    for cable in target.board.cables:
        ours = flash(target, tmp_path, "spi", dry_run=True, revision=cable.revision)
        assert flashing.load(described, path, "spi", dry_run=True, revision=cable.revision) == ours


@pytest.mark.parametrize("achieved", [79.9, 80.0])
def test_only_a_bitstream_that_meets_its_clocks_has_a_description(build, monkeypatch, achieved):
    clocks = [{"name": "sys", "achieved_mhz": achieved, "required_mhz": 80.0}]
    monkeypatch.setattr(bitstream, "_report", lambda *_: {"clocks": clocks})
    for name in ("_check_constraints", "_show", "write"):
        monkeypatch.setattr(bitstream, name, lambda *_, **__: None)
    monkeypatch.setattr(bitstream.toolchain, "versions", lambda *_: {})
    (build / "gateware" / "ecpix5_eth.json").write_text(json.dumps({"modules": {"ecpix5_eth": {}}}))
    (build / "gateware" / "ecpix5_eth.build_id").write_text(BUILD + "\n")
    description = build / "gateware" / "ecpix5_eth.bit.json"
    description.write_text("of an earlier build")
    with nullcontext() if achieved >= 80 else pytest.raises(bitstream.BitstreamError, match="sys missed"):
        bitstream.report(TARGET, build, build, None, {})
    assert description.exists() == (achieved >= 80)
    assert not description.exists() or Description.parse(description.read_text()).configuration == "eth"
