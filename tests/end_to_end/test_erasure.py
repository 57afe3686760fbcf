# SPDX-License-Identifier: BSD-2-Clause
"""After a session is closed, no part of its key or of its data is allowed to remain on the board. The tests search all
memories and registers of a simulated board.

Each test first finds what it looks for, while a session is open. "After close" means after the board has received the
next record, since it zeroizes its stack and caches before that. Two places are exceptions, since no instruction and no
register can read them back. The UART's FIFOs keep bytes until as many new ones have passed (`test_queues_of_the_uart`).
The fast path keeps some data, but no keys (`test_close_of_the_fast_path`).
"""

import contextlib
import io
import itertools
import random
import struct
import subprocess
import sys
from dataclasses import replace

import pytest
from cipherlane.errors import BoardError, CipherlaneError, TamperedError
from cipherlane.link.device import Device
from cipherlane.link.eia2 import eia2
from cipherlane.link.lte import Message
from cipherlane.protocol import framing
from cipherlane.protocol.records import Record
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import REQUESTS, UDP_PORT, Engine, Mode, RecordType

from gateware import targets
from gateware.flow import simulation
from tests.end_to_end.ethernet import Host, running_board
from tests.end_to_end.memory import BoardMemory, Secret
from tests.waiting import HANG_S, until

pytestmark = pytest.mark.simboard

KEY_BITS = (128, 192, 256)
# Number of data bytes: enough for vector loads and stores. The last block is incomplete.
DATA_BYTES = 613
ENGINES = [Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR]
# Engines whose hardware stores keys. The engine ISE_VMEM keeps round keys in registers that all sessions share. The
# engine ACCELERATOR has a separate key slot for each session.
HARDWARE = [Engine.ISE_VMEM, Engine.ACCELERATOR]


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard() as running:
        yield running


@pytest.fixture(scope="module")
def memory(board):
    return BoardMemory(board)


@pytest.fixture
def device(board):
    with Device(SerialTransport(board.url)) as connected:
        yield connected


def opened(device, secret, engine, direction="encrypt"):
    """Open a session, encrypt or decrypt the data of `secret` in this session, and return the open session."""
    session = device.open_session(secret.key, secret.iv, engine, direction, length=len(secret.plain))
    stream(session, secret)
    return session


def stream(session, secret):
    data = (secret.plain, secret.cipher)
    into, expected = data if session.stream.direction == "encrypt" else data[::-1]
    out = io.BytesIO()
    session.transfer(io.BytesIO(into), out, length=len(secret.plain))
    assert out.getvalue() == expected


def settle(device):
    """Send a record without a secret. This record overwrites the previous record in the board's buffers."""
    device.counters()


def close(device, session):
    session.close()
    settle(device)


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("engine", ENGINES)
def test_close(memory, device, engine, direction):
    secret = Secret(random.Random(f"{engine}{direction}"), 256, DATA_BYTES)
    session = opened(device, secret, engine, direction)
    assert memory.found(secret)[secret.name] >= {"key", "round keys"} | ({"data"} if direction == "decrypt" else set())
    close(device, session)
    assert memory.found(secret) == {}


def opened_in_gcm(device, secret, engine, direction):
    options = {"gcm": True, "length": len(secret.plain), "record_bytes": secret.record_bytes}
    session = device.open_session(secret.key, secret.iv, engine, direction, **options)
    stream(session, secret)
    return session


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("engine", ENGINES)
def test_close_in_gcm(memory, device, engine, direction):
    """The board must zeroize the GCM hash subkey after each record, and all other secrets when the session is closed,
    even if the last record had a wrong tag.

    Only the accelerator's queues keep what passed last, until other data pass or the key ends.
    """
    passing = {"hash subkey", "keystream of the tag"} if engine == Engine.ACCELERATOR else set()
    rng = random.Random(f"gcm{engine}{direction}")
    secret = Secret(rng, 256, DATA_BYTES, "A", gcm=True)
    session = opened_in_gcm(device, secret, engine, direction)
    found = memory.found(secret)["A"]
    assert found >= {"key", "round keys"} | ({"data"} if direction == "decrypt" else set())
    assert "hash subkey" not in found - passing
    close(device, session)
    assert memory.found(secret) == {}
    if direction == "decrypt":
        forged = Secret(rng, 256, DATA_BYTES, "B", gcm=True)
        forged.cipher = forged.cipher[:-1] + bytes([forged.cipher[-1] ^ 1])
        session = device.open_session(
            forged.key, forged.iv, engine, direction, gcm=True, record_bytes=forged.record_bytes
        )
        with pytest.raises(TamperedError):
            stream(session, forged)
        assert memory.found(forged)["B"] - passing <= {"key", "round keys"}
        close(device, session)
        assert memory.found(forged) == {}


