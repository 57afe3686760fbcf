# SPDX-License-Identifier: BSD-2-Clause
"""Tests the live view without a browser: the comparison of two engines, and pictures with half the bits per pixel."""

import random

import pytest
from cipherlane.link.device import Device
from cipherlane.live import pictures, streamer
from cipherlane.live.comparison import racers
from cipherlane.live.hub import Channel
from cipherlane_base.wire.layout import Engine
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .test_live_streamer import EDGE, watch


@pytest.fixture
def sessions(monkeypatch):
    """Record each session when it is opened. Return a list that contains (key, initial counter block, engine) for each
    session.
    """
    opened, real = [], Device.open_session

    def open_session(device, key, iv, engine, *words, **options):
        opened.append((key, int.from_bytes(iv, "big"), engine))
        return real(device, key, iv, engine, *words, **options)

    monkeypatch.setattr(Device, "open_session", open_session)
    return opened


def compared(board, monkeypatch, looks, **first):
    """Compare the null board's only engine with itself until the function `looks` returns true. Return a dictionary
    that maps each picture channel to its pictures.
    """
    # The engines take turns. If a turn is shorter than `SHORT` seconds, the tool puts more pictures into the engine's
    # next turn. With `SHORT` = 0, each turn contains one picture.
    monkeypatch.setattr("cipherlane.live.comparison.SHORT", 0.0)
    shown = {Channel.PICTURE: [], Channel.BESIDE: []}
    begun = []

    def look(streaming, channel, said):
        if channel != Channel.STATE:
            if begun:
                shown[channel].append(said)
            return False
        assert said["state"] != "away", said["message"]
        if not begun:
            begun.append(True)
            streaming.choose({"beside": said["choice"]["engine"], **first})
            shown[Channel.PICTURE].clear()
        return looks(shown, said)

    watch(board, look, monkeypatch)
    return shown


def test_two_sessions_take_turns_with_the_same_pictures(null_board, monkeypatch, sessions):
    figures = []

    def looks(shown, state):
        figures[:] = state["compared"]
        return len(figures) == 2 and len(shown[Channel.BESIDE]) > 2

    shown = compared(null_board, monkeypatch, looks)
    assert [each["engine"] for each in figures] == ["table", "table"]
    assert all(each["mbps"] > 0 and each["pictures_a_second"] > 0 and each["cycles_per_block"] > 0 for each in figures)
    pairs = list(zip(shown[Channel.PICTURE][-2:], shown[Channel.BESIDE][-2:], strict=True))
    for (_, plaintext, wire, decrypted), (head, other_plaintext, other_wire, other) in pairs:
        assert plaintext == other_plaintext == decrypted == other in pictures.pattern(EDGE)
        assert wire != other_wire != plaintext and head["channel"] == "beside" and head["equal"]
    (one, first, _), (two, other_first, _) = sessions[:2]
    assert one != two, "a key of its own for each: no counter block is used for both"
    for pictures_of, key, block in ((Channel.PICTURE, one, first), (Channel.BESIDE, two, other_first)):
        _, plaintext, wire, _ = shown[pictures_of][0]
        stream = Cipher(algorithms.AES(key), modes.CTR(block.to_bytes(16, "big"))).encryptor().update(bytes(1 << 22))
        at = stream.find(bytes(map(int.__xor__, plaintext, wire)))
        assert at >= 0 and at % len(plaintext) == 0, "keystream of its session, at a picture's place"
    assert len({(key, block) for key, block, _ in sessions}) == len(sessions)
    assert null_board._rejected == 1, "a board without Ethernet is asked for its cycles once"
    assert 128 - null_board._ranges.free <= 4


def test_a_comparison_ends_when_something_else_is_chosen(null_board, monkeypatch):
    monkeypatch.setattr("cipherlane.live.streamer.STRETCHES", (600.0,))
    seen = []

    def look(streaming, channel, said):
        if channel == Channel.BESIDE and not seen:
            seen.append(True)
            streaming.choose({"beside": "no", "key_bits": 256})
        elif channel == Channel.STATE and not said["points"] and said["choice"]["beside"] == "no" and not seen:
            streaming.choose({"beside": "table"})
        return bool(seen) and channel == Channel.STATE and said["choice"]["key_bits"] == 256

    streaming, _ = watch(null_board, look, monkeypatch)
    assert streaming._choice.beside == "no"


def test_a_byte_changed_on_the_wire_of_both(null_board, monkeypatch):
    shown = compared(null_board, monkeypatch, lambda shown, _: len(shown[Channel.BESIDE]) > 1, tamper="yes")
    for channel in (Channel.PICTURE, Channel.BESIDE):
        head, plaintext, _, decrypted = shown[channel][-1]
        assert head["differ"] == head["tampered"] == EDGE == sum(map(int.__ne__, plaintext, decrypted))


