# SPDX-License-Identifier: BSD-2-Clause
import io
from dataclasses import replace

import pytest
from cipherlane.errors import (
    ArgumentError,
    BoardError,
    BusyError,
    IvLengthError,
    KeyLengthError,
    NoReplyError,
    OtherDataError,
    RandomSourceError,
    RangesFullError,
    ReplyError,
    ReusedError,
    TicketError,
    VersionMismatchError,
    WindowError,
)
from cipherlane.link.device import Device
from cipherlane.protocol.records import Record
from cipherlane.protocol.refusal import raise_refusal
from cipherlane.transport.base import Pace
from cipherlane_base.wire.layout import Engine, ErrorCode, RecordType
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .blocks import ERRORS, WIRE
from .links import FAST, LossyLink
from .model import CYCLES_PER_BLOCK, KEY_CYCLES, PeerBoard

KEY = bytes(16)
IV = bytes(16)


def good_link(**options):
    return LossyLink(PeerBoard(**options), seed=0, ordered=True)


def stream(session, data, **options):
    out = io.BytesIO()
    session.transfer(io.BytesIO(data), out, **options)
    return out.getvalue()


def test_connect_asks_who_is_there_and_ends_nothing():
    link = good_link(kind=1)
    with Device(link) as device:
        info = device.info()
        assert link.board.seen == ["info"]
    assert (info.kind, info.board, info.firmware, info.firmware_version) == ("sim", "model", "peer", "1.2.3")
    assert (info.clock_hz, info.max_data, info.rx_window) == (75_000_000, 1024, 2048)
    assert (info.ranges, info.ranges_free) == (64, 64)
    assert info.engines == (Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ACCELERATOR)
    assert link.closed


def test_what_a_simulator_answers_is_simulated_whatever_the_firmware_takes_itself_for():
    link = good_link(kind=0)
    link.simulated = True
    with Device(link) as device:
        assert device.info().kind == "sim"
        assert device.bench(Engine.BYTE, 128, total_bytes=64).kind == "sim"


@pytest.mark.parametrize("seed", range(5))
def test_connect_over_a_bad_link(seed):
    link = LossyLink(PeerBoard(), seed=seed, lose=0.1, repeat=0.3, corrupt=0.05)
    with Device(link, timeout=0.02) as device:
        assert device.info().board == "model"


def test_simulated_boards_get_patience_and_hardware_does_not():
    with Device(good_link(kind=1)) as device:
        assert device.link.pace.minimum >= 10 and device.link.timeout >= 10
    with Device(good_link(kind=0)) as device:
        assert device.link.timeout < 1
    with Device(good_link(kind=1), timeout=3) as device:
        assert device.link.timeout == 3


def test_silence_is_reported():
    link = LossyLink(PeerBoard(), seed=0, lose=1)
    with pytest.raises(NoReplyError, match="no reply from the board"), Device(link, timeout=0.01):
        pass
    assert link.closed


def test_other_versions_are_named():
    with (
        pytest.raises(VersionMismatchError, match=r"version 3, the board speaks version 7"),
        Device(good_link(version=7), timeout=0.05),
    ):
        pass


def test_version_refused_by_the_board_is_named():
    link = good_link()
    answer = link.board.answer

    def refuse(record):
        assert record[0] == WIRE["version"]
        reply = bytearray(answer(record))
        error = bytes([ERRORS["version"], 0, record[1], 0, 4, 0, 0, 0])
        return bytes(reply[:1]) + b"\xff\x08\x00" + bytes(reply[4:24]) + error

    link.board.answer = refuse
    with pytest.raises(VersionMismatchError, match="board speaks version 4"), Device(link):
        pass


def test_another_identity_is_refused():
    with pytest.raises(NoReplyError, match="identity is 0x21544157"), Device(good_link(magic=b"WAT!")):
        pass


def test_window_too_small_for_a_block_is_refused_not_awaited():
    with (
        pytest.raises(ReplyError, match=r"info says rx_window 40 \(must be at least 110"),
        Device(good_link(rx_window=40)),
    ):
        pass


@pytest.mark.parametrize("size", [0, 1, 15, 17, 33])
def test_key_and_iv_sizes_are_checked_before_anything_is_sent(size):
    device = Device(good_link())
    with pytest.raises(KeyLengthError, match=f"{size * 8} bits: give 128, 192 or 256"):
        device.open_session(bytes(size), IV, Engine.ISE)
    with pytest.raises(ArgumentError, match="stream cannot have -1 bytes"):
        device.open_session(KEY, IV, Engine.ISE, length=-1)
    with pytest.raises(ArgumentError, match="give the IV"):
        device.open_session(KEY, None, Engine.ISE, ticket=1)
    with pytest.raises(IvLengthError, match=f"{size} bytes: give 16"):
        device.open_session(KEY, bytes(size), Engine.ISE)
    with pytest.raises(ArgumentError, match="neither encrypt nor decrypt"):
        device.bench(Engine.ISE, 128, "sideways")


