# SPDX-License-Identifier: BSD-2-Clause
"""Test the host tool with the simulated board over the UART. The simulated board runs the same firmware as a real
board.
"""

import contextlib
import io
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import serial
from cipherlane.errors import BoardError
from cipherlane.link.device import Device
from cipherlane.link.expected_build import expected, require
from cipherlane.protocol.framing import FrameParser, frame
from cipherlane.protocol.records import Record, decode
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard, find_board
from cipherlane_base.wire.layout import REPLY, Engine, Mode, RecordType
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.flow import toolchain
from tests.firmware.test_mac import SETS as EIA2
from tests.host.commands import command
from tests.host.edits import TAMPERED, Sealed
from tests.host.test_authenticated import opened
from tests.waiting import HANG_S, PAUSING, grows

pytestmark = pytest.mark.simboard

CIPHERLANE = Path(sys.executable).parent / "cipherlane"
ENGINES = ["byte", "table", "ise", "ise_fused", "ise_vmem", "accelerator"]


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard() as running:
        yield running


def reference(key: bytes, iv: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


def cipherlane(*arguments):
    """Run the host tool in this process. A new process would start slowly, because the simulator of the board keeps the
    CPU busy.
    """
    return subprocess.CompletedProcess(arguments, *command(*arguments, env={"CIPHERLANE_KEY": ""}))


def test_the_board_says_what_made_it(board):
    assert set(toolchain.SIMULATION) <= board.description["tools"].keys()


def test_the_board_is_the_build_that_its_folder_says(board):
    with Device(SerialTransport(board.url)) as device:
        require(device.info().build_id, expected(str(find_board() / "gateware" / "sim.build_id")))


def test_a_board_that_is_told_to_end_does_so_between_two_steps():
    with SimulatedBoard() as running:
        os.kill(running.pid, signal.SIGTERM)
        assert running._process.wait(HANG_S) == 0, "its program's end, where a profile is written"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_encrypts_a_file_and_decrypts_it(board, tmp_path, engine, key_bits):
    rng = random.Random(f"{engine}{key_bits}")
    key, iv, plaintext = rng.randbytes(key_bits // 8), rng.randbytes(16), rng.randbytes(1500 + rng.randrange(16))
    source, encrypted, decrypted = (tmp_path / name for name in ("in", "out", "back"))
    source.write_bytes(plaintext)
    options = ["--port", board.url, "--key", key.hex(), "--raw", "--iv", iv.hex(), "--engine", engine, "--json"]
    result = cipherlane("encrypt", *options, source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == reference(key, iv, plaintext)
    record = json.loads(result.stdout)
    assert record["kind"] == "sim"
    assert record["bytes"] == len(plaintext)
    assert record["cycles"] > 0
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == 6, "the board that encrypted decrypts after a power cycle only"
    options[options.index("--iv") + 1] = (iv := rng.randbytes(16)).hex()
    encrypted.write_bytes(reference(key, iv, plaintext))
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == 0, result.stderr
    assert decrypted.read_bytes() == plaintext


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_encrypts_an_authenticated_file_and_decrypts_it(board, tmp_path, engine, key_bits):
    """Encrypt a file with the board and decrypt it with the library `cryptography`, and the other way round. The host
    tool must refuse a changed file.
    """
    rng = random.Random(f"gcm{engine}{key_bits}")
    key, plaintext = rng.randbytes(key_bits // 8), rng.randbytes(1500 + rng.randrange(16))
    source, encrypted, decrypted = (tmp_path / name for name in ("in", "out", "back"))
    source.write_bytes(plaintext)
    options = ["--port", board.url, "--key", key.hex(), "--engine", engine, "--json"]
    result = cipherlane("encrypt", *options, source, encrypted)
    assert result.returncode == 0, result.stderr
    assert opened(encrypted.read_bytes(), key) == plaintext
    record = json.loads(result.stdout)
    assert (record["kind"], record["bytes"]) == ("sim", len(plaintext)) and record["cycles"] > 0
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == 6, "the board that encrypted decrypts after a power cycle only"
    file = Sealed(key, plaintext, 960, rng.randbytes(8)).data
    encrypted.write_bytes(file[:-1] + bytes([file[-1] ^ 1]))
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == TAMPERED and "record 1" in result.stderr and not decrypted.exists()
    file = Sealed(key, plaintext, 960, rng.randbytes(8)).data
    encrypted.write_bytes(file)
    result = cipherlane("decrypt", *options, encrypted, decrypted)
    assert result.returncode == 0, result.stderr
    assert decrypted.read_bytes() == plaintext


def test_authenticated_files_without_naming_anything(tmp_path, monkeypatch):
    """Encrypt and decrypt files with default options. Each command starts a new board. A new board does not know which
    counter blocks earlier boards used, so it accepts all counter blocks.
    """
    monkeypatch.chdir(tmp_path)
    data = random.Random(12).randbytes(2500)
    for size in (0, 960, 2500):
        Path("in").write_bytes(data[:size])
        for words in (("encrypt", "--verify", "in", "out"), ("decrypt", "--verify", "out", "back")):
            result = cipherlane(words[0], "--port", "sim", "--key", "11" * 32, "--force", *words[1:])
            assert result.returncode == 0, result.stderr
        assert Path("back").read_bytes() == data[:size]


@pytest.mark.parametrize("engine", ENGINES)
def test_known_answers_and_benchmark_in_gcm(board, engine):
    code = Engine[engine.upper()]
    with Device(SerialTransport(board.url)) as device:
        assert code in device.info().gcm_engines
        reply = device.request(RecordType.SELFTEST, timeout=HANG_S, engine=code, mode=Mode.GCM)
        assert (reply.tests, reply.failed) == (9, 0)
        for direction in (0, 1):
            fields = {"engine": code, "direction": direction, "key_bits": 128, "mode": Mode.GCM}
            sizes = {"record_bytes": 960, "total_bytes": 3840}
            part = device.request(RecordType.BENCH, timeout=HANG_S, **fields, **sizes)
            cycles = part.cycles / part.blocks
            print(f"{engine}, {('encrypt', 'decrypt')[direction]}: {cycles:.1f} cycles a block in GCM")
            assert part.bytes == 3840 or not engine.startswith("ise"), "a request takes 2 ms at most"
            assert cycles < {"byte": 4000, "table": 3500, "accelerator": 200}.get(engine, 120)


@pytest.mark.parametrize("engine", ENGINES)
def test_eia2_of_published_sets(board, tmp_path, engine):
    for given in EIA2:
        (tmp_path / "in").write_bytes(bytes.fromhex(given["message"]))
        options = ["--port", board.url, "--key", given["key"], "--engine", engine, "--bits", given["length"]]
        options += [word for name in ("count", "bearer", "direction") for word in (f"--{name}", given[name])]
        result = cipherlane("mac", *options, tmp_path / "in")
        assert (result.returncode, result.stdout.decode()) == (0, given["mac"] + "\n"), result.stderr


@pytest.mark.parametrize("iv", ["00" * 15 + "ff", "00" * 12 + "ff" * 4, "00" * 8 + "ff" * 8, "ff" * 16])
@pytest.mark.parametrize("engine", [Engine.TABLE, Engine.ISE, Engine.ISE_VMEM, Engine.ACCELERATOR])
def test_counter_wraps(board, iv, engine):
    rng = random.Random(iv)
    key, iv, data = secrets.token_bytes(16), bytes.fromhex(iv), rng.randbytes(200)
    assert _through_board(board, key, iv, data, engine)[0] == reference(key, iv, data)


def _through_board(board, key, iv, data, engine, **options):
    """Process `data` in one session. Return the result, and the options that another session needs to resume the
    stream.
    """
    output = io.BytesIO()
    with (
        Device(SerialTransport(board.url)) as device,
        device.open_session(key, iv, engine, length=len(data), **options) as session,
    ):
        session.transfer(io.BytesIO(data), output, length=len(data))
    return output.getvalue(), {"record_bytes": session.record_bytes, "ticket": session.ticket}


def test_empty_file(board, tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"")
    options = ["--port", board.url, "--key", "11" * 16, "--raw", "--iv", "22" * 16]
    result = cipherlane("encrypt", *options, source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == b""


def test_key_and_counter_are_not_used_twice_unless_resumed(board):
    rng = random.Random(9)
    key, iv, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(100)
    first, again = _through_board(board, key, iv, data, Engine.ISE)
    with pytest.raises(BoardError, match="used"):
        _through_board(board, key, iv, data, Engine.ISE)
    assert _through_board(board, key, iv, data, Engine.ISE, **again)[0] == first


def test_interrupted_transfer_leaves_the_board_usable(board, tmp_path):
    rng = random.Random(10)
    source, encrypted = tmp_path / "in", tmp_path / "out"
    key, iv, plaintext = rng.randbytes(16), rng.randbytes(16), rng.randbytes(20_000)
    source.write_bytes(plaintext)
    options = ["--port", board.url, "--key", key.hex(), "--raw", "--iv", iv.hex(), "--engine", "ise"]
    process = subprocess.Popen([*PAUSING, "encrypt", *options, source, encrypted], stderr=subprocess.PIPE)
    part = tmp_path / "out.part"
    grows(part, 4096, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANG_S)
    assert process.returncode == 130, errors
    assert not encrypted.exists()
    assert part.exists()
    assert b"--resume" in errors

    result = cipherlane("encrypt", *options, "--resume", "--verify", source, encrypted)
    assert result.returncode == 0, result.stderr
    assert encrypted.read_bytes() == reference(key, iv, plaintext)
    assert not part.exists()


def test_only_this_machine_reaches_the_uart(board):
    lines = [line.split() for line in Path(f"/proc/{board.pid}/net/tcp").read_text().splitlines()[1:]]
    lines += [line.split() for line in Path(f"/proc/{board.pid}/net/tcp6").read_text().splitlines()[1:]]
    port = f":{board.port:04X}"
    assert [line[1] for line in lines if line[1].endswith(port) and line[3] == "0A"] == ["0100007F" + port]
    with socket.create_connection(("127.0.0.1", board.port), timeout=HANG_S):
        pass
    # 127.0.0.2 is another address of this machine. A connection to it succeeds only if the server listens on all
    # addresses.
    others = {"127.0.0.2"}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing
        others.add(probe.getsockname()[0])
    for address in others - {"127.0.0.1"}:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, board.port), timeout=HANG_S)


def test_a_break_is_nothing_to_a_board_that_looks_for_none(board):
    """The host sends a UART break as TCP urgent data. The board in this test ignores breaks. It must not receive a
    break as ordinary bytes, and must not be reset by a break.
    """
    with SerialTransport(board.url) as transport:
        device = Device(transport)
        device.connect()
        received = device.counters()["received"]
        transport._write(frame(Record(RecordType.INFO, token=1).encode())[:9])
        transport.send_break()
        transport._write(frame(Record(RecordType.INFO, token=1).encode())[9:])
        assert decode(transport.receive(60)).token == 1
        assert device.counters()["received"] == received + 2


def test_uart_serves_one_client_after_the_other_and_loses_nothing(board):
    """A second client waits while the board serves the first client. The first client sends far more data than the
    board can hold. Both clients must receive all their answers.
    """
    request = Record(RecordType.INFO, token=1).encode()
    at = ("127.0.0.1", board.port)
    with socket.create_connection(at, HANG_S) as one, socket.create_connection(at, HANG_S) as two:
        two.sendall(b"\0" + frame(request))
        one.sendall(b"\0" + frame(request) * 500)
        answers = _answers(one, 500)
        assert all(decode(answer).type == RecordType.INFO | REPLY for answer in answers)
        two.setblocking(False)
        # The second client has no answer yet, although the board has answered 500 requests of the first client.
        with pytest.raises(BlockingIOError):
            two.recv(1)
        one.close()
        two.settimeout(HANG_S)
        assert len(_answers(two, 1)) == 1


def _answers(connection, count):
    parser, answers = FrameParser(1 << 16), []
    while len(answers) < count:
        piece = connection.recv(65536)
        assert piece, "the board hung up"
        answers += parser.feed(piece)
    return answers


@pytest.mark.parametrize("key_bits", [128, 256])
def test_vector_loads_and_stores_do_not_fall_to_scalar_ones(board, key_bits):
    """The engine `ise_vmem` must use vector loads and stores. If the board wrongly used scalar loads and stores, the
    results would still be right, so the test checks the speed.

    The selftest also notices the fallback.
    """
    with Device(SerialTransport(board.url)) as device:
        fused, vmem = (
            device.bench(engine, key_bits, total_bytes=4096) for engine in (Engine.ISE_FUSED, Engine.ISE_VMEM)
        )
        assert vmem.cycles * 1.5 < fused.cycles
        assert device.selftest().failed == 0


def test_random_bytes_do_not_hang_the_board(board):
    rng = random.Random(11)
    with serial.serial_for_url(board.url) as port:
        for _ in range(20):
            # Each connection to the simulated UART must begin with a zero byte.
            port.write(bytes(1) + rng.randbytes(500))
            port.read(port.in_waiting)
    with Device(SerialTransport(board.url)) as device:
        counters = device.counters()
        assert counters["framing_errors"] + counters["crc_errors"] + counters["length_errors"] > 0
        assert device.selftest().failed == 0


def test_simulated_board_is_started_by_the_tool_itself(tmp_path):
    result = cipherlane("selftest", "--port", "sim", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["failed"] == 0
