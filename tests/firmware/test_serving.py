"""Sessions whose engine takes their data from the network by itself, as the fast path does."""

import errno
import struct

import pytest

from tests.firmware import frames as f
from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_SERVING, ENGINE_TABLE
from tests.firmware.test_link_udp import ask

KEY, IV, TOKEN = bytes(range(24)), bytes(range(16, 32)), 0x0123456789ABCDEF
HOST = 0xC0A80164
FASTPATH_REPLY = struct.Struct("<IHHI18I")
ENGINES = 0b10011  # the two in C, and the one that serves


@pytest.fixture
def board(core):
    assert core.start(max_data=2048, engines=ENGINES) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, 1440)
    return core


def open_record(iv=IV, flags=0):
    return r.record(r.OPEN_TYPE, r.open_data(KEY, iv, engine=ENGINE_SERVING, flags=flags), token=TOKEN)


def test_the_engine_learns_whom_it_serves_until_the_session_is_closed(board):
    session = ask(board, open_record(), from_port=50000).session
    assert board.serving() == (1, session, TOKEN, 1 << 48 | HOST << 16 | 50000, IV)
    repeated = ask(board, open_record(), from_port=50000)
    assert (repeated.session, board.serving()[0]) == (session, 1)
    stranger = ask(board, r.record(r.CLOSE, session=session, token=TOKEN), from_port=50001)
    assert (stranger.error, board.serving()[0]) == (r.E_SESSION, 1)
    assert ask(board, r.record(r.CLOSE, session=session, token=TOKEN), from_port=50000).error is None
    assert board.serving()[0] == 0
    assert board.occurrences(KEY[:16]) == board.occurrences(IV) == 0
    assert ask(board, open_record(), from_port=50000).error == r.E_REUSED
    assert ask(board, open_record(flags=r.RESUME), from_port=50000).error is None
    assert ask(board, r.record(r.RESET), from_port=50000).error is None
    assert board.serving()[0] == 0


def test_data_records_are_sent_elsewhere(board):
    session = ask(board, open_record()).session
    reply = ask(board, r.record(r.DATA, bytes(32), session=session, token=TOKEN))
    assert (reply.error, reply.detail) == (r.E_ELSEWHERE, ENGINE_SERVING)
    fields = FASTPATH_REPLY.unpack(ask(board, r.record(r.FASTPATH)).data)
    assert fields[:4] == (0xC0A80133, 7, 0, 0)
    assert fields[4:] == (*[0] * 14, 99, *[0] * 3)


def test_stat_tells_what_the_engine_has_done(board):
    session = ask(board, open_record()).session
    board.serving(bytes_=1 << 40 | 5, blocks=1 << 36, records=77)
    stat = r.STAT.unpack(ask(board, r.record(r.STAT_TYPE, session=session, token=TOKEN)).data)
    assert (*stat[:3], stat[4]) == (1 << 40 | 5, 1 << 36, 0, 77)


def test_an_engine_that_does_not_take_the_session_leaves_nothing(board):
    board.serving(status=-errno.EIO)
    reply = ask(board, open_record())
    assert (reply.error, reply.detail) == (r.E_HARDWARE, errno.EIO)
    assert board.occurrences(KEY[:16]) == board.occurrences(IV) == 0
    board.serving()
    assert ask(board, open_record()).error is None, "nothing was encrypted"


def test_a_link_without_a_network_does_not_offer_it(board):
    info = r.INFO_REPLY.unpack(r.parse(board.record(r.record(r.INFO))).data)
    assert info[7] == 0b00011
    assert r.INFO_REPLY.unpack(ask(board, r.record(r.INFO)).data)[7] == ENGINES
    reply = r.parse(board.record(open_record()))
    assert (reply.error, reply.detail) == (r.E_ENGINE, ENGINE_SERVING)
    reply = r.parse(board.record(r.record(r.FASTPATH)))
    assert (reply.error, reply.detail) == (r.E_TYPE, r.FASTPATH)


def test_bench_and_selftest_leave_it_alone(board):
    bench = ask(board, r.record(r.BENCH_TYPE, r.BENCH.pack(ENGINE_SERVING, 0, 128, 64, 64)))
    assert (bench.error, bench.detail) == (r.E_ENGINE, ENGINE_SERVING)
    tests, failed, _ = r.SELFTEST_REPLY.unpack(ask(board, r.record(r.SELFTEST)).data)
    assert (tests, failed) == (2 * 9, 0)


def test_a_session_that_is_served_is_not_idle(board):
    """The core sees a thousand cycles go by at each look at the counter; a session is idle after a million."""
    served = ask(board, open_record(), from_port=50000).session
    for place in range(1, 8):
        request = r.record(r.OPEN_TYPE, r.open_data(KEY, IV, flags=r.RESUME), token=TOKEN)
        assert ask(board, request, from_port=50000 + place).error is None
    data = r.record(r.DATA, bytes(16), session=ask(board, request, from_port=50007).session, token=TOKEN)
    newcomer = r.record(r.OPEN_TYPE, r.open_data(KEY, bytes(16), engine=ENGINE_TABLE), token=TOKEN)

    def let_time_pass():
        assert {ask(board, data, from_port=50007).error for _ in range(600)} == {None}

    let_time_pass()
    board.serving(records=1)
    assert ask(board, newcomer, from_port=60000).error is None, "in the place of one that was idle"
    assert ask(board, r.record(r.STAT_TYPE, session=served, token=TOKEN), from_port=50000).error is None
    let_time_pass()
    for n in range(1, 7):  # in the place of all but the one in use and the newcomer
        fresh = r.record(r.OPEN_TYPE, r.open_data(KEY, bytes([n] * 16)), token=TOKEN)
        assert ask(board, fresh, from_port=60000 + n).error is None
    stat = ask(board, r.record(r.STAT_TYPE, session=served, token=TOKEN), from_port=50000)
    assert stat.error == r.E_SESSION, "it has done nothing since"
