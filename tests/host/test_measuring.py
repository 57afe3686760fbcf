# SPDX-License-Identifier: BSD-2-Clause
"""Tests the commands that measure: they use each counter block only once, and do not fill the table of used ranges."""

import io
import json
import random
import re
import shlex
import subprocess
from types import SimpleNamespace

import cryptography
import pytest
from cipherlane.commands import demo
from cipherlane.commands.common import MODES
from cipherlane.errors import RangesFullError
from cipherlane.link.counterblocks import CounterBlocks
from cipherlane.link.device import DIRECTIONS, Device
from cipherlane_base.figures import Measurement
from cipherlane_base.wire.layout import Engine

from .commands import command, one_line_error
from .links import LossyLink
from .model import PeerBoard, SocketBoard


def run(*words):
    status, output, error = command(*words)
    assert status == 0, error
    return output.decode()


def test_demo_takes_one_range_a_key_and_decrypts_what_it_did_not_encrypt(tmp_path):
    file = tmp_path / "[bold]in"
    file.write_bytes(random.Random(1).randbytes(3333))
    board, seen = PeerBoard(ranges=5), {"encrypt": [], "decrypt": []}
    genuine, direction = board._data, {}
    opening = board._open

    def opened(session, offset, token, data):
        number, reply = opening(session, offset, token, data)
        direction[number] = ("encrypt", "decrypt")[data[3]]
        return number, reply

    def data(session, offset, token, data):
        number, result = genuine(session, offset, token, data)
        seen[direction[session]].append((data, result))
        return number, result

    board._open, board._data = opened, data
    with SocketBoard(board) as server:
        records = json.loads(run("demo", "--port", server.url, "--key-bits", "all", "--json", file))
        assert [(each["key_bits"], each["direction"]) for each in records][:2] == [(128, "encrypt"), (128, "decrypt")]
        assert len(records) == 3 * 3 * 2 and all(each["verified"] for each in records)
        assert json.loads(run("info", "--port", server.url, "--json"))["ranges_free"] == 2, "one for each key"
        shown = run("demo", "--port", server.url, "--engine", "ise", file)
        assert "[bold]in" in "".join(map(str.strip, shown.splitlines())), "a long name is wrapped"
    encrypted = {result for _, result in seen["encrypt"]}
    assert encrypted.isdisjoint(data for data, _ in seen["decrypt"]), "fresh counter blocks"
    assert {data for data, _ in seen["encrypt"]} == {result for _, result in seen["decrypt"]}


def test_demo_of_nothing_but_a_port_ends_with_what_to_quote_and_to_try():
    with SocketBoard(PeerBoard(kind=1)) as server:
        done = command("demo", "--port", server.url)
        assert done[0] == 0
        lines, progress = done[1].decode().splitlines(), done[2].splitlines()
        assert lines[0].strip().startswith("demo.pbm by AES, record by record: engines of board model at 75 MHz")
        said = [
            ("AES-128", engine, direction, *(["gcm"] if mode == "gcm" else []), "verified")
            for engine in ("table", "ise", "accelerator")
            for mode in MODES
            for direction in DIRECTIONS
        ]
        assert [tuple(line.split()) for line in progress] == said
        assert lines[-6].startswith(
            "Simulated at 75 MHz, without the link: C with tables encrypts AES-128 in counter mode at 240 Mbps, "
        )
        version = re.escape(cryptography.__version__)
        verified = rf"Verified: 12 streams of 4096 bytes, .* package cryptography {version} \(\w+ [\d.]+\)\."
        assert re.fullmatch(verified, lines[-5])
        assert lines[-4] == "Next:"
        following = [shlex.split(line, comments=True) for line in lines[-3:]]
        assert [words[1] for words in following] == ["bench", "selftest", "demo"]
        for words in following:
            assert subprocess.run(words, capture_output=True, timeout=300).returncode == 0, words


@pytest.mark.parametrize(
    ("firmware", "where", "broken"),
    [
        (b"baremetal, DDR3", ", data in DDR3 SDRAM", ""),
        (b"baremetal, SDR", ", data in SDR SDRAM", ""),
        (b"another, beta", "", ""),
        (b"SDRAM: bad lines", "", "SDRAM: bad lines"),
    ],
)
def test_demo_says_where_the_data_lie(firmware, where, broken):
    with SocketBoard(PeerBoard(kind=1, firmware=firmware)) as server:
        said = run("demo", "--port", server.url, "--engine", "ise").replace("\n", " ")
    assert f"engines of board model at 75 MHz{where} " in " ".join(said.split())
    assert f"Simulated at 75 MHz{where}, without the link: " in said
    assert (f"data on chip: the board's SDRAM does not work; its firmware reports {broken}" in said) == bool(broken)
    assert broken or "data on chip" not in said