@pytest.fixture(scope="module")
def compact_board(tmp_path_factory):
    """Yield a simulated board with firmware that is compiled for size, as for the small FPGA LFE5U-25F."""
    target = targets.load("sim")
    target = replace(target, configuration=replace(target.configuration, compact=True))
    folder = tmp_path_factory.mktemp("compact")
    simulation.build(target, folder)
    with SimulatedBoard(folder) as running:
        yield running


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_close_in_compact_firmware(compact_board, direction):
    """Closing a session must also zeroize the CPU's registers. Firmware that is compiled for size uses fewer registers,
    so the next record does not overwrite all of them.
    """
    memory = BoardMemory(compact_board)
    with Device(SerialTransport(compact_board.url)) as device:
        for engine in ENGINES:
            secret = Secret(random.Random(f"{engine}{direction}"), 256, DATA_BYTES)
            session = opened(device, secret, engine, direction)
            assert "key" in memory.found(secret)[secret.name], "the search finds it"
            close(device, session)
            assert memory.found(secret) == {}, engine.name
            secret = Secret(random.Random(f"gcm{engine}{direction}"), 256, DATA_BYTES, gcm=True)
            close(device, opened_in_gcm(device, secret, engine, direction))
            assert memory.found(secret) == {}, f"{engine.name} in GCM"


@pytest.mark.parametrize("engine", ENGINES)
def test_mac(memory, device, engine):
    """After the board has computed and sent a MAC, no part of the key or of the message may remain on the board. A MAC
    needs no session, so the board cannot wait for a session to be closed.
    """
    secret = Secret(random.Random(f"mac{engine}"), 128, 400)
    session = opened(device, secret, engine)
    assert "key" in memory.found(secret)[secret.name], "the search finds it"
    close(device, session)
    eia2(device, secret.key, Message("eia2", 1, 2, 1), secret.plain, engine)
    settle(device)
    assert memory.found(secret) == {}


def test_sessions_that_end_by_themselves(memory, device):
    """The board ends a session because the session was idle. The board must then zeroize the session's data, because no
    later record overwrites these data.
    """
    secret = Secret(random.Random(8), 256, DATA_BYTES)
    opened(device, secret, Engine.ISE, "decrypt")
    assert memory.found(secret)[secret.name] >= {"key", "round keys", "data"}
    free = device.connect().ranges_free
    # Open a second session, and wait until the board has ended this session, too. The test notices the end, because
    # the table of counter-block ranges then has as many free entries as before the second session.
    device.open_session(bytes(16), bytes(16), Engine.ISE, length=16)
    assert device.connect().ranges_free < free
    until(lambda: device.connect().ranges_free == free, lambda: "the session is still open")
    assert memory.found(secret) == {}


@pytest.mark.parametrize("engine", HARDWARE)
def test_every_order_of_two_sessions(memory, device, engine):
    rng = random.Random(engine)
    for bits_a, bits_b, first in itertools.product(KEY_BITS, KEY_BITS, (0, 1)):
        secrets = [Secret(rng, bits_a, DATA_BYTES, "A"), Secret(rng, bits_b, DATA_BYTES, "B")]
        again, directions = rng.random() < 0.5, rng.choices(("encrypt", "decrypt"), k=2)
        order = f"AES-{bits_a}, AES-{bits_b}, {'AB'[first]} closed first, A used {'twice' if again else 'once'}"
        order += f", {' and '.join(directions)}"
        sessions = [opened(device, *each) for each in zip(secrets, (engine, engine), directions, strict=True)]
        if again:
            stream(sessions[0], secrets[0])
        assert memory.found(*secrets).keys() == {"A", "B"}, order
        close(device, sessions[first])
        found = memory.found(*secrets)
        assert found.keys() == {"AB"[1 - first]}, f"{order}: {found}"
        close(device, sessions[1 - first])
        assert memory.found(*secrets) == {}, order