def test_refusals_carry_code_detail_and_remedy():
    with Device(good_link()) as device:
        with pytest.raises(BoardError, match=r"refused bench: .*key length.*detail 64") as caught:
            device.bench(Engine.ISE, 64)
        assert (caught.value.code, caught.value.name) == (ErrorCode.KEY_BITS, "key_bits")
        first = device.open_session(KEY, IV, Engine.ISE)
        second = device.open_session(KEY, b"\1" * 16, Engine.ISE)
        assert first.stream.number != second.stream.number
        with pytest.raises(BoardError, match=r"sessions_full.*closes idle sessions"):
            device.open_session(KEY, b"\2" * 16, Engine.ISE)


def test_refusals_of_counter_blocks_have_types_and_name_the_ways_on():
    link = good_link(ranges=2, max_sessions=8)
    ways = "another IV or none .the board draws one., or another board; a power cycle"
    with Device(link) as device:
        one = device.open_session(KEY, IV, Engine.ISE, length=3000)
        with pytest.raises(ReusedError, match=ways):
            device.open_session(KEY, bytes(15) + b"\1", Engine.ISE, "decrypt", length=16)
        stream(one, bytes(1000))
        one.close()
        with pytest.raises(TicketError, match="start the transfer anew"):
            device.open_session(KEY, IV, Engine.ISE, record_bytes=one.record_bytes, ticket=one.ticket ^ 1)
        two = device.open_session(KEY, bytes(14) + b"\1\0", Engine.ISE, length=16)
        with pytest.raises(RangesFullError, match="cycle the board's power"):
            device.open_session(KEY, b"\1" * 16, Engine.ISE, length=16)
        assert device.connect().ranges_free == 0
        two.close()
        assert device.connect().ranges_free == 1, "of the second nothing was used"
        link.board.random = None
        with pytest.raises(RandomSourceError, match="give --raw and an --iv that was never used"):
            device.open_session(KEY, None, Engine.ISE)
        assert not link.board.sessions


TYPES = {
    "reused": ReusedError,
    "ranges_full": RangesFullError,
    "random": RandomSourceError,
    "ticket": TicketError,
    "window": WindowError,
    "other_data": OtherDataError,
    "busy": BusyError,
}


@pytest.mark.parametrize("name", ERRORS)
def test_each_error_has_its_type_and_one_line(name):
    error = Record(0xFF, data=bytes((ERRORS[name], 0, 2, 0, 7, 0, 0, 0)))
    with pytest.raises(BoardError, match=rf"refused open: .* \(error {ERRORS[name]}, {name}, detail 7\)") as caught:
        raise_refusal(error)
    assert type(caught.value) is TYPES.get(name, BoardError)
    assert "\n" not in str(caught.value)
    assert name not in TYPES or "); " in str(caught.value), "a remedy"


def test_the_board_draws_and_what_it_drew_is_known():
    with Device(good_link()) as device:
        with device.open_session(KEY, None, Engine.ISE) as one:
            result = stream(one, bytes(100))
        with device.open_session(KEY, None, Engine.ISE) as two:
            assert one.iv[:12] != two.iv[:12] and one.iv[12:] == two.iv[12:] == bytes(4)
        encryptor = Cipher(algorithms.AES(KEY), modes.CTR(one.iv)).encryptor()
        assert result == encryptor.update(bytes(100))


