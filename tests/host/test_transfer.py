# SPDX-License-Identifier: BSD-2-Clause
import io
import random

import pytest
from cipherlane.errors import ArgumentError, OtherDataError, PortError, TransferError
from cipherlane.link.device import Device
from cipherlane.transport.base import Pace
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .links import FAST, LossyLink
from .model import PeerBoard

KEY = bytes(range(32))
IV = b"\xff" * 15 + b"\xf0"  # the counter block wraps around to 0 after 16 blocks


def reference(data, key=KEY, iv=IV):
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


def transfer(link, data, offset=0, **options):
    """Transfer `data` over `link`; return the result and the report."""
    out = io.BytesIO()
    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE, length=len(data)) as session:
        report = session.transfer(io.BytesIO(data[offset:]), out, offset=offset, **options)
    return out.getvalue(), report


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 959, 960, 961, 975, 976, 977, 1024, 5000, 40000])
def test_any_length_over_a_good_link(length):
    data = random.Random(length).randbytes(length)
    link = LossyLink(PeerBoard(), seed=0, ordered=True)
    progress = []
    result, report = transfer(link, data, length=length, progress=progress.append)
    assert result == reference(data)
    assert report.bytes == length and report.retransmissions == 0
    assert progress == sorted(progress) and (progress[-1:] or [0]) == [length]
    assert "close" in link.board.seen and not link.board.sessions
    assert not link.requests and not link.replies
    assert link.closed


def test_window_is_used_and_records_are_as_large_as_two_allow():
    link = LossyLink(PeerBoard(rx_window=2048, max_data=1024), seed=0, ordered=True)
    with Device(link) as device:
        size = device.record_bytes
        assert size % 16 == 0
        assert link.wire_size(24 + size) <= 1024 < link.wire_size(24 + size + 16)
    link = LossyLink(PeerBoard(), seed=0, ordered=True)
    transfer(link, bytes(20000))
    assert 1024 < link.peak <= 2048


