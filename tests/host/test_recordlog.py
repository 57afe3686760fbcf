# SPDX-License-Identifier: BSD-2-Clause
"""Tests the log of the records sent and received: its content, and that it contains no secret."""

import io
import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from cipherlane.errors import ExistsError, FileError
from cipherlane.link.device import Device
from cipherlane.link.recordlog import RecordLog
from cipherlane_base.wire.layout import VERSION, Engine

from tests.waiting import HANG_S

from .commands import COMMAND, ON_POSIX
from .links import LossyLink
from .model import HEADER, PeerBoard, SocketBoard

KEY = bytes(range(0xA0, 0xC0))
IV = bytes(range(16))
PLAINTEXT = b"attack at dawn, " * 200


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def logged(path, board=None, data=PLAINTEXT):
    """Log the records of a transfer; return the lines of the log, and the session."""
    link = LossyLink(board or PeerBoard(), seed=0)
    with (
        Device(link, log=RecordLog(str(path), link.clock)) as device,
        device.open_session(KEY, IV, Engine.ISE, length=len(data)) as session,
    ):
        session.transfer(io.BytesIO(data), io.BytesIO())
        session.stat()
    return lines(path), session


def test_each_record_is_a_line(tmp_path):
    records, session = logged(tmp_path / "log")
    sent = [line["type"] for line in records if line["direction"] == "sent"]
    received = [line["type"] for line in records if line["direction"] == "received"]
    assert sent == ["info", "open", *["data"] * 4, "stat", "close"]
    assert received == [f"{name} reply" for name in sent]
    times = [line["time"] for line in records]
    assert times == sorted(times) and 0 < times[-1] < 1
    info, opened = records[1]["fields"], records[3]["fields"]
    assert (info["board"], info["clock_hz"], info["magic"]) == ("model", 75_000_000, 0x454E4C43)
    assert (records[3]["session"], opened["window"], opened["iv"]) == (session.stream.number, 32, IV.hex())
    data = [line for line in records if line["type"] == "data"]
    assert [line["offset"] for line in data] == [0, 976, 1952, 2928]
    assert [line["length"] for line in data] == [976, 976, 976, 272]
    assert data[0]["sha256"] == data[1]["sha256"] != data[3]["sha256"], "equal data are seen to be equal"
    assert len(data[0]["sha256"]) == 16


def test_values_that_open_something_are_numbered(tmp_path):
    records, session = logged(tmp_path / "log")
    asked, answered = records[2], records[3]
    assert asked["fields"]["key"] == "masked"
    assert asked["token"] == answered["token"] == records[-1]["token"] != records[0]["token"]
    assert asked["fields"]["ticket"] == "0"
    assert answered["fields"]["ticket"] not in ("0", answered["token"])
    text = (tmp_path / "log").read_text()
    assert all(line["token"].startswith("#") for line in records)
    assert str(session.stream.token) not in text and f"{session.stream.token:x}" not in text
    assert str(session.ticket) not in text and f"{session.ticket:x}" not in text


def forms(secret):
    """Yield any 4 consecutive bytes of a secret as a hexadecimal and as a decimal number, each in both byte orders."""
    for start in range(len(secret) - 3):
        part = secret[start : start + 4]
        yield from (part.hex(), part[::-1].hex(), str(int.from_bytes(part, "little")), str(int.from_bytes(part, "big")))


def test_neither_key_nor_plaintext_is_in_it(tmp_path):
    logged(tmp_path / "log")
    text = (tmp_path / "log").read_text()
    assert not [form for form in forms(KEY) if form in text]
    assert "attack" not in text and b"attack".hex() not in text
    salted = {record["sha256"] for record in lines(tmp_path / "log") if "sha256" in record}
    logged(tmp_path / "again")
    assert salted.isdisjoint(record["sha256"] for record in lines(tmp_path / "again") if "sha256" in record), (
        "a guess at the plaintext cannot be tried: each log has a salt of its own"
    )


def test_a_record_that_is_cut_or_unknown_says_its_length_alone(tmp_path):
    log = RecordLog(str(tmp_path / "log"))
    opened = HEADER.pack(VERSION, 2, 80, 0, 0, 7) + bytes(48) + KEY
    log.sent([opened[:-1], opened[:10], b"", HEADER.pack(VERSION, 2, 40, 0, 0, 7) + KEY + bytes(8)])
    log.received([b"\1" + opened[1:], HEADER.pack(VERSION, 0xFF, 8, 1, 16, 7) + b"\x09\0\x02\0\0\0\0\0"])
    log.received([HEADER.pack(VERSION, 0x77, 32, 0, 0, 7) + KEY, HEADER.pack(VERSION, 0xFE, 32, 0, 0, 7) + KEY])
    log.close()
    log.close()
    records = lines(tmp_path / "log")
    assert [record.get("malformed", False) for record in records] == [True] * 3 + [False, True] + [False] * 3
    assert [record["length"] for record in records] == [103, 10, 0, 40, 104, 8, 32, 32]
    assert (records[3]["type"], "fields" in records[3]) == ("open", False)
    assert records[5]["fields"] == {"code": 9, "request": 2, "reserved": 0, "detail": 0}
    assert [record["type"] for record in records[6:]] == ["0x77", "0xfe"]
    assert not [form for form in forms(KEY) if form in (tmp_path / "log").read_text()]


@pytest.mark.parametrize("name", [b"\x1b[2J\xff\n", b"[/x]"])
def test_board_text_is_printable_there_too(tmp_path, name):
    logged(tmp_path / "log", PeerBoard(name=name))
    text = (tmp_path / "log").read_text()
    assert all(" " <= character <= "~" or character == "\n" for character in text)


@ON_POSIX
def test_it_is_its_owners_alone_and_follows_no_link(tmp_path):
    previous = os.umask(0)
    try:
        RecordLog(str(tmp_path / "log")).close()
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600
    (tmp_path / "log").chmod(0o644)
    with pytest.raises(ExistsError, match="name another with --log, or replace it with --force"):
        RecordLog(str(tmp_path / "log"))
    RecordLog(str(tmp_path / "log"), replace=True).close()
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    with pytest.raises(FileError, match="link is a symbolic link, which is not followed: name another"):
        RecordLog(str(tmp_path / "link"))
    RecordLog(str(tmp_path / "link"), replace=True).close()
    assert not (tmp_path / "victim").exists() and not (tmp_path / "link").is_symlink()
    with pytest.raises(FileError, match="No such file or directory"):
        RecordLog(str(tmp_path / "absent" / "log"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full to have a full device")
def test_a_full_disk_is_one_line():
    log = RecordLog("/dev/full")
    with pytest.raises(FileError, match="No space left on device; make room"):
        log.sent([HEADER.pack(VERSION, 1, 0, 0, 0, 7)])


def test_commands_take_the_option(tmp_path):
    with SocketBoard(PeerBoard()) as server:
        command = [COMMAND, "selftest", "--port", server.url, "--log", tmp_path / "log"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    types = [line["type"] for line in lines(tmp_path / "log")]
    assert types == ["info", "info reply", *["selftest", "selftest reply"] * 8]
