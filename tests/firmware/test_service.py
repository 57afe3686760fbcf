# SPDX-License-Identifier: BSD-2-Clause
"""Test the record service: the effect of each record, all error replies, sessions, and data that remain in memory."""

import errno
import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_FAULTY, ENGINE_TABLE, ENGINE_WRONG, CorePeer

KEY = bytes(range(0x40, 0x60))
IV = b"\xff" * 14 + b"\xff\xfe"  # the 128-bit counter wraps to 0 at the third block of the stream
TOKEN = 0x0123456789ABCDEF
MAX_DATA = 256
STEP = 1000


def oracle(key, iv, data, offset=0):
    counter = (int.from_bytes(iv, "big") + offset // 16) % (1 << 128)
    return Cipher(algorithms.AES(key), modes.CTR(counter.to_bytes(16, "big"))).encryptor().update(data)


class Host:
    """A host that passes records directly to the service, without a UART or UDP link, and returns the replies."""

    def __init__(self, core):
        self.core = core

    def ask(self, type_, data=b"", *, peer=0, in_place=True, misalign=0, **header) -> r.Reply:
        header.setdefault("token", TOKEN)
        reply = self.core.record(r.record(type_, data, **header), peer=peer, in_place=in_place, misalign=misalign)
        parsed = r.parse(reply)
        assert parsed.token == header["token"]
        if parsed.error is None:
            assert parsed.type == type_ | r.REPLY
        else:
            assert parsed.request == type_
        return parsed

    def opened(self, key=KEY, iv=IV, *, peer=0, token=TOKEN, **fields) -> r.Opened:
        opened = r.opened(self.ask(r.OPEN_TYPE, r.open_data(key, iv, **fields), peer=peer, token=token))
        assert opened.session != 0
        return opened

    def open(self, key=KEY, iv=IV, **fields) -> int:
        return self.opened(key, iv, **fields).session

    def refused(self, type_, data=b"", **header) -> tuple[int, int]:
        reply = self.ask(type_, data, **header)
        assert reply.error is not None
        assert reply.session == header.get("session", 0)
        assert reply.offset == header.get("offset", 0)
        return reply.error, reply.detail

    def counters(self) -> dict:
        names = ["received", "framing_errors", "crc_errors", "length_errors", "rejected", "sessions_opened"]
        return dict(zip(names, r.COUNTERS_REPLY.unpack(self.ask(r.COUNTERS).data), strict=True))


@pytest.fixture
def host(core):
    assert core.start(max_data=MAX_DATA, step=STEP) == 0
    return Host(core)


# Identity


def test_info_tells_the_platform(host):
    fields = r.INFO_REPLY.unpack(host.ask(r.INFO).data)
    assert fields == (
        0x454E4C43, 1, 8, MAX_DATA, 0x000100, 1_000_000, 4321, 0b1111, 1024, 128, 128, 0b11, 0b1111,
        b"host".ljust(16, b"\0"), b"a name beyond it", b"cipherlane build",
    )  # fmt: skip
    assert host.ask(r.INFO).data[:4] == b"CLNE"
    host.open()
    assert r.INFO_REPLY.unpack(host.ask(r.INFO).data)[9:11] == (128, 127)


def test_init_refuses_an_unusable_platform(core):
    assert core.start(max_data=0) == -errno.EINVAL
    assert core.start(max_data=250) == -errno.EINVAL
    assert core.start(engines=1 << 31 | 0b0001) == -errno.EINVAL
    assert core.start(engines=1 << 30 | 0b10001) == -errno.EINVAL, "the server has an engine's code"
    assert core.start(engines=1 << 29 | 0b10001) == -errno.EINVAL, "its window is longer than any"
    assert core.start(engines=0) == 0


# Data


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("direction", [0, 1])
def test_records_in_any_order_within_the_window_give_the_stream(host, engine, key_bytes, direction):
    rng = random.Random(engine + key_bytes)
    data = rng.randbytes(MAX_DATA * 9 + 37)
    key = KEY[:key_bytes]
    session = host.open(key, engine=engine, direction=direction)
    offsets = list(range(0, len(data), MAX_DATA))
    sent = offsets + rng.sample(offsets, 4)  # the host sends four of the records twice
    rng.shuffle(sent)
    result = bytearray(len(data))
    for offset in sent:
        piece = data[offset : offset + MAX_DATA]
        reply = host.ask(r.DATA, piece, session=session, offset=offset, in_place=rng.random() < 0.5)
        assert reply.session == session
        assert reply.offset == offset
        result[offset : offset + len(piece)] = reply.data
    assert bytes(result) == oracle(key, IV, data)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 31, 33, MAX_DATA - 1, MAX_DATA])