RATES = [
    {"lose": 0.05},
    {"lose": 0.3},
    {"repeat": 0.3},
    {"truncate": 0.1},
    {"corrupt": 0.1},
    {"lose": 0.1, "repeat": 0.1, "truncate": 0.05, "corrupt": 0.05},
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rates", RATES, ids=str)
def test_bad_ordered_link(rates, seed):
    check_bad_link(rates, seed, ordered=True)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rates", [{**rates, "reorder": 0.3} for rates in RATES], ids=str)
def test_bad_unordered_link(rates, seed):
    check_bad_link(rates, seed, ordered=False)


def check_bad_link(rates, seed, ordered):
    data = random.Random(seed).randbytes(12_345)
    link = LossyLink(PeerBoard(), seed=seed, ordered=ordered)
    out = io.BytesIO()
    with Device(link) as device, device.open_session(KEY, IV, Engine.TABLE) as session:
        device.link.set_pace(FAST)
        link.set_rates(**rates)
        report = session.transfer(io.BytesIO(data), out, length=len(data))
        if link.damaged and "repeat" not in rates:
            assert report.retransmissions > 0
    assert out.getvalue() == reference(data)
    assert report.bytes == len(data)
    assert link.sent >= report.records + report.retransmissions


@pytest.mark.parametrize("seed", range(4))
def test_hopeless_link_names_what_is_missing(seed):
    data = random.Random(seed).randbytes(30_000)
    link = LossyLink(PeerBoard(), seed=seed, ordered=bool(seed % 2))
    out = io.BytesIO()
    with pytest.raises(TransferError) as caught, Device(link) as device:
        device.link.set_pace(Pace.fixed(0.01, attempts=2))
        with device.open_session(KEY, IV, Engine.BYTE) as session:
            link.set_rates(lose=0.35)
            session.transfer(io.BytesIO(data), out, length=len(data))
    error = caught.value
    assert error.written == len(out.getvalue())
    assert out.getvalue() == reference(data)[: error.written]
    assert error.missing[0][0] == error.written and error.missing[-1][1] == len(data)
    for start, end in error.missing:
        assert start < end and start % 16 == 0
    assert all(a[1] < b[0] for a, b in zip(error.missing, error.missing[1:], strict=False))
    assert f"resume at offset {error.written}" in str(error)
    # If the host's close request was lost, the session is still open. A real board ends such a session after some time.
    link.board.end_sessions()
    again = LossyLink(link.board, seed=seed)
    resumed = {"record_bytes": session.record_bytes, "ticket": session.ticket}
    with Device(again) as device, device.open_session(KEY, IV, Engine.BYTE, **resumed) as session:
        assert session.first <= error.written
        session.transfer(io.BytesIO(data[error.written :]), out, offset=error.written)
    assert out.getvalue() == reference(data)


def test_unknown_end_is_named_as_such():
    link = LossyLink(PeerBoard(), seed=0)
    with Device(link) as device, device.open_session(KEY, IV, Engine.BYTE) as session:
        device.link.set_pace(Pace.fixed(0.01, attempts=2))
        link.set_rates(lose=1)
        with pytest.raises(TransferError, match="missing bytes 0-end") as caught:
            session.transfer(io.BytesIO(bytes(100_000)), io.BytesIO())
        assert caught.value.missing == [(0, None)]
        assert caught.value.written == 0
        link.set_rates()


def test_input_shorter_than_announced():
    link = LossyLink(PeerBoard(), seed=0)
    with pytest.raises(TransferError, match="input ended at byte 100 instead of 200") as caught:
        transfer(link, bytes(100), length=200)
    assert caught.value.missing == [(100, 200)]
    assert caught.value.written == 100


def test_refusal_in_mid_transfer():
    link = LossyLink(PeerBoard(), seed=0, ordered=True)
    link.board.fail_after = 3
    out = io.BytesIO()
    with Device(link) as device:
        session = device.open_session(KEY, IV, Engine.ACCELERATOR)
        with session, pytest.raises(TransferError, match=r"refused data: .*hardware.*resume at offset") as caught:
            session.transfer(io.BytesIO(bytes(10_000)), out, length=10_000)
    assert caught.value.written == len(out.getvalue()) == 3 * 976
    assert "close" in link.board.seen


class DyingLink(LossyLink):
    def receive(self, timeout):
        if self.sent > 8:
            raise PortError("port went away")
        return super().receive(timeout)


def test_port_that_goes_away_says_how_to_resume():
    link = DyingLink(PeerBoard(), seed=0, ordered=True)
    out = io.BytesIO()
    with Device(link) as device:
        session = device.open_session(KEY, IV, Engine.ISE)
        with pytest.raises(TransferError, match="port went away; missing bytes"):
            session.transfer(io.BytesIO(bytes(50_000)), out)
    assert link.closed


@pytest.mark.parametrize("run", [1, 5, 40])
def test_replies_of_others_are_ignored(run):
    """The host must ignore replies that belong to no request of the transfer. One read returns a group of replies (a
    run). The wrong replies arrive among the right replies of a run, or between two runs.
    """
    data = random.Random(9).randbytes(20_000)
    link = LossyLink(PeerBoard(rx_window=16384), seed=0, ordered=True, run=run)
    genuine = link.receive
    queue = []

    def receive(timeout):
        if queue:
            return queue.pop(0)
        reply = genuine(timeout)
        if reply is None or reply[1] != 0x83:
            return reply
        zeros = bytes(len(reply) - 24)
        queue.extend(
            [
                reply[:16] + b"\xaa" * 8 + zeros,  # another token
                reply[:8] + b"\0\0\0\x77" + reply[12:24] + zeros,  # a reply with an offset that no request had
                reply[:1] + b"\x03" + reply[2:],  # a request
                reply[:2] + b"\x01\0" + reply[4:],  # a wrong length field
                b"\x01" + reply[1:],  # another version
                b"\x02\xff\x02\0" + reply[4:24] + b"\x0a\0",  # an error record of half its proper length
                reply[:7],
                b"",
                reply,
                reply,  # repeated
            ]
        )
        return reply[:4] + b"\xee\xee\0\0" + reply[8:24] + zeros  # another session

    link.receive = receive
    out = io.BytesIO()
    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE, length=len(data)) as session:
        ignored = device.link.counters.ignored
        report = session.transfer(io.BytesIO(data), out)
        assert device.link.counters.ignored - ignored == 6 * report.records, "all that are no replies to a request"
    assert out.getvalue() == reference(data)
    assert report.bytes == len(data) and report.retransmissions == 0


