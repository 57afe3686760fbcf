# SPDX-License-Identifier: BSD-2-Clause
"""Run 128-EEA1 with the host tool on the simulated board with the SNOW 3G accelerator. After a session is closed, no
part of its key is allowed to remain on the board.
"""

import io
import json
import random

import pytest
from cipherlane.errors import BoardError, TransferError
from cipherlane.link.device import Device
from cipherlane.link.eia2 import eia2
from cipherlane.link.lte import Message
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from gateware.flow import emulator, netlist_check
from lab.tests.snow3g.reference import eea1, eea1_of
from lab.tests.snow3g.vectors import MESSAGES
from tests.end_to_end.memory import BoardMemory, words_of
from tests.host.commands import command, one_line_error

# These tests run only in the thorough suite, because Verilator needs a minute to build this board. Other tests cover
# the core, the DMA, the driver and the host tool.
pytestmark = [pytest.mark.simboard, pytest.mark.thorough]


@pytest.fixture(scope="module")
def folder():
    return emulator.build("lte")


@pytest.fixture(scope="module")
def board(folder):
    with SimulatedBoard(folder) as running:
        yield running


@pytest.fixture
def device(board):
    # Timeout in seconds. The board boots slowly on a busy machine.
    with Device(SerialTransport(board.url), timeout=120) as connected:
        yield connected


def encrypt(board, source, target, message, *words, verb="encrypt"):
    options = ["--cipher", "eea1", "--count", message.count, "--bearer", message.bearer]
    options += ["--direction", message.direction, "--bits", message.bits, *words]
    environment = {"CIPHERLANE_KEY": message.key.hex()}
    return command(verb, "--port", board.url, *options, source, target, env=environment)


def test_known_answers(device):
    """All engines pass the self-test, and the board lists the engine SNOW 3G."""
    assert device.selftest().failed == 0
    assert Engine.SNOW3G in device.info().engines


def test_what_netlists_are_to_do(folder, device):
    """`netlist_check.exercise` uses all engines except SNOW 3G: the host has no second implementation of SNOW 3G to
    compare the results with.
    """
    assert set(netlist_check.exercise(folder)) == set(device.info().engines) - {Engine.SNOW3G}


def test_published_sets(board, tmp_path):
    for number, message in enumerate(MESSAGES):
        verb = ("encrypt", "decrypt")[number % 2]
        source, expected = message.plaintext, message.ciphertext
        source, expected = (source, expected) if verb == "encrypt" else (expected, source)
        (tmp_path / "in").write_bytes(source)
        status, stdout, stderr = encrypt(
            board, tmp_path / "in", tmp_path / "out", message, "--json", "--force", verb=verb
        )
        assert status == 0, stderr
        bits = -message.bits % 8
        last = expected[-1] >> bits << bits
        assert (tmp_path / "out").read_bytes() == expected[:-1] + bytes([last])
        record = json.loads(stdout)
        assert (record["engine"], record["cipher"]) == ("snow3g", "eea1")


def session(device, key, message, length, engine=Engine.SNOW3G):
    return device.open_session(key, message.counter_block, engine, length=length)


def through(session, data, **options):
    out = io.BytesIO()
    session.transfer(io.BytesIO(data), out, length=len(data), **options)
    return out.getvalue()


def test_messages_that_take_turns(device):
    """Send records in turn to two SNOW 3G sessions, while an AES session is open. Each record must continue the message
    of its own session.
    """
    rng = random.Random(3)
    keys, data = [rng.randbytes(16) for _ in range(2)], rng.randbytes(7001)
    messages = [Message("eea1", rng.getrandbits(32), 3, 1), Message("eea1", rng.getrandbits(32), 31, 0)]
    with (
        session(device, keys[0], messages[0], len(data)) as first,
        session(device, keys[1], messages[1], len(data)) as second,
        session(device, keys[1], Message("eea2", 5, 5, 1), 100, Engine.ACCELERATOR) as other,
    ):
        size = first.record_bytes
        found = [b"", b""]
        for at in range(0, len(data), size):
            for n, each in enumerate((first, second)):
                found[n] += through(each, data[at : at + size], offset=at)
        assert len(through(other, data[:100])) == 100
    for key, message, result in zip(keys, messages, found, strict=True):
        assert result == eea1(key, message.count, message.bearer, message.direction, data)


