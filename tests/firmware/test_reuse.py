# SPDX-License-Identifier: BSD-2-Clause
"""No counter block under a key may encrypt two different pieces of data: otherwise C1 xor C2 = P1 xor P2. The tests try
all known ways to make the board violate this rule.

A wiretap sees every answer of the board. It knows the keystream of each block from the oracle, and fails if a block was
answered for two different data.
"""

import errno
import random

import pytest

from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_FAULTY, ENGINE_TABLE
from tests.firmware.test_service import Host, oracle

KEY, IV, MAX_DATA = bytes(range(0x20, 0x40)), bytes(range(0x80, 0x90)), 256
NUMBER = int.from_bytes(IV, "big")
ONE, OTHER = random.Random(1).randbytes(MAX_DATA), random.Random(2).randbytes(MAX_DATA)


def block(number: int) -> bytes:
    return (number % (1 << 128)).to_bytes(16, "big")


class Wiretap(Host):
    """A host that compares each answer of the board with a reference. The host also checks that the board never uses a
    block of keystream for two different pieces of data.
    """

    def __init__(self, core):
        super().__init__(core)
        self.seen: dict[tuple[bytes, int], bytes] = {}

    def opened(self, key=KEY, iv=IV, **fields):
        return super().opened(key, iv, **fields)

    def data(self, opened, data, offset=0, *, key=KEY, **header):
        """Send a data record and check the answer. Return the error that the board reports, or None."""
        reply = self.ask(r.DATA, data, session=opened.session, offset=offset, **header)
        if reply.error is None:
            assert reply.data == oracle(key, opened.iv, data, offset)
            for at in range(0, len(data), 16):
                place = key, (int.from_bytes(opened.iv, "big") + (offset + at) // 16) % (1 << 128)
                part = data[at : at + 16]
                known = self.seen.setdefault(place, part)
                same = known[: len(part)] == part[: len(known)]
                assert same, f"one block of keystream was answered for two data, at {offset + at}"
        return reply.error

    def close(self, opened, **header):
        assert self.ask(r.CLOSE, session=opened.session, **header).error is None

    def refusal(self, key=KEY, iv=IV, **fields):
        return self.ask(r.OPEN_TYPE, r.open_data(key, iv, **fields)).error


@pytest.fixture
def host(core):
    assert core.start(max_data=MAX_DATA, step=10) == 0
    return Wiretap(core)


# Tests for all known ways to make the board use a counter block twice


def test_other_data_at_the_same_offset(host):
    opened = host.opened()
    assert host.data(opened, ONE) is None
    assert host.data(opened, ONE) is None, "the same again is answered again"
    for data in (OTHER, ONE[:-1], ONE[:16], b"", ONE[:-1] + b"\0"):
        assert host.data(opened, data) == r.E_OTHER_DATA
    assert host.data(opened, ONE) is None
    assert host.data(opened, OTHER, MAX_DATA) is None


def test_initial_block_plus_one(host):
    opened = host.opened(length=4096)
    assert host.data(opened, ONE) is None
    for distance in (1, 255, -1, -255):
        assert host.refusal(iv=block(NUMBER + distance), length=4096) == r.E_REUSED, distance
    for distance in (256, -256):
        beside = host.opened(iv=block(NUMBER + distance), length=4096)
        assert host.data(beside, OTHER) is None
        host.close(beside)
    host.close(opened)
    assert host.refusal(iv=block(NUMBER + 1), length=4096) == r.E_REUSED


def test_initial_block_minus_2_to_the_59_with_an_offset_of_2_to_the_63(host):
    assert host.data(host.opened(), ONE) is None
    before = host.opened(iv=block(NUMBER - (1 << 59)), length=1 << 36)
    assert host.data(before, OTHER, 1 << 63) == r.E_OFFSET
    assert host.refusal(iv=block(NUMBER - (1 << 59)), length=1 << 63) == r.E_VALUE
    assert host.refusal(iv=block(NUMBER - (1 << 32) + 1), length=1 << 36) == r.E_REUSED


@pytest.mark.parametrize("directions", [(0, 1), (1, 0)], ids=["decrypt after", "decrypt before"])
def test_decrypt_under_a_used_key_and_initial_block(host, directions):
    first, second = directions
    opened = host.opened(direction=first)
    assert host.refusal(direction=second) == r.E_REUSED, "while it is open"
    assert host.data(opened, ONE) is None
    host.close(opened)
    assert host.refusal(direction=second) == r.E_REUSED


def test_resume_with_other_data(host):
    opened = host.opened()
    assert host.data(opened, ONE) is None
    host.close(opened)
    assert host.refusal(flags=r.RESUME) == r.E_TICKET, "the flag alone"
    again = host.opened(flags=r.RESUME, ticket=opened.ticket)
    assert host.data(again, OTHER) == r.E_OTHER_DATA
    assert host.data(again, ONE) is None
    assert host.data(again, OTHER, MAX_DATA) is None


def test_65th_session_and_as_many_as_the_table_holds(host):
    """Fill the board's table of used counter blocks with ranges that are not adjacent. The table must keep all ranges.
    The table is then full, so the board must refuse a further session.
    """
    ivs = [block(NUMBER + 1000 * i) for i in range(128)]
    for iv in ivs:
        opened = host.opened(iv=iv, length=MAX_DATA)
        assert host.data(opened, ONE) is None
        host.close(opened)
    for iv in ivs:
        assert host.refusal(iv=iv, length=MAX_DATA) == r.E_REUSED
    assert host.ask(r.OPEN_TYPE, r.open_data(KEY, block(NUMBER + 500), length=16)).detail == 128
    assert host.refusal(iv=block(NUMBER + 500), length=16) == r.E_RANGES_FULL
    assert host.refusal(KEY[:16]) == r.E_RANGES_FULL, "any key"
    assert r.INFO_REPLY.unpack(host.ask(r.INFO).data)[9:11] == (128, 0)


# Tests of how ranges of counter blocks grow, shrink and merge


def test_adjoining_ranges_take_one_entry(host):
    """Open many streams. Each stream begins with the counter block that follows the previous stream's last block. A
    stream that a client can still resume must keep an entry of its own in the board's table of ranges. The board must
    merge the ranges of all other streams into one entry.
    """
    for i in range(300):
        opened = host.opened(iv=block(NUMBER + 16 * i), length=MAX_DATA)
        assert host.data(opened, ONE) is None
        host.close(opened)
    assert r.INFO_REPLY.unpack(host.ask(r.INFO).data)[10] == 128 - 1 - 16
    for i in (0, 100, 299):
        assert host.refusal(iv=block(NUMBER + 16 * i), length=MAX_DATA) == r.E_REUSED


def test_a_range_shrinks_to_what_was_used(host):
    opened = host.opened(length=100 * MAX_DATA)
    for n in (3, 0, 5):
        assert host.data(opened, ONE[:40], n * MAX_DATA) is None
    host.close(opened)
    assert host.refusal(iv=block(NUMBER + 6 * 16 - 1), length=16) == r.E_REUSED, "the sixth record is used whole"
    assert host.data(host.opened(iv=block(NUMBER + 6 * 16), length=4096), OTHER) is None


def test_the_last_record_of_a_stream_uses_no_more_than_the_stream(host):
    opened = host.opened(length=MAX_DATA + 17)
    assert host.data(opened, ONE[:17], MAX_DATA) is None
    assert host.refusal(iv=block(NUMBER + 17), length=16) == r.E_REUSED
    host.close(opened)
    assert host.refusal(iv=block(NUMBER + 17), length=16) == r.E_REUSED
    assert host.data(host.opened(iv=block(NUMBER + 18), length=16), OTHER[:16]) is None


@pytest.mark.parametrize("how", [r.CLOSE, r.RESET])
def test_a_range_of_which_nothing_was_used_is_free(host, how):
    opened = host.opened()
    assert host.ask(how, session=opened.session).error is None
    assert r.INFO_REPLY.unpack(host.ask(r.INFO).data)[10] == 128
    assert host.refusal(flags=r.RESUME, ticket=opened.ticket) == r.E_TICKET
    assert host.data(host.opened(direction=1), OTHER) is None


def test_used_is_used_however_the_session_ends(host):
    for n, end in enumerate(("close", "reset", "idle")):
        opened = host.opened(iv=block(NUMBER + 1000 * n))
        assert host.data(opened, ONE) is None
        if end == "idle":
            for _ in range(9):
                host.core.poll(12_500_000)
            assert host.ask(r.STAT_TYPE, session=opened.session).error == r.E_SESSION
        else:
            host.ask(r.CLOSE if end == "close" else r.RESET, session=opened.session)
        assert host.refusal(iv=block(NUMBER + 1000 * n)) == r.E_REUSED


def test_other_keys_have_ranges_of_their_own(host):
    for key in (KEY, KEY[:16], KEY[:24], KEY[::-1], bytes(16), bytes(24), bytes(32)):
        opened = host.opened(key)
        assert host.data(opened, ONE, key=key) is None
        host.close(opened)
        assert host.refusal(key) == r.E_REUSED


def test_ranges_wrap(host):
    opened = host.opened(iv=b"\xff" * 16, length=4096)
    assert host.data(opened, ONE) is None
    assert host.refusal(iv=bytes(16), length=16) == r.E_REUSED
    assert host.refusal(iv=block(254), length=16) == r.E_REUSED
    assert host.data(host.opened(iv=block(255), length=16), OTHER[:16]) is None


def test_a_record_that_the_engine_failed_at_has_used_nothing(host):
    opened = host.opened(engine=ENGINE_FAULTY)
    host.core.fault(ctr=-errno.EIO)
    assert host.data(opened, ONE) == r.E_HARDWARE
    host.core.fault()
    assert host.data(opened, OTHER) is None, "nothing of the first was sent"
    assert host.data(opened, ONE) == r.E_OTHER_DATA


# Windows


def test_records_outside_the_window(host):
    opened = host.opened()
    assert opened.window == 32
    assert host.data(opened, ONE, 64 * MAX_DATA) == r.E_WINDOW
    assert host.data(opened, ONE, 63 * MAX_DATA) is None
    for n in (0, 31, 96, 500):
        reply = host.ask(r.DATA, ONE, session=opened.session, offset=n * MAX_DATA)
        assert (reply.error, reply.detail) == (r.E_WINDOW, 32), n
    assert host.data(opened, ONE, 32 * MAX_DATA) is None
    assert host.data(opened, OTHER, 32 * MAX_DATA) == r.E_OTHER_DATA


@pytest.mark.parametrize("seed", range(4))
def test_random_sessions_never_answer_a_block_for_two_data(host, seed):
    """Open, use, close, resume and reset sessions at random, with few ranges of one key. The class `Wiretap` finds
    counter blocks that were used twice.
    """
    rng = random.Random(seed)
    opened, ended, errors = {}, [], []
    variants = [ONE, OTHER, ONE[:100], OTHER[:16]]
    for _ in range(3000):
        what = rng.random()
        if what < 0.8 and opened:
            session = opened[rng.choice(sorted(opened))]
            errors.append(host.data(session, rng.choice(variants), MAX_DATA * rng.randrange(70)))
        elif what < 0.87 and opened:
            ended.append(opened.pop(rng.choice(sorted(opened))))
            host.close(ended[-1])
        else:
            before = rng.choice(ended[-10:]) if ended and rng.random() < 0.7 else None
            fields = {"engine": rng.choice([ENGINE_BYTE, ENGINE_TABLE]), "direction": rng.randrange(2)}
            if before:
                fields |= {"flags": r.RESUME, "ticket": before.ticket ^ (rng.random() < 0.1)}
            iv = before.iv if before else block(NUMBER + rng.randrange(5000))
            reply = host.ask(r.OPEN_TYPE, r.open_data(KEY, iv, length=MAX_DATA * rng.randrange(1, 80), **fields))
            errors.append(reply.error)
            if reply.error is None:
                opened[reply.session] = r.opened(reply)
    for error in (None, r.E_OTHER_DATA, r.E_WINDOW, r.E_OFFSET, r.E_REUSED, r.E_TICKET):
        assert errors.count(error) > 5, error
