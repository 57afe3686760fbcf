# SPDX-License-Identifier: BSD-2-Clause
"""Tests the command that `make hil` runs: its verdicts, regressions, and a board on a serial port with a fake JTAG
cable.
"""

import hashlib
import re
from xml.etree import ElementTree

import pytest
from cipherlane_base.build_id import is_text

from tests.hil import history
from tests.hil.support import NO_CABLE, command, environment, recorded_loader, runs
from tests.pseudo_terminal import SerialBoard


def verdict(said):
    return re.search(r"^hil: (.*)$", said, re.MULTILINE)[1]


def test_a_regression_fails_names_commits_and_can_be_accepted(tmp_path):
    """The command must report a speed that is a tenth lower than in earlier runs. The simulated board always has the
    same speed, so the test invents the earlier runs.
    """
    words = ["sim", "--results", tmp_path, "--select", "from_memory_to_memory and ise_vmem"]
    status, said = command(*words)
    assert status == 0, said
    assert verdict(said) == "1 checks qualify sim (kind sim)"
    (line,) = runs(tmp_path / "sim.jsonl")
    assert (line["target"], line["kind"], line["clock_hz"], line["serial"]) == ("sim", "sim", 100_000_000, None)
    assert line["figures"].keys() == {"ise_vmem"}
    path = tmp_path / "sim.jsonl"
    path.unlink()
    for n in range(3):
        faster = {"ise_vmem": line["figures"]["ise_vmem"] / 0.9}
        history.append(path, {**line, "commit": f"fast{n}", "figures": faster})
    status, said = command(*words)
    assert status == 1, said
    assert re.search(r"ise_vmem: \d+ Mbps is 10\.0% below \d+, the mean of 3 runs, .* a commit of fast2\.\.", said)
    assert verdict(said).startswith("sim (kind sim) is not qualified")
    assert runs(path)[-1]["regressed"] == ["ise_vmem"]
    assert 'class="bad"' in (tmp_path / "index.html").read_text()
    report = ElementTree.parse(tmp_path / "sim.xml").getroot()
    assert [case.get("name") for case in report.iter("testcase") if case.find("failure") is not None]
    properties = {each.get("name"): each.get("value") for each in report.iter("property")}
    assert properties["target"] == "sim" and properties["kind"] == "sim"
    status, said = command("sim", "--results", tmp_path, "--accept", "ise_vmem")
    assert (status, said) == (0, "the level of ise_vmem on sim begins anew with the next run\n")
    status, said = command(*words)
    assert status == 0, said


def test_an_empty_selection_fails(tmp_path):
    status, said = command("sim", "--results", tmp_path, "--select", "nosuchtest")
    assert status != 0
    assert verdict(said) == "nothing was selected: this run qualifies nothing"
    assert not (tmp_path / "sim.jsonl").exists()


def test_a_run_in_which_all_was_skipped_qualifies_nothing(tmp_path):
    status, said = command("sim", "--results", tmp_path, "--select", "over_the_link")
    assert status == 1
    assert verdict(said) == "all 1 checks were skipped: this run qualifies nothing"
    assert "SKIPPED [1]" in said and "no faster or slower than the simulation" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["nosuch"],
            "no environment file .*nosuch.yaml: `make hil BOARD=nosuch` writes that, HIL_ENV=file is for your own",
        ),
        (["sim", "--accept", "nosuch"], r".*sim\.jsonl has no figure nosuch: it has none"),
        (["sim", "sdram+eth", "--accept", "nosuch"], r".*sim_eth_sdram\.jsonl has no figure nosuch: it has none"),
        (["sim", "eth+nosuch"], "there is no feature 'nosuch'"),
        (["sim", "--coordinator", "127.0.0.1:9", "--wait", "5"], "the coordinator at 127.0.0.1:9 refused reserve: .*"),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(tmp_path, words, says):
    status, said = command(*words, "--results", tmp_path)
    assert status == 1
    assert re.fullmatch(f"hil: error: {says}\n", said), said


def test_without_a_board(tmp_path):
    """If no board is attached, as on machines that run these tests, the command must fail and name the
    missing cable.
    """
    (tmp_path / "ecpix5/gateware").mkdir(parents=True)
    (tmp_path / "ecpix5/gateware/ecpix5.bit").write_bytes(b"\xff")
    environment("ecpix5", "--build", tmp_path, "--to", tmp_path / "ecpix5.yaml")
    status, said = command("ecpix5", "--results", tmp_path, "--environment", tmp_path / "ecpix5.yaml")
    assert status == 1
    assert verdict(said) == (
        "ecpix5 is not qualified: no board in service: no LambdaConcept ECPIX-5 (ECP5-85F) is attached (JtagCable): "
        "attach and power it"
    )
    report = ElementTree.parse(tmp_path / "ecpix5.xml").getroot()
    assert len(list(report.iter("error"))) == 1 == len(list(report.iter("testcase")))


