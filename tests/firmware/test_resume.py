# SPDX-License-Identifier: BSD-2-Clause
"""Test streams that a client resumes with a ticket, and initial counter blocks that the board draws at random."""

import errno
import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_TABLE
from tests.firmware.test_reuse import IV, KEY, MAX_DATA, NUMBER, ONE, OTHER, Wiretap, block


@pytest.fixture
def host(core):
    assert core.start(max_data=MAX_DATA, step=10) == 0
    return Wiretap(core)


def cmac_chain(key: bytes, *message: bytes) -> bytes:
    """Compute a CBC-MAC with `cryptography`, independently of the firmware."""
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return encryptor.update(b"".join(message))[-16:]


# Tickets


def test_resumed_stream_goes_on_where_its_window_begins(host):
    opened = host.opened(length=50 * MAX_DATA)
    assert opened.first == 0
    for n in range(45):
        assert host.data(opened, ONE, n * MAX_DATA) is None
    host.close(opened)
    again = host.opened(flags=r.RESUME, ticket=opened.ticket, length=60 * MAX_DATA, token=5, peer=3)
    assert (again.iv, again.ticket, again.first, again.window) == (IV, opened.ticket, 13 * MAX_DATA, 32)
    assert again.session != opened.session
    mine = {"token": 5, "peer": 3}
    assert host.data(again, ONE, 12 * MAX_DATA, **mine) == r.E_WINDOW
    assert host.data(again, ONE, 13 * MAX_DATA, **mine) is None
    assert host.data(again, OTHER, 44 * MAX_DATA, **mine) == r.E_OTHER_DATA
    assert host.data(again, OTHER, 59 * MAX_DATA, **mine) is None, "behind the length that it had"
    assert host.data(again, OTHER, 60 * MAX_DATA, **mine) == r.E_OFFSET


def test_records_keep_their_size(host):
    """The board recognises a repeated record by its number in the stream. With another record size, a record with this
    number contains other bytes. So the board must refuse to resume a stream with another record size.
    """
    smaller = {"record_bytes": MAX_DATA - 16}
    opened = host.opened(**smaller)
    assert host.data(opened, ONE[: MAX_DATA - 16]) is None
    host.close(opened)
    resume = {"flags": r.RESUME, "ticket": opened.ticket}
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, **resume)) == (r.E_TICKET, 0)
    assert host.opened(**resume, **smaller).first == 0


def test_resuming_ends_the_session_that_has_the_range(host):
    """If a host was killed, another host can resume its stream. It needs the key, the initial counter block and the
    ticket; the board must refuse everybody else.
    """
    opened = host.opened()
    assert host.data(opened, ONE) is None
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV), token=1) == (r.E_REUSED, 0)
    right = {"key": KEY, "iv": IV, "flags": r.RESUME, "ticket": opened.ticket}
    wrong = [{"ticket": opened.ticket ^ 1}, {"record_bytes": MAX_DATA - 16}, {"key": KEY[::-1]}]
    wrong += [{"iv": block(NUMBER ^ 1 << 8 * byte)} for byte in range(16)]
    for other in wrong:
        refused = host.refused(r.OPEN_TYPE, r.open_data(**(right | other)), token=1)
        assert refused == (r.E_TICKET, 0)
    assert host.data(opened, ONE) is None, "it was not ended"
    resume = r.open_data(**right)
    again = r.opened(host.ask(r.OPEN_TYPE, resume, token=1))
    assert host.data(opened, ONE) == r.E_SESSION
    assert r.opened(host.ask(r.OPEN_TYPE, resume, token=1)) == again, "a reply that was lost"
    assert host.data(again, OTHER, token=1) == r.E_OTHER_DATA
    assert host.data(again, ONE, token=1) is None


def test_a_range_that_was_not_used_is_free_once_it_is_taken_over(host):
    opened = host.opened()
    resume = r.open_data(KEY, IV, flags=r.RESUME, ticket=opened.ticket)
    assert host.core.occurrences(opened.ticket.to_bytes(8, "little")) > 0
    assert host.refused(r.OPEN_TYPE, resume, token=1) == (r.E_TICKET, 0)
    assert host.core.occurrences(opened.ticket.to_bytes(8, "little")) == 0, "nor is anything kept of the stream"
    assert host.data(host.opened(direction=1), OTHER) is None


