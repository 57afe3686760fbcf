# SPDX-License-Identifier: BSD-2-Clause
"""Test sessions in GCM. The tests compare ciphertexts and tags with `cryptography`, and replies with the model board.
The service must refuse wrong requests. It must not release plaintext before it has verified the tag, and must not use a
nonce for two plaintexts.
"""

import errno
import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import frames as f
from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_FAULTY, ENGINE_SERVING, ENGINE_TABLE, ENGINE_WRONG
from tests.firmware.test_link_udp import ask as ask_over_udp
from tests.firmware.test_reuse import Wiretap, block
from tests.firmware.test_service import Host, left_on_stack, round_keys
from tests.host.model import PeerBoard
from tests.host.test_nullboard import Both, agree_about_gcm, gcm_record

KEY, PREFIX, MAX_DATA, SIZE, TOKEN = bytes(range(0x40, 0x60)), bytes(range(0xC0, 0xC8)), 256, 240, 0x0123456789ABCDEF
IV = PREFIX + bytes(8)
ENCRYPT, DECRYPT = 0, 1


class GcmHost(Host):
    """A host with sessions in GCM. It stores the plaintext of each nonce, and so detects a nonce that was used for two
    plaintexts.
    """

    def __init__(self, core):
        super().__init__(core)
        self.seen = {}

    def opened(self, key=KEY, iv=IV, *, flags=0, **fields):
        return super().opened(key, iv, flags=flags | r.GCM_FLAG, **{"record_bytes": SIZE, "length": 1 << 20} | fields)

    def refusal(self, key=KEY, iv=IV, *, flags=0, **fields):
        fields = {"record_bytes": SIZE, "length": 1 << 20} | fields
        return self.refused(r.OPEN_TYPE, r.open_data(key, iv, flags=flags | r.GCM_FLAG, **fields))

    def send(self, opened, number, data, last=False, size=SIZE, **header):
        kind = r.DATA_LAST if last else r.DATA
        return self.ask(kind, data, session=opened.session, offset=number * size, **header)

    def error(self, *record, **header):
        reply = self.send(*record, **header)
        return reply.error, reply.detail

    def encrypted(self, opened, number, text, last=False, key=KEY, **header):
        """Send a record for encryption, and check the answer. Return the error that the board reports, or None."""
        reply = self.send(opened, number, text, last, **header)
        if reply.error is None:
            assert reply.data == message(number, text, last, key, opened.iv[:8])
            nonce = key, opened.iv[:8], number, last
            assert self.seen.setdefault(nonce, text) == text, "one nonce was used for two plaintexts"
        return reply.error

    def stat(self, opened):
        return r.STAT.unpack(self.ask(r.STAT_TYPE, session=opened.session).data)

    def close(self, opened):
        assert self.ask(r.CLOSE, session=opened.session).error is None


def message(number, text, last=False, key=KEY, prefix=PREFIX, size=SIZE):
    """Encrypt a record with `cryptography`; return its ciphertext followed by its tag."""
    return gcm_record(key, prefix, size, number, last, text, False)[1]


def text_of(number, length=SIZE):
    return random.Random(number).randbytes(length)


@pytest.fixture
def host(core):
    assert core.start(max_data=MAX_DATA, step=10) == 0
    return GcmHost(core)


# Streams


