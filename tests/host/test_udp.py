# SPDX-License-Identifier: BSD-2-Clause
"""Tests UDP with the null board on the loopback interface: the transport's datagrams, and transfers with losses."""

import contextlib
import io
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading

import pytest
from cipherlane.errors import BoardError, NoReplyError, PortError, ReusedError, TransferError
from cipherlane.link.device import Device
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.transport.base import Pace
from cipherlane.transport.udp import Datagrams, UdpTransport, parse
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.waiting import HANG_S

from .links import QUICK, LossyLink
from .model import PeerBoard
from .served import Served

KEY, IV = bytes(range(32)), bytes.fromhex("00" * 15 + "fe")
CIPHERLANE = [sys.executable, "-m", "cipherlane.cli"]


def reference(data, key=KEY, iv=IV):
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


@pytest.fixture(params=[False, True], ids=["encrypts", "echo"])
def null_board(request):
    board = NullBoard(port=0, echo=request.param)
    with Served(lambda: board.serve_once(0.05)):
        yield board
    board.close()


def bad_network(seed, **rates):
    """Connect a model board through a simulated network that loses, repeats, reorders and truncates datagrams."""
    board = PeerBoard(max_data=1440, rx_window=16384, max_sessions=8)
    return LossyLink(board, seed, shared=True, pace=QUICK, **rates)


def transfer(device, data, **options):
    out = io.BytesIO()
    with device.open_session(KEY, IV, Engine.TABLE, length=len(data)) as session:
        report = session.transfer(io.BytesIO(data), out, length=len(data), **options)
    return out.getvalue(), report


@pytest.mark.parametrize("length", [0, 1, 1439, 1440, 1441, 100_000, 3_000_001])
def test_transfer_through_the_null_board(null_board, length):
    data = random.Random(length).randbytes(length)
    with Device(UdpTransport(null_board.url)) as device:
        assert device.info().board == "null"
        result, report = transfer(device, data)
    assert result == (data if null_board.echo else reference(data))
    assert report.bytes == length


def test_null_board_measures_and_counts(null_board):
    with Device(UdpTransport(null_board.url)) as device:
        with device.open_session(KEY, IV, Engine.TABLE) as session:
            session.transfer(io.BytesIO(bytes(100)), io.BytesIO())
            if not null_board.echo:
                assert session.stat().blocks == 7
        assert device.counters()["sessions_opened"] == 1
        if null_board.echo:
            with pytest.raises(BoardError, match="value"):
                device.bench(Engine.TABLE, 128)
        else:
            assert device.bench(Engine.TABLE, 128, total_bytes=5000, record_bytes=1024).bytes == 5000
        with pytest.raises(BoardError, match="type"):
            device.network()


def test_null_board_serves_a_session_to_its_peer_alone(null_board):
    if null_board.echo:
        return
    with Device(UdpTransport(null_board.url)) as one, Device(UdpTransport(null_board.url)) as two:
        session = one.open_session(KEY, IV, Engine.TABLE)
        session.calls = two
        with pytest.raises(TransferError, match="session"):
            session.transfer(io.BytesIO(bytes(100)), io.BytesIO())
        session.calls = one
        session.close()


RATES = [
    {},
    {"lose": 0.01},
    {"lose": 0.1},
    {"lose": 0.3},
    {"repeat": 0.3},
    {"reorder": 0.5},
    {"truncate": 0.1},
    {"lose": 0.1, "repeat": 0.1, "reorder": 0.3, "truncate": 0.05},
]


@pytest.mark.parametrize("run", [1, 7, 44])
@pytest.mark.parametrize("rates", RATES, ids=str)
def test_transfer_over_a_bad_network(rates, run):
    data = random.Random(3).randbytes(200_001)
    network = bad_network(seed=1, run=run)
    with Device(network) as device:
        device.link.set_pace(QUICK)
        network.set_rates(**rates)
        result, report = transfer(device, data)
    assert result == reference(data)
    assert (report.retransmissions > 0) == (rates.keys() & {"lose", "truncate"} != set()) or "reorder" in rates
    assert device.link.flights.bytes == 0
    assert max(network.runs) == 1 if run == 1 else max(network.runs) > 1


def test_a_seed_tells_all():
    """The seed alone determines which records are lost and when they are repeated; real time has no influence."""
    logs = []
    for _ in range(2):
        network, log = bad_network(seed=7), []
        with Device(network) as device:
            network.set_rates(lose=0.1, reorder=0.2)
            send = network.send
            network.send = lambda record, log=log, send=send, network=network: (
                log.append((network.clock.time, record[:4], record[8:16])),
                send(record),
            )
            transfer(device, random.Random(3).randbytes(50_000))
        logs.append(log)
    assert logs[0] == logs[1] and len(logs[0]) > 40