@pytest.mark.parametrize("misalign", [0, 1, 2, 3])
@pytest.mark.parametrize("in_place", [False, True])
def test_data_of_any_length_and_alignment(host, length, misalign, in_place):
    data = random.Random(length).randbytes(length)
    session = host.open()
    reply = host.ask(r.DATA, data, session=session, offset=3 * MAX_DATA, in_place=in_place, misalign=misalign)
    assert reply.data == oracle(KEY, IV, data, 3 * MAX_DATA)


def test_data_up_to_the_end_of_the_stream_and_not_behind_it(host):
    session = host.open(length=2 * MAX_DATA + 33)
    last = 2 * MAX_DATA
    assert host.ask(r.DATA, bytes(33), session=session, offset=last).data == oracle(KEY, IV, bytes(33), last)
    for offset, length in ((last, 34), (last, MAX_DATA), (last + MAX_DATA, 0), (last + 32, 1), (1 << 36, 0)):
        refused = host.refused(r.DATA, bytes(length), session=session, offset=offset)
        assert refused == (r.E_OFFSET, MAX_DATA), (offset, length)


def test_longest_stream(host):
    """Open the longest possible stream, with 2^32 blocks. A record at its end has a valid offset, but is far beyond the
    window.
    """
    session = host.open(length=1 << 36, record_bytes=16)
    last = (1 << 36) - 16
    assert host.refused(r.DATA, bytes(16), session=session, offset=last) == (r.E_WINDOW, r.WINDOW)
    for offset in (1 << 36, (1 << 36) + 16, 1 << 63, (1 << 64) - 16):
        assert host.refused(r.DATA, bytes(0), session=session, offset=offset) == (r.E_OFFSET, 16)


def test_stat_counts_what_the_session_did(host):
    session = host.open()
    for n, length in enumerate((16, 17, 0, 256)):
        assert host.ask(r.DATA, bytes(length), session=session, offset=n * MAX_DATA).error is None
    host.refused(r.DATA, bytes(16), session=session, offset=1)
    host.refused(r.DATA, bytes(15), session=session)
    stat = r.STAT.unpack(host.ask(r.STAT_TYPE, session=session).data)
    assert stat == (289, 19, 4 * STEP, STEP, 4, 0)


def test_cycle_counter_may_wrap(core):
    assert core.start(cycles=(1 << 32) - 1500, step=1000) == 0
    host = Host(core)
    session = host.open()
    for _ in range(3):
        host.ask(r.DATA, bytes(16), session=session)
    assert r.STAT.unpack(host.ask(r.STAT_TYPE, session=session).data)[2:4] == (3000, 1000)


# Sessions


def test_sessions_are_independent(host):
    rng = random.Random(5)
    sessions = []
    for i in range(8):
        key, iv = rng.randbytes(rng.choice([16, 24, 32])), rng.randbytes(16)
        sessions.append((host.open(key, iv, token=i, engine=i % 2), key, iv))
    assert len({session for session, _, _ in sessions}) == 8
    for _ in range(50):
        token = rng.randrange(8)
        session, key, iv = sessions[token]
        offset = MAX_DATA * rng.randrange(32)
        data = random.Random(offset).randbytes(MAX_DATA)
        assert host.ask(r.DATA, data, session=session, token=token, offset=offset).data == oracle(key, iv, data, offset)


def test_ninth_session_is_refused_until_one_is_closed(host):
    sessions = [host.open(iv=bytes([i]) * 16) for i in range(8)]
    request = r.open_data(KEY, b"\x08" * 16)
    assert host.refused(r.OPEN_TYPE, request) == (r.E_FULL, 8)
    host.ask(r.CLOSE, session=sessions[3])
    session = host.open(iv=b"\x08" * 16)
    assert session not in sessions


def test_retransmitted_open_gives_the_same_session_and_reply(host):
    opened = host.opened()
    assert host.opened() == opened
    host.ask(r.DATA, bytes(16), session=opened.session, offset=40 * MAX_DATA)
    assert host.opened() == opened, "although the window has moved"
    assert host.counters()["sessions_opened"] == 1
    assert host.open(iv=b"\x10" * 16) != opened.session  # same token, other content
    assert host.counters()["sessions_opened"] == 2