@pytest.mark.parametrize(
    "engines",
    [(Engine.TABLE, Engine.ISE_VMEM), (Engine.ISE_VMEM, Engine.ACCELERATOR), (Engine.ACCELERATOR, Engine.ISE)],
)
def test_two_engines(memory, device, engines):
    rng = random.Random(str(engines))
    secrets = [Secret(rng, 256, DATA_BYTES, "A"), Secret(rng, 128, DATA_BYTES, "B")]
    sessions = [opened(device, secret, engine) for secret, engine in zip(secrets, engines, strict=True)]
    assert memory.found(*secrets).keys() == {"A", "B"}
    close(device, sessions[0])
    assert memory.found(*secrets).keys() == {"B"}
    close(device, sessions[1])
    assert memory.found(*secrets) == {}


def test_all_slots_of_the_accelerator(memory, device):
    """Open eight sessions. The accelerator has one slot for the key of each session. When a session is closed, the
    board must zeroize the key of this session and no other key.
    """
    rng = random.Random(8)
    secrets = [Secret(rng, KEY_BITS[n % 3], 40, str(n)) for n in range(8)]
    sessions = [opened(device, secret, Engine.ACCELERATOR) for secret in secrets]
    for session, secret in zip(sessions, secrets, strict=True):
        stream(session, secret)
    assert device.selftest().failed == 0
    found = memory.found(*secrets)
    assert all("round keys" in found[secret.name] for secret in secrets)
    for n in rng.sample(range(8), 8):
        close(device, sessions[n])
        del found[str(n)]
        assert memory.found(*secrets).keys() == found.keys()


@pytest.mark.parametrize("engine", [Engine.ACCELERATOR, Engine.TABLE, Engine.ISE])
def test_copies_of_an_open_key(memory, device, engine):
    """While a session is open, the board must hold exactly one copy of the session's key. With the accelerator, this
    copy is in a slot; with other engines, it is in the SRAM.

    Another session with another key has run meanwhile.
    """
    secret = Secret(random.Random(engine), 256, 40)
    session = opened(device, secret, engine)
    others = Secret(random.Random(100 + engine), 256, 40)
    close(device, opened(device, others, Engine.BYTE))
    # Search only for the key's second half. The simulation model also keeps a copy of the word that was read last, and
    # this word can belong to the key's first half.
    assert memory.copies(secret.key[16:]) == 1
    close(device, session)
    assert memory.copies(secret.key[16:]) == 0


def test_reset(memory, device):
    rng = random.Random("reset")
    secrets = [Secret(rng, 256, DATA_BYTES, "A"), Secret(rng, 192, DATA_BYTES, "B")]
    engines = (Engine.ISE_VMEM, Engine.ACCELERATOR)
    sessions = [opened(device, secret, engine) for secret, engine in zip(secrets, engines, strict=True)]
    assert memory.found(*secrets).keys() == {"A", "B"}
    for session in sessions:
        device.exchange(Record(RecordType.RESET, token=session.stream.token))
    settle(device)
    assert memory.found(*secrets) == {}


def open_record(secret, **values):
    fields = {"key_bits": 8 * len(secret.key), "engine": Engine.ISE, "direction": 0, "flags": 0, "iv": secret.iv}
    fields |= {"length": 16, "record_bytes": 16, "reserved": 0, "ticket": 0}
    fields |= {"key": secret.key.ljust(32, b"\0")} | values
    return Record(RecordType.OPEN, token=1, data=REQUESTS[RecordType.OPEN].pack(**fields))


@pytest.mark.parametrize(
    "values",
    [{"engine": 31}, {"direction": 2}, {"flags": 0x80}, {"key_bits": 128}, {"key_bits": 200}],
    ids=str,
)
def test_refused_open(memory, device, values):
    secret = Secret(random.Random(str(values)), 256, 16)
    with pytest.raises(BoardError):
        device.exchange(open_record(secret, **values))
    settle(device)
    assert memory.found(secret) == {}


