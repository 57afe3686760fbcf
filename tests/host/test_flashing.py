# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane flash`: the files that it refuses, its arguments for openFPGALoader, and the board that answers. A
fake openFPGALoader records its arguments and a digest of the bitstream. `tests/gateware/flow/test_flash.py` tests
openFPGALoader's errors.
"""

import dataclasses
import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from cipherlane.link import cables, flashing
from cipherlane_base.bitstream import Cable, Description, DescriptionError

from tests.waiting import HANG_S

from .commands import command, one_line_error
from .links import SimulatedClock
from .model import PeerBoard, SocketBoard

CONTENT = bytes(range(256)) * 40
BUILD = "0001020304050607-08090a0b0c0d0e0f"  # of `PeerBoard`
ECPIX = Description.of(
    CONTENT,
    board="ecpix5",
    configuration="eth",
    title="LambdaConcept ECPIX-5 (ECP5-85F)",
    part="LFE5UM5G-85",
    bootloader=False,
    cables=(
        Cable("R02", "R01, R02", "0403:6010", ("--board", "ecpix5")),
        Cable("R03", "R03", "0403:6011", ("--cable", "ft4232")),
    ),
    build_id=BUILD,
    version="0.1.0",
)
BUTTERSTICK = Description.of(
    CONTENT,
    board="butterstick",
    configuration="eth",
    title="ButterStick",
    part="LFE5UM5G-85",
    bootloader=True,
    cables=(Cable("", "", "1209:5af1", ("--dfu", "--vid", "0x1209", "--pid", "0x5af1", "--altsetting", "0")),),
    build_id=BUILD,
    version="0.1.0",
)


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a bitstream and its description, and returns the bitstream's path."""

    def write(description=ECPIX, content=CONTENT, text=None):
        path = tmp_path / "some.bit"
        path.write_bytes(content)
        (tmp_path / "some.bit.json").write_text(description.text() if text is None else text)
        return path

    return write


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """Put a fake openFPGALoader first in PATH; no cable is attached. Return a function that lists the command lines of
    all calls of the fake. In these command lines, a digest of each file replaces the file's name.
    """
    folder, log = tmp_path / "programs", tmp_path / "log"
    folder.mkdir()
    program = folder / "openFPGALoader"
    program.write_text(f"""#!/bin/sh
for each; do
    [ -f "$each" ] && each=$(sha256sum < "$each")
    printf '%s ' "${{each%% *}}"
done >> {log}
echo >> {log}
case "$*" in
*--detect*) printf '\\tmodel  LFE5UM5G-85\\n' ;;
*) echo "send zero sized download request: DONE" ;;
esac
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(cables, "attached", lambda: [])
    return lambda: [line.strip() for line in log.read_text().splitlines()] if log.exists() else []


def refused(outcome, status=2):
    assert outcome[0] == status and outcome[1] == b"", outcome
    return one_line_error(outcome[2])


def test_the_part_is_read_then_the_checked_bytes_are_loaded(file, loader):
    digest = hashlib.sha256(CONTENT).hexdigest()
    status, stdout, stderr = command("flash", file())
    assert (status, stderr) == (0, "")
    assert stdout.decode() == (
        "ecpix5_eth.bit is loaded into LambdaConcept ECPIX-5 (ECP5-85F): in the FPGA until its power is off\n"
    )
    assert loader() == ["--board ecpix5 --detect", f"--board ecpix5 --write-sram {digest}"]
    assert command("flash", file(), "--memory", "spi", "--revision", "r03")[0] == 0
    assert loader()[2:] == ["--cable ft4232 --detect", f"--cable ft4232 --write-flash --verify {digest}"]


def test_a_board_with_a_bootloader_is_loaded_into_its_flash(file, loader):
    status, stdout, _ = command("flash", file(BUTTERSTICK))
    assert status == 0 and b"in its SPI flash" in stdout
    (words,) = loader()
    assert words == f"--dfu --vid 0x1209 --pid 0x5af1 --altsetting 0 {hashlib.sha256(CONTENT).hexdigest()}"
    assert refused(command("flash", file(BUTTERSTICK), "--memory", "sram"), 7).endswith("say --memory spi")
    assert command("flash", file(BUTTERSTICK), "--memory", "spi")[0] == 0
    assert loader() == [words, words]


def test_a_file_that_changes_meanwhile_is_loaded_as_it_was_checked(file, loader, monkeypatch):
    path, load = file(), flashing.load

    def changed(*arguments, **options):
        path.write_bytes(b"other")
        return load(*arguments, **options)

    monkeypatch.setattr(flashing, "load", changed)
    assert command("flash", path)[0] == 0
    assert loader()[-1].endswith(hashlib.sha256(CONTENT).hexdigest())


@pytest.mark.parametrize(
    ("content", "text", "says"),
    [
        (CONTENT[:-1], None, "some.bit is not the bitstream that .*some.bit.json describes: copy both again"),
        (CONTENT[:-1] + b"\0", None, "some.bit is not the bitstream that .* describes: copy both again"),
        (CONTENT, "", "some.bit.json is not the description of a bitstream: it is not JSON"),
        (CONTENT, "[" * 100_000, "some.bit.json has more than 65536 bytes: .*"),
        (CONTENT, "[" * 60_000, "some.bit.json is not the description of a bitstream: it is not JSON"),
        (CONTENT, '{"format": "cipherlane bitstream 2"}', "its format is not cipherlane bitstream 1"),
    ],
)
def test_a_bitstream_without_its_description_is_refused(file, loader, content, text, says):
    said = refused(command("flash", file(content=content, text=text)))
    assert re.search(rf"{says}\Z", said), said
    assert loader() == []


def test_a_missing_file_is_named_with_the_remedy(file, loader, tmp_path):
    assert refused(command("flash", tmp_path / "none.bit")).endswith("none.bit: No such file or directory")
    path = file()
    Path(f"{path}.json").unlink()
    said = refused(command("flash", path))
    assert said.endswith("`make bitstream` writes it next to the bitstream: copy both")
    assert loader() == []


CABLE = {"revision": "", "revisions": "", "usb": "0403:6010", "loader": ["--board", "ecpix5"]}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"title": "\x1b[31m"}, "title"),
        ({"title": ""}, "title"),
        ({"board": "../x"}, "board"),
        ({"configuration": None}, "configuration"),
        ({"part": "a b"}, "part"),
        ({"bootloader": 1}, "bootloader"),
        ({"size": True}, "size"),
        ({"size": -1}, "size"),
        ({"sha256": "0" * 63}, "sha256"),
        ({"build_id": "x"}, "build_id"),
        ({"cables": []}, "cables"),
        ({"cables": [1]}, "cables"),
        ({"cables": [{**CABLE, "usb": "0403"}]}, "usb"),
        ({"cables": [{**CABLE, "loader": []}]}, "loader"),
        ({"cables": [{**CABLE, "loader": ["--board", "ecpix5", "--unprotect-flash"]}]}, "loader"),
        ({"cables": [{**CABLE, "loader": ["--board", "--bulk-erase"]}]}, "loader"),
        ({"cables": [{**CABLE, "loader": ["--board ecpix5"]}]}, "loader"),
        ({"cables": [{**CABLE, "loader": ["/etc/passwd"]}]}, "loader"),
    ],
)
def test_a_description_with_a_wrong_field_is_refused(change, names):
    """The description of a bitstream is not trusted. It must not be able to pass other options to openFPGALoader, or to
    control the terminal.
    """
    fields = json.loads(ECPIX.text())
    assert Description.parse(json.dumps(fields)) == ECPIX
    with pytest.raises(DescriptionError, match=rf"\A{names} "):
        Description.parse(json.dumps({**fields, **change}))


def test_the_command_alone(file, loader):
    path = file()
    status, stdout, _ = command("flash", path, "--dry-run")
    assert (status, stdout.decode()) == (0, f"openFPGALoader --board ecpix5 --write-sram {path}\n")
    status, stdout, _ = command("flash", path, "--dry-run", "--json", "--port", "udp://127.0.0.1")
    assert (status, json.loads(stdout)["command"]) == (0, f"openFPGALoader --board ecpix5 --write-sram {path}")
    assert "loaded" not in json.loads(stdout)
    assert loader() == []


def test_the_board_that_answers_is_compared(file, loader):
    with SocketBoard(PeerBoard()) as server:
        status, stdout, _ = command("flash", file(), "--port", server.url, "--json")
        assert status == 0
        facts = json.loads(stdout)
        assert (facts["build_id"], facts["memory"], facts["loaded"], facts["answered"]) == (BUILD, "sram", True, True)


def test_the_simulated_board_of_the_settings_is_not_asked(file, loader):
    status, stdout, stderr = command("flash", file(), env={"CIPHERLANE_PORT": "sim"})
    assert (status, stderr, len(stdout.splitlines())) == (0, "", 1) and len(loader()) == 2


def test_another_board_that_answers_is_an_error(file, loader, monkeypatch):
    monkeypatch.setattr(flashing, "_ASK_S", HANG_S)
    confirm, clock = flashing.confirm, SimulatedClock()
    monkeypatch.setattr(flashing, "confirm", lambda *words, **options: confirm(*words, 0.5, clock=clock, **options))
    other = dataclasses.replace(ECPIX, build_id=BUILD[:-1] + "e")
    with SocketBoard(PeerBoard()) as server:
        status, stdout, stderr = command("flash", file(other), "--port", server.url)
    assert status == 7 and stdout.startswith(b"ecpix5_eth.bit is loaded")
    assert f"says build {BUILD}, of other firmware than {BUILD[:-1]}e" in one_line_error(stderr)


def test_without_openfpgaloader_the_remedy_is_named(file, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(cables, "attached", lambda: [])
    assert shutil.which("openFPGALoader") is None
    said = refused(command("flash", file()), 7)
    assert said.endswith(
        "openFPGALoader is missing: run `make setup`, or install it (Debian: apt-get install openfpgaloader)"
    )