def test_retransmitted_open_is_known_by_each_field(host):
    """The board must treat an open request as repeated only if all its fields equal the fields of an earlier request. A
    request with one different field is new. If a new request needs a range of counter blocks that is in use, the board
    must refuse the request.
    """
    session = host.open()
    request = {"key": KEY, "iv": IV}
    for other in ({"engine": ENGINE_BYTE}, {"direction": 1}, {"length": 4096}, {"record_bytes": 128}):
        assert host.refused(r.OPEN_TYPE, r.open_data(**request, **other)) == (r.E_REUSED, 0)
    assert host.refused(r.OPEN_TYPE, r.open_data(**request), token=TOKEN + 1) == (r.E_REUSED, 0)
    assert host.refused(r.OPEN_TYPE, r.open_data(**request), peer=7) == (r.E_REUSED, 0)
    assert host.refused(r.OPEN_TYPE, r.open_data(**request, flags=r.RESUME)) == (r.E_TICKET, 0)
    others = [host.open(KEY[:16]), host.open(KEY[::-1]), host.open(iv=IV[::-1])]
    assert len({session, *others}) == 4
    assert host.open() == session


def test_session_serves_only_the_peer_and_token_that_opened_it(host):
    session = host.open()
    for type_, data in ((r.DATA, bytes(16)), (r.STAT_TYPE, b""), (r.CLOSE, b"")):
        assert host.refused(type_, data, session=session, token=TOKEN ^ 1) == (r.E_SESSION, 0)
        assert host.refused(type_, data, session=session, token=TOKEN ^ 1 << 63) == (r.E_SESSION, 0)
        assert host.refused(type_, data, session=session, peer=1) == (r.E_SESSION, 0)
        assert host.refused(type_, data, session=session, peer=1 << 32) == (r.E_SESSION, 0)
    assert host.ask(r.DATA, bytes(16), session=session).error is None


@pytest.mark.parametrize("session", [0, 1, 8, 9, 255, 256, 0x109, 0xFFFFFFFF])
def test_session_that_never_was(host, session):
    assert host.refused(r.DATA, bytes(16), session=session) == (r.E_SESSION, 0)
    assert host.refused(r.STAT_TYPE, session=session) == (r.E_SESSION, 0)
    assert host.ask(r.CLOSE, session=session).error is None


def test_closed_session_is_gone_and_closing_again_succeeds(host):
    session = host.open()
    assert host.ask(r.CLOSE, session=session).error is None
    assert host.ask(r.CLOSE, session=session).error is None
    assert host.refused(r.DATA, bytes(16), session=session) == (r.E_SESSION, 0)
    other = host.open(iv=bytes(16))
    assert other != session  # sessions have different numbers, even if they use the same entry of the session table
    assert host.refused(r.DATA, bytes(16), session=session) == (r.E_SESSION, 0)


def test_reset_ends_only_what_its_own_token_opened_from_the_same_peer(host):
    mine = [host.open(iv=bytes([i]) * 16) for i in range(3)]
    others = [(host.open(iv=b"\x09" * 16, peer=1), 1, TOKEN), (host.open(iv=b"\x0a" * 16, token=9), 0, 9)]
    for peer, token in ((0, TOKEN ^ 1), (0, 0), (1 << 32, TOKEN)):
        assert host.ask(r.RESET, peer=peer, token=token).error is None
    for session in mine:
        assert host.ask(r.DATA, bytes(16), session=session).error is None
    host.ask(r.RESET)
    for session in mine:
        assert host.refused(r.DATA, bytes(16), session=session) == (r.E_SESSION, 0)
    for session, peer, token in others:
        assert host.ask(r.DATA, bytes(16), session=session, peer=peer, token=token).error is None


# Idle sessions


IDLE = 1_000_000


@pytest.fixture
def idle_host(core):
    assert core.start(max_data=MAX_DATA, step=10, idle_cycles=IDLE) == 0
    return Host(core)