def test_refused_key(memory, device):
    """The board refuses to open a session for used counter blocks. Before it refuses, the board computes a number that
    identifies the key. After the refusal, no part of the key may remain on the board.
    """
    secret = Secret(random.Random(4), 256, DATA_BYTES)
    close(device, opened(device, secret, Engine.TABLE))
    with pytest.raises(BoardError, match="used"):
        device.open_session(secret.key, secret.iv, Engine.ISE, length=16)
    settle(device)
    assert memory.found(secret) == {}


def test_refused_data(memory, device):
    secret = Secret(random.Random(5), 128, DATA_BYTES)
    with pytest.raises(BoardError):
        device.exchange(Record(RecordType.DATA, session=77, token=1, data=secret.plain))
    settle(device)
    assert memory.found(secret) == {}


@pytest.mark.parametrize("damage", ["checksum", "cut", "too long"])
def test_damaged_frame_with_a_key(memory, device, damage):
    secret = Secret(random.Random(damage), 256, DATA_BYTES)
    record = open_record(secret).encode()
    frame = framing.frame(record)
    if damage == "checksum":
        frame = frame[:2] + bytes([frame[2] ^ 0x40]) + frame[3:]
    elif damage == "cut":
        frame = frame[:-9]
        device.link.transport._write(frame)
        until(lambda: memory.found(secret), lambda: "the board does not take the frame")
        frame = b"\0"
    else:
        frame = framing.frame(record * 30)
    device.link.transport._write(frame)
    settle(device)
    assert memory.found(secret) == {}


def test_restart_after_a_fault(memory, device):
    """If a fault restarts the firmware, the firmware must zeroize the secrets in the board's memories before it accepts
    a record.
    """
    rng = random.Random(6)
    secrets = [Secret(rng, 256, DATA_BYTES, str(engine)) for engine in HARDWARE]
    for secret, engine in zip(secrets, HARDWARE, strict=True):
        opened(device, secret, engine, "decrypt")
    assert memory.found(*secrets).keys() == {secret.name for secret in secrets}
    device.counters()
    with memory.broken("cl_selftest_run"), contextlib.suppress(CipherlaneError):
        device.request(RecordType.SELFTEST, timeout=1, attempts=1, engine=Engine.ISE, mode=Mode.CTR)
    device.connect()
    assert device.counters()["sessions_opened"] == 0, "the board did not restart"
    assert memory.found(*secrets) == {}


def test_queues_of_the_uart(memory, device):
    """After a session is closed, the UART's FIFOs can still contain the session's key and data. Later bytes must
    overwrite the key and the data.

    No instruction can read the key there.
    """
    secret = Secret(random.Random(7), 256, DATA_BYTES)
    close(device, opened(device, secret, Engine.ISE))
    assert {"key", "data"} <= memory.queues(secret)[secret.name]
    for _ in range(10):
        device.link.transport._write(bytes(1000))
        settle(device)
    assert memory.queues(secret) == {}


@pytest.fixture(scope="module")
def ethernet_board():
    with running_board() as running:
        yield running


@pytest.fixture(scope="module")
def ethernet_memory(ethernet_board):
    return BoardMemory(ethernet_board)


@pytest.fixture
def ethernet_device(ethernet_board):
    with Device(Host(ethernet_board)) as connected:
        yield connected


# Number of 32-bit words of a secret that can remain in the simulator, but not on a real board. Verilator's variables
# `__Vlvbound_*` hold the bytes that each memory port wrote last. The DMA's port writes four words (16 bytes) at a time.
SLOT_WORDS_LEFT = 4


def settle_frames(device):
    """Send more frames than the Ethernet MAC has frame buffers (slots). These frames overwrite the last word of each
    slot, and also the copy of this word in a variable of the simulator.
    """
    for _ in range(9):
        device.counters()