def test_silence_says_what_is_missing():
    network = bad_network(seed=2)
    with Device(network) as device:
        device.link.set_pace(Pace(first=0.05, minimum=0.02, maximum=0.05, attempts=3))

        def fall_silent(written):
            if written >= 50_000:
                network.set_rates(lose=1)

        with pytest.raises(TransferError, match=r"no reply to 3 attempts; missing bytes .*resume at offset"):
            transfer(device, bytes(100_000), progress=fall_silent)


def test_sessions_that_end_in_mid_transfer():
    """If the board ends the session, the host reports the missing bytes, and a new session continues from the first
    missing byte.
    """
    data = random.Random(5).randbytes(100_000)
    network = bad_network(seed=4)
    out = io.BytesIO()
    with Device(network) as device:

        def end(written):
            if written >= 50_000:
                network.board.end_sessions()

        session = device.open_session(KEY, IV, Engine.TABLE, length=len(data))
        with pytest.raises(TransferError, match=r"No such session.*missing bytes .*resume at offset") as caught:
            session.transfer(io.BytesIO(data), out, length=len(data), progress=end)
        start = caught.value.written
        assert start == len(out.getvalue()) >= 50_000
        again = {"length": len(data), "record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(KEY, IV, Engine.TABLE, **again) as session:
            session.transfer(io.BytesIO(data[start:]), out, offset=start, length=len(data) - start)
    assert out.getvalue() == reference(data)


def test_two_hosts_at_once():
    data = [random.Random(seed).randbytes(150_000) for seed in (1, 2)]
    keys, results = [bytes([place]) * 16 for place in (0, 1)], [None, None]
    board = NullBoard(port=0)

    def work(place):
        out = io.BytesIO()
        with Device(UdpTransport(board.url)) as device, device.open_session(keys[place], IV, Engine.TABLE) as session:
            session.transfer(io.BytesIO(data[place]), out)
        results[place] = out.getvalue()

    with Served(lambda: board.serve_once(0.05)):
        hosts = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
        for host in hosts:
            host.start()
        for host in hosts:
            host.join(HANG_S)
    board.close()
    assert results == [reference(part, key) for part, key in zip(data, keys, strict=True)]


def test_datagrams_of_any_sizes_arrive_as_they_were_sent():
    rng = random.Random(6)
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind(("127.0.0.1", 0))
    there, here = Datagrams(listener), Datagrams(sender)
    sizes = [1464] * 100 + [1, 1464, 24, 24, 24, 500, 1464, 1464, 3] + [rng.randrange(1, 1472) for _ in range(50)]
    sent = [rng.randbytes(size) for size in sizes]
    here.send(sent, listener.getsockname())
    received = []
    while len(received) < len(sent):
        arrived = there.receive(HANG_S)
        assert arrived is not None, f"{len(received)} of {len(sent)}"
        data, size, address = arrived
        assert address == sender.getsockname()
        received += [data[start : start + size] for start in range(0, len(data), size)]
    assert received == sent
    assert there.receive(0.01) is None
    here.close()
    there.close()


@pytest.mark.parametrize("most", [0, 1, 3, 100])
def test_datagrams_that_arrive_apart_come_together(most):
    """One read returns a run of at most `most` datagrams, in order and only from the board. All datagrams of a run
    have the same size, except that the last one can be shorter.
    """
    sizes = [40] * 7 + [16, 40, 40, 0, 40, 50, 50, 50]
    sent = [bytes([number]) * size for number, size in enumerate(sizes)]
    with contextlib.ExitStack() as stack:
        board, stranger = (stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2))
        board.bind(("127.0.0.1", 0))
        transport = stack.enter_context(UdpTransport(f"udp://127.0.0.1:{board.getsockname()[1]}"))
        transport.send(b"")
        host = board.recvfrom(1)[1]
        for number, datagram in enumerate(sent):
            board.sendto(datagram, host)
            if number == 10:
                stranger.sendto(bytes(40), host)
        runs = []
        while len(found := [record for run in runs for record in run.records()]) < len(sent):
            runs.append(transport.receive_run(HANG_S, most))
        assert found == sent
        assert max(len(run.records()) for run in runs) == {0: 1, 1: 1, 3: 3, 100: 7}[most]
        assert transport.receive_run(0.0, most) is None


def test_a_kernel_without_segmentation_still_sends(null_board):
    with Device(UdpTransport(null_board.url)) as device:
        device.link.transport._datagrams.segments = 1
        data = bytes(50_000)
        result, _ = transfer(device, data)
    assert len(result) == len(data)


def test_board_is_called_many_times_over_a_network():
    network = bad_network(0)
    answer, misses = network.board.answer, [6]

    def miss(record):
        if misses[0]:
            misses[0] -= 1
            network.set_rates(lose=1)
        else:
            network.set_rates()
        return answer(record)

    network.pace = Pace(first=0.2, minimum=0.02, maximum=0.2, attempts=60, calls=16)
    network.board.answer = miss
    send = network.send
    network.send = lambda record: (network.set_rates(), send(record))
    with Device(network) as device:
        assert device.info().max_data == 1440
    assert misses[0] == 0