ATTACHED = """
targets:
  main:
    resources:
      RecordedCable: {{}}
      RawSerialPort: {{port: {port}, speed: 1000000}}
    drivers:
      OpenFPGALoaderDriver: {{board: ecpix5, image: bitstream}}
      AttachedBoardDriver: {{}}
      BoardStrategy: {{title: board behind a pseudo-terminal, part: {part}}}
    options:
      {{target: sim, kind: board, clock_hz: 100000000, transports: [uart], engines: [ise, accelerator],
        data_bytes: 300}}
images: {{bitstream: {bitstream}}}
tools: {{openFPGALoader: {loader}}}
imports: [tests.hil.test_openfpgaloader, tests.hil.openfpgaloader, tests.hil.board, tests.hil.strategy]
"""


@pytest.fixture
def attached(tmp_path):
    """Return a function that writes the environment file of a board on a serial port. A fake openFPGALoader replaces
    the board's JTAG cable.
    """
    bitstream = tmp_path / "board.bit"
    bitstream.write_bytes(b"\xff" * 64)

    def write(port, part="LFE5UM5G-85", bitstream=bitstream, **recorded):
        program, words = recorded_loader(tmp_path / "programs", **recorded)
        path = tmp_path / "board.yaml"
        path.write_text(ATTACHED.format(port=port, part=part, bitstream=bitstream, loader=program))
        return ["board", "--environment", path, "--results", tmp_path], words

    return write


def test_a_board_on_a_serial_port_is_flashed_once_and_serves(attached, tmp_path):
    with SerialBoard() as board:
        words, asked = attached(board.port)
        status, said = command(*words, "--select", "service or known_answers or every_byte and 128")
    assert status == 0, said
    assert verdict(said) == "7 checks qualify sim (kind sim)", "what answers says what it is"
    (line,) = runs(tmp_path / "board.jsonl")
    assert is_text(line["build_id"]), "who answered is noted, whatever was loaded"
    assert line["bitstream"] == hashlib.sha256(b"\xff" * 64).hexdigest()[:16]
    cable = "--board ecpix5 --busdev-num 1:7"
    assert asked() == [f"{cable} --detect", f"{cable} --write-sram {tmp_path}/board.bit"]


def test_another_build_than_was_loaded_and_a_simulated_board_are_not_taken_for_it(attached, tmp_path):
    other = "0001020304050607-08090a0b0c0d0e0f"
    (tmp_path / "board.build_id").write_text(other + "\n")
    with SerialBoard() as board:
        words, _ = attached(board.port)
        status, said = command(*words, "--select", "identity or test_build")
    assert status == 1
    assert "('sim', 'sim') == ('board', 'sim')" in said
    assert f"'{other}' in (None, '" in said


@pytest.mark.parametrize(
    ("recorded", "says"),
    [
        (
            {"part": "LFE5U-25"},
            "on the cable is a LFE5UM-85, and the bitstream is for a LFE5U-25: attach the board that it is for",
        ),
        (
            {"detects": NO_CABLE, "status": 1},
            "no board behind .* could be opened: none is found: attach it by its USB .*",
        ),
        ({"detects": ""}, "nothing answers on the JTAG of board behind .*: power it on, or cut a loop in its chain"),
        ({"bitstream": "none.bit"}, r"Local file .*none\.bit not found: run `make bitstream` first"),
        (
            {
                "writes": "Open file: DONE\nSRAM erase: FAIL\ndisplayReadReg\n\tBusy Flag\n\tFail Flag\n\tNo err\n"
                "Error: Failed to program FPGA: std::exception\n",
                "write_status": 1,
            },
            ".* openFPGALoader reports: SRAM erase: FAIL",
        ),
    ],
)
def test_a_board_that_cannot_be_loaded_is_not_tested(attached, recorded, says):
    words, asked = attached("/dev/null", **recorded)
    status, said = command(*words)
    assert status == 1
    assert re.fullmatch(f"sim is not qualified: no board in service: {says}", verdict(said)), said
    assert len(asked()) == 1 + ("writes" in recorded)
