# SPDX-License-Identifier: BSD-2-Clause
"""Test the host tool with the fast path of the simulated board with Ethernet. The fast path answers data records
without the CPU.
"""

import io
import random
import select
import threading

import pytest
from cipherlane.errors import BoardError, TransferError
from cipherlane.link.device import Device
from cipherlane.protocol.records import Record, decode
from cipherlane_base.wire.layout import REPLY, Engine, ErrorCode, RecordType

from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import Host, reference, running_board, transfer

pytestmark = pytest.mark.simboard

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def board():
    with running_board() as running:
        yield running


class Counted:
    """Reads the counters of the fast path. The method `changed` returns the increase of each counter that has changed
    since this object was created.
    """

    def __init__(self, device):
        self.device = device
        self.before = device.fast_path().counters

    def changed(self):
        after = self.device.fast_path().counters
        return {name: after[name] - count for name, count in self.before.items() if after[name] != count}


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_stream(board, key_bits):
    with Device(Host(board)) as device:
        counted, seen = Counted(device), device.network()["records"]
        report = transfer(device, random.Random(key_bits).randbytes(50_001), Engine.FASTPATH, key_bits)
        assert counted.changed() == {"records": report.records + report.retransmissions}
        assert report.records == 35
        assert device.network()["records"] - seen < 10, "the CPU saw control records alone"


def test_statistics_of_a_session(board):
    with Device(Host(board)) as device, device.open_session(KEY, None, Engine.FASTPATH) as session:
        out, data, start = io.BytesIO(), random.Random(1).randbytes(5001), 2 * session.record_bytes
        report = session.transfer(io.BytesIO(data), out, offset=start, length=len(data))
        stat = session.stat()
        assert out.getvalue() == reference(KEY, session.iv, bytes(start) + data)[start:]
        if report.retransmissions == 0:
            assert (stat.bytes, stat.blocks, stat.records, stat.cycles) == (5001, 313, 4, 0)
        assert session.measurement(Engine.FASTPATH, KEY, report, True).mbps is None


@pytest.mark.parametrize(
    "plan", [{"lose": 0.1}, {"corrupt": 0.2}, {"repeat": 0.2, "reorder": 0.2, "delay": 0.02}], ids=str
)
def test_bad_wire(board, plan):
    with BadWire(board, seed=1, **plan) as wire, Device(Host(board)) as device:
        counted = Counted(device)
        transfer(device, random.Random(2).randbytes(60_000), Engine.FASTPATH)
        assert ("checksum" in counted.changed()) == ("corrupt" in plan)
    assert all(wire.frames[fault] > 0 for fault in plan.keys() - {"delay"})


def test_sessions_of_both_paths_at_once(board):
    engines = (Engine.FASTPATH, Engine.FASTPATH, Engine.ACCELERATOR)
    sizes = (60_000, 45_000, 15_000)
    reports = [None] * len(engines)

    def work(place):
        with Device(Host(board)) as device:
            data = random.Random(place).randbytes(sizes[place])
            reports[place] = transfer(device, data, engines[place], (128, 256, 128)[place])

    hosts = [threading.Thread(target=work, args=(place,)) for place in range(len(engines))]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join(120)
    assert [report.bytes for report in reports] == list(sizes)


def test_what_is_not_the_session_s_is_dropped_and_counted(board):
    with (
        Device(Host(board)) as device,
        board.udp_socket() as other,
        board.udp_socket() as stranger,
        device.open_session(KEY, None, Engine.FASTPATH, record_bytes=64, length=64 * 1000) as session,
    ):
        own = device.link.transport._datagrams.socket
        address = session.stream.fast_path.address
        good = Record(RecordType.DATA, session.stream.number, 64, session.stream.token, b"\x5a" * 64)
        raw = good.encode()

        def sent(data, by=own, port=address[1]):
            counted = Counted(device)
            by.sendto(data, (address[0], port))
            device.counters()  # the reply to this request shows that the board has handled `data`
            return counted.changed()

        wrong_token = Record(good.type, good.session, 64, good.token ^ 1 << 63, good.data).encode()
        wrong_session = Record(good.type, good.session + 1, 64, good.token, good.data).encode()
        odd_offset = Record(good.type, good.session, 17, good.token, good.data).encode()
        beyond = Record(good.type, good.session, 64 * 1000, good.token, good.data).encode()
        ahead = Record(good.type, good.session, 64 * 2 * session.stream.window, good.token, good.data).encode()
        between = Record(good.type, good.session, 16, good.token, good.data).encode()
        assert sent(wrong_token) == {"token": 1}
        assert sent(wrong_session) == {"session": 1}
        assert sent(odd_offset) == {"offset": 1}
        assert sent(beyond) == {"limit": 1}
        assert sent(ahead) == sent(between) == {"window": 1}
        assert sent(b"\x01" + raw[1:]) == {"version": 1}
        assert sent(raw[:1] + bytes([RecordType.STAT]) + raw[2:]) == {"type": 1}
        assert sent(raw[:-1]) == sent(raw + b"\0") == {"length": 1}
        assert sent(raw[:23]) == {"header": 1}
        assert sent(raw, by=stranger) == {"peer": 1}
        assert sent(bytes(2000)) == {"ipv4": 2}, "fragments"
        assert sent(raw, port=address[1] + 1) == {"unserved": 1}
        assert not select.select([stranger], [], [], 0)[0]
        assert sent(raw) == {"records": 1}
        assert sent(raw) == {"records": 1}, "the same again"
        assert sent(raw[:-1] + b"\0") == {"other_data": 1}
        other.sendto(raw, (board.ip_address, address[1]))
        assert select.select([other], [], [], 60)[0], "the CPU answers, with an error"
        reply = decode(other.recv(2048))
        assert reply.type != RecordType.DATA | REPLY


def test_session_that_is_closed_serves_nobody_and_its_counters_are_not_used_again(board):
    rng = random.Random(3)
    key, iv, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(1440)
    with Device(Host(board)) as device:
        with device.open_session(key, iv, Engine.FASTPATH) as session:
            assert session.transfer(io.BytesIO(data), io.BytesIO()).bytes == len(data)
        counted = Counted(device)
        record = Record(RecordType.DATA, session.stream.number, 0, session.stream.token, bytes(1440)).encode()
        device.link.transport.send_many([record] * 3, session.stream.fast_path.address)
        device.counters()
        assert counted.changed() == {"session": 3}
        with pytest.raises(BoardError) as refused:
            device.open_session(key, iv, Engine.FASTPATH)
        assert refused.value.code == ErrorCode.REUSED
        with pytest.raises(BoardError) as refused:
            device.open_session(key, iv, Engine.TABLE)
        assert refused.value.code == ErrorCode.REUSED
        again = {"record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(key, iv, Engine.FASTPATH, **again) as session:
            out = io.BytesIO()
            session.transfer(io.BytesIO(data), out)
        assert out.getvalue() == reference(key, iv, data)


def test_session_that_is_gone_ends_the_transfer(board):
    """Close the session during a transfer. The fast path then drops the records of this session. The host gets no
    answers, so it asks the CPU. The CPU must report that the session does not exist.
    """
    with Device(Host(board)) as device:
        session = device.open_session(KEY, None, Engine.FASTPATH)

        def close(_written):
            if not session.closed:
                session.close()

        with pytest.raises(TransferError, match="No such session"):
            session.transfer(io.BytesIO(bytes(200_000)), io.BytesIO(), length=200_000, progress=close)