@pytest.mark.parametrize("run", [1, 5])
def test_the_first_answer_to_a_record_is_its_result(run):
    """If two answers to the same record arrive with different data, the host uses the first and ignores the second."""
    data = random.Random(14).randbytes(5000)
    link = LossyLink(PeerBoard(rx_window=16384), seed=0, run=run)
    genuine, replies, queue = link.receive, [], []

    def receive(timeout):
        if queue:
            return queue.pop(0)
        reply = genuine(timeout)
        if reply is None or reply[1] != 0x83:
            return reply
        replies.append(reply)
        if len(replies) == 2:
            queue.extend((reply[:24] + bytes(len(reply) - 24), replies[0]))
        return genuine(timeout) if len(replies) == 1 else reply

    link.receive = receive
    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE, length=len(data)) as session:
        out = io.BytesIO()
        session.transfer(io.BytesIO(data), out)
    assert out.getvalue() == reference(data)


def test_reply_of_the_wrong_length_is_not_a_result():
    data = random.Random(10).randbytes(3000)
    link = LossyLink(PeerBoard(), seed=0)
    genuine, cut = link.receive, []

    def receive(timeout):
        reply = genuine(timeout)
        if reply and reply[1] == 0x83 and not cut:
            cut.append(True)
            return reply[:2] + b"\x10\0" + reply[4:40]
        return reply

    link.receive = receive
    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE) as session:
        device.link.set_pace(FAST)
        out = io.BytesIO()
        session.transfer(io.BytesIO(data), out)
    assert cut and out.getvalue() == reference(data)


def test_silence_then_a_late_answer():
    """If the board answers later than the time-out, the host sends copies, and the result is still right."""
    data = random.Random(11).randbytes(6000)
    link = LossyLink(PeerBoard(), seed=0, ordered=True)
    genuine, calls = link.receive, [0]

    def receive(timeout):
        calls[0] += 1
        if 4 < calls[0] < 9:
            return link.clock.sleep(timeout)  # some time passes, but nothing arrives
        return genuine(timeout)

    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE) as session:
        device.link.set_pace(Pace.fixed(0.02, attempts=10))
        # after time-outs, originals and copies of records can be in flight together, so use a large window
        link.board.rx_window = 1 << 20
        link.receive = receive
        out = io.BytesIO()
        report = session.transfer(io.BytesIO(data), out)
    assert out.getvalue() == reference(data)
    assert report.retransmissions > 0


@pytest.mark.parametrize("offset", [8, 16, -976])
def test_offsets_are_those_of_records(offset):
    with pytest.raises(ArgumentError, match="multiple of record_bytes, 976, from 0 on"):
        transfer(LossyLink(PeerBoard(), seed=0), bytes(100), offset=offset)


def test_transfer_from_the_middle():
    data = random.Random(12).randbytes(5000)
    result, report = transfer(LossyLink(PeerBoard(), seed=0), data, offset=1952)
    assert result == reference(data)[1952:]
    assert report.bytes == 3048


def test_reader_that_gives_little_at_a_time():
    class Trickle(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 7))

    data = random.Random(13).randbytes(3001)
    link = LossyLink(PeerBoard(), seed=0)
    out = io.BytesIO()
    with Device(link) as device, device.open_session(KEY, IV, Engine.ISE) as session:
        report = session.transfer(Trickle(data), out)
        assert session.stat().records == report.records == 4
    assert out.getvalue() == reference(data)


