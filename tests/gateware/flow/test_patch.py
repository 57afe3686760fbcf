# SPDX-License-Identifier: BSD-2-Clause
"""Test the replacement of firmware in an existing bitstream. For a small design with a ROM, the result must equal the
output of the complete build, byte for byte.
"""

import json
import random
import shlex
import shutil
from types import SimpleNamespace

import pytest
from cipherlane_base.build_id import text

from gateware import targets
from gateware.flow import bitstream, build_id, netlist_board, patch, rom, unpacked
from gateware.flow.cache import REPOSITORY
from gateware.flow.cells import contents
from tests.gateware.flow.test_build import gateware_flow

# This folder is not in /tmp, because YoWASP's tools cannot read files there.
FOLDER = REPOSITORY / "build" / "tests" / "patch"
WORDS = 6144  # size of the ROM in words: three banks, for which synthesis uses eleven block RAMs
SOURCE = f"""
module top(input clock, input [12:0] address, output reg [31:0] read, input [10:0] other, output reg [8:0] table_read);
    reg [31:0] rom [0:{WORDS - 1}];
    (* ram_style = "block" *) reg [8:0] other_memory [0:2047];
    integer n;
    initial begin
        $readmemh("top_rom.init", rom);
        for (n = 0; n < 2048; n = n + 1) other_memory[n] = 7 * n + 1;
    end
    always @(posedge clock) begin
        read <= rom[address];
        table_read <= other_memory[other];
    end
endmodule
"""
FLOW = """yosys -q -p 'read_verilog top.v; synth_ecp5 -top top; write_json top.json'
nextpnr-ecp5 -q --25k --json top.json --lpf-allow-unconstrained --textcfg top.config --write top-routed.json --seed 1
ecppack --bootaddr 0 --compress top.config --svf top.svf --bit top.bit
"""
MADE = ("top.bit", "top.svf", "top.config")


# A design with a ROM and a code memory, as in SoCs with `gateware.soc.loader`.
CODE_WORDS = 16384
WITH_CODE = """
    input [13:0] place, input [3:0] write, input [31:0] written, output [31:0] code_read);
    reg [31:0] code [0:16383];
    reg [13:0] last;
    initial $readmemh("top_code.init", code);
    always @(posedge clock) begin
        if (write[0]) code[place][7:0] <= written[7:0];
        if (write[1]) code[place][15:8] <= written[15:8];
        if (write[2]) code[place][23:16] <= written[23:16];
        if (write[3]) code[place][31:24] <= written[31:24];
        last <= place;
    end
    assign code_read = code[last];
"""


def image(seed, words):
    return random.Random(seed).randbytes(4 * words)


def sources(folder, content, code=None):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "top.v").write_text(SOURCE if code is None else SOURCE.replace(");", "," + WITH_CODE, 1))
    if code is not None:
        build_id.write_rom(folder / "top_code.init", code)
    (folder / "build_top.sh").write_text(FLOW)
    build_id.write_rom(folder / "top_rom.init", content)
    return folder


def whole_flow(folder, content, code=None):
    sources(folder, content, code)
    for line in FLOW.splitlines():
        unpacked.run(shlex.split(line), folder, bitstream.tools())
    return folder


def blocks(folder, name):
    modules = json.loads((folder / name).read_text())["modules"]
    found = modules["top"]["cells"]
    return {cell: contents(found[cell]["parameters"]) for cell in found if found[cell]["type"] == "DP16KD"}


@pytest.fixture(scope="module")
def built():
    """Build the design with firmware that does not fill the ROM; return the folder."""
    return whole_flow(FOLDER / "built", image(1, 4100))


def test_the_bytes_are_those_of_the_whole_flow(built):
    """Replace the firmware by longer firmware, which also uses a ROM bank that was empty."""
    longer = image(2, WORDS)
    apart = sources(FOLDER / "apart", longer)
    before = {name: (built / name).read_bytes() for name in MADE}
    patch.patch(built, apart, "top", bitstream.tools())
    whole = whole_flow(FOLDER / "whole", longer)
    for name in MADE:
        assert (apart / name).read_bytes() == (whole / name).read_bytes() != before[name], name
        assert (built / name).read_bytes() == before[name], "what was there is left alone"
    for name in ("top.json", "top-routed.json"):
        assert blocks(apart, name) == blocks(whole, name) != blocks(built, name)