def test_long_turns_have_many_copies_and_show_the_last(null_board, monkeypatch, sessions):
    """The engines take turns. On a fast board, an engine encrypts many copies of a picture in one turn. The page shows
    only the last copy, with the counter blocks of this copy.
    """
    found = []

    def look(streaming, channel, said):
        if channel == Channel.STATE and said["choice"]["beside"] == "no":
            streaming.choose({"beside": "table"})
        if channel == Channel.BESIDE:
            found.append(said)
        return channel == Channel.STATE and len(found) > 3

    monkeypatch.setattr("cipherlane.live.streamer.PICTURES_A_SECOND", 1000.0)
    monkeypatch.setattr("cipherlane.live.streamer._WORK_SHARE", 1.0)
    watch(null_board, look, monkeypatch)
    assert all(head["equal"] for head, *_ in found)
    assert len({wire for _, _, wire, _ in found}) == len(found)


# A race


def test_racers_are_the_fastest_of_each_kind():
    def of(*names):
        engines = sorted((Engine[name.upper()] for name in names), key=lambda each: each.traits.rank)
        return [each.name.lower() for each in racers(engines)]

    assert of("byte", "table", "ise", "accelerator", "ise_vmem", "fastpath") == ["fastpath", "ise_vmem", "table"]
    assert of("byte", "table", "ise", "accelerator") == ["accelerator", "ise", "table"]
    assert of("byte", "zkn") == ["zkn", "byte"] and of("table") == ["table"]


def test_a_board_with_several_engines_begins_with_a_lap_of_each(null_board, monkeypatch, sessions):
    """At the start, each engine encrypts one picture, so that the page has figures to compare.

    Then the board streams with the fastest engine, or lets engines race if the user chooses that.
    """
    monkeypatch.setattr("cipherlane.live.streamer.racers", lambda _: (Engine.TABLE,) * 3)
    states, raced = [], []

    def look(streaming, channel, said):
        if channel == Channel.STATE:
            states.append(said)
            if len(said["points"]) == 2:
                streaming.choose({"beside": "race"})
            raced[:] = said["compared"]
        return len(raced) == 3

    watch(null_board, look, monkeypatch)
    lap = [key for key, _, _ in sessions[:3]]
    assert len(set(lap)) == 3, "each with a key of its own"
    assert next(each for each in states if each["points"])["compared"] == []
    assert [each["latest"] != [] for each in states][:2].count(True) == 1 and states[1]["latest"]
    assert len({(key, block) for key, block, _ in sessions}) == len(sessions)
    assert states[0]["options"]["beside"] == ["no", "table", "race"] and states[0]["racers"] == ["table"] * 3


# 16 colours


@pytest.mark.parametrize("edge", [32, 96])
def test_packing_keeps_the_upper_half_of_each_pixel(edge):
    picture = random.Random(edge).randbytes(edge * edge)
    packed = pictures.Packed([picture, bytes(edge * edge)])
    assert len(packed) == 2 and packed[1] == bytes(edge * edge // 2)
    assert [nibble for byte in packed[0] for nibble in (byte >> 4, byte & 15)] == [pixel >> 4 for pixel in picture]


def test_a_slow_board_gets_half_the_bits_and_a_fast_one_all_again(null_board, monkeypatch):
    """The tool adapts the number of bits per pixel unless the user has chosen it, and reports the number in use."""
    seen, states = [], []

    def look(streaming, channel, said):
        if channel == Channel.PICTURE:
            seen.append(said)
            return False
        states.append(said)
        points = said["points"]
        if len(points) == 1:
            monkeypatch.setattr(streamer, "FEWEST_PICTURES", 1e9)
        elif points and points[-1]["bits"] == 4:
            monkeypatch.setattr(streamer, "FEWEST_PICTURES", 1e-9)
        return [each["bits"] for each in points[-2:]] == [4, 8] and len(points) > 2

    watch(null_board, look, monkeypatch)
    assert {head["bits"] for head, *_ in seen} == {8, 4}
    for head, plaintext, wire, decrypted in seen:
        size = EDGE * EDGE * head["bits"] // 8
        assert len(plaintext) >= size and head["equal"] and plaintext[:size] == decrypted[:size] != wire[:size]
    assert states[0]["choice"]["bits"] == 0


def test_bits_that_were_chosen_stay(null_board, monkeypatch):
    monkeypatch.setattr(streamer, "FEWEST_PICTURES", 1e9)

    def look(streaming, channel, said):
        if channel == Channel.STATE and not said["choice"]["bits"]:
            streaming.choose({"bits": 8})
        return channel == Channel.STATE and len([each for each in said["points"] if each["bits"] == 8]) > 3

    watch(null_board, look, monkeypatch)


def test_engines_are_none_of_the_wire_format():
    assert "no" not in [engine.name.lower() for engine in Engine], "it is the choice of none beside"
