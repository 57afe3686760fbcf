# SPDX-License-Identifier: BSD-2-Clause
"""Runs tests of the bare-metal firmware again, on a simulated board with the Zephyr firmware. All tests must pass."""

import shutil

import pytest
from cipherlane.errors import BoardError
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine, Mode, RecordType

from gateware import targets
from gateware.flow import build_id, emulator, simulation, zephyr
from tests.end_to_end.ethernet import transfer
from tests.end_to_end.test_counter_blocks import test_an_idle_session_ends_by_itself
from tests.end_to_end.test_simulated_board import (
    test_counter_wraps,
    test_empty_file,
    test_encrypts_a_file_and_decrypts_it,
    test_interrupted_transfer_leaves_the_board_usable,
    test_key_and_counter_are_not_used_twice_unless_resumed,
    test_random_bytes_do_not_hang_the_board,
)
from tests.end_to_end.test_zephyr_console import await_output
from tests.waiting import HANG_S

pytestmark = pytest.mark.simboard

__all__ = [
    "test_an_idle_session_ends_by_itself",
    "test_counter_wraps",
    "test_empty_file",
    "test_encrypts_a_file_and_decrypts_it",
    "test_interrupted_transfer_leaves_the_board_usable",
    "test_key_and_counter_are_not_used_twice_unless_resumed",
    "test_random_bytes_do_not_hang_the_board",
]


@pytest.fixture(scope="module")
def board(zephyr_board):
    with SimulatedBoard(zephyr_board) as running:
        yield running


@pytest.fixture
def line(board):
    with SerialTransport(board.url) as transport:
        transport.resync()  # sends a zero byte, with which each connection to the simulated UART must begin
        yield transport


def test_says_that_it_is_zephyr(board, zephyr_board):
    with Device(SerialTransport(board.url)) as device:
        assert device.info().firmware == "zephyr"
        assert device.info().build_id == build_id.read(zephyr_board / "gateware", simulation.NAME)
        assert device.selftest().failed == 0


def test_settings_are_those_of_bare_metal(board):
    target = targets.load("sim", "zephyr")
    with Device(SerialTransport(board.url)) as device:
        info = device.info()
        assert (info.max_data, info.rx_window) == (target.configuration.max_data, target.board.rx_window)


# This test is slow, because Verilator needs a minute to build this board.
@pytest.mark.thorough
def test_the_service_of_the_board_with_sdram(zephyr_sdram_board):
    target = targets.load("sim", "sdram_zephyr")
    with SimulatedBoard(zephyr_sdram_board) as board, Device(SerialTransport(board.url)) as device:
        info = device.info()
        assert (info.firmware, info.board) == ("zephyr", target.name)
        assert info.build_id == build_id.read(zephyr_sdram_board / "gateware", simulation.NAME)
        assert (info.max_data, info.rx_window) == (target.configuration.max_data, target.board.rx_window)
        transfer(device, bytes(range(256)) * 20)
        # The vector unit of this board has a multiplier, so the vector unit computes GHASH for the accelerator. GHASH
        # in C would take about 1,500 cycles per block.
        fields = {"engine": Engine.ACCELERATOR, "mode": Mode.GCM}
        tested = device.request(RecordType.SELFTEST, timeout=HANG_S, **fields)
        assert (tested.tests, tested.failed) == (9, 0)
        sizes = {"direction": 0, "key_bits": 128, "record_bytes": 960, "total_bytes": 3840}
        part = device.request(RecordType.BENCH, timeout=HANG_S, **fields, **sizes)
        assert part.cycles < 500 * part.blocks
        await_output(board, 0, "SDRAM: DDR3, 32768 KB at 0x60000000")


@pytest.mark.thorough  # slow: compiles another image
@pytest.mark.parametrize("only", [Engine.ISE, Engine.ACCELERATOR])
def test_a_service_with_one_engine(zephyr_board, tmp_path, only):
    others = {Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR} - {only}
    output = zephyr.REPOSITORY / "build" / "tests" / "zephyr" / f"records_{only.name.lower()}"
    more = tuple(f"CONFIG_RECORDS_ENGINE_{engine.name}=n" for engine in sorted(others))
    image = zephyr.compile_application(zephyr.APPLICATION, output, zephyr_board.name, more)
    whole = zephyr_board / "firmware" / "zephyr" / "zephyr" / "zephyr.bin"
    assert image.stat().st_size < whole.stat().st_size - 8192
    board = SimulatedBoard(emulator.lay_out(tmp_path, zephyr_board, image))
    with board, Device(SerialTransport(board.url)) as device:
        assert set(device.info().engines) == {only}
        tested = device.selftest()
        assert tested.tests > 0 and tested.failed == 0
        transfer(device, bytes(range(200)), only)
        with pytest.raises(BoardError, match="engine"):
            transfer(device, bytes(16), Engine.TABLE)


# Two builds must give the same image, because the build id is computed from the image. The test is slow, because it
# compiles twice.
@pytest.mark.thorough
def test_the_same_image_again_whatever_the_environment(zephyr_board, monkeypatch):
    output = zephyr.REPOSITORY / "build" / "tests" / "zephyr" / "again"
    images = set()
    for words in ("one", "other" * 1000):
        monkeypatch.setenv("CIPHERLANE_UNUSED", words)
        shutil.rmtree(output, ignore_errors=True)
        images.add(zephyr.compile_application(zephyr.APPLICATION, output, zephyr_board.name).read_bytes())
    assert len(images) == 1
