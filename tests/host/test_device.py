import io
from dataclasses import replace

import pytest
from cipherlane.device import Device
from cipherlane.errors import (
    ArgumentError,
    BoardError,
    CipherlaneError,
    IvLengthError,
    KeyLengthError,
    NoReplyError,
    VersionMismatchError,
)
from cipherlane.protocol.layout import Engine, ErrorCode, RecordType
from cipherlane.transport.base import Pace

from .links import FAST, LossyLink
from .model import CYCLES_PER_BLOCK, ERRORS, KEY_CYCLES, WIRE, PeerBoard

KEY = bytes(16)
IV = bytes(16)


def good_link(**options):
    return LossyLink(PeerBoard(**options), seed=0, ordered=True)


def test_connect_resets_then_asks():
    link = good_link(kind=1)
    with Device(link) as device:
        info = device.info()
        assert link.board.seen == ["reset", "info"]
    assert (info.kind, info.board, info.firmware, info.firmware_version) == ("sim", "model", "peer", "1.2.3")
    assert (info.clock_hz, info.max_data, info.rx_window) == (75_000_000, 1024, 2048)
    assert info.engines == (Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ACCELERATOR)
    assert link.closed


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
        pytest.raises(VersionMismatchError, match=r"version 1, the board speaks version 7"),
        Device(good_link(version=7), timeout=0.05),
    ):
        pass


def test_version_refused_by_the_board_is_named():
    link = good_link()
    answer = link.board.answer

    def refuse(record):
        assert record[0] == WIRE["version"]
        reply = bytearray(answer(b"\x01" + record[1:]))
        error = bytes([ERRORS["version"], 0, record[1], 0, 4, 0, 0, 0])
        return bytes(reply[:1]) + b"\xff\x08\x00" + bytes(reply[4:24]) + error

    link.board.answer = refuse
    with pytest.raises(VersionMismatchError, match="board speaks version 4"), Device(link):
        pass


def test_another_identity_is_refused():
    with pytest.raises(NoReplyError, match="identity is 0x21544157"), Device(good_link(magic=b"WAT!")):
        pass


def test_window_too_small_for_a_block_is_refused_not_awaited():
    with Device(good_link(rx_window=40)) as device:
        with pytest.raises(CipherlaneError, match="hold no block"):
            _ = device.record_bytes
        with pytest.raises(CipherlaneError, match="holds no record"):
            device.open_session(KEY, IV, Engine.ISE)


@pytest.mark.parametrize("size", [0, 1, 15, 17, 33])
def test_key_and_iv_sizes_are_checked_before_anything_is_sent(size):
    device = Device(good_link())
    with pytest.raises(KeyLengthError, match=f"{size * 8} bits: give 128, 192 or 256"):
        device.open_session(bytes(size), IV, Engine.ISE)
    with pytest.raises(IvLengthError, match=f"{size} bytes: give 16"):
        device.open_session(KEY, bytes(size), Engine.ISE)
    with pytest.raises(ArgumentError, match="neither encrypt nor decrypt"):
        device.bench(Engine.ISE, 128, "sideways")


def test_refusals_carry_code_detail_and_remedy():
    with Device(good_link()) as device:
        with pytest.raises(BoardError, match=r"refused bench: .*key length.*detail 64") as caught:
            device.bench(Engine.ISE, 64)
        assert (caught.value.code, caught.value.name) == (ErrorCode.KEY_BITS, "key_bits")
        device.open_session(KEY, IV, Engine.ISE).close()
        with pytest.raises(BoardError, match="use another IV, or --resume"):
            device.open_session(KEY, IV, Engine.ISE)
        first = device.open_session(KEY, IV, Engine.ISE, resume=True)
        second = device.open_session(KEY, b"\1" * 16, Engine.ISE)
        assert first.number != second.number
        with pytest.raises(BoardError, match="sessions_full"):
            device.open_session(KEY, b"\2" * 16, Engine.ISE)


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
        link.board.selftest_failures = 2
        outcome = device.selftest()
        assert (outcome.tests, outcome.failed, outcome.failed_engines) == (48, 2, (Engine.ISE,))
        assert device.counters()["crc_errors"] == 2


def test_reply_of_another_layout_is_refused():
    link = good_link()
    link.board._stat = lambda session, offset, token, data: (session, b"short")
    with Device(link) as device:
        session = device.open_session(KEY, IV, Engine.ISE)
        with pytest.raises(CipherlaneError, match="StatReply has 5 bytes instead of 40"):
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