def test_idle_session_closes_by_itself_and_leaves_nothing(idle_host):
    core = idle_host.core
    used, idle = idle_host.open(iv=bytes(16)), idle_host.open(KEY[:16])
    for n in range(12):
        assert core.occurrences(KEY[:16]) == 2
        idle_host.ask(r.DATA, bytes(16), session=used, offset=n * MAX_DATA)
        core.poll(IDLE // 13)
    for _ in range(3):
        idle_host.ask(r.STAT_TYPE, session=used)
        core.poll(IDLE // 8)
    assert core.occurrences(KEY[:16]) == 1, "without any record of its owner"
    assert idle_host.refused(r.DATA, bytes(16), session=idle) == (r.E_SESSION, 0)
    assert idle_host.ask(r.STAT_TYPE, session=used).error is None


def test_idle_session_closes_although_others_keep_the_board_busy(idle_host):
    """One session is idle. Another host sends records at shorter intervals than the main loop's checks for idle
    sessions. The board must still end the idle session.
    """
    idle_host.open()
    for _ in range(40):
        assert idle_host.ask(r.INFO, peer=5).error is None
        idle_host.core.poll(IDLE // 30)
    assert idle_host.core.occurrences(KEY) == 0


def test_idle_time_goes_on_when_the_cycle_counter_wraps(core):
    """In this test, a session ends after an idle time of about one period of the 32-bit cycle counter. The test
    advances the counter in steps of a quarter of this period.
    """
    assert core.start(max_data=MAX_DATA, step=10, idle_cycles=(1 << 32) - 1) == 0
    host = Host(core)
    session = host.open()
    for _ in range(5):
        for _ in range(3):
            core.poll(1 << 30)
        assert host.ask(r.DATA, bytes(16), session=session).error is None
    for _ in range(3):
        core.poll(1 << 30)
    assert core.occurrences(KEY) == 1
    core.poll(1 << 30)
    assert core.occurrences(KEY) == 0


def test_idle_sessions_of_any_owner_make_room_when_all_are_taken(idle_host):
    """All sessions are in use, and one becomes idle. A new session must replace it, even if the main loop has not
    checked for idle sessions.
    """
    for i in range(8):
        idle_host.open(iv=bytes([i]) * 16)
    assert idle_host.refused(r.OPEN_TYPE, r.open_data(KEY, b"\x08" * 16)) == (r.E_FULL, 8)
    for _ in range(IDLE // 10 // 2):
        idle_host.core.record(b"")
        if r.parse(idle_host.core.record(r.record(r.OPEN_TYPE, r.open_data(KEY, b"\x08" * 16)))).error is None:
            break
    else:
        pytest.fail("no session became idle")


# Tests of what a peer can learn about the cycles and the counters of other peers


def test_bench_and_selftest_are_refused_while_another_peer_has_a_session(host):
    bench = r.bench_data(ENGINE_TABLE, 0, 128, 16, 16)
    selftest = r.selftest_data(ENGINE_TABLE)
    session = host.open(peer=1)
    host.open(peer=2, iv=b"\x10" * 16)
    assert host.refused(r.BENCH_TYPE, bench) == (r.E_BUSY, 2)
    assert host.refused(r.SELFTEST, selftest) == (r.E_BUSY, 2)
    assert host.refused(r.BENCH_TYPE, bench, peer=1) == (r.E_BUSY, 1)
    host.ask(r.RESET, peer=2)
    assert host.ask(r.BENCH_TYPE, bench, peer=1).error is None, "with a session of its own"
    assert host.ask(r.SELFTEST, selftest, peer=1).error is None
    host.ask(r.CLOSE, session=session, peer=1)
    assert host.ask(r.BENCH_TYPE, bench).error is None


# No secrets remain


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("how", [r.CLOSE, r.RESET])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_nothing_of_the_key_is_left_after_close(host, engine, how, key_bytes):
    key = KEY[:key_bytes]
    rounds, words = host.core.expand(key)
    session = host.open(key, engine=engine)
    host.ask(r.DATA, bytes(64), session=session)
    # Check the search itself: while the session is open, it must find the key.
    assert host.core.occurrences(key) == 1
    host.ask(how, session=session)
    for i in range(0, 16 * (rounds + 1), 4):
        assert host.core.occurrences(words[i : i + 4]) == 0


def pieces(data, size=16):
    return [data[i : i + size] for i in range(0, len(data) - size + 1, 4)]


def left_on_stack(core, *secrets):
    return [piece for secret in secrets for piece in pieces(secret) if core.left_on_stack(piece)]


def round_keys(core, key):
    rounds, words = core.expand(key)
    return words[: 16 * (rounds + 1)]


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_no_call_leaves_a_key_or_keystream_on_the_stack(host, engine, bits):
    core, key = host.core, KEY[: bits // 8]
    schedule = round_keys(core, key)
    session = host.open(key, engine=engine)
    assert left_on_stack(core, schedule) == []
    keystream = oracle(key, IV, bytes(64))
    for length in (64, 61):
        host.ask(r.DATA, bytes(range(length)), session=session)
        assert left_on_stack(core, schedule, keystream[:48]) == []
        # On the host, the block cipher in C leaves its state on the stack, so up to two copies of the last block
        # remain. On a board, this state is in registers.
        assert core.left_on_stack(keystream[48:]) <= 2
    assert (
        host.refused(r.OPEN_TYPE, r.open_data(key.ljust(32, b"\0"), IV, key_bits=bits, engine=1 - engine))[0]
        == r.E_REUSED
    )
    assert left_on_stack(core, schedule) == []
    for values in ({"engine": 9}, {"direction": 7}, {"key_bits": 100}):
        host.refused(r.OPEN_TYPE, r.open_data(key[::-1].ljust(32, b"\0"), IV, **{"key_bits": bits, **values}))
        assert left_on_stack(core, key[::-1]) == []
    host.ask(r.CLOSE, session=session)
    assert left_on_stack(core, schedule) == []


@pytest.mark.parametrize("again", [False, True])
def test_no_open_leaves_a_chain_of_its_identities_on_the_stack(host, again):
    """To open a session, the service computes two CBC-MACs: the number that identifies the key, and the ticket of the
    stream. For each CBC-MAC, the input of the second block cipher call must not remain on the stack.
    """
    session = host.open(KEY)
    if again:  # the service recognises this request as repeated, and computes no ticket
        assert host.open(KEY) == session
    encryptor = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor()
    chain = encryptor.update(bytes([1]).ljust(16, b"\0"))
    if not again:
        ticket = encryptor.update(struct.pack("<BI", 2, session).ljust(16, b"\0"))
        chain = bytes(a ^ b for a, b in zip(ticket, IV, strict=True))
    assert left_on_stack(host.core, chain) == []


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
def test_bench_and_selftest_leave_no_round_keys_on_the_stack(host, engine):
    host.ask(r.BENCH_TYPE, r.bench_data(engine, 0, 256, 16, 16))
    assert left_on_stack(host.core, round_keys(host.core, bytes((1, 2, 3)).ljust(32, b"\0"))[32:]) == []
    assert host.ask(r.SELFTEST, r.selftest_data(engine)).error is None
    assert left_on_stack(host.core, round_keys(host.core, bytes(range(32)))[32:]) == []


def test_answer_over_the_uart_leaves_no_data_on_the_stack(host):
    core, text = host.core, b"attack at dawn, or a little later" * 3
    session = host.open(direction=1)
    (reply,) = r.unframe(core.uart(r.frame(r.record(r.DATA, oracle(KEY, IV, text), session=session, token=TOKEN))))
    assert r.parse(reply).data == text
    assert left_on_stack(core, text) == []


@pytest.mark.parametrize("end", [r.CLOSE, r.RESET])
def test_nothing_is_left_in_the_uart_buffer_after_close(host, end):
    core, text = host.core, b"attack at dawn, or a little later" * 3
    core.uart(r.frame(r.record(r.OPEN_TYPE, r.open_data(KEY, IV, direction=1), token=TOKEN)))
    # The key must be in memory once, in the session. The UART's buffer must not contain it.
    assert core.occurrences(KEY[16:]) == 1
    session = host.open(direction=1)
    (reply,) = r.unframe(core.uart(r.frame(r.record(r.DATA, oracle(KEY, IV, text), session=session, token=TOKEN))))
    assert r.parse(reply).data == text
    assert core.occurrences(text) == 1
    core.uart(r.frame(r.record(end, session=session, token=TOKEN)))
    for i in range(0, len(text) - 8):
        assert core.occurrences(text[i : i + 8]) == 0


@pytest.mark.parametrize(
    "record",
    [
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV), token=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV, engine=9), token=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV, key_bits=100), token=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV, key_bits=128), token=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV) + b"\0", token=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV), version=1),
        r.record(r.OPEN_TYPE, r.open_data(KEY, IV), length=3),
        r.record(r.OPEN_TYPE | r.REPLY, r.open_data(KEY, IV)),
        r.record(0x55, r.open_data(KEY, IV)),
    ],
    ids=["opened", "engine", "key_bits", "padding", "long", "version", "length", "reply", "type"],
)
def test_record_buffer_keeps_no_key(host, record):
    assert KEY in record
    left = host.core.record_leaves(record)
    for i in range(0, 32, 4):
        assert KEY[i : i + 4] not in left


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("fields", [{}, {"flags": r.DRAW}, {"engine": 9}], ids=["opened", "drawn", "refused"])
def test_no_key_is_left_on_the_stack_of_an_open(host, key_bytes, fields):
    """After a request to open a session, no 8 consecutive bytes of its key may remain on the stack."""
    key = random.Random(key_bytes).randbytes(key_bytes)
    host.core.record(r.record(r.OPEN_TYPE, r.open_data(key, IV, **fields), token=TOKEN))
    assert [piece for piece in pieces(key, 8) if host.core.left_on_stack(piece)] == []


