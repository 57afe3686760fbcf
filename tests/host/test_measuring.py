"""The commands that measure: each counter block is used once, and a board's table of ranges does not fill."""

import io
import json
import random
import subprocess
import sysconfig
from pathlib import Path

import pytest
from cipherlane.counterblocks import CounterBlocks
from cipherlane.device import Device
from cipherlane.errors import RangesFullError
from cipherlane.protocol.layout import Engine

from .links import LossyLink
from .model import PeerBoard, SocketBoard

COMMAND = str(Path(sysconfig.get_path("scripts")) / "cipherlane")


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


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
        records = json.loads(run("demo", "--port", server.url, "--json", file))
        assert [(each["key_bits"], each["direction"]) for each in records][:2] == [(128, "encrypt"), (128, "decrypt")]
        assert len(records) == 3 * 3 * 2 and all(each["verified"] for each in records)
        assert json.loads(run("info", "--port", server.url, "--json"))["ranges_free"] == 2, "one for each key"
        assert "[bold]in" in run("demo", "--port", server.url, "--key-bits", "128", "--engine", "ise", file)
    encrypted = {result for _, result in seen["encrypt"]}
    assert encrypted.isdisjoint(data for data, _ in seen["decrypt"]), "fresh counter blocks"
    assert {data for data, _ in seen["encrypt"]} == {result for _, result in seen["decrypt"]}


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
