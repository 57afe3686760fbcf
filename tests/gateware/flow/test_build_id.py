# SPDX-License-Identifier: BSD-2-Clause
"""Test the build id: what it depends on, what it does not depend on, and where it is stored."""

import pytest
from cipherlane.files import image as imagefile
from cipherlane_base.build_id import MARK, text

from gateware.configurations import CODE_ORIGIN
from gateware.flow import build_id, emulator

VERILOG = """// Date: today
module sim(input clock);
    initial $readmemh("sim_rom.init", rom);
    initial $readmemh("sim_table.init", table);
endmodule
"""
IMAGE = b"begin" + MARK + b"end of it, and 3"


def write(folder, rom=IMAGE, verilog=VERILOG, table="00\n"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sim.v").write_text(verilog)
    (folder / "sim_table.init").write_text(table)
    build_id.write_rom(folder / "sim_rom.init", rom)
    return folder


@pytest.fixture
def gateware(tmp_path):
    return write(tmp_path / "gateware")


def test_the_id_takes_the_place_of_its_mark(gateware):
    shown = build_id.complete(gateware, "sim")
    image = build_id.read_rom(gateware / "sim_rom.init")
    assert image[:5] == IMAGE[:5] and image[21:] == IMAGE[21:] + bytes(-len(IMAGE) % 4)
    assert text(image[5:21]) == shown == build_id.read(gateware, "sim")


def ids(folder, **changed):
    shown = build_id.complete(write(folder, **changed), "sim")
    return shown.split("-")


def test_each_part_is_of_its_own_sources(tmp_path):
    gateware, firmware = ids(tmp_path / "a")
    assert gateware != firmware
    assert ids(tmp_path / "b") == [gateware, firmware], "of the same sources, wherever they are"
    assert ids(tmp_path / "a", verilog=VERILOG.replace("today", "yesterday")) == [gateware, firmware]
    assert ids(tmp_path / "a", rom=IMAGE + b"!") == [gateware, ids(tmp_path / "a", rom=IMAGE + b"!\0\0\0")[1]]
    assert ids(tmp_path / "a", rom=IMAGE + b"!")[1] != firmware
    for changed in ({"verilog": VERILOG.replace("clock", "clk")}, {"table": "01\n"}):
        found = ids(tmp_path / "a", **changed)
        assert found[0] != gateware and found[1] == firmware


def test_what_an_earlier_build_has_left_does_not_count(tmp_path):
    before = ids(tmp_path / "a")
    (tmp_path / "a" / "sim_gone.init").write_text("00\n")
    assert ids(tmp_path / "a") == before
    (tmp_path / "a" / "sim.lpf").write_text("FREQUENCY 1 MHz;\n")
    assert ids(tmp_path / "a")[0] != before[0]


def test_the_checkout_does_not_count(tmp_path, monkeypatch):
    found = []
    for place in (tmp_path / "one", tmp_path / "another"):
        monkeypatch.setattr(build_id.cache, "REPOSITORY", place)
        found.append(ids(place / "build", verilog=VERILOG + f"// \n`include {place}/core.v\n"))
    assert found[0] == found[1]


def test_a_program_without_a_mark_has_no_id(gateware):
    build_id.complete(gateware, "sim")
    assert build_id.complete(write(gateware, rom=b"a program"), "sim") == ""
    assert build_id.read_rom(gateware / "sim_rom.init") == b"a program\0\0\0"
    with pytest.raises(build_id.BuildIdError, match=r"no build id in .*sim\.build_id: build again"):
        build_id.read(gateware, "sim")


def test_firmware_behind_a_loader_has_a_header_and_its_own_id(gateware):
    """The firmware in the code memory and the firmware file for the loader have the same build id. This build id and
    the loader's own build id begin with the same gateware digest.
    """
    verilog = VERILOG + 'initial $readmemh("sim_code.init", code);\n'
    firmware = b"firmware" + MARK + b"its end."
    found = []
    for content in (firmware, firmware + b"more"):
        folder = write(gateware, verilog=verilog)
        build_id.write_rom(folder / "sim_code.init", bytes(32) + content)
        shown = build_id.complete(folder, "sim")
        made = imagefile.read(str(folder / "sim.firmware"))
        assert made.build_id == shown == build_id.read(folder, "sim")
        assert made.header + made.firmware == build_id.read_rom(folder / "sim_code.init")
        assert made.firmware == content.replace(MARK, bytes.fromhex(shown.replace("-", "")))
        assert made.origin == CODE_ORIGIN
        assert text(build_id.read_rom(folder / "sim_rom.init")[5:21]).split("-")[0] == shown.split("-")[0]
        found.append(shown.split("-"))
    assert found[0][0] == found[1][0] and found[0][1] != found[1][1]


def test_two_marks_are_told(gateware):
    write(gateware, rom=IMAGE + IMAGE)
    with pytest.raises(build_id.BuildIdError, match="contains the text 'cipherlane build' 2 times"):
        build_id.complete(gateware, "sim")


def test_a_board_that_starts_another_program_has_that_ones_id(tmp_path, gateware):
    own = build_id.complete(gateware, "sim")
    (tmp_path / "board.json").write_text("{}")
    (tmp_path / "other.bin").write_bytes(b"other" + MARK)
    folder = emulator.lay_out(tmp_path / "out", tmp_path, tmp_path / "other.bin") / "gateware"
    shown = build_id.read(folder, "sim")
    assert shown.split("-")[0] == own.split("-")[0] and shown != own
    assert text(build_id.read_rom(folder / "sim_rom.init")[5:21]) == shown
    assert build_id.read(gateware, "sim") == own, "the board that was there keeps its own"
    (tmp_path / "none.bin").write_bytes(b"none")
    emulator.lay_out(tmp_path / "out", tmp_path, tmp_path / "none.bin")
    assert not build_id.id_file(folder, "sim").exists()
