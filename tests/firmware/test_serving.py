# SPDX-License-Identifier: BSD-2-Clause
"""Test sessions with a server. A server, such as the fast path, is hardware that handles the data records of sessions
without the CPU.
"""

import errno
import random
import struct

import pytest

from tests.firmware import frames as f
from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_SERVING, ENGINE_TABLE, Served
from tests.firmware.test_link_udp import ask

KEY, IV, TOKEN = bytes(range(24)), bytes(range(16, 32)), 0x0123456789ABCDEF
HOST = 0xC0A80164
FASTPATH_REPLY = struct.Struct("<IHHI22I")
NAMES = [
    "records", "fcs", "frame_length", "ipv4", "checksum", "source", "unserved", "receive_overflow", "header", "version",
    "type", "length", "offset", "session", "peer", "token", "limit", "window", "key", "transmit_overflow", "other_data",
    "echo",
]  # fmt: skip
THERE = 1440
"""Most data bytes of a record where the engine takes them."""
ENGINES = 0b10011  # bit mask of the engines to use: two in C, and `serving`, which models the fast path


@pytest.fixture
def board(core):
    assert core.start(max_data=2048, engines=ENGINES) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, 960)
    return core


def open_record(iv=IV, **fields):
    fields = {"engine": ENGINE_SERVING, "length": 100 * THERE + 5, "record_bytes": THERE} | fields
    return r.record(r.OPEN_TYPE, r.open_data(KEY, iv, **fields), token=TOKEN)


def test_the_engine_learns_whom_and_what_it_serves_until_the_session_is_closed(board):
    opened = r.opened(ask(board, open_record(), from_port=50000))
    assert (opened.window, opened.first) == (64, 0)
    served = Served(1, opened.session, TOKEN, 1 << 48 | HOST << 16 | 50000, 100 * THERE + 5, THERE, 0, 0, 64, IV)
    assert board.serving() == served
    assert r.opened(ask(board, open_record(), from_port=50000)) == opened
    assert board.serving().count == 1
    close = r.record(r.CLOSE, session=opened.session, token=TOKEN)
    assert ask(board, close, from_port=50001).error == r.E_SESSION
    assert board.serving().count == 1
    assert ask(board, close, from_port=50000).error is None
    assert board.serving().count == 0
    assert board.occurrences(KEY[:16]) == 0
    assert ask(board, open_record(), from_port=50000).error is None, "nothing came"
    assert ask(board, r.record(r.RESET, token=TOKEN), from_port=50000).error is None
    assert board.serving().count == 0


def test_records_are_as_long_as_the_engine_takes_them(board):
    for record_bytes in (THERE + 16, 2048):
        reply = ask(board, open_record(record_bytes=record_bytes))
        assert (reply.error, reply.detail) == (r.E_VALUE, record_bytes)
    assert ask(board, open_record(engine=ENGINE_TABLE)).error == r.E_VALUE, "960 over this link"