def test_the_picture_of_the_demo_is_one():
    """The picture that the demo makes must be a plain (text) PBM file.

    Its size must not change, because figures measured at different times are compared.
    """
    kind, _, size, *rows = demo.PICTURE.read_bytes().splitlines(keepends=True)
    width, height = map(int, size.split())
    assert kind == b"P1\n" and len(rows) == height
    assert all(len(row) == width + 1 and set(row) <= set(b"01\n") for row in rows)
    assert len(demo.PICTURE.read_bytes()) == 4096


def test_demo_takes_the_engines_that_are_there(tmp_path):
    board = PeerBoard()
    with SocketBoard(board) as server:
        board.engines = 1 << Engine.TABLE | 1 << Engine.BYTE | 1 << Engine.ISE_VMEM
        records = json.loads(run("demo", "--port", server.url, "--json"))
        modes = [("table", "ctr"), ("table", "gcm"), ("ise_vmem", "ctr")]
        assert [(record["engine"], record["mode"]) for record in records[::2]] == modes, "as far as engines have them"
        assert all(record["verified"] for record in records)
        records = json.loads(run("demo", "--port", server.url, "--mode", "gcm", "--json"))
        assert {record["mode"] for record in records} == {"gcm"}
        board.engines = 1 << Engine.BYTE
        status, _, error = command("demo", "--port", server.url)
        assert (status, "none of the demo's engines" in one_line_error(error)) == (2, True)
        assert command("demo", "--port", server.url, "--engine", "byte")[0] == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere", "cannot read .*nowhere: No such"), ("empty", "is empty"), ("/dev/zero", "more than 64 MiB")],
)
def test_demo_looks_at_the_file_before_the_port(tmp_path, name, message):
    (tmp_path / "empty").touch()
    status, _, error = command("demo", "--port", "/dev/nowhere", tmp_path / name)
    assert status == 2 and re.search(message, one_line_error(error))


def measured(engine, cycles, key_bits=256, kind="board"):
    rest = {
        "bytes": 4096,
        "blocks": 256,
        "key_cycles": 9,
        "kind": kind,
        "clock_hz": 75_000_000,
        "processed_bytes": 4096,
    }
    return [Measurement(engine, key_bits, direction, cycles=cycles, **rest) for direction in DIRECTIONS]


def test_the_sentence_to_quote():
    info = SimpleNamespace(kind="board", board="ecpix5", clock_hz=75_000_000, memory="")
    table, best = measured("table", 256 * 1600), measured("accelerator", 256 * 20)
    said = "Measured on board ecpix5 at 75 MHz, without the link: the accelerator encrypts AES-256 in counter mode "
    said += "at 480 Mbps, 20.0 cycles a block"
    assert demo.sentence(info, best) == [f"{said}."]
    ratio = ", 80 times as fast as C with tables on the same RISC-V core."
    assert demo.sentence(info, table + measured("fastpath", 0) + best) == [said + ratio]
    assert demo.sentence(info, measured("fastpath", 0)) == []


def test_bench_through_the_link_takes_one_range_a_key():
    with SocketBoard(PeerBoard(ranges=3)) as server:
        options = ["--link", "--bytes", "5000", "--key-bits", "128", "--key-bits", "256", "--record-bytes", "256"]
        records = json.loads(run("bench", "--port", server.url, *options, "--record-bytes", "512", "--json"))
        assert len(records) == 4 * 2 * 2
        assert json.loads(run("info", "--port", server.url, "--json"))["ranges_free"] == 1


def test_ranges_follow_each_other_also_past_the_last_counter_block():
    blocks = CounterBlocks(192)
    assert blocks.key_bits == 192
    blocks._next = b"\xff" * 15 + b"\xfe"
    starts = [int.from_bytes(blocks.take(size), "big") for size in (16, 17, 1, 0, 5)]
    assert starts == [(1 << 128) - 2, (1 << 128) - 1, 1, 2, 2]


def test_a_full_table_is_what_other_keys_lead_to():
    with Device(LossyLink(PeerBoard(ranges=3), seed=0)) as device, pytest.raises(RangesFullError):
        for _ in range(4):
            with device.open_session(CounterBlocks(128).key, None, Engine.ISE, length=16) as session:
                session.transfer(io.BytesIO(bytes(16)), io.BytesIO())
