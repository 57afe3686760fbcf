# SPDX-License-Identifier: BSD-2-Clause
"""Tests sessions and counter blocks on the simulated board for all engines, with records that the tests build
themselves. Also checks how many cycles some requests take.
"""

import random

import pytest
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import records as r
from tests.waiting import HANG_S, until

pytestmark = pytest.mark.simboard

ENGINES = [Engine.BYTE, Engine.TABLE, Engine.ISE, Engine.ISE_FUSED, Engine.ISE_VMEM, Engine.ACCELERATOR]
RECORD, TOKEN = 512, 99


@pytest.fixture(scope="module")
def line():
    with SimulatedBoard() as running, SerialTransport(running.url) as transport:
        transport.resync()  # sends a zero byte, with which each connection to the simulated UART must begin
        yield transport


def ask(line, type_, data=b"", **header) -> r.Reply:
    header.setdefault("token", TOKEN)
    line.send(r.record(type_, data, **header))
    reply = line.receive(HANG_S)
    assert reply is not None, "the board did not answer"
    return r.parse(reply)


def open_session(line, key, iv, engine, **fields) -> r.Reply:
    fields = {"length": 64 * RECORD, "record_bytes": RECORD} | fields
    return ask(line, r.OPEN_TYPE, r.open_data(key, iv, engine=engine, **fields))


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_a_stream_that_goes_from_engine_to_engine_serves_each_block_once(line, key_bits):
    """Encrypt one stream with all engines: each engine resumes the stream where the previous engine stopped. The board
    must answer a repeated record again, but must refuse different data at the same offset.
    """
    rng = random.Random(key_bits)
    key, iv = rng.randbytes(key_bits // 8), rng.randbytes(16)
    data = rng.randbytes(RECORD * len(ENGINES))
    answer = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)
    ticket = 0
    for n, engine in enumerate(ENGINES):
        fields = {"flags": r.RESUME, "ticket": ticket} if n else {}
        opened = r.opened(open_session(line, key, iv, engine, direction=n % 2, **fields))
        ticket = opened.ticket
        for m in (n, 0, n // 2):
            place = slice(m * RECORD, (m + 1) * RECORD)
            reply = ask(line, r.DATA, data[place], session=opened.session, offset=m * RECORD)
            assert reply.data == answer[place]
            other = bytes([data[m * RECORD] ^ 1]) + data[place][1:]
            assert ask(line, r.DATA, other, session=opened.session, offset=m * RECORD).error == r.E_OTHER_DATA
        assert open_session(line, key, iv, ENGINES[n - 1], direction=1, length=16).error == r.E_REUSED
        assert ask(line, r.CLOSE, session=opened.session).error is None
    for engine in ENGINES:
        assert open_session(line, key, iv, engine, length=16).error == r.E_REUSED


def test_a_simulated_board_draws_from_the_host_s_bytes(line):
    key, opened = bytes(16), []
    for seed in (1, 2):
        request = {"flags": r.DRAW, "length": 16}
        opened.append(r.opened(open_session(line, key, random.Random(seed).randbytes(16), Engine.ISE, **request)))
        assert opened[-1].iv[12:] == bytes(4)
    assert opened[0].iv != opened[1].iv
    for each in opened:
        reply = ask(line, r.DATA, bytes(16), session=each.session)
        assert reply.data == Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(each.iv)
    assert ask(line, r.RESET).error is None


@pytest.mark.parametrize("engine", ENGINES)
def test_bench_and_selftest_take_milliseconds(line, engine):
    """Request a benchmark of 4 GB, then a self-test. The board must end the benchmark early: the cycles in its reply
    must correspond to at most 4.2 ms.
    """
    info = r.INFO_REPLY.unpack(ask(line, r.INFO).data)
    clock, bench_bytes = info[5], info[8]
    reply = ask(line, r.BENCH_TYPE, r.bench_data(engine, 0, 256, bench_bytes, (1 << 32) - 1))
    bytes_, blocks, cycles, _ = r.BENCH_REPLY.unpack(reply.data)
    assert 0 < cycles <= 2.1 * clock / 500
    assert blocks * 16 - bytes_ < 16
    tests, failed, _ = r.SELFTEST_REPLY.unpack(ask(line, r.SELFTEST, r.selftest_data(engine)).data)
    assert (tests, failed) == (12 if engine == Engine.ISE_VMEM else 9, 0)


def test_an_idle_session_ends_by_itself(line):
    """The board must end an idle session. If the session has not used a counter block, the board must also free the
    session's range in the table of used counter blocks.
    """

    def free_ranges():
        return r.INFO_REPLY.unpack(ask(line, r.INFO).data)[10]

    before = free_ranges()
    session = r.opened(open_session(line, bytes(range(16)), bytes(16), Engine.ISE)).session
    assert free_ranges() == before - 1
    until(lambda: free_ranges() == before, lambda: "the session is still open")
    assert ask(line, r.STAT_TYPE, session=session).error == r.E_SESSION