def test_the_rest_of_a_range_is_free_once_its_session_has_ended():
    with Device(good_link()) as device:
        with device.open_session(KEY, IV, Engine.ISE) as one:
            assert one.stream.length == 1 << 36
            stream(one, bytes(100))
        behind = (976 // 16).to_bytes(16, "big")
        with pytest.raises(ReusedError):
            device.open_session(KEY, (976 // 16 - 1).to_bytes(16, "big"), Engine.ISE, length=16)
        device.open_session(KEY, behind, Engine.ISE, length=16).close()


@pytest.mark.parametrize("record_bytes", [0, -16, 8, 1040, 976 + 8])
def test_record_sizes_that_cannot_be(record_bytes):
    with Device(good_link()) as device, pytest.raises(ArgumentError, match="multiple of 16 up to 976"):
        device.open_session(KEY, IV, Engine.ISE, record_bytes=record_bytes)


def test_what_may_have_been_opened_is_ended_with_its_token():
    link = good_link(max_sessions=1)
    with Device(link, timeout=0.05) as device:
        genuine = link.board._open

        def lose(*request):
            link.set_rates(lose=1)
            return genuine(*request)

        link.board._open, reset = lose, link.board._reset
        link.board._reset = lambda *request: (link.set_rates(), reset(*request))[1]
        send = link.send
        link.send = lambda record: (link.set_rates() if record[1] == 8 else None, send(record))
        with pytest.raises(NoReplyError, match="no reply to open"):
            device.open_session(KEY, IV, Engine.ISE)
        assert link.board.seen[-1] == "reset" and not link.board.sessions


def test_sessions_close_once_and_also_after_errors():
    link = good_link()
    with Device(link) as device:
        with device.open_session(KEY, IV, Engine.ISE) as session:
            session.close()
            session.close()
        assert link.board.seen.count("close") == 1
        with pytest.raises(KeyboardInterrupt), device.open_session(KEY, b"\1" * 16, Engine.ISE):
            raise KeyboardInterrupt
        assert link.board.seen.count("close") == 2 and not link.board.sessions
        device.open_session(KEY, b"\2" * 16, Engine.ISE).close()


def test_two_sessions_stream_side_by_side():
    with Device(good_link()) as device:
        one = device.open_session(KEY, IV, Engine.ISE)
        two = device.open_session(KEY, b"\1" * 16, Engine.BYTE)
        first, second = io.BytesIO(), io.BytesIO()
        with one, two:
            one.transfer(io.BytesIO(bytes(3000)), first)
            two.transfer(io.BytesIO(bytes(3000)), second)
            assert one.stat().bytes == two.stat().bytes == 3000
        assert first.getvalue() != second.getvalue()


def test_stat_bench_selftest_and_counters():
    link = good_link()
    with Device(link) as device:
        with device.open_session(KEY, IV, Engine.ISE) as session:
            session.transfer(io.BytesIO(bytes(1000)), io.BytesIO())
            stat = session.stat()
        assert (stat.bytes, stat.blocks, stat.records) == (1000, 63, 2)
        assert (stat.cycles, stat.key_cycles) == (63 * CYCLES_PER_BLOCK, KEY_CYCLES)
        result = device.bench(Engine.TABLE, 192, "decrypt", total_bytes=2048, record_bytes=512)
        assert (result.engine, result.key_bits, result.direction, result.bytes) == ("table", 192, "decrypt", 2048)
        assert result.cycles_per_block == 4 * CYCLES_PER_BLOCK
        assert result.mbps == pytest.approx(128 / 160 * 75)
        assert device.bench(Engine.BYTE, 128).bytes == device.info().bench_bytes
        link.board.bench_part = 1000
        link.board.seen.clear()
        again = device.bench(Engine.BYTE, 128)
        assert again.bytes == 4096 and link.board.seen == ["bench"] * 5
        assert again.cycles == CYCLES_PER_BLOCK * 5 * again.blocks and again.blocks == 4 * 63 + 6
        link.board.selftest_failures = 2
        outcome = device.selftest()
        assert (outcome.tests, outcome.failed, outcome.failed_engines) == (96, 4, (Engine.ISE,))
        assert device.counters()["crc_errors"] == 2


@pytest.mark.parametrize("size", [0, 5, 39, 41])
def test_reply_of_another_layout_is_refused(size):
    link = good_link()
    link.board._stat = lambda session, offset, token, data: (session, bytes(size))
    with Device(link) as device:
        session = device.open_session(KEY, IV, Engine.ISE)
        with pytest.raises(ReplyError, match=f"stat says {size} bytes where its layout has 40"):
            session.stat()


def test_request_is_repeated_until_answered():
    link = good_link()
    with Device(link) as device:
        device.link.set_pace(Pace.fixed(0.01, attempts=3))
        link.set_rates(lose=1)
        before = link.sent
        with pytest.raises(NoReplyError, match="no reply to counters after 3 attempts"):
            device.counters()
        assert link.sent == before + 3
        link.set_rates()
        device.link.set_pace(FAST)
        assert device.request(RecordType.COUNTERS).framing_errors == 1


def test_simulated_boards_run_the_slow_engines_over_less():
    with Device(good_link(kind=1)) as device:
        device._info = replace(device.info(), bench_bytes=32768)
        assert device.bench(Engine.TABLE, 128, record_bytes=512).bytes == 4096
        assert device.bench(Engine.ISE, 128, record_bytes=512).bytes == 32768
        assert device.bench(Engine.TABLE, 128, record_bytes=512, total_bytes=8192).bytes == 8192
