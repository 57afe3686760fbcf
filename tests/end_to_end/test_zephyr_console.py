# SPDX-License-Identifier: BSD-2-Clause
"""Tests the console of the firmware on Zephyr: its shell and its log. Console output must never mix with records."""

import io
import random
import re
from statistics import median

import pytest
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from tests.end_to_end.test_simulated_board import reference
from tests.waiting import until

pytestmark = pytest.mark.simboard

PROMPT = "cipherlane> "


@pytest.fixture(scope="module")
def board(zephyr_board):
    with SimulatedBoard(zephyr_board) as running:
        await_output(running, 0, PROMPT)
        yield running


def plain(text):
    """Return console output without the terminal's control sequences."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).replace("\r", "")


def await_output(board, start, pattern):
    """Wait until the console output after position `start` matches the regular expression `pattern`; return this
    output.
    """

    def text():
        return plain(board.output())[start:]

    until(lambda: re.search(pattern, text()) or board.ended(), text)
    assert re.search(pattern, text()), text()
    return text()


def command(board, line, pattern):
    """Enter a shell command, wait until its output matches `pattern`, and return the output."""
    start = len(plain(board.output()))
    board.enter(line + "\r")
    return await_output(board, start, pattern)


def test_selftest(board):
    outcome = r"(\d+) known-answer tests, (\d+) failed\n"
    tests, failed = re.search(outcome, command(board, "aes selftest", outcome)).groups()
    assert int(tests) > 0 and failed == "0"
    with Device(SerialTransport(board.url)) as device:
        assert device.selftest().tests == int(tests), "as over records"


@pytest.mark.parametrize(("engine", "key_bits"), [("accelerator", 128), ("ise_vmem", 256)])
def test_bench(board, engine, key_bits):
    figures = r"(\d+) bytes, (\d+) cycles, (\d+\.\d) cycles/block, (\d+\.\d) Mbps"
    texts = [command(board, f"aes bench {engine} {key_bits}", r"Mbps\n") for _ in range(3)]
    shown = [re.search(rf"^{engine}: AES-{key_bits}, {figures}$", text, re.MULTILINE) for text in texts]
    assert all(shown), texts
    (size,) = {int(line[1]) for line in shown}
    with Device(SerialTransport(board.url)) as device:
        over_records = device.bench(Engine[engine.upper()], key_bits, "encrypt", size, size)
        clock_hz = device.info().clock_hz
    for line in shown:
        cycles = int(line[2])
        assert float(line[3]) == pytest.approx(cycles * 16 / size, abs=0.1)
        assert float(line[4]) == pytest.approx(8e-6 * size * clock_hz / cycles, abs=0.1)
    # Compare the shell command's result with a benchmark that the host requests by a record. Use the median of three
    # shell measurements, because another thread can delay one of them.
    assert median(int(line[2]) for line in shown) == pytest.approx(over_records.cycles, rel=0.05)


@pytest.mark.parametrize(
    ("line", "error"),
    [("aes bench enigma", "no engine enigma\n"), ("aes bench ise 100", "a key has 128, 192 or 256 bits\n")],
)
def test_bench_refuses(board, line, error):
    assert "cycles" not in command(board, line, error)


def test_stat_shows_records_and_sessions_and_no_key(board):
    key, iv = random.Random(1).randbytes(32), random.Random(2).randbytes(16)
    with (
        Device(SerialTransport(board.url)) as device,
        device.open_session(key, iv, Engine.ISE, "encrypt") as session,
    ):
        session.transfer(io.BytesIO(bytes(5000)), io.BytesIO(), length=5000)
        text = command(board, "aes stat", r"all in use \d+ times")
        received = device.counters()["received"]
    assert int(re.search(r"UART: (\d+) records", text)[1]) == received - 1
    assert re.search(r"session \d+: ise, AES-256, \d+ records, 5 KB", text)
    await_output(board, 0, r"<inf> records: session \d+ opened")
    assert key.hex() not in board.output()


def test_console_and_records_at_once(board):
    rng = random.Random(3)
    key, iv, data = rng.randbytes(16), rng.randbytes(16), rng.randbytes(6000)
    output = io.BytesIO()
    with Device(SerialTransport(board.url)) as device:
        before = device.counters()
        board.enter("aes selftest\raes bench ise_vmem\raes stat\r")
        start = len(plain(board.output()))
        with device.open_session(key, iv, Engine.ACCELERATOR, "encrypt") as session:
            session.transfer(io.BytesIO(data), output, length=len(data))
        await_output(board, start, r"all in use \d+ times")
        after = device.counters()
    assert output.getvalue() == reference(key, iv, data)
    for name in ("framing_errors", "crc_errors", "length_errors", "rejected"):
        assert after[name] == before[name], "the console put nothing between records"