def test_a_code_memory_changes_with_the_rom():
    built = whole_flow(FOLDER / "loader", image(1, 2000), image(11, 15000))
    contents = image(2, 2040), image(12, CODE_WORDS)
    apart = sources(FOLDER / "loader_apart", *contents)
    patch.patch(built, apart, "top", bitstream.tools())
    whole = whole_flow(FOLDER / "loader_whole", *contents)
    for name in MADE:
        assert (apart / name).read_bytes() == (whole / name).read_bytes() != (built / name).read_bytes(), name
    for name in ("top.json", "top-routed.json"):
        assert blocks(apart, name) == blocks(whole, name)
    with pytest.raises(rom.LayoutError, match="65540 bytes are more than the code memory's 65536"):
        patch.patch(built, sources(FOLDER / "loader_apart", contents[0], image(13, CODE_WORDS + 1)), "top", {})


@pytest.mark.thorough
def test_and_back_again(built):
    """After shorter firmware replaces longer firmware, no part of the longer firmware remains."""
    there, back = sources(FOLDER / "there", image(3, WORDS)), sources(FOLDER / "back", image(1, 4100))
    patch.patch(built, there, "top", bitstream.tools())
    patch.patch(there, back, "top", bitstream.tools())
    for name in MADE:
        assert (back / name).read_bytes() == (built / name).read_bytes()


def test_firmware_that_does_not_go_in(built):
    apart = sources(FOLDER / "apart", image(4, WORDS + 1))
    with pytest.raises(rom.LayoutError, match=f"{4 * WORDS + 4} bytes are more than the ROM's {4 * WORDS}"):
        patch.patch(built, apart, "top", bitstream.tools())
    assert not (apart / "top.bit").exists()


def test_a_rom_that_is_not_what_its_file_says(built):
    apart = sources(FOLDER / "apart", image(5, 10))
    before = (built / "top_rom.init").read_text()
    other = before[:-2] + ("0" if before[-2] != "0" else "1") + "\n"
    (built / "top_rom.init").write_text(other)
    try:
        with pytest.raises(rom.LayoutError, match=r"top\.config does not hold the contents of top_rom\.init"):
            patch.patch(built, apart, "top", bitstream.tools())
    finally:
        (built / "top_rom.init").write_text(before)
    assert not (apart / "top.bit").exists()


CELL = {"type": "DP16KD", "parameters": {"DATA_WIDTH_A": f"{9:032b}"}, "attributes": {"WID": f"{7:032b}"}}


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({}, "only 0 block RAMs of the ROM"),
        ({"rom.0.0": CELL, "rom.0.2": CELL}, "only 2 block RAMs of the ROM"),
        ({"rom.0.0": {**CELL, "parameters": {"DATA_WIDTH_A": f"{18:032b}"}}}, "do not have 9-bit words"),
        ({"rom.0.0": {**CELL, "attributes": {}}}, "have no numbers"),
        ({"code.0.0": CELL}, "the code memory's block RAMs do not have 1-bit words"),
    ],
)
def test_a_netlist_that_is_laid_out_otherwise(cells, says):
    with pytest.raises(rom.LayoutError, match=says):
        rom.Layout({"cells": cells}, "code" if "code.0.0" in cells else "rom")


def test_a_block_ram_that_is_not_in_the_bitstream():
    with pytest.raises(rom.LayoutError, match="block RAMs 7 of the ROM are not in the bitstream"):
        rom.Layout({"cells": {"rom.0.0": CELL}}).image({3: [0] * rom.UNITS})


def test_parameters_hold_the_units():
    units = [random.Random(6).randrange(512) for _ in range(rom.UNITS)]
    assert [int(unit, 16) for unit in contents(rom.parameters(units)).split()] == units


# The next tests run the patch command on the small design, without LiteX, firmware compilation or report.

TARGET = SimpleNamespace(name="top", variables="BOARD=top", board=SimpleNamespace(name="top", simulated=False))
NEW = build_id.MARK + image(7, 4996)