@pytest.mark.parametrize("direction", [ENCRYPT, DECRYPT])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE, 5 * SIZE + 37])
def test_a_stream_of_any_length(host, direction, key_bytes, length):
    rng, key = random.Random(length), KEY[:key_bytes]
    parts = [rng.randbytes(min(SIZE, length - at)) for at in range(0, max(length, 1), SIZE)]
    opened = host.opened(key, direction=direction, engine=rng.choice((ENGINE_BYTE, ENGINE_TABLE)), length=length)
    numbers = [*range(len(parts)), *rng.sample(range(len(parts)), len(parts) // 2)]
    rng.shuffle(numbers)
    for number in numbers:
        last = number == len(parts) - 1
        pair = parts[number], message(number, parts[number], last, key)
        request, reply = pair if direction == ENCRYPT else pair[::-1]
        options = {"in_place": rng.random() < 0.5, "misalign": rng.randrange(4)}
        assert host.send(opened, number, request, last, **options).data == reply
    assert host.stat(opened)[0] == sum(len(parts[number]) for number in numbers)
    assert host.stat(opened)[4:] == (len(numbers), 0)


@pytest.mark.parametrize("staging", [False, True])
@pytest.mark.parametrize("direction", [ENCRYPT, DECRYPT])
def test_a_stream_over_udp(core, staging, direction):
    size = 1424
    assert core.start(max_data=2048) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, size + 16, staging=staging)
    request = r.open_data(KEY, IV, flags=r.GCM_FLAG, direction=direction, length=4000, record_bytes=size)
    session = r.opened(ask_over_udp(core, r.record(r.OPEN_TYPE, request, token=TOKEN))).session
    for number in range(3):
        last = number == 2
        text = text_of(number, 700 if last else size)
        pair = text, message(number, text, last, size=size)
        request, expected = pair if direction == ENCRYPT else pair[::-1]
        kind = r.DATA_LAST if last else r.DATA
        header = {"session": session, "offset": number * size, "token": TOKEN}
        if direction == DECRYPT:
            forged = ask_over_udp(core, r.record(kind, request[:-1] + bytes([request[-1] ^ 1]), **header))
            assert (forged.error, forged.detail) == (r.E_TAG, number + 1)
            assert core.occurrences(text[:16]) == 0, "neither in a slot nor in the staging buffer"
        assert ask_over_udp(core, r.record(kind, request, **header)).data == expected


def test_the_board_draws_the_prefix(core):
    assert core.start(max_data=MAX_DATA, step=10, kind=0, random=True) == 0
    host = GcmHost(core)
    opened = [host.opened(iv=random.Random(n).randbytes(16), flags=r.DRAW) for n in range(3)]
    assert all(each.iv[8:] == bytes(8) for each in opened)
    assert len({each.iv for each in opened}) == 3
    assert [host.encrypted(each, 0, text_of(0)) for each in opened] == [None] * 3
    core.random(status=-errno.EIO)
    assert host.refusal(flags=r.DRAW) == (r.E_RANDOM, errno.EIO)


def test_info_tells_the_engines_with_gcm(host):
    modes_, engines = r.INFO_REPLY.unpack(host.ask(r.INFO).data)[11:13]
    assert (modes_, engines) == (1 << r.CTR | 1 << r.GCM, 0b1111)


# The service must give the same answers as the model board, which is written in Python.


class CoreBoard:
    """Gives the service the interface of a board, for tests that expect a board. Passes each record to the service."""

    def __init__(self, core):
        self.core = core

    def answer(self, raw, address):
        return self.core.record(raw, peer=address[1])


@pytest.mark.parametrize("seed", range(12))
def test_every_answer_is_the_model_board_s(core, seed):
    assert core.start(max_data=MAX_DATA, step=10) == 0
    model = PeerBoard(max_data=MAX_DATA, max_sessions=8, window=32, ranges=128)
    agree_about_gcm(Both(CoreBoard(core), model), random.Random(seed), kept=6, most=7)


# Tags


def test_a_wrong_tag_is_refused_and_the_genuine_record_is_accepted_afterwards(host):
    opened = host.opened(direction=DECRYPT)
    text, genuine = text_of(0), message(0, text_of(0))
    forgeries = 0
    for bit in [*range(0, 8 * SIZE, 61), *range(8 * SIZE, 8 * len(genuine))]:
        changed = bytearray(genuine)
        changed[bit // 8] ^= 1 << bit % 8
        forgeries += 1
        assert host.error(opened, 0, bytes(changed)) == (r.E_TAG, forgeries)
    for other in (message(1, text), message(0, text, True), message(0, text, key=KEY[::-1]), message(0, text, size=16)):
        forgeries += 1
        assert host.error(opened, 0, other) == (r.E_TAG, forgeries)
    assert host.stat(opened) == (0, 0, 0, 10, 0, forgeries)
    assert host.send(opened, 0, genuine).data == text
    assert host.error(opened, 0, message(0, text_of(1))) == (r.E_OTHER_DATA, 0)
    assert host.send(opened, 0, genuine).data == text
    assert host.stat(opened)[4:] == (2, forgeries)


def test_a_refused_record_moves_no_window_and_ends_no_stream(host):
    opened = host.opened(direction=DECRYPT)
    assert host.error(opened, 63, message(0, text_of(0))) == (r.E_TAG, 1)
    assert host.error(opened, 3, message(3, text_of(3)), last=True) == (r.E_TAG, 2)
    for number in (0, 5):
        assert host.send(opened, number, message(number, text_of(number))).data == text_of(number)
    host.close(opened)
    again = host.opened(direction=DECRYPT, flags=r.RESUME, ticket=opened.ticket)
    assert again.first == 0


@pytest.mark.parametrize("length", [1, 16, SIZE])
def test_nothing_of_a_forged_record_is_released(host, length):
    """After the board has answered a forged record, neither the record's buffer nor the stack may contain plaintext or
    keystream.
    """
    opened = host.opened(direction=DECRYPT)
    text = text_of(9, length)
    forged = bytearray(message(0, text, True))
    forged[-1] ^= 1
    header = {"session": opened.session, "token": TOKEN}
    left = host.core.record_leaves(r.record(r.DATA_LAST, bytes(forged), **header))
    assert r.parse(left[: r.HEADER.size + r.ERROR_REPLY.size]).error == r.E_TAG
    assert left[r.HEADER.size + r.ERROR_REPLY.size :].strip(b"\x5a\0") == b""
    host.send(opened, 0, bytes(forged), last=True)
    if length >= 16:
        stream = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(PREFIX + struct.pack(">II", 1, 2))
        assert left_on_stack(host.core, text, stream) == []


# What is refused


def test_the_last_record_is_the_last(host):
    opened = host.opened()
    for number in (0, 2, 3):
        assert host.encrypted(opened, number, text_of(number)) is None
    assert host.error(opened, 3, text_of(3), last=True) == (r.E_OFFSET, SIZE), "it came as another one"
    assert host.error(opened, 2, b"x", last=True) == (r.E_OFFSET, SIZE)
    assert host.encrypted(opened, 5, b"end", last=True) is None
    assert host.encrypted(opened, 5, b"end", last=True) is None
    assert host.error(opened, 5, b"END", last=True) == (r.E_OTHER_DATA, 0)
    assert host.error(opened, 5, text_of(5)) == (r.E_OFFSET, SIZE)
    for number in (6, 7):
        assert host.error(opened, number, text_of(6)) == (r.E_OFFSET, SIZE)
        assert host.error(opened, number, b"end", last=True) == (r.E_OFFSET, SIZE)
    for number in (1, 4):
        assert host.encrypted(opened, number, text_of(number)) is None
    host.close(opened)
    again = host.opened(flags=r.RESUME, ticket=opened.ticket)
    assert host.error(again, 6, b"more", last=True) == (r.E_OFFSET, SIZE), "also in the next session"
    assert host.encrypted(again, 5, b"end", last=True) is None


def test_lengths_of_records(host):
    opened = host.opened(length=3 * SIZE)
    for length in (0, 1, SIZE - 1):
        assert host.error(opened, 0, bytes(length)) == (r.E_LENGTH, SIZE)
    assert host.error(opened, 0, bytes(SIZE + 1)) == (r.E_OFFSET, SIZE)
    for number in (1, 3):
        assert host.error(opened, number, b"", last=True) == (r.E_LENGTH, 1)
    assert host.error(opened, 3, b"x", last=True) == (r.E_OFFSET, SIZE)
    assert host.error(opened, 0, b"x", last=True, size=1) == (None, None)
    other = host.opened(iv=b"\1" * 8 + bytes(8), direction=DECRYPT, length=3 * SIZE)
    for length in (0, 1, 15):
        assert host.error(other, 0, bytes(length), last=True) == (r.E_LENGTH, 16)
        assert host.error(other, 0, bytes(length)) == (r.E_LENGTH, SIZE + 16)
        assert host.error(other, 1, bytes(length), last=True) == (r.E_LENGTH, 17)
    assert host.error(other, 1, bytes(16), last=True) == (r.E_LENGTH, 17)
    assert host.error(other, 0, bytes(SIZE + 16)) == (r.E_TAG, 1)
    assert host.error(other, 0, bytes(MAX_DATA), last=True, size=0) == (r.E_TAG, 2)
    for offset in (1, 16, SIZE - 16, SIZE + 1):
        refused = host.refused(r.DATA_LAST, bytes(20), session=other.session, offset=offset)
        assert refused == (r.E_OFFSET, SIZE)


def test_longest_stream(host):
    """Open the longest possible stream. The board must refuse its last record, because this record is far beyond the
    window of records that the board accepts. The board must also refuse records after the end of the stream.
    """
    opened = host.opened(length=1 << 36, record_bytes=64)
    last = (1 << 30) - 1
    assert host.error(opened, last, bytes(64), last=True, size=64) == (r.E_WINDOW, r.WINDOW)
    assert host.error(opened, last + 1, b"", last=True, size=64) == (r.E_LENGTH, 1)
    for offset in ((1 << 36) + 64, 1 << 63, (1 << 64) - 64):
        assert host.refused(r.DATA_LAST, b"", session=opened.session, offset=offset) == (r.E_OFFSET, 64)


def test_values_of_an_open(host):
    for record_bytes in (0, 8, MAX_DATA - 15, MAX_DATA, 1 << 31, (1 << 32) - 16):
        assert host.refusal(record_bytes=record_bytes) == (r.E_VALUE, record_bytes)
    for length in ((1 << 36) + 1, 1 << 63, (1 << 64) - 1):
        assert host.refusal(length=length) == (r.E_VALUE, length % (1 << 32))
    for blocks in (1, 2, 3):
        most = blocks * 16 << 30
        assert host.refusal(length=most + 1, record_bytes=16 * blocks) == (r.E_VALUE, (most + 1) % (1 << 32))
        host.close(host.opened(length=most, record_bytes=16 * blocks))
    for place in range(8, 16):
        assert host.refusal(iv=PREFIX + bytes(place - 8) + b"\1" + bytes(15 - place)) == (r.E_VALUE, 0)
    host.close(host.opened(length=0))
    host.close(host.opened(record_bytes=MAX_DATA - 16))


def test_a_server_has_no_gcm(core):
    assert core.start(max_data=MAX_DATA, engines=0b10010) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
    request = r.open_data(KEY, IV, flags=r.GCM_FLAG, engine=ENGINE_SERVING, record_bytes=SIZE)
    reply = ask_over_udp(core, r.record(r.OPEN_TYPE, request, token=TOKEN))
    assert (reply.error, reply.detail) == (r.E_ENGINE, ENGINE_SERVING)
    assert r.INFO_REPLY.unpack(ask_over_udp(core, r.record(r.INFO)).data)[12] == 0b10


def test_ctr_sessions_have_no_last_record(host):
    session = Host.opened(host, KEY, IV).session
    assert host.refused(r.DATA_LAST, bytes(16), session=session) == (r.E_TYPE, r.DATA_LAST)
    assert host.refused(r.DATA_LAST, bytes(16), session=session + 1) == (r.E_SESSION, 0)


def test_a_fault_of_the_engine_uses_nothing(host):
    opened = host.opened(engine=ENGINE_FAULTY)
    host.core.fault(ctr=-errno.EIO)
    assert host.error(opened, 0, text_of(0)) == (r.E_HARDWARE, errno.EIO)
    assert host.error(opened, 0, text_of(0), last=True) == (r.E_HARDWARE, errno.EIO)
    host.core.fault()
    assert host.encrypted(opened, 0, text_of(1)) is None
    assert host.stat(opened)[4:] == (1, 0)


# No nonce serves twice


def test_a_prefix_serves_one_stream_under_a_key(host):
    opened = host.opened()
    assert host.encrypted(opened, 0, text_of(0)) is None
    for changed in ({"direction": DECRYPT}, {"length": 100}, {"record_bytes": 16}, {"flags": r.RESUME}):
        assert host.refusal(**changed)[0] in (r.E_REUSED, r.E_TICKET)
    host.close(opened)
    assert host.refusal() == (r.E_REUSED, 0)
    assert host.refusal(direction=DECRYPT) == (r.E_REUSED, 0)
    assert host.encrypted(host.opened(KEY[:16]), 0, text_of(1), key=KEY[:16]) is None, "under another key"
    assert host.refusal(flags=r.RESUME, ticket=opened.ticket, record_bytes=SIZE - 16)[0] == r.E_TICKET
    ctr = host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, flags=r.RESUME, ticket=opened.ticket, record_bytes=SIZE))
    assert ctr == (r.E_TICKET, 0), "the mode is the stream's"
    again = host.opened(flags=r.RESUME, ticket=opened.ticket)
    assert host.encrypted(again, 0, text_of(1)) == r.E_OTHER_DATA
    assert host.encrypted(again, 0, text_of(0), last=True) == r.E_OFFSET
    assert host.encrypted(again, 0, text_of(0)) is None