def test_other_keys_and_counter_blocks_are_refused_by_the_board(device, monkeypatch):
    """The host tool refuses keys and counter blocks that SNOW 3G does not support. If another program sends them, the
    board must answer with an error and no data.
    """
    monkeypatch.setattr("cipherlane.link.device.key_bits_of", lambda engine: (128, 192, 256))
    with pytest.raises(BoardError, match="22"):
        device.open_session(bytes(32), bytes(16), Engine.SNOW3G, length=16)
    with pytest.raises(BoardError, match="not present"):
        eia2(device, bytes(16), Message("eia2", 1, 2, 1), b"", Engine.SNOW3G)
    monkeypatch.setattr("cipherlane.link.device._NOT_OF_A_MESSAGE", 0)
    for iv in (bytes(15) + b"\1", bytes(4) + b"\1" + bytes(11), bytes(8) + b"\1" + bytes(7), bytes(13) + b"\xff" * 3):
        with device.open_session(bytes(16), iv, Engine.SNOW3G, length=32) as opened:
            if iv[13] or iv[8] or iv[4]:
                with pytest.raises(TransferError, match="detail 22"):
                    through(opened, bytes(32))
            else:
                assert through(opened, bytes(32)) == eea1(bytes(16), 0, 0, 0, bytes(48))[16:]


class Secret:
    """The secrets of a SNOW 3G session: the key, the data, and all values that the core computes from the key.
    `tests.end_to_end.memory` searches a board's memory for them.
    """

    name = "EEA1"

    def __init__(self, rng, size: int):
        self.key, self.plain = rng.randbytes(16), rng.randbytes(size)
        self.message = Message("eea1", rng.getrandbits(32), rng.getrandbits(5), 1)
        words = -(-size // 16) * 4
        keystream, state = eea1_of(self.key, self.message.count, self.message.bearer, 1, words)
        swapped = b"".join(self.key[n : n + 4][::-1] for n in range(0, 16, 4))
        parts = {
            "key": self.key + swapped,
            "generator": b"".join(word.to_bytes(4, "little") for word in state),
            "keystream": keystream,
            "data": self.plain,
        }
        self.words = {word: part for part, data in parts.items() for word in words_of(data)}
        self.cipher = bytes(a ^ b for a, b in zip(self.plain, keystream, strict=False))


def test_nothing_of_a_key_is_left(board, device):
    """After a session is closed, no part of its key remains in the key slot or in the keystream generator, and none of
    its data remain on the board.
    """
    memory, secret = BoardMemory(board), Secret(random.Random(7), 613)
    opened = device.open_session(secret.key, secret.message.counter_block, Engine.SNOW3G, "decrypt", length=613)
    assert through(opened, secret.cipher) == secret.plain
    assert memory.found(secret)[secret.name] >= {"key", "generator", "data"}
    opened.close()
    device.counters()
    assert memory.found(secret) == {}


def test_bench(board):
    """`bench` measures SNOW 3G with 128-bit keys, and refuses other key lengths."""
    status, stdout, stderr = command("bench", "--port", board.url, "--engine", "snow3g", "--json")
    assert status == 0, stderr
    (record,) = json.loads(stdout)
    assert record["key_bits"] == 128 and 4 <= record["cycles_per_block"] < 6
    status, _, stderr = command("bench", "--port", board.url, "--engine", "snow3g", "--key-bits", 256)
    assert status == 2 and "give --key-bits 128" in one_line_error(stderr)
    status, _, stderr = command("bench", "--link", "--port", board.url, "--engine", "snow3g")
    assert status == 2 and "no engine snow3g for this" in one_line_error(stderr)