def test_resuming_takes_the_ticket_key_initial_block_and_record_bytes(host):
    opened = host.opened()
    assert host.data(opened, ONE) is None
    host.close(opened)
    right = {"key": KEY, "iv": IV, "flags": r.RESUME, "ticket": opened.ticket}
    wrong = [
        {"ticket": 0}, {"ticket": opened.ticket ^ 1}, {"ticket": opened.ticket ^ 1 << 63}, {"key": KEY[::-1]},
        {"key": KEY[:16]}, {"iv": block(NUMBER + 1)}, {"iv": block(NUMBER + (1 << 64))}, {"record_bytes": 128},
    ]  # fmt: skip
    for other in wrong:
        assert host.refused(r.OPEN_TYPE, r.open_data(**(right | other))) == (r.E_TICKET, 0), other
    assert host.ask(r.OPEN_TYPE, r.open_data(**right, direction=1, engine=ENGINE_TABLE)).error is None


def test_an_extension_overlaps_no_other_range(host):
    opened = host.opened(length=MAX_DATA)
    assert host.data(opened, ONE) is None
    host.close(opened)
    beside = host.opened(iv=block(NUMBER + 32), length=MAX_DATA)
    fields = {"flags": r.RESUME, "ticket": opened.ticket}
    assert host.refusal(length=2 * MAX_DATA + 1, **fields) == r.E_REUSED
    longer = host.opened(length=2 * MAX_DATA, **fields)
    assert host.data(longer, OTHER, MAX_DATA) is None
    assert host.data(beside, OTHER) is None
    assert host.refusal(iv=block(NUMBER + 31), length=16) == r.E_REUSED


def test_a_resumed_range_keeps_what_was_used(host):
    """A client resumes a stream with a shorter length. The counter blocks that the stream used earlier must still count
    as used, even those after its new end.
    """
    opened = host.opened(length=10 * MAX_DATA)
    assert host.data(opened, ONE, 9 * MAX_DATA) is None
    host.close(opened)
    again = host.opened(length=MAX_DATA, flags=r.RESUME, ticket=opened.ticket)
    assert host.data(again, ONE, 9 * MAX_DATA) == r.E_OFFSET
    host.close(again)
    assert host.refusal(iv=block(NUMBER + 159), length=16) == r.E_REUSED
    again = host.opened(length=10 * MAX_DATA, flags=r.RESUME, ticket=opened.ticket)
    assert host.data(again, OTHER, 9 * MAX_DATA) == r.E_OTHER_DATA


def test_windows_of_the_last_eight_sessions_at_least_are_kept(host):
    """The board must keep at least the last eight ended streams, so that they can be resumed. A new stream replaces the
    stream that ended first.
    """
    ended = []
    for i in range(12):
        opened = host.opened(iv=block(NUMBER + 1000 * i), length=MAX_DATA)
        assert host.data(opened, ONE) is None
        host.close(opened)
        ended.append(opened)
    for i in range(8):
        host.opened(iv=block(NUMBER - 1000 * (i + 1)), length=MAX_DATA)
    host.ask(r.CLOSE, session=host.opened(iv=block(NUMBER - 1000), length=MAX_DATA).session)
    for opened in ended[:4]:
        fields = {"iv": opened.iv, "flags": r.RESUME, "ticket": opened.ticket, "length": MAX_DATA}
        assert host.refusal(**fields) == r.E_TICKET
        assert host.refusal(iv=opened.iv, length=MAX_DATA) == r.E_REUSED, "what was used is known"
    for opened in reversed(ended[4:]):
        again = host.opened(iv=opened.iv, flags=r.RESUME, ticket=opened.ticket, length=MAX_DATA)
        assert host.data(again, OTHER) == r.E_OTHER_DATA
        assert host.data(again, ONE) is None
        host.close(again)