def test_what_came_is_used_and_is_served_again_when_resumed(board):
    opened = r.opened(ask(board, open_record()))
    for n in (0, 63, 70):
        assert board.serve_record(n, 1000 + n) == 0
    assert ask(board, r.record(r.RESET, token=TOKEN)).error is None
    assert ask(board, open_record()).error == r.E_REUSED
    behind = (int.from_bytes(IV, "big") + 71 * THERE // 16).to_bytes(16, "big")
    assert ask(board, open_record(behind)).error is None, "the range shrank to 71 records"
    resume = open_record(flags=r.RESUME, ticket=opened.ticket)
    assert ask(board, resume).error == r.E_REUSED, "no longer all of it"
    resumed = r.opened(ask(board, open_record(flags=r.RESUME, ticket=opened.ticket, length=71 * THERE)))
    assert (resumed.first, resumed.window) == (7 * THERE, 64)
    served = board.serving()
    assert (served.first, served.seen) == (7, 1 << 63 | 1 << 70 - 64)
    assert board.serve_record(70, 1070) == 1
    assert board.serve_record(70, 1071) == 2


def test_a_stream_goes_on_between_the_engine_and_firmware(board):
    """A client begins a stream with the server, and resumes the stream with a firmware engine. The firmware's window
    contains 32 records, and the server's window 64 records. So the firmware refuses some records that the server would
    accept.

    A longer window then knows what the shorter one knew.
    """
    opened = r.opened(ask(board, open_record(record_bytes=960)))
    for n in (3, 40, 60):
        board.serve_record(n, r.record_sum(bytes([n]) * 960))
    assert ask(board, r.record(r.RESET, token=TOKEN)).error is None
    fields = {"record_bytes": 960, "flags": r.RESUME, "ticket": opened.ticket, "length": 90 * 960}
    here = r.opened(ask(board, open_record(engine=ENGINE_TABLE, **fields)))
    assert (here.first, here.window) == (29 * 960, 32)

    def data(n, value):
        record = r.record(r.DATA, bytes([value]) * 960, session=here.session, token=TOKEN, offset=n * 960)
        return ask(board, record).error

    assert [data(60, 60), data(60, 61), data(40, 41), data(3, 3)] == [None, r.E_OTHER_DATA, r.E_OTHER_DATA, r.E_WINDOW]
    assert data(50, 50) is None
    assert ask(board, r.record(r.RESET, token=TOKEN)).error is None
    there = r.opened(ask(board, open_record(**fields)))
    assert (there.first, there.window) == (29 * 960, 64)
    assert board.serving().seen == 1 << 40 | 1 << 50 | 1 << 60
    assert board.occurrences(there.ticket.to_bytes(8, "little")) > 0, "of a stream that is known it is kept"
    assert board.serve_record(50, r.record_sum(bytes([50]) * 960)) == 1


def test_where_the_engine_does_not_tell_what_came_all_is_used(board):
    """The server fails to report which records arrived. The board must then treat all counter blocks of the stream as
    used. It must also zeroize the stream's ticket and the checksums of the stream's records.
    """
    opened, total = r.opened(ask(board, open_record())), random.Random(1).getrandbits(64)
    assert board.serve_record(0, total) == 0
    kept = [number.to_bytes(8, "little") for number in (opened.ticket, total)]
    board.serving(finish=-errno.ETIMEDOUT)
    assert ask(board, r.record(r.RESET, token=TOKEN)).error is None
    assert [board.occurrences(each) for each in kept] == [0, 0]
    assert ask(board, open_record(flags=r.RESUME, ticket=opened.ticket)).error == r.E_TICKET
    last = (int.from_bytes(IV, "big") + 100 * THERE // 16).to_bytes(16, "big")
    assert ask(board, open_record(last)).error == r.E_REUSED


def test_data_records_are_sent_elsewhere(board):
    session = ask(board, open_record()).session
    reply = ask(board, r.record(r.DATA, bytes(32), session=session, token=TOKEN))
    assert (reply.error, reply.detail) == (r.E_ELSEWHERE, ENGINE_SERVING)
    address, port, max_data, window, *counts = FASTPATH_REPLY.unpack(ask(board, r.record(r.FASTPATH)).data)
    assert (address, port, max_data, window) == (0xC0A80133, 7, THERE, 0)
    assert dict(zip(NAMES, counts, strict=True)) == dict.fromkeys(NAMES, 0) | {"token": 99}


def test_stat_tells_what_the_engine_has_done(board):
    session = ask(board, open_record()).session
    board.serving(bytes_=1 << 40 | 5, blocks=1 << 36, records=77)
    stat = r.STAT.unpack(ask(board, r.record(r.STAT_TYPE, session=session, token=TOKEN)).data)
    assert (*stat[:3], stat[4]) == (1 << 40 | 5, 1 << 36, 0, 77)


def test_an_engine_that_does_not_take_the_session_leaves_nothing(board):
    board.serving(status=-errno.EIO)
    reply = ask(board, open_record())
    assert (reply.error, reply.detail) == (r.E_HARDWARE, errno.EIO)
    assert board.occurrences(KEY[:16]) == 0
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
    bench = ask(board, r.record(r.BENCH_TYPE, r.bench_data(ENGINE_SERVING, 0, 128, 64, 64)))
    assert (bench.error, bench.detail) == (r.E_ENGINE, ENGINE_SERVING)
    selftest = ask(board, r.record(r.SELFTEST, r.selftest_data(ENGINE_SERVING)))
    assert (selftest.error, selftest.detail) == (r.E_ENGINE, ENGINE_SERVING)


def test_a_session_that_is_served_closes_when_no_records_come_any_more(core):
    """In this test, a session of the server becomes idle after a million cycles without a record. Eight times in a
    million cycles, the service reads how many records the session has received. If this number has grown, the session
    is not idle.
    """
    assert core.start(max_data=2048, engines=ENGINES, step=10, idle_cycles=1_000_000) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, 960)
    session = ask(core, open_record()).session
    for n in range(20):
        core.serving(records=n + 1)
        core.poll(130_000)
        assert core.serving(records=n + 1).count == 1
    for turn in range(8):
        assert core.serving(records=20).count == 1, turn
        core.poll(130_000)
    assert core.serving(records=20).count == 0
    assert core.occurrences(KEY[:16]) == 0
    assert ask(core, r.record(r.STAT_TYPE, session=session, token=TOKEN)).error == r.E_SESSION
