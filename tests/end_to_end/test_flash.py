# SPDX-License-Identifier: BSD-2-Clause
"""Test the report of `make flash PORT=...`: it names the firmware that answers, or states that the loaded firmware does
not run.
"""

import json
import os
import shutil
import sys

import pytest
from cipherlane.errors import FlashError
from cipherlane.link import flashing
from cipherlane.link.flashing import confirm
from cipherlane.transport.simboard import SimulatedBoard, find_board
from cipherlane_base.build_id import MARK

from gateware import targets
from gateware.flow import __main__ as flow
from gateware.flow import build_id
from gateware.flow.flash import loaded_by
from tests.host.links import SimulatedClock
from tests.pseudo_terminal import SerialBoard
from tests.waiting import HANG_S

pytestmark = pytest.mark.simboard

JUMP_TO_ITSELF, NO_INSTRUCTION = 0x0000006F, 0x00000000
WAIT_S = 1.0


@pytest.fixture(autouse=True)
def asked_twice_and_patiently(monkeypatch):
    """Set the waiting times of `make flash` for tests. The board gets ample real time for each answer. Pauses between
    requests take no real time, because they only advance a simulated clock.
    """
    monkeypatch.setattr(flashing, "_AGAIN_S", 2 * WAIT_S)
    monkeypatch.setattr(flashing, "_ASK_S", HANG_S)


@pytest.fixture
def board_with(tmp_path):
    """Return a function that copies the simulated board and changes the contents of its ROM. The function returns the
    copy, and the build id of the original board.
    """

    def make(words):
        built, board = find_board(), tmp_path / "board"
        gateware = built / json.loads((built / "board.json").read_text())["gateware"]
        (board / "gateware").mkdir(parents=True)
        shutil.copyfile(built / "board.json", board / "board.json")
        for path in gateware.iterdir():
            (board / "gateware" / path.name).symlink_to(path)
        rom = build_id.rom_file(board / "gateware", "sim")
        image = build_id.read_rom(rom)
        rom.unlink()
        build_id.write_rom(rom, words(image))
        return SimulatedBoard(board), build_id.read(gateware, "sim")

    return make


@pytest.mark.parametrize("first", [JUMP_TO_ITSELF, NO_INSTRUCTION])
def test_firmware_that_ends_at_once(board_with, first, monkeypatch):
    """The firmware hangs in a loop, or in a trap without a handler. The function `confirm`, which `make flash` calls,
    must report that the board does not answer.
    """
    monkeypatch.setattr(flashing, "_ASK_S", 0.5)  # a short timeout, because this board never answers
    board, build = board_with(lambda image: first.to_bytes(4, "little") * (len(image) // 4))
    again = loaded_by(targets.load("ecpix5", "eth"))
    with board, pytest.raises(FlashError) as raised:
        confirm(build, board.url, WAIT_S, again=again, clock=SimulatedClock())
    assert str(raised.value) == (
        f"at {board.url}, 1 s after it was loaded: no reply from the board: check the board's power, cable and --port; "
        "if its firmware does not run, `make flash BOARD=ecpix5 CONFIG=eth` loads another"
    )


def test_firmware_of_another_build(board_with):
    """The board runs firmware with another build id than expected. The function `confirm` must compare the build ids
    and report the difference.
    """
    board, build = board_with(lambda image: image)
    other = build[:-1] + ("0" if build[-1] != "0" else "1")
    with board:
        assert confirm(build, board.url).endswith(f"build {build}, as expected")
        with pytest.raises(FlashError, match=r"of other firmware than .*: flash the matching firmware"):
            confirm(other, board.url, WAIT_S, clock=SimulatedClock())


def test_firmware_whose_build_id_is_damaged(board_with):
    board, build = board_with(lambda image: image.replace(bytes.fromhex(build_of(image)), MARK))
    with board, pytest.raises(FlashError, match=f"says no build id, not {build}: flash the matching firmware"):
        confirm(build, board.url, WAIT_S, clock=SimulatedClock())


def build_of(image):
    """Return the build id in a firmware image, in hexadecimal and without its hyphen."""
    found = build_id.read(find_board() / "gateware", "sim").replace("-", "")
    assert image.count(bytes.fromhex(found)) == 1
    return found


def test_a_board_that_a_bootloader_loads_is_told_of_that():
    assert loaded_by(targets.load("orangecrab")) == "make flash-spi BOARD=orangecrab, from its bootloader"


def test_the_command_waits_at_a_serial_port_and_compares(tmp_path, monkeypatch, capsys):
    """Test `make flash` without a real board. A fake openFPGALoader prints recorded output. A running simulated board
    answers the request for the build id.
    """
    build = build_id.read(find_board() / "gateware", "sim")
    gateware, program = tmp_path / "gateware", tmp_path / "programs" / "openFPGALoader"
    for folder in (gateware, program.parent):
        folder.mkdir()
    (gateware / "ecpix5.bit").write_bytes(b"\xff")
    (gateware / "ecpix5.build_id").write_text(build)
    program.write_text("#!/bin/sh\nprintf 'index 0:\\n\\tmodel  LFE5UM5G-85\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with SerialBoard() as board:
        words = ["ecpix5", "--flash", "sram", "--output", str(tmp_path), "--port", board.port]
        monkeypatch.setattr(sys, "argv", ["gateware.flow", *words])
        status = flow.main()
    said = capsys.readouterr()
    loaded, *answer = said.out.splitlines()
    assert loaded.startswith("ecpix5.bit is loaded into LambdaConcept ECPIX-5")
    assert (status, said.err) == (0, "")
    assert answer[0].startswith(f"sim answers at {board.port}: baremetal")
    assert answer[0].endswith(f"build {build}, as expected")
