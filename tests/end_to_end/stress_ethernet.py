# SPDX-License-Identifier: BSD-2-Clause
"""Long tests of the simulated board over simulated bad Ethernet cables (`make stress`). `test_ethernet.py` has short
tests of this kind.
"""

import contextlib
import io
import random
import secrets
import threading
import time

import pytest
from cipherlane.errors import BoardError, TransferError
from cipherlane.link.device import Device
from cipherlane_base.wire.layout import HEADER, VERSION, Engine, ErrorCode

from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import Host, reference, running_board, transfer

WIRES = [
    {"lose": 0.01},
    {"lose": 0.1},
    {"lose": 0.3},
    {"repeat": 0.5},
    {"reorder": 0.5},
    {"corrupt": 0.2},
    {"delay": 0.3},
    {"lose": 0.1, "repeat": 0.1, "reorder": 0.2, "corrupt": 0.05, "delay": 0.05},
]


@pytest.fixture(scope="module")
def board():
    with running_board() as running:
        yield running


def open_in_time(device, *arguments, **options):
    """Open a session. If all sessions of the board are in use, retry until the board ends an idle session, for at most
    300 seconds.
    """
    end = time.monotonic() + 300
    while True:
        try:
            return device.open_session(*arguments, **options)
        except BoardError as error:
            if error.code != ErrorCode.SESSIONS_FULL or time.monotonic() > end:
                raise


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("plan", WIRES, ids=str)
def test_wire(board, plan, seed):
    with BadWire(board, seed=seed, **plan), Device(Host(board)) as device:
        transfer(device, random.Random(seed).randbytes(200_000))


@pytest.mark.parametrize("plan", WIRES, ids=str)
def test_wire_of_the_fast_path(board, plan):
    with BadWire(board, seed=0, **plan), Device(Host(board)) as device:
        transfer(device, random.Random(0).randbytes(200_000), Engine.FASTPATH)


def test_flood_beside_a_stream_through_the_fast_path(board):
    """While a host transfers data through the fast path, another host sends datagrams that the fast path must drop.
    Some of these datagrams contain the session number of the first host.
    """
    rng = random.Random(30)
    with board.udp_socket() as stranger, Device(Host(board)) as device:
        key, iv, data, out = rng.randbytes(32), rng.randbytes(16), rng.randbytes(200_000), io.BytesIO()
        before = device.fast_path().counters
        with device.open_session(key, iv, Engine.FASTPATH) as session:
            own = HEADER.pack(
                version=VERSION, type=3, length=64, session=session.stream.number, offset=0, token=0
            ) + bytes(64)
            flood = [own, own[:40], *(rng.randbytes(size) for size in (0, 1, 23, 24, 1472, 1473, 4000))]

            def strangers(_written):
                stranger.sendto(rng.choice(flood), session.stream.fast_path.address)

            session.transfer(io.BytesIO(data), out, length=len(data), progress=strangers)
        after = device.fast_path().counters
    assert out.getvalue() == reference(key, iv, data)
    assert all(after[name] > before[name] for name in ("header", "version", "length", "peer", "ipv4"))


def test_three_hosts_on_a_bad_wire(board):
    data = [random.Random(seed).randbytes(60_000) for seed in range(3)]
    reports = [None] * len(data)

    def work(place):
        with Device(Host(board)) as device:
            reports[place] = transfer(device, data[place], (Engine.ISE, Engine.ISE_VMEM, Engine.ACCELERATOR)[place])

    with BadWire(board, seed=9, lose=0.05, reorder=0.1):
        hosts = [threading.Thread(target=work, args=(place,)) for place in range(len(data))]
        for host in hosts:
            host.start()
        for host in hosts:
            host.join(600)
    assert [report.bytes for report in reports] == [60_000] * 3


def test_hosts_that_leave_without_a_word(board):
    """Twenty hosts, more than the board has sessions, stop in the middle of a transfer without closing their sessions.
    Another host must still be able to open a session.
    """
    for _ in range(20):
        device = Device(Host(board))
        device.connect()
        session = open_in_time(device, secrets.token_bytes(16), None, Engine.ACCELERATOR)
        limit = 3 * device.record_bytes

        def stop(written, limit=limit):
            if written >= limit:
                raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            session.transfer(io.BytesIO(bytes(100_000)), io.BytesIO(), progress=stop)
        device.close()
    with Device(Host(board)) as device:
        open_in_time(device, secrets.token_bytes(32), None, Engine.ACCELERATOR).close()
        transfer(device, random.Random(20).randbytes(20_000))


def test_a_cut_wire_says_what_is_missing_and_a_mended_one_goes_on(board):
    data = random.Random(21).randbytes(60_000)
    with Device(Host(board), timeout=0.5) as device:
        key, iv, out = bytes(32), random.Random(22).randbytes(16), io.BytesIO()
        with open_in_time(device, key, iv, Engine.ACCELERATOR) as session:
            wire = BadWire(board, seed=1, lose=1.0)

            def cut(written):
                if written >= 20_000 and wire.frames is None and not hasattr(wire, "_process"):
                    wire.__enter__()

            with pytest.raises(TransferError, match=r"no reply to \d+ attempts; missing bytes \d+-59999") as caught:
                session.transfer(io.BytesIO(data), out, length=len(data), progress=cut)
            wire.__exit__()
            start = caught.value.written
            session.transfer(io.BytesIO(data[start:]), out, offset=start, length=len(data) - start)
    assert len(out.getvalue()) == len(data)