@pytest.mark.parametrize(
    ("engine", "direction"),
    [(Engine.TABLE, "encrypt"), (Engine.ISE_VMEM, "decrypt"), (Engine.ACCELERATOR, "decrypt")],
)
def test_close_over_ethernet(ethernet_memory, ethernet_device, engine, direction):
    """After a session is closed, the Ethernet MAC's frame buffers (slots) must not contain the session's data. The MAC
    has slots for received frames and slots for sent frames.
    """
    secret = Secret(random.Random(f"{engine}{direction}"), 256, 3000)
    session = opened(ethernet_device, secret, engine, direction)
    # The Ethernet MAC's slots store the data two bytes after a word boundary. Only the function `in_slots` takes this
    # offset into account, so the function `found` can miss the data.
    assert ethernet_memory.found(secret)[secret.name] >= {"key", "round keys"}
    # The board may still be zeroizing its slots, which it does after power-on. Then send the records again.
    until(
        lambda: ethernet_memory.in_slots(secret.plain) > SLOT_WORDS_LEFT,
        lambda: "no slot held the data",
        lambda: stream(session, secret),
    )
    session.close()
    settle_frames(ethernet_device)
    assert ethernet_memory.in_slots(secret.plain) <= SLOT_WORDS_LEFT
    # The simulator keeps a copy of the block that the DMA wrote last. To overwrite this copy, open a second session and
    # let the DMA write one block.
    other = Secret(random.Random(f"{engine} other"), 128, 16)
    close(ethernet_device, opened(ethernet_device, other, Engine.ACCELERATOR))
    assert ethernet_memory.found(secret) == {}
    assert ethernet_memory.in_slots(secret.plain) == 0


SEND_RAW = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP) as raw:
    raw.sendto(bytes.fromhex(sys.argv[2]), (sys.argv[1], 0))
"""


def send_damaged(board, payload):
    """Send the record `payload` in a UDP datagram with a wrong checksum."""
    datagram = struct.pack(">HHHH", 4000, UDP_PORT, 8 + len(payload), 1) + payload
    inside = ["nsenter", "--target", str(board.pid), "--net", "--", sys.executable, "-I", "-c", SEND_RAW]
    subprocess.run([*inside, board.ip_address, datagram.hex()], check=True, timeout=HANG_S)


@pytest.mark.parametrize("damaged", [False, True])
def test_open_that_is_not_carried_out(ethernet_board, ethernet_memory, ethernet_device, damaged):
    """If the board refuses a request to open a session, or receives a damaged request, no part of the key in this
    request may remain on the board. Checksums of the request must not remain either, because they depend on the key.
    """
    secret = Secret(random.Random(f"open {damaged}"), 256, 16)
    record = open_record(secret, engine=Engine.ISE if damaged else 31)
    if damaged:
        before = ethernet_device.network()["checksum_errors"]
        send_damaged(ethernet_board, record.encode())
        until(lambda: ethernet_device.network()["checksum_errors"] > before, lambda: "the datagram did not come")
    else:
        with pytest.raises(BoardError):
            ethernet_device.exchange(record)
    # Three frames are too few to overwrite all slots of the MAC, but enough to overwrite the receive FIFO.
    for _ in range(3):
        settle(ethernet_device)
    assert ethernet_memory.found(secret) == {}
    words = [int.from_bytes(record.data[i : i + 4], "little") for i in range(0, len(record.data) // 4 * 4, 4)]
    running = list(itertools.accumulate(words))
    image = ethernet_memory.image()
    assert not [total for total in (running[-1], sum(running)) if (total % 2**32).to_bytes(4, "little") in image]


def test_close_of_the_fast_path(ethernet_memory, ethernet_device):
    """After all sessions of the fast path are closed, no key remains on the board. The order in which they are closed
    makes no difference.

    Data may stay in packet memories until other data replace them.
    """
    rng = random.Random(9)
    for bits_a, bits_b, first in [(256, 128, 0), (192, 256, 1)]:
        secrets = [Secret(rng, bits_a, 3000, "A"), Secret(rng, bits_b, 3000, "B")]
        sessions = [opened(ethernet_device, secret, Engine.FASTPATH, "decrypt") for secret in secrets]
        found = ethernet_memory.found(*secrets)
        assert "round keys" in found["A"] and "round keys" in found["B"]
        for n in (first, 1 - first):
            sessions[n].close()
            settle_frames(ethernet_device)
            found = ethernet_memory.found(*secrets)
            assert found.get("AB"[n], set()) <= {"data", "keystream"}
        assert ethernet_memory.found(*secrets).get("AB"[first], set()) <= {"data", "keystream"}
