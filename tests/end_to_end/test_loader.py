# SPDX-License-Identifier: BSD-2-Clause
"""Loads good and bad firmware over the UART of the simulated board. The loader must still work afterwards.

A break is sent as urgent data on the simulated UART's socket. It holds a line low that the board's own detector
watches.
"""

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import zlib

import pytest
from cipherlane.errors import BoardError, NoReplyError
from cipherlane.files import image as imagefile
from cipherlane.link import loading
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base import image
from cipherlane_base.build_id import MARK, text
from cipherlane_base.wire.layout import IMAGE, Cause, Engine, ErrorCode, ImageState, RecordType

from gateware.configurations import CODE_ORIGIN
from gateware.flow import build_id
from gateware.flow.emulator import lay_out
from gateware.flow.firmware import LITEX, LOADER_INCLUDE, REPOSITORY
from tests.end_to_end.memory import BoardMemory, Secret
from tests.host.commands import COMMAND, IV, KEY, one_line_error, reference
from tests.waiting import until

# These tests run only in the thorough suite, because Verilator needs a minute to build this board. Other tests cover
# the gateware, the loader's records and the host tool.
pytestmark = [pytest.mark.simboard, pytest.mark.thorough]

FOLDER = REPOSITORY / "build" / "sim_loader"
JUMP_TO_ITSELF, NO_INSTRUCTION = 0x0000006F, 0x00000000
TIMEOUT_S = 120  # timeout for a reply, long enough for a busy machine
STAYS_S = 20  # real seconds to watch the board: a faulty loader would restart the firmware within this time


@pytest.fixture(scope="module")
def built():
    subprocess.run([sys.executable, "-m", "gateware.flow", "sim", "loader"], cwd=REPOSITORY, check=True, timeout=1800)
    return FOLDER


@pytest.fixture
def board(built):
    with SimulatedBoard(built) as running:
        yield running


@pytest.fixture
def make(built, tmp_path):
    """Return a function that packs linked firmware into an image file, as the build flow does. The function returns the
    path and the build id of the image.
    """

    def made(firmware, name="firmware"):
        part = build_id.of_gateware(built / "gateware", "sim")
        firmware, build = build_id.completed(firmware + bytes(-len(firmware) % 4), part)
        build = build if any(build) else part + build_id.of_firmware(firmware)
        path = tmp_path / name
        path.write_bytes(image.pack(firmware, build, CODE_ORIGIN))
        return path, text(build)

    return made


@pytest.fixture
def another(built, make):
    """Return working firmware that differs from the firmware in the bitstream: the path of its image, and its build
    id.
    """
    return make((built / "firmware" / "firmware.bin").read_bytes() + b"more", "another")


@pytest.fixture
def stray(built, make, tmp_path):
    def made(*defines):
        out = tmp_path / "stray"
        command = ["make", "-s", "-C", REPOSITORY / "firmware" / "baremetal", f"OUT={out}", f"LITEX={LITEX}"]
        command += [f"INCLUDE={built / 'firmware' / 'include'}", f"MAIN={REPOSITORY}/tests/end_to_end/stray.c"]
        out.mkdir()
        command += [f"DEFINES={' '.join(defines)}", f"-j{os.cpu_count()}", out / "firmware.bin"]
        subprocess.run(command, check=True, timeout=300)
        return make((out / "firmware.bin").read_bytes(), "stray.firmware")[0]

    return made


