# SPDX-License-Identifier: BSD-2-Clause
"""Tests the null board's rules for counter blocks: it must give the same answers as the model board."""

import io
import itertools
import random
import struct

import pytest
from cipherlane.errors import OtherDataError, RangesFullError, ReusedError, TicketError, TransferError
from cipherlane.link.device import Device
from cipherlane.measuring import nullranges
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.transport.udp import UdpTransport
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .blocks import ERRORS, WIRE
from .links import LossyLink
from .model import CODES, DRAW, GCM, HEADER, OPEN, OPENED, RESUME, PeerBoard
from .served import Served

PEERS = [("127.0.0.1", 1), ("127.0.0.1", 2)]
ERROR = 0xFF


@pytest.fixture
def boards(monkeypatch):
    monkeypatch.setattr(nullranges, "WINDOW", 8)
    monkeypatch.setattr(nullranges, "KEPT", 1000)
    null = NullBoard(port=0)
    yield null, PeerBoard(max_data=1440, rx_window=1 << 20, max_sessions=255, window=8, ranges=256)
    null.close()


class Both:
    """Sends each request to the null board and to the model board, and checks that their answers agree."""

    def __init__(self, null, model):
        self.null, self.model = null, model
        self.tickets = {}  # maps the model's tickets to the null board's tickets
        self.sessions = {0: 0}  # maps the model's session numbers to the null board's session numbers
        self.refusals = set()

    def ask(self, name, session=0, offset=0, token=0, data=b"", peer=0, data_for_null=None):
        version, kind = WIRE["version"], CODES[name]
        for_model = HEADER.pack(version, kind, len(data), session, offset, token) + data
        other = data if data_for_null is None else data_for_null
        for_null = HEADER.pack(version, kind, len(other), self.sessions.get(session, 0), offset, token) + other
        one, two = self.null.answer(for_null, PEERS[peer]), self.model.answer(for_model, PEERS[peer])
        assert one[1] == two[1], f"{name}: {one.hex()} {two.hex()}"
        if one[1] == ERROR:
            self.refusals.add(two[HEADER.size])
            assert one[HEADER.size] == two[HEADER.size], f"{name}: {one.hex()} {two.hex()}"
            return None
        return one, two

    def open(self, token, fields, peer=0, direction=0):
        key_bits, flags, length, size, ticket, iv, key = fields
        data, other = (
            OPEN.pack(key_bits, 1, direction, flags, length, size, 0, number, iv, key)
            for number in (ticket, self.tickets.get(ticket, ticket))
        )
        answers = self.ask("open", token=token, data=data, peer=peer, data_for_null=other)
        if answers is None:
            return None
        one, two = (OPENED.unpack(answer[HEADER.size :]) for answer in answers)
        assert one[0] == two[0] or flags & DRAW
        assert one[2:] == two[2:], "first and window"
        number = struct.unpack_from("<I", answers[1], 4)[0]
        self.sessions[number] = struct.unpack_from("<I", answers[0], 4)[0]
        self.tickets[two[1]] = one[1]
        return number, two[1]


