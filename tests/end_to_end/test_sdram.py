# SPDX-License-Identifier: BSD-2-Clause
"""Test simulated boards with SDRAM. The firmware must initialise and test the SDRAM and keep records in it. After a
session is closed, no secret of this session may remain in memory.

One board has LiteDRAM's model of DDR3, which has no pins. Two have pins, with the SDR SDRAM of existing boards.
"""

import io
import random
import subprocess
import sys

import pytest
from cipherlane.link.device import Device
from cipherlane.protocol import framing
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine

from gateware.flow import simulation
from gateware.flow.firmware import REPOSITORY
from tests.end_to_end import memory
from tests.end_to_end.memory import BoardMemory, Secret
from tests.end_to_end.test_erasure import open_record
from tests.gateware.isa import fips197
from tests.gateware.soc import sdr_board
from tests.waiting import until

# These tests run only in the thorough suite, because Verilator needs minutes to build these boards. Other tests run the
# SDRAM driver with a model of the SDRAM, and check the SoC's memory map.
pytestmark = [pytest.mark.simboard, pytest.mark.thorough]

PAGE = 4096
ENGINES = [Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR]


# Maps the folder of each board in build/ to the type of SDRAM that the firmware reports.
BOARDS = {"sim_sdram": "DDR3", "sim_ulx3s": "SDR", "sim_colorlight_i5": "SDR"}


@pytest.fixture(scope="module", params=BOARDS)
def board(request):
    folder = REPOSITORY / "build" / request.param
    if request.param == "sim_sdram":
        subprocess.run(
            [sys.executable, "-m", "gateware.flow", "sim", "sdram"], cwd=REPOSITORY, check=True, timeout=1800
        )
    else:
        simulation.build(sdr_board.create_target(request.param.removeprefix("sim_")), folder)
    with SimulatedBoard(folder) as running:
        yield running


@pytest.fixture
def device(board):
    # Timeout in seconds. The board boots slowly on a busy machine.
    with Device(SerialTransport(board.url), timeout=120) as connected:
        yield connected


def transfer(device, secret, engine, direction):
    """Encrypt or decrypt the data of `secret` in a new session; return the open session and the result."""
    session = device.open_session(secret.key, secret.iv, engine, direction, length=len(secret.plain))
    out = io.BytesIO()
    data = secret.plain if direction == "encrypt" else secret.cipher
    session.transfer(io.BytesIO(data), out, length=len(data))
    return session, out.getvalue()


def test_the_memory_works(board, device):
    assert device.info().firmware == f"baremetal, {BOARDS[board.directory.name]}"


def test_known_answers(device):
    result = device.selftest()
    assert result.tests >= 9 * len(ENGINES) and result.failed == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [613, 4096])
def test_data_of_records(device, engine, size):
    secret = Secret(random.Random(f"{engine}{size}"), 256, size)
    session, out = transfer(device, secret, engine, "encrypt")
    session.close()
    assert out == secret.cipher


@pytest.fixture
def held(board, monkeypatch):
    """Return a reader of all memories of the board, including the SDRAM module. The fixture raises the reader's size
    limit, because the SDRAM module is larger than the usual limit.
    """
    monkeypatch.setattr(memory, "MAPPING_BYTES_MAX", 1 << 28)
    return BoardMemory(board)


def parts(secret):
    """Return a dictionary with the key, the round keys and the data of a secret, each as a list of pieces of 8 bytes.
    The SDRAM module stores the 8 bytes of a piece one after the other.
    """
    schedule = b"".join(fips197.expand_key(secret.key))
    whole = {"key": secret.key, "round keys": schedule[len(secret.key) :], "data": secret.plain}
    return {name: [data[at : at + 8] for at in range(0, len(data) - 7, 8)] for name, data in whole.items()}


def left(held, *secrets):
    """Return a set for each `Secret`: the names of its parts (such as the key or the data) that are in the board's
    memory. To save time, the search skips memory pages that contain only zeros.
    """
    image = held.image()
    pages = (image[at : at + PAGE] for at in range(0, len(image), PAGE))
    image = b"".join(page for page in pages if page.strip(b"\0"))
    return [
        {name for name, pieces in parts(each).items() if any(piece in image for piece in pieces)} for each in secrets
    ]


@pytest.mark.parametrize("engine", [Engine.ISE, Engine.ACCELERATOR])
def test_nothing_is_left_after_close(held, device, engine):
    """After a session is closed, no secret may remain in the SDRAM module or in the SDRAM's cache. The simulation model
    stores the words of the module and of the cache in address order, so the search finds secrets.
    """
    secret = Secret(random.Random(str(engine)), 256, 1024)
    session, out = transfer(device, secret, engine, "decrypt")
    assert left(held, secret)[0] >= {"key", "data"}, "they are seen while the session is open"
    assert out == secret.plain
    session.close()
    device.counters()
    assert left(held, secret) == [set()]


def unfinished(device, held, secret):
    """Send the first part of a frame that opens a session with the key of `secret`. The key is then in the SDRAM."""
    device.link.transport._write(framing.frame(open_record(secret).encode())[:-9])
    until(lambda: left(held, secret) == [{"key"}], lambda: "the board does not take the frame")


def test_nothing_is_left_of_a_key_that_came_damaged(held, device):
    secret = Secret(random.Random("damaged"), 256, 16)
    device.counters()
    unfinished(device, held, secret)
    device.link.transport._write(b"\0")
    device.counters()
    assert left(held, secret) == [set()]


def test_nothing_is_left_of_a_key_that_came_while_a_session_ended_by_itself(held, device):
    """The board ends an idle session while it receives a frame with a key. The board then writes its caches back to the
    SDRAM module, so the module also contains the received key. When the frame ends, the board must zeroize this key.
    """
    secret, idle = Secret(random.Random("damaged later"), 256, 16), Secret(random.Random("idle"), 256, 1024)
    transfer(device, idle, Engine.ISE, "decrypt")
    assert left(held, idle)[0] >= {"key", "data"}
    unfinished(device, held, secret)
    until(
        lambda: left(held, idle, secret) == [set(), {"key"}],
        lambda: "the session is still open",
        hang_s=1800,  # about 10 million cycles
    )
    device.link.transport._write(b"\0")
    device.counters()
    assert left(held, secret) == [set()]