def test_a_key_uses_a_counter_block_in_one_mode(host):
    """Under one key, the board must not use a counter block both in GCM and in CTR. For each GCM record, the board
    marks 2^33 counter blocks as used. It also marks block 0 as used, because GCM encrypts block 0 to get the hash
    subkey.
    """
    number = int.from_bytes(IV, "big")
    tap = Wiretap(host.core)
    opened = host.opened(length=2 * SIZE)
    assert host.encrypted(opened, 0, text_of(0)) is None
    end = number + (2 << 33)
    for first in (number, number + (1 << 33), end - 1):
        assert tap.refusal(KEY, block(first), length=16) == r.E_REUSED
    for first in (0, -1):
        assert tap.refusal(KEY, block(first), length=32) == r.E_REUSED
    for first in (number - 1, end, 1, -1):
        ctr = tap.opened(KEY, block(first), length=16)
        assert tap.data(ctr, bytes(16), key=KEY) is None
        tap.close(ctr)
    host.close(opened)
    assert tap.refusal(KEY, block(end - (1 << 33) - 1), length=16) == r.E_REUSED
    tap.close(tap.opened(KEY, block(end - (1 << 33)), length=16))
    assert tap.refusal(KEY, block(0), length=16) == r.E_REUSED, "also after the session"
    other = tap.opened(KEY[::-1], block(-3), length=64)
    assert host.refusal(KEY[::-1]) == (r.E_REUSED, 0), "the other way round"
    tap.close(other)


