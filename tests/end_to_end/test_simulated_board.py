"""The real host tool against the simulated board that runs the real firmware, over the UART."""

import io
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import serial
from cipherlane.device import Device
from cipherlane.errors import BoardError
from cipherlane.protocol.layout import Engine
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

pytestmark = pytest.mark.simboard

CIPHERLANE = Path(sys.executable).parent / "cipherlane"
ENGINES = ["byte", "table", "ise", "ise_fused", "ise_vmem", "accelerator"]


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard() as running:
        yield running


def reference(key: bytes, iv: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


def cipherlane(*arguments, timeout=120):
    return subprocess.run([CIPHERLANE, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_encrypts_a_file_and_decrypts_it(board, tmp_path, engine, key_bits):
    rng = random.Random(f"{engine}{key_bits}")
    key, iv, plaintext = rng.randbytes(key_bits // 8), rng.randbytes(16), rng.randbytes(1500 + rng.randrange(16))
    source, encrypted, decrypted = (tmp_path / name for name in ("in", "out", "back"))
    source.write_bytes(plaintext)
    options = ["--port", board.url, "--key", key.hex(), "--iv", iv.hex(), "--engine", engine, "--json"]
    result = cipherlane("encrypt", *options, source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == reference(key, iv, plaintext)
    record = json.loads(result.stdout)
    assert record["kind"] == "sim"
    assert record["bytes"] == len(plaintext)
    assert record["cycles"] > 0
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == 0, result.stderr
    assert decrypted.read_bytes() == plaintext


@pytest.mark.parametrize("iv", ["00" * 15 + "ff", "00" * 12 + "ff" * 4, "00" * 8 + "ff" * 8, "ff" * 16])
@pytest.mark.parametrize("engine", [Engine.TABLE, Engine.ISE, Engine.ISE_VMEM, Engine.ACCELERATOR])
def test_counter_wraps(board, iv, engine):
    rng = random.Random(iv)
    key, iv, data = rng.randbytes(16), bytes.fromhex(iv), rng.randbytes(200)
    assert _through_board(board, key, iv, data, engine) == reference(key, iv, data)


def _through_board(board, key, iv, data, engine, resume=True):
    output = io.BytesIO()
    with (
        Device(SerialTransport(board.url)) as device,
        device.open_session(key, iv, engine, "encrypt", resume) as session,
    ):
        session.transfer(io.BytesIO(data), output, length=len(data))
    return output.getvalue()


def test_empty_file(board, tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"")
    result = cipherlane("encrypt", "--port", board.url, "--key", "11" * 16, "--iv", "22" * 16, source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == b""


def test_key_and_counter_are_not_used_twice_unless_resumed(board):
    rng = random.Random(9)
    key, iv, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(100)
    first = _through_board(board, key, iv, data, Engine.ISE, resume=False)
    with pytest.raises(BoardError, match="used"):
        _through_board(board, key, iv, data, Engine.ISE, resume=False)
    assert _through_board(board, key, iv, data, Engine.ISE, resume=True) == first


def test_interrupted_transfer_leaves_the_board_usable(board, tmp_path):
    rng = random.Random(10)
    source, encrypted = tmp_path / "in", tmp_path / "out"
    key, iv, plaintext = rng.randbytes(16), rng.randbytes(16), rng.randbytes(60_000)
    source.write_bytes(plaintext)
    options = ["--port", board.url, "--key", key.hex(), "--iv", iv.hex(), "--engine", "ise"]
    process = subprocess.Popen([CIPHERLANE, "encrypt", *options, source, encrypted], stderr=subprocess.PIPE)
    part = tmp_path / "out.part"
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 4096):
        assert time.monotonic() < deadline and process.poll() is None, "the transfer did not get under way"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert not encrypted.exists()
    assert part.exists()
    assert b"--resume" in errors

    shortened = plaintext[: part.stat().st_size + 3000]  # the rest of it, without the test taking long
    source.write_bytes(shortened)
    result = cipherlane("encrypt", *options, "--resume", source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == reference(key, iv, shortened)
    assert not part.exists()


@pytest.mark.parametrize("key_bits", [128, 256])
def test_vector_loads_and_stores_do_not_fall_to_scalar_ones(board, key_bits):
    """Scalar loads and stores give the right result too, but not the speed; the selftest tells of a fall."""
    with Device(SerialTransport(board.url)) as device:
        fused, vmem = (
            device.bench(engine, key_bits, total_bytes=4096) for engine in (Engine.ISE_FUSED, Engine.ISE_VMEM)
        )
        assert vmem.cycles * 1.5 < fused.cycles
        selftest = device.selftest()
        assert (selftest.failed, selftest.failed_engines) == (0, ())


def test_random_bytes_do_not_hang_the_board(board):
    rng = random.Random(11)
    with serial.serial_for_url(board.url, timeout=1) as port:
        for _ in range(20):
            port.write(rng.randbytes(500))
            time.sleep(0.02)
            port.read(port.in_waiting)
    with Device(SerialTransport(board.url)) as device:
        counters = device.counters()
        assert counters["framing_errors"] + counters["crc_errors"] + counters["length_errors"] > 0
        assert device.selftest().failed == 0


def test_simulated_board_is_started_by_the_tool_itself(tmp_path):
    result = cipherlane("selftest", "--port", "sim", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["failed"] == 0