def test_the_port_is_told_to_erase_after_each_key_that_goes(host):
    """After CLOSE, RESET, the end of an idle session or a refused OPEN, the service must tell the port to zeroize its
    stack and caches.

    It is told so at no other time.
    """
    core, refused = host.core, [{"engine": 9}, {"key_bits": 100}, {"direction": 2}, {}]
    core.forgotten()
    session = host.open()
    host.ask(r.DATA, bytes(64), session=session)
    host.ask(r.STAT_TYPE, session=session)
    assert core.forgotten() == 0
    for fields in refused:
        assert host.ask(r.OPEN_TYPE, r.open_data(KEY, IV, **fields), token=1).error is not None
        assert core.forgotten() > 0, fields
    host.ask(r.CLOSE, session=session)
    assert core.forgotten() > 0
    host.ask(r.CLOSE, session=session)
    assert core.forgotten() == 0, "it was closed before"
    host.open(iv=bytes([1]) * 16)
    host.ask(r.RESET)
    assert core.forgotten() > 0
    host.open(iv=bytes([2]) * 16)
    core.poll(200_000_000)
    assert core.forgotten() > 0


def test_broken_frames_leave_nothing(host):
    frame = r.frame(r.record(r.OPEN_TYPE, r.open_data(KEY, IV)))
    wrong_crc = r.cobs(r.record(r.OPEN_TYPE, r.open_data(KEY, IV)) + b"\x11\x22\x33\x44") + b"\0"
    too_long = r.frame(r.record(r.OPEN_TYPE, r.open_data(KEY, IV) + b"\x55" * (MAX_DATA + 4 - 80 + 1)))
    for broken in (wrong_crc, frame[:-3] + b"\0", too_long):
        host.core.uart(broken[:-1])
        assert host.core.occurrences(KEY) == 1
        assert host.core.uart(b"\0") == b""
        assert host.core.occurrences(KEY[:8]) == 0