@pytest.fixture
def directory(built, monkeypatch):
    """Return a build folder like the result of `make bitstream`. If the tested command generates the sources again, the
    new sources contain the firmware `NEW`.
    """
    folder = FOLDER / "target"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder / "gateware")
    bitstream.stamp(folder).set()

    def write_sources(target, apart, firmware):
        build_id.complete(sources(apart / "gateware", NEW), "top")

    monkeypatch.setattr(bitstream, "write_sources", write_sources)
    monkeypatch.setattr(patch, "build_firmware", lambda target, where: [])
    monkeypatch.setattr(bitstream, "report", lambda target, where, *more: where / "gateware" / "top.bit")
    return folder


def test_a_build_has_the_new_firmware_and_is_whole(directory, built):
    """Run the command twice. It must install the new firmware, with the same files as a complete build."""
    for _ in range(2):
        assert patch.build(TARGET, directory, FOLDER / "results") == directory / "gateware" / "top.bit"
        assert bitstream.stamp(directory).is_current() and not (directory / "patched").exists()
        new = build_id.read_rom(directory / "gateware" / "top_rom.init")
        assert new[16:] == NEW[16:] and text(new[:16]) == build_id.read(directory / "gateware", "top")
    whole = whole_flow(FOLDER / "whole", new)
    for name in MADE:
        assert (directory / "gateware" / name).read_bytes() == (whole / name).read_bytes()


def refusal(directory, target=TARGET):
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    with pytest.raises(bitstream.BitstreamError) as raised:
        patch.build(target, directory, FOLDER / "results")
    assert all(path.read_bytes() == content for path, content in before.items()), "nothing is lost"
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_without_a_bitstream(directory):
    (directory / "gateware" / "top.bit").unlink()
    assert refusal(directory) == "no bitstream for top: run `make bitstream BOARD=top` first"


def test_a_build_of_another_target(directory):
    assert refusal(directory, targets.load("ecpix5", "eth")).startswith("no bitstream for ecpix5_eth: run")


def test_a_simulated_board(directory):
    assert refusal(directory, targets.load("sim")).startswith("board sim is simulated")


def test_an_interrupted_build(directory):
    bitstream.stamp(directory).clear()
    assert (
        refusal(directory)
        == "the bitstream of top was not built from the sources in its folder: run `make bitstream BOARD=top`"
    )


@pytest.mark.parametrize("file", ["top.v", "build_top.sh", "top_rom.init"])
def test_sources_that_changed_behind_the_bitstream(directory, file):
    path = directory / "gateware" / file
    path.write_text(path.read_text().replace("1", "2", 1))
    assert "was not built from the sources in its folder" in refusal(directory)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("top.v", "7 * n", "5 * n"), ("build_top.sh", "--seed 1", "--seed 2"), ("build_top.sh", "--compress ", "")],
)
def test_gateware_that_has_changed_since(directory, file, old, new):
    """The command refuses a bitstream whose gateware source, placement seed or packing options have changed."""
    path = directory / "gateware" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    bitstream.stamp(directory).set()
    assert (
        refusal(directory) == "the gateware of top or its place-and-route has changed: run `make bitstream BOARD=top`"
    )


def test_a_bitstream_whose_rom_is_another(directory):
    path = directory / "gateware" / "top.config"
    module = netlist_board.module_of(json.loads((directory / "gateware" / "top-routed.json").read_text()), "top")
    number = rom.Layout(module).numbers[3]
    path.write_text(path.read_text().replace(f".bram_init {number}\n", ".bram_init 77\n"))
    assert refusal(directory) == (
        f"block RAMs {number} of the ROM are not in the bitstream: run `make bitstream BOARD=top`"
    )


def test_firmware_that_is_too_large(directory, monkeypatch):
    monkeypatch.setattr(f"{__name__}.NEW", image(8, WORDS + 1))
    assert "more than the ROM's" in refusal(directory)


def test_the_command_says_it_in_one_line(tmp_path):
    result = gateware_flow("ecpix5", "--firmware", "--output", str(tmp_path))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: no bitstream for ecpix5: run `make bitstream BOARD=ecpix5` first\n"