@pytest.mark.parametrize("seed", range(4))
def test_random_sessions_never_use_a_nonce_for_two_texts(host, seed):
    rng = random.Random(seed)
    opened, ended, errors = {}, [], []
    texts = [text_of(1), text_of(2), text_of(3, 100), text_of(4, 16)]
    for _ in range(2000):
        what = rng.random()
        if what < 0.8 and opened:
            session = opened[rng.choice(sorted(opened))]
            number, last = rng.randrange(70), rng.random() < 0.1
            errors.append(host.encrypted(session, number, rng.choice(texts[: 4 if last else 2]), last))
        elif what < 0.87 and opened:
            ended.append(opened.pop(rng.choice(sorted(opened))))
            host.close(ended[-1])
        else:
            before = rng.choice(ended[-8:]) if ended and rng.random() < 0.7 else None
            fields = {"engine": rng.choice([ENGINE_BYTE, ENGINE_TABLE]), "flags": r.GCM_FLAG, "record_bytes": SIZE}
            if before:
                fields |= {"flags": r.GCM_FLAG | r.RESUME, "ticket": before.ticket ^ (rng.random() < 0.1)}
            iv = before.iv if before else bytes(7) + bytes([rng.randrange(30)]) + bytes(8)
            reply = host.ask(r.OPEN_TYPE, r.open_data(KEY, iv, length=SIZE * rng.randrange(1, 80), **fields))
            errors.append(reply.error)
            if reply.error is None:
                opened[reply.session] = r.opened(reply)
    for error in (None, r.E_OTHER_DATA, r.E_WINDOW, r.E_OFFSET, r.E_REUSED, r.E_TICKET):
        assert errors.count(error) > 5, error