# Errors


def test_version_is_answered_in_ours(host):
    assert host.refused(r.INFO, version=1) == (r.E_VERSION, r.VERSION)
    assert host.refused(r.DATA, bytes(5), version=0, length=77) == (r.E_VERSION, r.VERSION)


@pytest.mark.parametrize("type_", [0, 10, 0x55, 0x7F])
def test_unknown_type(host, type_):
    assert host.refused(type_) == (r.E_TYPE, type_)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [(r.INFO, 0), (r.OPEN_TYPE, 80), (r.CLOSE, 0), (r.STAT_TYPE, 0), (r.BENCH_TYPE, 16), (r.SELFTEST, 8),
     (r.RESET, 0), (r.COUNTERS, 0)],
)  # fmt: skip
def test_length_that_does_not_fit_the_type(host, type_, expected):
    session = host.open()
    for length in {0, 1, expected - 1, expected + 1, MAX_DATA} - {-1, expected}:
        assert host.refused(type_, bytes(length), session=session) == (r.E_LENGTH, expected)
    assert host.ask(r.DATA, bytes(16), session=session).error is None


def test_more_data_than_a_record_may_carry(host):
    session = host.open()
    assert host.refused(r.DATA, bytes(MAX_DATA + 1), session=session) == (r.E_LENGTH, MAX_DATA)
    assert host.refused(r.DATA, bytes(2000), session=session, in_place=False) == (r.E_LENGTH, MAX_DATA)


@pytest.mark.parametrize("offset", [1, 8, 15, 16, 17, 48, 95, 97, 112, (1 << 64) - 1, (1 << 64) - 96])
def test_offset_that_is_no_multiple_of_record_bytes(host, offset):
    session = host.open(record_bytes=96)
    assert host.refused(r.DATA, bytes(16), session=session, offset=offset) == (r.E_OFFSET, 96)


def test_record_that_is_longer_than_record_bytes(host):
    session = host.open(record_bytes=96)
    assert host.refused(r.DATA, bytes(97), session=session) == (r.E_OFFSET, 96)
    assert host.ask(r.DATA, bytes(96), session=session, offset=96 * 5).data == oracle(KEY, IV, bytes(96), 96 * 5)