@pytest.mark.parametrize("window", [1, 2, 5, 32])
@pytest.mark.parametrize("seed", range(3))
def test_no_record_is_sent_before_those_a_window_behind_are_answered(window, seed):
    """The board knows only the records in its window, which ends at the highest record that has arrived.

    So the host must not send a record that would move an unanswered record out of the window.
    """
    data = random.Random(seed).randbytes(60_000)
    link = LossyLink(PeerBoard(rx_window=1 << 16, window=window), seed, lose=0.1, reorder=0.3, repeat=0.2)
    highest, answered = [-1], set()
    genuine, work = link.board._data, link.receive

    def check(session, offset, token, data):
        number = offset // 1024
        highest[0] = max(highest[0], number)
        assert answered.issuperset(range(highest[0] - window + 1))
        return genuine(session, offset, token, data)

    def receive(timeout):
        reply = work(timeout)
        if reply and reply[1] == 0x83:
            answered.add(int.from_bytes(reply[8:16], "little") // 1024)
        return reply

    link.board._data, link.receive = check, receive
    result, _ = transfer(link, data)
    assert result == reference(data)
    assert highest[0] == 58


@pytest.mark.parametrize("kept", range(0, 40, 3))
def test_what_was_interrupted_goes_on_in_its_range(kept):
    """Interrupt a transfer after `kept` results. A later session can resume the transfer at the offset `session.first`,
    or at any later record.

    The board still answers records that were already sent.
    """
    data = random.Random(kept).randbytes(40_000)
    board = PeerBoard(rx_window=8192, window=8)
    out = io.BytesIO()

    def interrupt(written):
        if written >= 1024 * kept:
            raise KeyboardInterrupt

    with Device(LossyLink(board, seed=0)) as device:
        session = device.open_session(KEY, IV, Engine.ISE, length=len(data))
        with pytest.raises(KeyboardInterrupt), session:
            session.transfer(io.BytesIO(data), out, progress=interrupt)
    written = len(out.getvalue())
    again = {"length": len(data), "record_bytes": 1024, "ticket": session.ticket}
    with Device(LossyLink(board, seed=1)) as device, device.open_session(KEY, IV, Engine.ISE, **again) as session:
        assert session.first <= written and session.first % 1024 == 0
        if session.first:
            with pytest.raises(ArgumentError, match=f"from {session.first} on"):
                session.transfer(io.BytesIO(), io.BytesIO(), offset=session.first - 1024)
        out.seek(session.first)
        session.transfer(io.BytesIO(data[session.first :]), out, offset=session.first)
    assert out.getvalue() == reference(data)


def test_other_data_for_a_record_that_came_are_refused():
    board = PeerBoard()
    with Device(LossyLink(board, seed=0)) as device, device.open_session(KEY, IV, Engine.ISE) as session:
        session.transfer(io.BytesIO(bytes(976)), io.BytesIO())
        session.transfer(io.BytesIO(bytes(976)), io.BytesIO())
        with pytest.raises(TransferError, match="Other data came for these counter blocks") as caught:
            session.transfer(io.BytesIO(bytes(975) + b"\1"), io.BytesIO())
        assert isinstance(caught.value.__cause__, OtherDataError)


def test_input_longer_than_was_declared_is_not_sent():
    board, out = PeerBoard(), io.BytesIO()
    with Device(LossyLink(board, seed=0)) as device, device.open_session(KEY, IV, Engine.ISE, length=1000) as session:
        with pytest.raises(TransferError, match="longer than the 1000 bytes that were declared"):
            session.transfer(io.BytesIO(bytes(1001)), out)
        with pytest.raises(ArgumentError, match="too few for a record: give at least"):
            session.transfer(io.BytesIO(bytes(1000)), out, in_flight=100)
    assert board.seen.count("data") == 1, "the record before"