# Erasure


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("direction", [ENCRYPT, DECRYPT])
def test_nothing_of_a_record_s_key_is_left(host, engine, direction):
    """After each record, the stack must not contain the hash subkey, keystream or round keys. After the session is
    closed, the service's memory must not contain them either.
    """
    core, encrypt = host.core, Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update
    opened = host.opened(engine=engine, direction=direction)
    subkey, of_tag = encrypt(bytes(16)), encrypt(PREFIX + struct.pack(">II", 0, 1))
    request = text_of(0) if direction == ENCRYPT else message(0, text_of(0))
    assert host.send(opened, 0, request).error is None
    assert left_on_stack(core, subkey, round_keys(core, KEY)) == []
    assert core.left_on_stack(of_tag) <= (2 if direction == ENCRYPT else 0), "the cipher's state, see test_gcm.py"
    for secret in (subkey, of_tag):
        assert core.occurrences(secret) == 0
    host.close(opened)
    for secret in (subkey, of_tag, KEY[:16]):
        assert core.occurrences(secret) == 0


# Benchmark and self-test


def test_bench_runs_a_message_a_call(core):
    assert core.start(clock_hz=100_000_000, step=1000) == 0
    host = Host(core)
    for direction in (ENCRYPT, DECRYPT):
        reply = host.ask(r.BENCH_TYPE, r.bench_data(ENGINE_TABLE, direction, 128, 1000, 2500, mode=r.GCM))
        assert r.BENCH_REPLY.unpack(reply.data) == (2500, 63 * 2 + 32, 3000, 1000)
    assert host.refused(r.BENCH_TYPE, r.bench_data(ENGINE_TABLE, 0, 128, 16, 16, mode=2)) == (r.E_VALUE, 2)
    core.fault(ctr=-errno.EIO)
    refused = host.refused(r.BENCH_TYPE, r.bench_data(ENGINE_FAULTY, 1, 128, 16, 16, mode=r.GCM))
    assert refused == (r.E_HARDWARE, errno.EIO)


def test_selftest_passes_good_engines_and_finds_wrong_ones(host):
    host.core.fault(ctr=-errno.EIO)
    for engine, failed in ((ENGINE_BYTE, 0), (ENGINE_TABLE, 0), (ENGINE_WRONG, 6), (ENGINE_FAULTY, 9)):
        reply = host.ask(r.SELFTEST, r.selftest_data(engine, r.GCM))
        assert r.SELFTEST_REPLY.unpack(reply.data) == (9, failed, 0)
    assert host.refused(r.SELFTEST, r.selftest_data(ENGINE_TABLE, 2)) == (r.E_VALUE, 2)