@pytest.mark.parametrize("key_bits", [0, 64, 127, 129, 512, 65535])
def test_key_bits(host, key_bits):
    assert host.refused(r.OPEN_TYPE, r.open_data(bytes(32), IV, key_bits=key_bits)) == (r.E_KEY_BITS, key_bits)
    assert host.refused(r.BENCH_TYPE, r.bench_data(1, 0, key_bits, 16, 16)) == (r.E_KEY_BITS, key_bits)


@pytest.mark.parametrize("engine", [4, 31, 32, 255])
def test_engine_that_is_not_present(host, engine):
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, engine=engine)) == (r.E_ENGINE, engine)
    assert host.refused(r.BENCH_TYPE, r.bench_data(engine, 0, 128, 16, 16)) == (r.E_ENGINE, engine)


def test_values_that_are_not_allowed(host):
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, direction=2)) == (r.E_VALUE, 2)
    for flags in (8, r.RESUME | r.DRAW, r.RESUME | r.DRAW | r.GCM_FLAG, 1 << 31):
        assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, flags=flags)) == (r.E_VALUE, flags)
    for length in (0, (1 << 36) + 1, 1 << 63):
        assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, length=length)) == (r.E_VALUE, length % (1 << 32))
    for record_bytes in (0, 8, 100, MAX_DATA + 16, (1 << 32) - 16):
        refused = host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, record_bytes=record_bytes))
        assert refused == (r.E_VALUE, record_bytes)
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, reserved=5)) == (r.E_VALUE, 5)
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, ticket=7)) == (r.E_VALUE, 7)
    # A key of 128 or 192 bits is shorter than the key field, and zeros must fill the rest. Here, the last byte is 1.
    for bits in (128, 192):
        assert host.refused(r.OPEN_TYPE, r.open_data(bytes(31) + b"\x01", IV, key_bits=bits)) == (r.E_VALUE, 0)
    assert host.refused(r.BENCH_TYPE, r.bench_data(1, 2, 128, 16, 16)) == (r.E_VALUE, 2)
    assert host.refused(r.BENCH_TYPE, r.bench_data(1, 0, 128, 0, 16)) == (r.E_VALUE, 0)
    assert host.refused(r.BENCH_TYPE, r.bench_data(1, 0, 128, 1025, 16)) == (r.E_VALUE, 1025)


def test_fault_of_the_hardware_is_answered_and_leaves_the_session(host):
    session = host.open(engine=ENGINE_FAULTY)
    host.core.fault(ctr=-errno.ETIMEDOUT)
    assert host.refused(r.DATA, bytes(16), session=session) == (r.E_HARDWARE, errno.ETIMEDOUT)
    assert host.refused(r.BENCH_TYPE, r.bench_data(ENGINE_FAULTY, 0, 128, 16, 16)) == (r.E_HARDWARE, errno.ETIMEDOUT)
    host.core.fault(set_key=-errno.EIO)
    assert host.refused(r.BENCH_TYPE, r.bench_data(ENGINE_FAULTY, 0, 128, 16, 16)) == (r.E_HARDWARE, errno.EIO)
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY[::-1], IV, engine=ENGINE_FAULTY)) == (r.E_HARDWARE, errno.EIO)
    assert host.core.occurrences(KEY[::-1][:16]) == 0
    host.core.fault()
    # The failed request above must not have marked its counter blocks as used. So this session with the same counter
    # blocks must open.
    host.open(KEY[::-1], engine=ENGINE_FAULTY)
    assert host.ask(r.DATA, bytes(16), session=session).data == oracle(KEY, IV, bytes(16))
    assert r.STAT.unpack(host.ask(r.STAT_TYPE, session=session).data)[4] == 1


# Tests of records that the service counts and drops without an answer


def test_records_that_are_dropped(host):
    core = host.core
    for record in (b"", r.record(r.INFO)[:1], r.record(r.INFO)[:23]):
        assert core.record(record) == b""
    for record in (r.record(r.DATA, bytes(16), length=15), r.record(r.DATA, bytes(16), length=17)):
        assert core.record(record) == b""
    for type_ in (r.INFO | r.REPLY, r.ERROR, 0x80):
        assert core.record(r.record(type_)) == b""
        assert core.record(r.record(type_, version=9)) == b""
    host.refused(0x55)
    assert host.counters() == {
        "received": 2,
        "framing_errors": 3,
        "crc_errors": 0,
        "length_errors": 2,
        "rejected": 7,
        "sessions_opened": 0,
    }


