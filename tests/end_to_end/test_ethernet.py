# SPDX-License-Identifier: BSD-2-Clause
"""The host tool and the simulated board exchange records over UDP. In one test, the Ethernet cable is bad."""

import io
import json
import random
import secrets
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cipherlane.link.device import Device
from cipherlane_base.wire.layout import UDP_PORT, VERSION, Engine

from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import Host, reference, running_board, transfer, transfer_over_damage
from tests.firmware import records
from tests.waiting import HANG_S, PAUSING, grows

pytestmark = pytest.mark.simboard

CIPHERLANE = Path(sys.executable).parent / "cipherlane"
ENGINES = [Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR]
CLOSES, ANSWER_S = 8, 5


@pytest.fixture(scope="module")
def board():
    with running_board() as running:
        yield running


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine(board, engine):
    with Device(Host(board)) as device:
        slow = engine in (Engine.BYTE, Engine.TABLE)
        transfer(device, random.Random(engine).randbytes(1501 if slow else 6001), engine)


def test_a_stream_keeps_the_window_full_and_loses_nothing(board):
    data, out = random.Random(1).randbytes(16_000), io.BytesIO()
    key, iv = secrets.token_bytes(16), secrets.token_bytes(16)
    with Device(Host(board)) as device, device.open_session(key, iv, Engine.ACCELERATOR, length=len(data)) as session:
        before = session.network()
        report = session.transfer(io.BytesIO(data), out, length=len(data))
        after = session.network()
    assert out.getvalue() == reference(key, iv, data)
    assert report.records == 12, "the window several times over"
    seen = {name: after[name] - before[name] for name in after}
    # The counter `records` includes the 12 data records, and the request `network`. The board reports the counter in
    # its reply to this request.
    assert seen["records"] >= 12 + 1
    assert not any(seen[name] for name in ("malformed", "checksum_errors", "fcs_errors"))
    parts = ("driver_cycles", "copy_cycles", "stack_cycles", "record_cycles", "engine_cycles")
    assert all(seen[name] > 0 for name in parts)
    assert sum(seen[name] for name in parts) <= seen["cycles"]


def test_requests_that_come_in_pairs_after_a_close_are_answered(board):
    """Close sessions. While the board zeroizes the frames of a closed session, send requests in pairs. At most one
    request of the whole test may remain unanswered.
    """
    lost = 0
    with Device(Host(board)) as device, board.udp_socket() as host:
        for _ in range(CLOSES):
            with device.open_session(secrets.token_bytes(16), secrets.token_bytes(16), Engine.ACCELERATOR):
                pass
            for _ in range(6):
                for _ in range(2):
                    host.sendto(records.record(records.INFO), (board.ip_address, UDP_PORT))
                for _ in range(2):
                    if select.select([host], [], [], ANSWER_S)[0]:
                        host.recv(2048)
                    else:
                        lost += 1
    assert lost <= 1


WIRES = [
    {"lose": 0.1},
    {"repeat": 0.2, "reorder": 0.2},
    {"corrupt": 0.1},
    {"lose": 0.02, "delay": 0.1},
]


@pytest.mark.parametrize("plan", WIRES, ids=str)
def test_bad_wire(board, plan):
    with BadWire(board, seed=1, **plan) as wire, Device(Host(board)) as device:
        send = transfer_over_damage if "corrupt" in plan else transfer
        send(device, random.Random(2).randbytes(20_000))
    for fault in plan.keys() - {"delay"}:
        assert wire.frames[fault] > 0
    with Device(Host(board)) as device:
        assert device.counters()["received"] > 0, "no reset was needed"


def test_flood_of_malformed_and_oversized_datagrams(board):
    """Two hosts without a session send a malformed or oversized datagram after each record of a transfer. The transfer
    must still succeed.
    """
    rng = random.Random(3)
    flood = [rng.randbytes(size) for size in (0, 1, 23, 24, 100, 1472, 1473, 4000)]
    headers = bytes([VERSION, 3, 0xFF, 0xFF]), bytes([VERSION + 4, 1, 0, 0]), bytes([VERSION, 0x83, 0, 0])
    flood += [headers[0] + rng.randbytes(60), headers[1] + bytes(20), headers[2] + bytes(20)]
    with board.udp_socket() as one, board.udp_socket() as two, Device(Host(board)) as device:

        def strangers(_written):
            for stranger in (one, two):
                stranger.sendto(rng.choice(flood), (board.ip_address, UDP_PORT))

        before, counted = device.network(), device.counters()
        for datagram in flood:
            one.sendto(datagram, (board.ip_address, UDP_PORT))
        transfer(device, rng.randbytes(20_000), progress=strangers)
        after, counters = device.network(), device.counters()
    assert after["malformed"] > before["malformed"], "fragments"
    assert counters["framing_errors"] > counted["framing_errors"]
    assert counters["length_errors"] > counted["length_errors"]
    assert after["frames"] > before["frames"], "the board was not reset"


def test_two_hosts_at_once(board):
    data = [random.Random(seed).randbytes(8_000) for seed in (4, 5)]
    reports = [None, None]

    def work(place):
        with Device(Host(board)) as device:
            reports[place] = transfer(device, data[place])

    hosts = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join(120)
    assert [report.bytes for report in reports] == [8_000, 8_000]


def test_host_killed_and_restarted(board, tmp_path):
    rng = random.Random(6)
    key, iv, plaintext = rng.randbytes(16), rng.randbytes(16), rng.randbytes(60_000)
    source, encrypted, part = tmp_path / "in", tmp_path / "out", tmp_path / "out.part"
    source.write_bytes(plaintext)
    inside = ["nsenter", "--target", str(board.pid), "--net", "--"]
    options = ["--port", f"udp://{board.ip_address}", "--key", key.hex(), "--raw", "--iv", iv.hex()]
    process = subprocess.Popen([*inside, *PAUSING, "encrypt", *options, source, encrypted])
    grows(part, 4096, process)
    process.send_signal(signal.SIGKILL)
    process.wait(HANG_S)
    command = [*inside, CIPHERLANE, "encrypt", *options]
    done = subprocess.run(
        [*command, "--resume", "--verify", source, encrypted], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert encrypted.read_bytes() == reference(key, iv, plaintext)


def test_the_tool_starts_the_board_and_its_namespace_itself(board, tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(random.Random(7).randbytes(5000))
    options = ["--port", "sim+udp", "--key", "11" * 32, "--raw", "--iv", "22" * 16, "--verify", "--json"]
    before = Path("/proc/net/dev").read_text().count("\n")
    done = subprocess.run(
        [CIPHERLANE, "encrypt", *options, source, encrypted], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == "sim"
    assert encrypted.read_bytes() == reference(bytes.fromhex("11" * 32), bytes.fromhex("22" * 16), source.read_bytes())
    assert Path("/proc/net/dev").read_text().count("\n") == before, "the machine's own network is as it was"
