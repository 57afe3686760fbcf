"""Simulated boards with SDRAM: it is set up and tested, records lie there, nothing of them is left after close.

That with LiteDRAM's model of DDR3, which has no pins; and two that have, with the SDR SDRAM of boards that there are.
"""

import io
import random
import subprocess
import sys

import pytest
from cipherlane.device import Device
from cipherlane.protocol.layout import Engine
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard

from gateware.flow import simulation
from gateware.flow.firmware import REPOSITORY
from tests.end_to_end import memory
from tests.end_to_end.memory import BoardMemory, Secret
from tests.gateware.soc import sdr_board

# Verilator's build of other boards takes minutes; the driver is tested over a model, the SoC by its map.
pytestmark = [pytest.mark.simboard, pytest.mark.thorough]

ENGINES = [Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR]


# Folders of build/, and what the firmware calls the memory.
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
    with Device(SerialTransport(board.url), timeout=120) as connected:  # its boot takes a while on a busy machine
        yield connected


def transfer(device, secret, engine, direction):
    """A session that has carried out the secret's data, still open, and what came back."""
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


@pytest.mark.parametrize("engine", [Engine.ISE, Engine.ACCELERATOR])
def test_nothing_is_left_after_close(board, device, engine, monkeypatch):
    """Neither in the module nor in its cache, whose words lie in the model as they are."""
    monkeypatch.setattr(memory, "MAPPING_BYTES_MAX", 1 << 28)
    held = BoardMemory(board)
    secret = Secret(random.Random(str(engine)), 256, 1024)
    session, out = transfer(device, secret, engine, "decrypt")
    assert out == secret.plain

    def left():
        image = held.image()
        return [at for at in range(0, 1016) if secret.plain[at : at + 8] in image]

    assert len(left()) > 100, "what is looked for is seen while the session is open"
    session.close()
    device.counters()
    assert left() == [] and secret.key[:8] not in held.image()