def test_reply_that_has_no_room_is_not_written(host):
    assert host.core.record_without_room(r.record(r.INFO)) == 0


# Benchmark and self-test


@pytest.mark.parametrize(
    ("record_bytes", "total", "blocks", "calls"),
    [(16, 16, 1, 1), (1024, 4096, 256, 4), (1000, 2500, 63 * 2 + 32, 3), (1, 5, 5, 5), (100, 0, 0, 0), (7, 3, 1, 1)],
)
def test_bench_counts(core, record_bytes, total, blocks, calls):
    assert core.start(clock_hz=100_000_000, step=1000) == 0
    for engine in (ENGINE_BYTE, ENGINE_TABLE):
        reply = Host(core).ask(r.BENCH_TYPE, r.bench_data(engine, 1, 256, record_bytes, total))
        assert r.BENCH_REPLY.unpack(reply.data) == (total, blocks, calls * 1000, 1000)


def test_bench_ends_after_a_500th_of_a_second(core):
    assert core.start(clock_hz=2_000_000, step=1000) == 0
    reply = Host(core).ask(r.BENCH_TYPE, r.bench_data(ENGINE_TABLE, 0, 128, 16, 0xFFFFFFFF))
    assert r.BENCH_REPLY.unpack(reply.data) == (64, 4, 4_000, 1000)


def test_bench_shortens_a_call_that_would_take_longer(core):
    """In this test, 32 blocks take 2000 cycles, and a benchmark is allowed to take 4000 cycles. So the service must
    process only 64 of the requested 256 blocks in each call of the engine.
    """
    assert core.start(clock_hz=2_000_000, step=2000, bench_bytes=4096) == 0
    reply = Host(core).ask(r.BENCH_TYPE, r.bench_data(ENGINE_TABLE, 0, 128, 4096, 8192))
    assert r.BENCH_REPLY.unpack(reply.data) == (2 * 64 * 16, 128, 4_000, 2000)


def test_selftest_passes_good_engines_and_finds_wrong_ones(host):
    host.core.fault(ctr=-errno.EIO)
    for engine, failed in ((ENGINE_BYTE, 0), (ENGINE_TABLE, 0), (ENGINE_WRONG, 9), (ENGINE_FAULTY, 9)):
        reply = host.ask(r.SELFTEST, r.selftest_data(engine))
        assert r.SELFTEST_REPLY.unpack(reply.data) == (9, failed, 0)
    assert host.refused(r.SELFTEST, r.selftest_data(9)) == (r.E_ENGINE, 9)
    assert host.refused(r.SELFTEST, r.selftest_data((1 << 32) - 1)) == (r.E_ENGINE, (1 << 32) - 1)


# Any input


def test_every_byte_of_a_record_may_be_wrong(core_binary):
    """Send records that are changed, cut or lengthened at random. The service must answer or drop each of them, and
    must continue to work.
    """
    rng = random.Random(11)
    with CorePeer(core_binary) as core:
        core.start(max_data=MAX_DATA, engines=0b0011)
        host = Host(core)
        good = [
            r.record(r.INFO),
            r.record(r.OPEN_TYPE, r.open_data(KEY, IV), token=TOKEN),
            r.record(r.STAT_TYPE, session=0x101, token=TOKEN),
            r.record(r.CLOSE, session=0x101, token=TOKEN),
            r.record(r.COUNTERS),
            r.record(r.BENCH_TYPE, r.bench_data(1, 0, 128, 64, 256)),
            *(r.record(r.DATA, bytes(n), session=0x101, token=TOKEN, offset=n) for n in (0, 16, 240, 256)),
        ]
        for _ in range(6000):
            record = bytearray(rng.choice(good))
            for _ in range(rng.choice([0, 1, 1, 2, 5])):
                record[rng.randrange(len(record))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            if rng.random() < 0.1:
                record = record[: rng.randrange(len(record))]
            if rng.random() < 0.1:
                record += rng.randbytes(rng.randrange(300))
            if record[1:2] == bytes([r.BENCH_TYPE]) and len(record) == 40:
                record[32:36] = struct.pack("<I", rng.randrange(4096))  # keep the benchmark short
            reply = core.record(bytes(record), in_place=rng.random() < 0.5, misalign=rng.randrange(4))
            if reply:
                r.parse(reply)
        host.ask(r.RESET)
        session = host.open(iv=b"\x77" * 16)
        assert host.ask(r.DATA, bytes(100), session=session).data == oracle(KEY, b"\x77" * 16, bytes(100))