@pytest.mark.parametrize("seed", range(12))
def test_the_null_board_says_what_the_model_says(boards, seed):
    both, rng = Both(*boards), random.Random(seed)
    live, ended = [], []
    for step in range(400):
        what = rng.random()
        if what < 0.25:
            size = 16 * rng.choice((1, 2, 90))
            start = rng.choice((0, 5, 40, 70, (1 << 128) - 9)) + rng.randrange(3)
            key = bytes([rng.randrange(2)]) * 16 + bytes(16)
            fields = [128, 0, rng.randrange(1, 900), size, 0, start.to_bytes(16, "big"), key]
            if ended and rng.random() < 0.5:
                fields[3:] = rng.choice(ended)
                fields[1] = RESUME
                fields[4] ^= rng.random() < 0.1
            opened = both.open(step, fields, peer := rng.randrange(2))
            if opened:
                live.append((opened[0], step, peer, [fields[3], opened[1], *fields[5:]], fields[2]))
        elif what < 0.35 and live:
            number, token, peer, fields, _ = live.pop(rng.randrange(len(live)))
            if rng.random() < 0.5:
                both.ask("close", number, token=token, peer=peer)
            else:
                both.ask("reset", token=token, peer=1 - peer)
                both.ask("reset", token=token + 1, peer=peer)
                both.ask("reset", token=token, peer=peer)
            ended.append(fields)
        elif live:
            number, token, peer, fields, length = rng.choice(live)
            size = fields[0]
            record = rng.choice((rng.randrange(20), rng.randrange(1 + length // size)))
            data = bytes([rng.random() < 0.1]) * max(1, min(size, length - record * size) + (rng.random() < 0.1))
            token ^= rng.random() < 0.05
            both.ask("data", number, record * size + 16 * (rng.random() < 0.05), token, data, peer)
    assert {4, 5, 9, 16, 17} <= both.refusals


def gcm_record(key, prefix, size, number, last, text, decrypt):
    """Return a pair: the data of a GCM record's request and of its reply. The package `cryptography` computes them."""
    header = b"CLGC\1" + bytes([len(key)]) + struct.pack(">H", size // 16) + prefix
    message = AESGCM(key).encrypt(prefix + struct.pack(">I", 2 * number + last), text, header)
    return (message, text) if decrypt else (text, message)


@pytest.mark.parametrize("seed", range(12))
def test_the_null_board_and_the_model_agree_about_gcm(boards, seed):
    agree_about_gcm(Both(*boards), random.Random(seed))


def agree_about_gcm(both, rng, kept=1000, most=1000):
    """Send the same random requests to the null board and to the model board, in CTR and GCM. The requests open, close
    and resume sessions, and send right and wrong records. Both boards must give the same right answers. At most `most`
    sessions are open at a time. Only the latest `kept` ended sessions are resumed.
    """
    live, ended, released = [], [], 0
    for step in range(800):
        what = rng.random()
        if what < 0.2 and len(live) < most:
            gcm = rng.random() < 0.7
            start = (rng.choice((0, 1 << 64, -2, (1 << 64) - 4)) + rng.randrange(3)) % (1 << 128)
            prefix = rng.choice((bytes(8), bytes(7) + b"\1", b"\xff" * 8, bytes(7) + bytes([rng.randrange(16)])))
            iv = prefix + bytes(8) if gcm else start.to_bytes(16, "big")
            key = bytes([rng.randrange(2)]) * 16 + bytes(16)
            size = 16 * rng.choice((1, 2, 5))
            fields = [128, GCM * gcm, rng.choice((0, 1, 16, 100, 700)), size, 0, iv, key]
            if ended and rng.random() < 0.5:
                fields[1:] = rng.choice(ended[-kept:])
                fields[1] |= RESUME
                fields[1] ^= GCM * (rng.random() < 0.1)
            direction = rng.randrange(2)
            if opened := both.open(step, fields, direction=direction):
                live.append((opened[0], step, direction, [*fields[1:4], opened[1], *fields[5:]]))
        elif what < 0.3 and live:
            number, token, _, fields = live.pop(rng.randrange(len(live)))
            both.ask("close", number, token=token)
            ended.append([fields[0] & GCM, *fields[1:]])
        elif live:
            session, token, decrypt, (flags, length, size, _, iv, key) = rng.choice(live)
            number = rng.choice((rng.randrange(20), rng.randrange(1 + length // size)))
            last = rng.random() < 0.2 or (number + 1) * size > length
            left = min(size, max(0, length - number * size))
            text = bytes([rng.random() < 0.05]) * (rng.choice((left, 1, 0, left + 1)) if last else size)
            request, expected = gcm_record(key[:16], iv[:8], size, number, last, text, decrypt)
            if rng.random() < 0.25 and request:
                at = rng.randrange(len(request))
                request = request[:at] + bytes([request[at] ^ 1 << rng.randrange(8)]) + request[at + 1 :]
                expected = None
            name = "data_last" if last else "data"
            if (answers := both.ask(name, session, number * size, token, request)) and flags & GCM:
                released += 1
                assert answers[0][HEADER.size :] == answers[1][HEADER.size :]
                assert answers[0][HEADER.size :] == expected or (expected is None and not decrypt)
    assert {ERRORS[name] for name in ("type", "length", "offset", "reused", "ticket", "tag")} <= both.refusals
    assert released > 20


def test_one_key_never_uses_a_counter_block_in_both_modes(boards):
    both, key, tokens = Both(*boards), bytes(range(16)) + bytes(16), itertools.count()

    def opens(mode, block, length):
        """Return whether both boards open a session with this mode, first block and length. Close the session again
        without sending a record.
        """
        token = next(tokens)
        opened = both.open(token, [128, mode, length, 160, 0, (block % (1 << 128)).to_bytes(16, "big"), key])
        if opened:
            both.ask("close", opened[0], token=token)
        return opened is not None

    gcm = both.open(1000, [128, GCM, 320, 160, 0, (5 << 64).to_bytes(16, "big"), key])[0]
    both.ask("data", gcm, 0, 1000, bytes(160))
    first, end = 5 << 64, (5 << 64) + (2 << 33)
    assert [opens(0, at, 16) for at in (first - 1, first, end - 1, end)] == [True, False, False, True]
    assert [opens(0, at, 32) for at in (-2, -1, 0, 1)] == [True, False, False, True], "block 0 gives the hash key"
    both.ask("close", gcm, token=1000)
    assert [opens(0, at, 16) for at in (end - (1 << 33) - 1, end - (1 << 33), 0)] == [False, True, False]
    other = bytes(16) + bytes(16)
    used = both.open(1001, [128, 0, 16, 160, 0, bytes(16), other])[0]
    both.ask("data", used, 0, 1001, bytes(16))
    both.ask("close", used, token=1001)
    assert both.open(1002, [128, GCM, 16, 160, 0, first.to_bytes(16, "big"), other]) is None


def test_what_follows_each_other_is_one_range_in_either_table():
    null = NullBoard(port=0)
    with Served(lambda: null.serve_once(0.05)), Device(UdpTransport(null.url)) as device:
        check_joined(device, nullranges.RANGES)
    null.close()
    board = PeerBoard(ranges=8)
    with Device(LossyLink(board, seed=0)) as device:
        check_joined(device, 8)


def check_joined(device, ranges):
    for place in range(12):
        iv = (7 + 10 * place).to_bytes(16, "big")
        with device.open_session(bytes(16), iv, Engine.TABLE, length=155) as session:
            session.transfer(io.BytesIO(bytes(155)), io.BytesIO())
        assert device.connect().ranges_free == ranges - 1


def test_refusals_of_the_null_board(monkeypatch):
    monkeypatch.setattr(nullranges, "RANGES", 2)
    null = NullBoard(port=0)
    key = bytes(16)
    with Served(lambda: null.serve_once(0.05)), Device(UdpTransport(null.url)) as device:
        with device.open_session(key, None, Engine.TABLE, length=5000) as one:
            assert one.iv[12:] == bytes(4) and one.stream.window == nullranges.WINDOW
            one.transfer(io.BytesIO(bytes(5000)), io.BytesIO())
            with pytest.raises(TransferError) as caught:
                one.transfer(io.BytesIO(b"\1"), io.BytesIO())
            assert isinstance(caught.value.__cause__, OtherDataError)
            with pytest.raises(ReusedError):
                device.open_session(key, one.iv, Engine.TABLE, "decrypt", length=16)
        with pytest.raises(ReusedError):
            device.open_session(key, one.iv, Engine.TABLE, length=16)
        with pytest.raises(TicketError):
            device.open_session(key, one.iv, Engine.TABLE, record_bytes=one.record_bytes, ticket=one.ticket + 1)
        with device.open_session(key, one.iv, Engine.TABLE, record_bytes=one.record_bytes, ticket=one.ticket) as two:
            out = io.BytesIO()
            two.transfer(io.BytesIO(bytes(5000)), out)
        with device.open_session(bytes(24), None, Engine.TABLE) as three:
            with pytest.raises(RangesFullError):
                device.open_session(bytes(32), None, Engine.TABLE)
            again = {"record_bytes": one.record_bytes, "ticket": one.ticket}
            # a resumed range needs no further entry in the table
            device.open_session(key, one.iv, Engine.TABLE, **again).close()
            assert three.iv != one.iv
    null.close()
