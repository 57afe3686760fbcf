# SPDX-License-Identifier: BSD-2-Clause
"""Tests LTE messages on the command line: 3GPP's test sets for 128-EEA2, lengths in bits, and refusals."""

import json
import random
import tomllib
from pathlib import Path

import pytest
from cipherlane import ArgumentError, Engine, connect
from cipherlane.errors import KeyLengthError
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .commands import IV, KEY, command, one_line_error
from .model import ENGINES, PeerBoard, SocketBoard

SETS = tomllib.loads((Path(__file__).parents[1] / "gateware" / "ctr" / "eea2.toml").read_text())["set"]
KEY_128 = {"CIPHERLANE_KEY": KEY[:32]}


def lte(board, source, target, *words, verb="encrypt", cipher="eea2", env=KEY_128, numbers=(1, 2, 1)):
    options = ["--cipher", cipher]
    for name, number in zip(("--count", "--bearer", "--direction"), numbers, strict=True):
        options += [] if number is None else [name, number]
    return command(verb, "--port", board.url, *options, *words, source, target, env=env)


def cut(data, bits):
    return (int.from_bytes(data) >> (8 * len(data) - bits) << (-bits % 8)).to_bytes((bits + 7) // 8)


@pytest.mark.parametrize("given", SETS, ids=lambda given: given["name"])
@pytest.mark.parametrize("verb", ["encrypt", "decrypt"])
def test_published_sets(server, tmp_path, given, verb):
    """The unused bits of the input's last byte can be 1, but in the result the unused bits must be 0."""
    sides = [bytes.fromhex(given[side].replace("\n", "")) for side in ("plaintext", "ciphertext")]
    plain, secret = sides if verb == "encrypt" else sides[::-1]
    behind = -given["length"] % 8
    (tmp_path / "in").write_bytes(plain[:-1] + bytes([plain[-1] | (1 << behind) - 1]))
    numbers = [hex(given["count"]), given["bearer"], given["direction"]]
    status, stdout, stderr = lte(
        server,
        tmp_path / "in",
        tmp_path / "out",
        *("--bits", given["length"], "--verify", "--json"),
        verb=verb,
        numbers=numbers,
        env={"CIPHERLANE_KEY": given["key"]},
    )
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == secret
    record = json.loads(stdout)
    assert record["cipher"] == "eea2" and record["verified"] is True
    assert record["iv"] == f"{given['count']:08x}{given['bearer'] << 3 | given['direction'] << 2:02x}{0:022x}"


@pytest.mark.parametrize("bits", [7993, 8000, 24007, 40017])
def test_each_record_but_the_last_bits(server, tmp_path, bits):
    """A message can be longer than one record. If the message is a whole number of bytes long, the user can omit
    --bits, even if the message comes from standard input.
    """
    data = random.Random(bits).randbytes((bits + 7) // 8)
    (tmp_path / "in").write_bytes(data)
    counter = modes.CTR(bytes.fromhex("0000000114" + "00" * 11))
    expected = Cipher(algorithms.AES(bytes.fromhex(KEY[:32])), counter).encryptor().update(data)
    assert lte(server, tmp_path / "in", tmp_path / "out", "--bits", bits, "--verify")[0] == 0
    assert (tmp_path / "out").read_bytes() == cut(expected, bits)
    server.board.power_cycle()
    words = ("encrypt", "--port", server.url, "--cipher", "eea2", "--count", 1, "--bearer", 2, "--direction", 1)
    status, stdout, stderr = command(*words, "-", "-", stdin=data, env=KEY_128)
    assert status == 0, stderr
    assert stdout == expected


def test_a_message_that_is_interrupted_goes_on(tmp_path):
    """An interrupted message can be resumed only with the same parameters (COUNT, BEARER, DIRECTION, length)."""
    data = random.Random(5).randbytes(4096)
    (tmp_path / "in").write_bytes(data)
    board = PeerBoard()
    board.fail_after = 3
    with SocketBoard(board) as server:
        status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", "--bits", 32763)
        assert status == 7 and "--resume" in stderr
        board.fail_after = None
        for words, what in (((), "length in bits"), (("--bits", 32762), "length in bits")):
            status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", *words, "--resume")
            assert status == 2 and f"was begun with another {what}" in one_line_error(stderr)
        status, _, stderr = lte(
            server, tmp_path / "in", tmp_path / "out", "--bits", 32763, "--resume", numbers=(1, 3, 1)
        )
        assert status == 2 and "was begun with another IV" in one_line_error(stderr)
        words = ("encrypt", "--port", server.url, "--resume", tmp_path / "in", tmp_path / "out")
        status, _, stderr = command(*words, env=KEY_128)
        assert status == 2 and "was begun with another cipher" in one_line_error(stderr)
        status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", "--bits", 32763, "--resume", "--verify")
        assert status == 0, stderr
    counter = modes.CTR(bytes.fromhex("0000000114" + "00" * 11))
    expected = Cipher(algorithms.AES(bytes.fromhex(KEY[:32])), counter).encryptor().update(data)
    assert (tmp_path / "out").read_bytes() == cut(expected, 32763)


def test_a_count_serves_one_message(server, tmp_path):
    (tmp_path / "in").write_bytes(bytes(20))
    assert lte(server, tmp_path / "in", tmp_path / "out")[0] == 0
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "again")
    assert status == 6 and "used" in one_line_error(stderr) and not (tmp_path / "again").exists()
    assert lte(server, tmp_path / "in", tmp_path / "other", numbers=(1, 2, 0))[0] == 0


@pytest.mark.parametrize(
    ("numbers", "words", "expected"),
    [
        ((None, 2, 1), (), "eea2 needs --count: give 0 to 4294967295"),
        ((1, 2, None), (), "eea2 needs --direction: give 0 to 1"),
        ((1 << 32, 2, 1), (), "--count 4294967296 is out of range: give 0 to 4294967295"),
        ((1, 32, 1), (), "--bearer 32 is out of range: give 0 to 31"),
        ((1, -1, 1), (), "--bearer -1 is out of range"),
        ((1, 2, 2), (), "--direction 2 is out of range: give 0 to 1"),
        ((1, 2, 1), ("--bits", 161), "--bits 161 is more than"),
        ((1, 2, 1), ("--bits", 152), "152 bits end before the last byte of"),
        ((1, 2, 1), ("--bits", -1), "--bits -1 is negative: give 0 or more"),
        ((1, 2, 1), ("--iv", IV), "--iv goes with --cipher ctr"),
    ],
)
def test_what_cannot_be_is_refused(server, tmp_path, numbers, words, expected):
    """The tool refuses invalid parameters with an error of one line, before it sends a record or writes a file."""
    (tmp_path / "in").write_bytes(bytes(20))
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", *words, numbers=numbers)
    assert status == 2 and expected in one_line_error(stderr)
    assert server.board.seen == [] and [path.name for path in tmp_path.iterdir()] == ["in"]


def test_options_that_do_not_go_together(server, tmp_path):
    (tmp_path / "in").write_bytes(bytes(20))
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", cipher="ctr")
    assert status == 2 and "--count goes with --cipher eea1 or eea2" in one_line_error(stderr)
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", env={"CIPHERLANE_KEY": KEY})
    assert status == 2 and "the key has 192 bits: 128-EEA2 needs a key of 128" in one_line_error(stderr)
    status, _, stderr = lte(server, "-", tmp_path / "out", "--bits", 20)
    assert status == 2 and "--bits goes with a file as IN" in one_line_error(stderr)
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", numbers=("x", 2, 1))
    assert status == 2 and "not a number: give decimal digits" in stderr
    assert server.board.seen == []


class SnowBoard(PeerBoard):
    """A model board that also reports the engine snow3g, but encrypts the messages for this engine with AES."""

    def __init__(self):
        super().__init__()
        self.engines |= 1 << ENGINES["snow3g"]


def test_eea1_where_it_cannot_be(server, tmp_path):
    (tmp_path / "in").write_bytes(bytes(20))
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", cipher="eea1")
    assert status == 2
    assert "the board has no engine for --cipher eea1: flash configuration lte, or give" in one_line_error(stderr)
    assert "open" not in server.board.seen
    server.board.seen.clear()
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", "--verify", cipher="eea1")
    assert status == 2 and "--verify has no reference for eea1" in one_line_error(stderr)
    (tmp_path / "in").write_bytes(bytes((1 << 20) + 1))
    status, _, stderr = lte(server, tmp_path / "in", tmp_path / "out", cipher="eea1")
    assert status == 2 and "a message of eea1 at most 1048576" in one_line_error(stderr)
    assert server.board.seen == [] and [path.name for path in tmp_path.iterdir()] == ["in"]


def test_sessions_of_snow3g_are_of_messages():
    with SocketBoard(SnowBoard()) as server, connect(server.url) as device:
        with pytest.raises(KeyLengthError, match="needs a key of 128"):
            device.open_session(bytes(32), bytes(16), Engine.SNOW3G)
        for iv in (None, bytes(4) + b"\1" + bytes(11), bytes(5) + b"\1" + bytes(10), bytes(13) + b"\1" + bytes(2)):
            with pytest.raises(ArgumentError, match="COUNT"):
                device.open_session(bytes(16), iv, Engine.SNOW3G)
        with device.open_session(bytes(16), b"\xff" * 4 + b"\xfc" + bytes(9) + b"\xff" * 2, Engine.SNOW3G, length=16):
            pass
        assert server.board.seen.count("open") == 1