def tool(verb, board, *words, **environment):
    """Run a command of the host tool in a separate process, which can take over a minute. Return its exit status,
    standard output and standard error.
    """
    given = [COMMAND, verb, "--port", board.url, *map(str, words)]
    done = subprocess.run(given, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def load(board, *words):
    return tool("load", board, *words)


def loaded(board, path, build):
    """Load the firmware at `path`; check that `cipherlane load` reports the build id of this firmware, and that the
    firmware answers with the same id.
    """
    status, stdout, stderr = load(board, path, "--json")
    assert status == 0, stderr
    assert json.loads(stdout)["build_id"] == build
    status, stdout, stderr = tool("info", board, "--json")
    assert status == 0, stderr
    assert json.loads(stdout)["build_id"] == build


def refused(board, path, *said):
    """Load firmware that fails soon after its start. Check that `cipherlane load` reports the failure, and that its
    message contains each text in `said`.
    """
    status, stdout, stderr = load(board, path)
    assert (status, stdout) == (7, "")
    for words in said:
        assert words in one_line_error(stderr)


@contextlib.contextmanager
def talk(board):
    """Yield a new connection to the board. Each connection to the simulated UART must begin with a zero byte, and this
    byte has already been sent.
    """
    with contextlib.closing(Device(SerialTransport(board.url))) as device:
        device.link.transport.resync()
        yield device


def test_the_board_starts_the_bitstream_s_firmware_by_itself(built, board):
    status, stdout, stderr = tool("info", board, "--json")
    assert status == 0, stderr
    assert json.loads(stdout)["build_id"] == build_id.read(built / "gateware", "sim")


@pytest.fixture
def waiting_board(built, tmp_path):
    """Yield a simulated board whose loader waits a tenth of a second for requests after power-on, as the loader of a
    real board does.
    """
    out, folder = tmp_path / "loader", tmp_path / "board"
    out.mkdir()
    command = ["make", "-s", "-C", REPOSITORY / "firmware" / "loader", f"OUT={out}", f"LITEX={LITEX}"]
    command += [
        f"INCLUDE={built / 'firmware' / LOADER_INCLUDE}",
        "DEFINES=-DPASSING_CYCLES=7500000",
    ]
    subprocess.run([*command, f"-j{os.cpu_count()}", out / "firmware.bin"], check=True, timeout=300)
    with SimulatedBoard(lay_out(folder, built, out / "firmware.bin")) as running:
        yield running


def test_at_power_on_the_loader_can_be_asked_for(waiting_board):
    """After power-on, the loader must answer a request even if the host has not sent a break."""
    with talk(waiting_board) as device:
        found = device.request(RecordType.LOADER, timeout=TIMEOUT_S, attempts=1)
        assert (found.cause, found.image) == (Cause.POWER, ImageState.WHOLE)
        assert loading.start(device) is None and loading.await_firmware(device, "")


def test_at_power_on_what_is_for_firmware_is_left_to_it(built, waiting_board):
    with talk(waiting_board) as device:
        with pytest.raises(NoReplyError):
            device.request(RecordType.INFO, timeout=2, attempts=1)  # counts as noise
        assert device.connect().build_id == build_id.read(built / "gateware", "sim")


def test_other_firmware_is_loaded_and_ciphers(board, another, tmp_path):
    path, build = another
    loaded(board, path, build)
    data = os.urandom(5003)
    (tmp_path / "in").write_bytes(data)
    words = ("--engine", "accelerator", "--raw", "--iv", IV, tmp_path / "in", tmp_path / "out")
    status, _, stderr = tool("encrypt", board, *words, CIPHERLANE_KEY=KEY)
    assert status == 0, stderr
    assert (tmp_path / "out").read_bytes() == reference(data)


@pytest.mark.parametrize(
    ("first", "why"),
    [(JUMP_TO_ITSELF, "did not feed the watchdog"), (NO_INSTRUCTION, "asked for it, as it does on a trap")],
    ids=["in a loop", "in a trap"],
)
def test_firmware_that_ends_at_once_is_ended_and_another_loaded(board, make, another, first, why):
    bad, _ = make(first.to_bytes(4, "little") * 40, "bad")
    refused(board, bad, "has ended: the firmware " + why, "the loader answers: load another")
    with talk(board) as device:
        # The host need not send a break, because the loader is already running.
        found = device.request(RecordType.LOADER, timeout=TIMEOUT_S, attempts=1)
        assert found.image == ImageState.WHOLE and found.cause in (Cause.WATCHDOG, Cause.FIRMWARE)
    status, _, stderr = tool("info", board)
    assert status == 6 and "The board is in its loader" in one_line_error(stderr)
    assert "`cipherlane load` starts the firmware in its memory, or takes another" in stderr
    loaded(board, *another)


def test_firmware_that_writes_everywhere_harms_neither_itself_nor_the_loader(board, stray, another):
    """Load firmware that tries to overwrite its own code, the loader's code in the ROM, and the registers that lock
    these two memories. Then the firmware hangs.

    The loader must not start it again.
    """
    refused(board, stray("-DHANGS"), "did not feed the watchdog")
    with talk(board) as device:
        device.link.drain(STAYS_S, STAYS_S)
        assert device.link.transport.strays() == 0, "it was heard again"
        found = loading.enter(device)
        assert (found.cause, found.image) == (Cause.WATCHDOG, ImageState.WHOLE), "not a word of it has changed"
    loaded(board, *another)


def test_firmware_that_feeds_the_watchdog_and_serves_nobody_is_ended_by_a_break(board, stray, another, monkeypatch):
    monkeypatch.setattr(loading, "_SIMULATED_ENTRY_S", (15.0, 15.0))
    path = stray()
    with talk(board) as device:
        loading.send(device, imagefile.read(str(path)), loading.enter(device))
        loading.start(device)
    silent = pytest.raises(loading.LoadError, match="does not answer; the loader returns")
    with talk(board) as device, silent:
        loading.await_firmware(device, "")
    loaded(board, *another)


def test_after_a_break_firmware_goes_on_by_itself(built, board):
    """A break on the UART starts the loader, but can occur by accident. If the loader then receives no request, the
    loader must start the firmware again.
    """
    with talk(board) as device:
        device.connect()
        assert loading.enter(device).cause == Cause.BREAK

        def left():
            try:
                return device.connect().build_id
            except BoardError as error:
                assert error.code == ErrorCode.LOADING

        assert until(left) == build_id.read(built / "gateware", "sim")


@pytest.mark.parametrize("engine", [Engine.TABLE, Engine.ISE_VMEM, Engine.ACCELERATOR])
def test_a_break_erases_what_firmware_has_left(board, engine):
    """After a break on the UART, no key may remain in the SRAM, the buffer memory, the vector unit or the slots of the
    accelerator. Otherwise, new firmware could read the key.
    """
    memory, secret = BoardMemory(board), Secret(random.Random(int(engine)), 256, 613)
    with Device(SerialTransport(board.url)) as device:
        session = device.open_session(secret.key, secret.iv, engine, length=613)
        session.transfer(io.BytesIO(secret.plain), io.BytesIO(), length=613)
        assert "key" in memory.found(secret)[secret.name]
        found = loading.enter(device)
        assert (found.cause, memory.found(secret)) == (Cause.BREAK, {})


def test_the_firmware_that_is_there_is_started_again(built, board):
    status, stdout, stderr = load(board)
    assert status == 0, stderr
    build = build_id.read(built / "gateware", "sim")
    assert stdout == f"sim_loader runs build {build}, which it held already\n"


def damaged(path):
    """Return the image with one byte of its firmware changed, and the old CRC in its header."""
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0x10
    return imagefile.Image(bytes(whole[: IMAGE.size]), bytes(whole[IMAGE.size :]), CODE_ORIGIN, "")


def test_an_image_that_came_damaged_is_refused_and_nothing_started(board, another):
    path, build = another
    with talk(board) as device:
        loading.send(device, damaged(path), loading.enter(device))
        with pytest.raises(loading.LoadError, match="Its CRC-32 is wrong; the loader is still in the board"):
            loading.start(device)
        assert loading.enter(device).image == ImageState.NONE
    loaded(board, path, build)


def test_a_transfer_that_breaks_off_leaves_the_loader(board, another):
    path, build = another
    chosen = imagefile.read(str(path))
    with talk(board) as device:
        found = loading.enter(device)
        device.link.set_window(4096, 2048)
        device.request(RecordType.LOAD_BEGIN, header=chosen.header)
        device.link.transport._port.write(b"\x55" * 300)  # half a frame
    status, _, stderr = load(board)
    assert status == 7 and "the board holds no firmware to start: give its FILE" in one_line_error(stderr)
    with talk(board) as device:
        device.link.transport.send_break()
        for _ in range(20):
            found = loading.enter(device)
            if found.cause == Cause.BREAK:
                break
        assert (found.cause, found.image) == (Cause.BREAK, ImageState.NONE), "a reset starts none either"
    loaded(board, path, build)


def test_firmware_for_other_gateware_does_not_reach_the_memory(board, another, tmp_path):
    path, _ = another
    whole = path.read_bytes()
    header = IMAGE.unpack(whole)
    other = header._replace(build_id=b"whatever" + header.build_id[8:], crc=0)
    covered = IMAGE.pack(**other._asdict())[:-4]
    crc = zlib.crc32(whole[IMAGE.size :], zlib.crc32(covered))
    (tmp_path / "other").write_bytes(covered + crc.to_bytes(4, "little") + whole[IMAGE.size :])
    status, _, stderr = load(board, tmp_path / "other")
    assert status == 2
    assert "was built for other gateware (7768617465766572) than the board has" in one_line_error(stderr)
    status, _, stderr = load(board)
    assert status == 0, "the firmware of before is whole"


def test_a_program_s_image_without_a_mark_has_its_digest(make):
    path, build = make(b"\x6f\0\0\0")
    assert MARK not in path.read_bytes() and imagefile.read(str(path)).build_id == build
