# SPDX-License-Identifier: BSD-2-Clause
"""Tests reports of a board's speed: what `cipherlane bench --report` writes, and that reports with other content are
refused.
"""

import getpass
import json
import re
import socket

import pytest
from cipherlane.errors import FileError
from cipherlane.measuring import reports
from cipherlane_base.wire.codes import Kind

from .commands import command, one_line_error
from .model import PeerBoard, SocketBoard


@pytest.fixture
def board():
    with SocketBoard(PeerBoard(kind=Kind.BOARD)) as server:
        yield server


def report_of(server, path, *words):
    """Write the report of `cipherlane bench WORDS` to `path`; return the report's content and the tool's messages."""
    status, _, error = command("bench", "--port", server.url, "--report", path, *words)
    assert status == 0, error
    return json.loads(path.read_bytes()), error


@pytest.mark.parametrize(
    "mode", [("--engine", "ise", "--key-bits", "128", "--mode", "ctr"), ("--link", "--engine", "ise")]
)
def test_a_report_is_read_as_it_was_written(board, tmp_path, mode):
    path = tmp_path / "report.json"
    found, error = report_of(board, path, *mode, "--bytes", "4096")
    assert error == ""
    read = reports.read("x", path.read_bytes())
    assert (read.board, read.firmware, read.kind, read.link) == ("model", "peer 1.2.3", "board", "serial")
    assert (read.clock_hz, read.build_id) == (75_000_000, "0001020304050607-08090a0b0c0d0e0f")
    assert read.selftest == 12 * 4 * 2  # 12 tests for each combination of four engines and two modes
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", read.date)
    (measured,) = read.measured
    assert (measured.engine, measured.key_bits, measured.bytes) == ("ise", 128, 4096)
    (fields,) = found["measured"]
    assert all(getattr(measured, name) == value for name, value in fields.items())


def test_a_report_tells_nothing_about_its_author(board, tmp_path):
    """A report must not name the port, the file, the machine or the user."""
    path = tmp_path / "report.json"
    for words in (("--engine", "ise"), ("--link", "--bytes", "4096")):
        found, _ = report_of(board, path, *words, "--force")
        text = json.dumps(found)
        private = [board.url, board.url.rpartition(":")[2], str(tmp_path), socket.gethostname(), getpass.getuser()]
        found["build_id"] = ""
        assert not [each for each in private if re.search(rf"\b{re.escape(each)}\b", text)]


def test_the_self_test_runs_first(board, tmp_path):
    board.board.selftest_failures = 1
    path = tmp_path / "report.json"
    status, _, error = command("bench", "--port", board.url, "--report", path, "--engine", "ise")
    assert status == 1 and "`cipherlane selftest` shows what failed" in one_line_error(error)
    assert not path.exists() and "bench" not in board.board.seen
    status, output, _ = command("selftest", "--port", board.url)
    assert status == 1 and b"failed on ise" in output


def test_a_board_without_a_build_has_no_report(board, tmp_path):
    board.board.build_id = bytes(16)
    path = tmp_path / "report.json"
    status, _, error = command("bench", "--port", board.url, "--report", path, "--engine", "ise")
    assert status == 2 and "a report needs a board that `make bitstream` built" in one_line_error(error)
    assert not path.exists() and "bench" not in board.board.seen