def test_tickets_are_a_pseudo_random_function_of_key_initial_block_and_session(host):
    for key in (KEY, KEY[:16], KEY[:24]):
        for n in range(3):
            opened = host.opened(key, block(NUMBER + 5000 * n))
            head = b"\x02" + opened.session.to_bytes(4, "little") + bytes(11)
            assert opened.ticket.to_bytes(8, "little") == cmac_chain(key, head, opened.iv)[:8]
            host.close(opened)
            again = host.opened(key, block(NUMBER + 5000 * n))
            assert again.ticket != opened.ticket
            host.close(again)


def test_what_a_key_is_recognised_by_is_never_sent(host):
    """For each key, the board stores a number that it computes from the key. The board must never send this number, and
    no keystream may contain it.
    """
    identity = cmac_chain(KEY, b"\x01" + bytes(15), bytes(16))[:8]
    # In the stored number, the mode (0 for CTR) replaces the lowest bit of the CBC-MAC.
    identity = bytes([identity[0] & ~1]) + identity[1:]
    host.opened()
    assert host.core.occurrences(identity) >= 2
    keystream = host.opened(KEY, b"\x01" + bytes(15))
    reply = host.ask(r.DATA, bytes(MAX_DATA), session=keystream.session)
    assert identity not in reply.data


# Drawn initial counter blocks


def start(core, **options):
    assert core.start(max_data=MAX_DATA, step=10, **options) == 0
    return Wiretap(core)


def drawn(source: bytes, host_bytes: bytes) -> bytes:
    """Return the initial counter block that the board must draw: 12 bytes of a CBC-MAC, then four zeros. The CBC-MAC
    includes 128 bytes from the random source and 16 bytes from the host.
    """
    head = b"\x03" + bytes(15)
    return cmac_chain(bytes(16), head, source, host_bytes)[:12] + bytes(4)


def words(first: int) -> bytes:
    return b"".join((first + i).to_bytes(4, "little") for i in range(32))


def test_the_board_draws_from_its_source_and_the_host_s_bytes(core):
    host = start(core, kind=0, random=True)
    core.random(word=0xA5C31000)
    first = host.opened(iv=IV, flags=r.DRAW)
    assert first.iv == drawn(words(0xA5C31000), IV)
    assert host.opened(iv=IV, flags=r.DRAW) == first, "a reply that was lost"
    second = host.opened(iv=IV, flags=r.DRAW, token=1)
    assert second.iv == drawn(words(0xA5C31020), IV)
    assert host.data(first, ONE) is None
    assert host.data(second, OTHER, token=1) is None
    for i in range(0, 128, 4):
        assert core.occurrences(words(0xA5C31000)[i : i + 4]) == 0


def test_a_drawn_stream_is_resumed_by_the_block_that_was_drawn(core):
    host = start(core, kind=0, random=True)
    opened = host.opened(flags=r.DRAW)
    assert host.data(opened, ONE) is None
    host.close(opened)
    again = host.opened(iv=opened.iv, flags=r.RESUME, ticket=opened.ticket)
    assert host.data(again, OTHER) == r.E_OTHER_DATA


def test_no_source_or_a_failed_one_draws_nothing(core):
    host = start(core, kind=0)
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, flags=r.DRAW)) == (r.E_RANDOM, errno.ENODEV)
    host = start(core, kind=0, random=True)
    core.random(status=-errno.EIO)
    assert host.refused(r.OPEN_TYPE, r.open_data(KEY, IV, flags=r.DRAW)) == (r.E_RANDOM, errno.EIO)
    assert host.opened().iv == IV


@pytest.mark.parametrize("source", [False, True])
def test_a_simulated_board_draws_from_the_host_s_bytes_alone(core, source):
    host = start(core, kind=1, random=source)
    opened = host.opened(iv=IV, flags=r.DRAW)
    assert opened.iv == drawn(bytes(128), IV)
    assert host.refusal(iv=IV, flags=r.DRAW, direction=1) == r.E_REUSED, "the same bytes again"
    rng = random.Random(6)
    ivs = {host.opened(iv=rng.randbytes(16), flags=r.DRAW).iv for _ in range(7)}
    assert len(ivs | {opened.iv}) == 8
