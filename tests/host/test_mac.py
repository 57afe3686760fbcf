# SPDX-License-Identifier: BSD-2-Clause
"""Tests the command `mac` (message authentication codes) with the model board: what it sends, shows and refuses."""

import json
import tomllib
from pathlib import Path

import pytest
from cipherlane import Engine, connect
from cipherlane.errors import KeyLengthError
from cipherlane.link.eia2 import eia2, padded
from cipherlane.link.lte import Message
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .commands import KEY, command, one_line_error
from .model import CODES, PeerBoard, SocketBoard

SETS = tomllib.loads((Path(__file__).parents[1] / "firmware" / "eia2.toml").read_text())["set"]
WHOLE = next(given for given in SETS if given["length"] % 8 == 0)


def mac(board, source, *words, given=WHOLE, bearer=None, **options):
    options.setdefault("env", {"CIPHERLANE_KEY": given["key"]})
    numbers = ["--count", hex(given["count"]), "--bearer", given["bearer"] if bearer is None else bearer]
    numbers += ["--direction", given["direction"]]
    return command("mac", "--port", board.url, *numbers, *words, source, **options)


@pytest.fixture
def message(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(bytes.fromhex(WHOLE["message"]))
    return path


def test_a_published_set(server, message):
    for words, options in (((message,), {}), (("-",), {"stdin": message.read_bytes()})):
        status, stdout, stderr = mac(server, *words, **options)
        assert (status, stdout.decode(), stderr) == (0, WHOLE["mac"] + "\n", "")
    status, stdout, _ = mac(server, message, "--json", "--engine", "table", "--bits", WHOLE["length"])
    assert status == 0 and json.loads(stdout) == {"mac": WHOLE["mac"], "engine": "table", "kind": "board"}
    assert not server.board.sessions


def test_what_cannot_be_is_refused(server, message, tmp_path):
    for words, options, expected in (
        ((), {"bearer": 32}, "--bearer 32 is out of range: give 0 to 31"),
        (("--bits", 65), {}, "--bits 65 is more than"),
        (("--bits", 56), {}, "56 bits end before the last byte"),
        ((), {"env": {"CIPHERLANE_KEY": KEY}}, "the key has 192 bits: 128-EIA2 needs a key of 128"),
    ):
        status, _, stderr = mac(server, message, *words, **options)
        assert status == 2 and expected in one_line_error(stderr)
    assert "mac" not in server.board.seen
    for size, stdin in ((993, False), (1 << 20, True)):
        (tmp_path / "long").write_bytes(bytes(size))
        source = {"source": "-", "stdin": bytes(size)} if stdin else {"source": tmp_path / "long"}
        status, _, stderr = mac(server, **source)
        assert status == 2 and "the board takes at most 984, give a shorter one" in one_line_error(stderr)
    (tmp_path / "long").write_bytes(bytes(984))
    assert mac(server, tmp_path / "long")[0] == 0
    status, _, stderr = mac(server, message, "--engine", "ise_vmem")
    assert status == 2 and "no engine ise_vmem for this: choose one of byte, table" in one_line_error(stderr)


def test_a_board_that_does_not_know_the_record(message, monkeypatch):
    board = PeerBoard()
    monkeypatch.setattr("tests.host.model.NAMES", {code: name for name, code in CODES.items() if name != "mac"})
    with SocketBoard(board) as server:
        status, _, stderr = mac(server, message)
    assert status == 6 and "unknown" in one_line_error(stderr) and "flash current firmware" in stderr


def test_the_log_has_neither_key_nor_message(server, message, tmp_path):
    status, _, stderr = mac(server, message, "--log", tmp_path / "log")
    assert status == 0, stderr
    text = (tmp_path / "log").read_text()
    assert '"mac"' in text and WHOLE["key"] not in text and WHOLE["message"] not in text


def test_other_lengths_of_keys(server):
    with connect(server.url) as device:
        for size in (0, 15, 24, 32):
            with pytest.raises(KeyLengthError, match=f"{8 * size} bits"):
                eia2(device, bytes(size), Message("eia2", 1, 2, 1), b"", Engine.TABLE)
    assert "mac" not in server.board.seen


@pytest.mark.parametrize("given", SETS, ids=lambda given: str(given["length"]))
def test_padding_of_published_sets(given):
    """The host pads a message and chooses the CMAC subkey. AES-CMAC must then give the results in 3GPP's test sets. The
    unused bits after the message's end must have no effect.
    """
    encrypt = Cipher(algorithms.AES(bytes.fromhex(given["key"])), modes.ECB()).encryptor().update
    data = (given["count"] << 32 | given["bearer"] << 27 | given["direction"] << 26).to_bytes(8, "big")
    data += bytes.fromhex(given["message"])
    bits = 64 + given["length"]
    for behind in (0, (1 << -bits % 8) - 1):
        text, times = padded(data[:-1] + bytes([data[-1] | behind]), bits)
        chain, subkey = 0, int.from_bytes(encrypt(bytes(16)), "big")
        for _ in range(times):
            subkey = subkey << 1 & (1 << 128) - 1 ^ (0x87 if subkey >> 127 else 0)
        for at in range(0, len(text), 16):
            total = chain ^ int.from_bytes(text[at : at + 16], "big") ^ (subkey if at + 16 == len(text) else 0)
            chain = int.from_bytes(encrypt(total.to_bytes(16, "big")), "big")
        assert f"{chain >> 96:08x}" == given["mac"]