def test_an_existing_file_is_kept(board, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("mine")
    status, _, error = command("bench", "--port", board.url, "--report", path, "--engine", "ise")
    assert status == 2 and "--force" in one_line_error(error)
    assert path.read_text() == "mine" and "bench" not in board.board.seen


def test_a_simulated_board_gives_a_report_with_a_warning(tmp_path):
    with SocketBoard(PeerBoard(kind=Kind.SIM)) as server:
        found, error = report_of(server, tmp_path / "report.json", "--engine", "ise")
    assert found["kind"] == "sim" and error.count("\n") == 1 and "only takes reports about hardware" in error


# Maps each field of a report to a wrong value, and to a text that the error about this value must contain.
WRONG = {
    "format": ("cipherlane report 2", "is not a report"),
    "board": ("\x1b]0;x\x07", "board has characters"),
    "firmware": ("x" * 200, "firmware has characters"),
    "build_id": ("0011", "build_id is not"),
    "clock_hz": (0, "clock_hz must be"),
    "kind": ("hardware", "kind must be one of"),
    "link": ("/dev/ttyUSB0", "link must be one of"),
    "selftest": (0, "selftest must be"),
    "date": ("2026-02-30", "date must be a day"),
    "cipherlane": ("<b>", "cipherlane has characters"),
    "commit": ("HEAD", "commit has characters"),
    "measured": ([], "measured must be a list"),
}
WRONG_MEASURED = {
    "engine": ("ise|x", "engine must be one of"),
    "key_bits": (True, "key_bits must be one of"),
    "direction": ("up", "direction must be one of"),
    "mode": (None, "mode must be one of"),
    "bytes": (1 << 20, "blocks do not hold"),
    "blocks": (-1, "blocks must be"),
    "cycles": (3, "too few"),
    "key_cycles": (1.5, "key_cycles must be"),
}
WRONG_LINK = {
    "record_bytes": (1 << 20, "record_bytes must be"),
    "window_records": (0, "window_records must be"),
    "bytes": ("4096", "bytes must be"),
    "seconds": (1e-9, "s are not"),
    "goodput_mbps": (float("nan"), "goodput_mbps must be"),
    "loss": (2, "loss must be"),
    "retransmissions": (-1, "retransmissions must be"),
}


def refusal(found) -> str:
    with pytest.raises(FileError) as refused:
        reports.read("x.json", json.dumps(found).encode())
    message = str(refused.value)
    assert message.startswith("x.json") and message.isprintable() and "cipherlane bench" in message
    return message


def test_every_field_is_checked(board, tmp_path):
    """A report must be refused if a field has a wrong value, is missing, or is unknown."""
    path = tmp_path / "report.json"
    cases = [(WRONG, lambda found: found), (WRONG_MEASURED, lambda found: found["measured"][0])]
    for words, (wrong, place) in [(("--engine", "ise"), case) for case in cases] + [
        (("--link", "--engine", "ise", "--bytes", "4096"), (WRONG_LINK, lambda found: found["measured"][0]))
    ]:
        whole, _ = report_of(board, path, *words, "--force")
        assert set(place(whole)) >= set(wrong), "the table of wrong values is out of date"
        for name in place(whole):
            for change in ("wrong", "missing"):
                found = json.loads(json.dumps(whole))
                if change == "missing":
                    del place(found)[name]
                    message = refusal(found)
                    assert name in ("format", "seconds") or f"{name} is missing" in message
                elif name in wrong:
                    place(found)[name], said = wrong[name]
                    assert re.search(said, refusal(found)), (name, refusal(found))
        found = json.loads(json.dumps(whole))
        place(found)["port"] = "/dev/ttyUSB0"
        assert "'port' is no field" in refusal(found)


def test_no_report_exceeds_the_cable(board, tmp_path):
    whole, _ = report_of(board, tmp_path / "report.json", "--link", "--engine", "ise", "--bytes", "4096")
    whole["link"] = "udp"
    (measured,) = whole["measured"]
    measured |= {"seconds": 4096 * 8 / 2e9, "goodput_mbps": 2000.0}
    assert "more than gigabit Ethernet carries" in refusal(whole)
    measured |= {"seconds": 4096 * 8 / 5e8, "goodput_mbps": 500.0}
    assert reports.read("x", json.dumps(whole).encode()).measured[0].goodput_mbps == 500


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"1" * 5000, b" " * (reports.MOST_BYTES + 1)]
)
def test_other_files_are_no_reports(text):
    with pytest.raises(FileError, match="is not a report: `cipherlane bench --report FILE` writes one"):
        reports.read("x", text)