def test_nobody_there():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"udp://127.0.0.1:{probe.getsockname()[1]}"
        # The socket `probe` occupies the port, but never answers.
        with pytest.raises(NoReplyError, match=r"no reply .* UDP port \d+ of 127\.0\.0\.1; `cipherlane doctor"):
            Device(UdpTransport(url), timeout=0.05).connect()


@pytest.mark.parametrize(
    "url", ["udp:", "udp://", "udp://host:port", "udp://host:70000", "udp://host/path", "tcp://host"]
)
def test_addresses_that_are_none(url):
    with pytest.raises(PortError, match="give udp://host"):
        parse(url)


def test_addresses():
    assert parse("udp://192.168.1.50") == ("192.168.1.50", 20197)
    assert parse("udp://board:1234") == ("board", 1234)
    with pytest.raises(PortError, match=r"cannot reach udp://255\.255\.255\.255"):
        UdpTransport("udp://255.255.255.255")


def test_commands_over_udp_with_the_null_board_command(tmp_path):
    source, encrypted = tmp_path / "in", tmp_path / "out"
    source.write_bytes(random.Random(8).randbytes(123_456))
    board = subprocess.Popen(
        [*CIPHERLANE, "null-board", "--listen", "udp://127.0.0.1:0"], stderr=subprocess.PIPE, text=True
    )
    try:
        url = board.stderr.readline().split()[-1]
        options = ["--port", url, "--key", KEY.hex(), "--raw", "--iv", IV.hex(), "--verify", "--json"]
        done = subprocess.run(
            [*CIPHERLANE, "encrypt", *options, source, encrypted], capture_output=True, text=True, timeout=HANG_S
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["kind"] == "null"
        assert encrypted.read_bytes() == reference(source.read_bytes())
    finally:
        board.send_signal(signal.SIGINT) if os.name == "posix" else board.terminate()
        board.communicate(timeout=HANG_S)
        assert board.returncode == (130 if os.name == "posix" else 1)


def test_port_of_the_null_board_is_taken(null_board):
    port = int(null_board.url.rsplit(":", 1)[1])
    with pytest.raises(PortError, match="choose another port"):
        NullBoard(port=port)
    null_board.serve(0.1)  # returns after this time


def test_bench_through_the_link(null_board, tmp_path):
    results = tmp_path / "bench.json"
    options = ["--link", "--bytes", "200000", "--record-bytes", "256", "--record-bytes", "1440", "--window", "32"]
    command = [*CIPHERLANE, "bench", "--port", null_board.url, *options, "--json", "--results", results]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    kept = json.loads(results.read_text())
    assert kept["records"] == records
    assert kept["provenance"]["board"] == "null" and kept["provenance"]["command"].startswith("cipherlane bench --port")
    assert [record["record_bytes"] for record in records] == [256, 1440]
    for record in records:
        assert record["kind"] == "null"
        assert record["window_records"] == 32
        assert record["packet_cycles"] is None
        assert record["goodput_mbps"] > 0 and record["host_core_mbps"] > 0
        assert 0 < record["latency_ms"]["p50"] <= record["latency_ms"]["p90"] <= record["latency_ms"]["p99"]
    # 1440 data bytes occupy 1530 on the wire: record header 24, UDP 8, IPv4 20, Ethernet 14, FCS 4, preamble 8, gap 12.
    assert records[1]["wire_limit_mbps"] == pytest.approx(1000 * 1440 / 1530, abs=0.001)
    assert records[1]["share"] == pytest.approx(records[1]["goodput_mbps"] / records[1]["wire_limit_mbps"], abs=1e-4)


@pytest.mark.parametrize("length", [3 * 1440, 100 * 1440 + 1])
def test_what_a_stream_used_of_its_range_is_used(null_board, length):
    """When a session ends, the counter blocks that its stream has not used are free again. This is also true for a
    null board that only echoes data and does not track records.
    """
    # Number of counter blocks that the stream used. Every record uses 90 blocks, even a short last record.
    after = -(-length // 1440) * 90
    with Device(UdpTransport(null_board.url)) as device:
        with device.open_session(KEY, IV, Engine.TABLE) as session:
            session.transfer(io.BytesIO(bytes(length)), io.BytesIO())
        for place, free in ((0, False), (after - 1, False), (after, True)):
            iv = ((int.from_bytes(IV, "big") + place) % (1 << 128)).to_bytes(16, "big")
            with contextlib.nullcontext() if free else pytest.raises(ReusedError):
                device.open_session(KEY, iv, Engine.TABLE, length=16).close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--link", "--record-bytes", "100"], "multiple of 16"),
        (["--link", "--record-bytes", "4096"], "up to 1440"),
        (["--window", "4"], "go with --link"),
    ],
)
def test_bench_through_the_link_refuses_what_cannot_be(null_board, options, message):
    command = [*CIPHERLANE, "bench", "--port", null_board.url, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 2
    assert message in done.stderr
