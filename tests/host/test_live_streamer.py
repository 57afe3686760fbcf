# SPDX-License-Identifier: BSD-2-Clause
"""Tests the live view without a browser: the messages about a board that the hub receives and passes to viewers."""

import itertools
import json
import threading

import pytest
from cipherlane.errors import ArgumentError, CipherlaneError, PortError
from cipherlane.link.device import Device
from cipherlane.link.link import Link
from cipherlane.live import pictures
from cipherlane.live.hub import Channel, Hub
from cipherlane.live.streamer import Streamer
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.protocol.records import decode
from cipherlane.transport import open_transport
from cipherlane.transport.base import Pace
from cipherlane_base.wire.layout import RecordType
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.waiting import HANG_S

from .served import Served

EDGE = 32
MOST_MESSAGES = 400


class Ended(BaseException):
    """Raised to end the stream when a test has seen enough."""


class Script(Hub):
    """A hub that passes each message to `look(channel, message)`. When the function `look` returns true, the hub ends
    the stream.
    """

    def __init__(self, look):
        super().__init__()
        self.viewers, self._look, self.messages = 1, look, []

    def put(self, channel, message):
        super().put(channel, message)
        self.messages.append(message)
        said = json.loads(message) if channel == Channel.STATE else split(message)
        if self._look(channel, said):
            raise Ended
        assert len(self.messages) < MOST_MESSAGES, "what was awaited did not come"


def split(message):
    """Return the parts of `message`: its head, and the plaintext, encrypted and decrypted picture."""
    size = 4 + int.from_bytes(message[:4], "little")
    head = json.loads(message[4:size])
    pixels = head["edge"] ** 2 * head["bits"] // 8  # bytes of a picture
    return head, *(message[size + at * pixels : size + (at + 1) * pixels] for at in range(3))


def watch(board, look, monkeypatch, devices=None, stretches=(0.1,), **options):
    """Stream through `board` until `look(streamer, channel, message)` is true; return the streamer and all messages.

    Pictures are shown however long that takes. Time-outs are the link's own, so a busy machine does not exhaust them.
    The devices that are opened are appended to `devices`.
    """
    monkeypatch.setattr("cipherlane.live.streamer.STRETCHES", stretches)
    monkeypatch.setattr("cipherlane.live.streamer._RETRY", 0.05)
    monkeypatch.setattr("cipherlane.live.streamer._WORK_SHARE", 1.0)
    devices = [] if devices is None else devices

    def opened():
        devices.append(Device(open_transport(board.url)))
        return devices[-1]

    hub = Script(lambda channel, said: look(streamer, channel, said))
    streamer = Streamer(hub, opened, EDGE, **options)
    with pytest.raises(Ended):
        streamer.run()
    return streamer, hub.messages


def test_three_states_of_a_picture(null_board, monkeypatch):
    seen = []

    def look(streamer, channel, said):
        if channel == Channel.PICTURE:
            seen.append(said)
        return len(seen) == 5

    watch(null_board, look, monkeypatch)
    for head, plaintext, wire, decrypted in seen:
        assert head["equal"] and plaintext == decrypted and plaintext in pictures.pattern(EDGE)
        assert wire != plaintext and head["wire"]["even"] and head["plaintext_entropy"] < 4 < head["wire"]["entropy"]
    assert len({wire for _, _, wire, _ in seen}) == 5 and seen[-1][0]["checked"]["different"] == 0


@pytest.mark.parametrize("viewers", [0, 1])
@pytest.mark.parametrize("echo", [False, True])
def test_every_picture_is_checked_whether_it_is_shown_or_not(monkeypatch, echo, viewers):
    """The host's library checks every picture, even if no viewer sees the picture. The check comes before the option
    `tamper` changes the picture, because this change is not the board's fault.
    """
    board, passed = NullBoard(port=0, echo=echo), []

    def look(streamer, channel, said):
        streamer._hub.viewers = viewers
        if channel == Channel.STATE and said["points"]:
            passed[:] = [round(each["pictures_a_second"] * each["seconds"]) for each in said["points"]]
            streamer.choose({"tamper": "yes"})
        return len(passed) > 2

    with Served(lambda: board.serve_once(0.05)):
        streamer, _ = watch(board, look, monkeypatch)
    board.close()
    checked = streamer._showing._checked
    assert sum(passed) == checked["different" if echo else "equal"] > 0 == checked["equal" if echo else "different"]


def test_a_choice_is_running_once_results_of_it_come(null_board, monkeypatch):
    """The state message reports a user's choice as `running` only after results with this choice have arrived."""
    states = []

    def look(streamer, channel, said):
        if channel == Channel.STATE:
            states.append((said["choice"]["key_bits"], said["running"]["key_bits"]))
        elif streamer._choice.key_bits == 128:
            streamer.choose({"key_bits": 256})
        return states[-1:] == [(256, 256)]

    watch(null_board, look, monkeypatch)
    assert (256, 128) in states and (128, 256) not in states


def test_no_question_to_a_board_is_rejected_again_and_again(null_board, monkeypatch):
    """A null board rejects a request for its cycle count. After the first rejection, the tool must not send this
    request to this board again.
    """
    watch(null_board, lambda _, channel, said: channel == Channel.STATE and len(said["points"]) > 3, monkeypatch)
    assert null_board._opened > 3 and null_board._rejected == 1


def test_what_a_board_does_not_encrypt_is_seen(monkeypatch):
    board = NullBoard(port=0, echo=True)
    with Served(lambda: board.serve_once(0.05)):
        watch(board, lambda _, channel, said: channel == Channel.PICTURE and not seen_equal(said), monkeypatch)
    board.close()


def seen_equal(said):
    head, plaintext, wire, decrypted = said
    assert wire == plaintext != decrypted and not head["wire"]["even"] and head["checked"]["equal"] == 0
    return head["equal"]


def test_choices_while_it_runs(null_board, monkeypatch):
    """After each change of a setting by the user, measurements and pictures with the new setting must arrive."""
    wanted = [{"key_bits": 256}, {"record_bytes": 64}, {"source": "text", "text": "Hello"}, {"wiretap": "ecb"}]
    done, pictures_of = [], {}

    def look(streamer, channel, said):
        if channel == Channel.PICTURE:
            pictures_of.setdefault(said[0]["wiretap"], []).append(said)
            return False
        last = said["points"][-1] if said["points"] else None
        assert said["state"] != "away", "as it would be if a counter block were asked for twice"
        if last and len(done) < len(wanted):
            streamer.choose(wanted[len(done)])
            done.append(dict(said["choice"]))
        return len(pictures_of.get("ecb", ())) > 1 and last["key_bits"] == 256 and last["record_bytes"] == 64

    _, messages = watch(null_board, look, monkeypatch)
    (text,) = pictures.text("Hello", EDGE)
    for head, plaintext, wire, decrypted in pictures_of["ecb"]:
        assert plaintext == decrypted == text and head["equal"] and not head["wire"]["even"]
        blocks = {text[at : at + 16] for at in range(0, len(text), 16)}
        assert len({wire[at : at + 16] for at in range(0, len(wire), 16)}) == len(blocks) < len(text) // 16
    assert done[0]["key_bits"] == 128 and pictures_of["ctr"][0][1] in pictures.pattern(EDGE)
    latest = json.loads([each for each in messages if each[:1] == b"{"][-1])["latest"]
    assert [each["kind"] for each in latest] == ["null"] and latest[0]["mbps"] > 0 < latest[0]["link_mbps"]


def test_what_is_changed_on_the_wire_is_changed_in_the_picture_and_nowhere_else(null_board, monkeypatch):
    seen = []

    def look(streamer, channel, said):
        if channel == Channel.PICTURE:
            seen.append(said)
            if len(seen) == 2:
                streamer.choose({"tamper": "yes"})
        return len(seen) > 3 and seen[-1][0]["tampered"]

    watch(null_board, look, monkeypatch)
    head, plaintext, _, decrypted = seen[-1]
    changed = [at for at in range(EDGE * EDGE) if plaintext[at] != decrypted[at]]
    assert changed == [row * (EDGE + 1) for row in range(EDGE)] and not head["equal"]
    assert all(plaintext[at] ^ decrypted[at] == 0xFF for at in changed)
    assert head["differ"] == head["tampered"] == EDGE and head["checked"]["different"] == 0 and head["wire"]["even"]
    assert seen[1][0]["equal"] and not seen[1][0]["differ"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"tamper": True},
        {"engine": "ise"},
        {"key_bits": "128"},
        {"key_bits": True},
        {"record_bytes": 17},
        {"source": "image"},
        {"source": "text"},
        {"text": ""},
        {"text": "a" * 201},
        {"text": "\0"},
        {"text": ["a"]},
        {"wiretap": None},
        {"_lock": 1},
        {"engine": "table", "other": 2},
    ],
)
def test_choices_that_are_not_there(null_board, monkeypatch, wanted):
    streamer, _ = watch(null_board, lambda *_: True, monkeypatch)
    before = streamer._choice
    with pytest.raises(ArgumentError, match=r"no such choice|no text"):
        streamer.choose(wanted)
    assert streamer._choice is before


def test_neither_keys_nor_counter_blocks_are_in_any_message(null_board, monkeypatch, capfd):
    ivs = []
    opened = Device.open_session

    def open_session(device, key, iv, *words, **options):
        ivs.append(iv)
        return opened(device, key, iv, *words, **options)

    monkeypatch.setattr(Device, "open_session", open_session)
    streamer, messages = watch(null_board, lambda _, __, said: len(ivs) > 3, monkeypatch)
    secret = [blocks.key for blocks in streamer._blocks.values()] + ivs + [streamer._showing._ecb_key]
    said = b"".join(messages) + "".join(capfd.readouterr()).encode()
    for each in secret:
        for shown in (each, each.hex().encode(), each[:8], each[:8].hex().encode()):
            assert shown not in said
    assert len(set(ivs)) == len(ivs)


def test_a_picture_decrypts_under_the_session_s_own_key(null_board, monkeypatch):
    """The first encrypted picture must equal its plaintext encrypted by the package `cryptography`, with the session's
    key and initial counter block.
    """
    found = []

    def look(streamer, channel, said):
        if channel == Channel.PICTURE:
            found.append(said)
        return bool(found)

    opened = Device.open_session
    blocks = []
    monkeypatch.setattr(
        Device, "open_session", lambda *words, **options: blocks.append(words[1:3]) or opened(*words, **options)
    )
    watch(null_board, look, monkeypatch)
    key, iv = blocks[-1]
    _, plaintext, wire, _ = found[0]
    assert Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(plaintext) == wire


def test_a_board_that_goes_and_comes_back(monkeypatch):
    """If the board no longer answers, the live view reports the state `away`. When the board answers again, the live
    view continues by itself.

    It must not use a counter block twice, because the board may have been reset in between.
    """
    board = NullBoard(port=0)
    serving = Served(lambda: board.serve_once(0.05))
    serving.__enter__()
    states, begun, used, back, devices = [], [], [], [], []
    sent = Link.send_parts

    class Again:
        url = board.url

    opened = Device.open_session

    def open_session(device, key, iv, *words, **options):
        begun.append(int.from_bytes(iv, "big"))
        return opened(device, key, iv, *words, **options)

    def send_parts(link, stream, offset, parts, to):
        used.append((begun[-1] + offset // 16, begun[-1] + -(-(offset + sum(map(len, parts))) // 16)))
        sent(link, stream, offset, parts, to)

    def look(streamer, channel, said):
        nonlocal board, serving
        if channel == Channel.PICTURE:
            if not back:
                serving.__exit__()
                board.close()
                devices[-1].link.set_pace(Pace.fixed(0.05))  # a short time-out, because the board does not answer now
                back.append(False)
            return back == [True] and said[0]["equal"]
        states.append((said["state"], said["message"]))
        if said["state"] == "away" and not back[0]:
            board = NullBoard(port=0)
            Again.url = board.url
            serving = Served(lambda: board.serve_once(0.05))
            serving.__enter__()
            back[0] = True
        return False

    monkeypatch.setattr(Device, "open_session", open_session)
    monkeypatch.setattr(Link, "send_parts", send_parts)
    try:
        watch(Again, look, monkeypatch, devices, (1000.0,))
    finally:
        serving.__exit__()
        board.close()
    names = [state for state, _ in states]
    assert names[0] == names[-1] == "streaming" and "away" in names
    assert all(message.startswith("The board is not there: ") for state, message in states if state == "away")
    assert len(set(begun)) == len(begun) > 1 and begun == sorted(begun)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(used))


def test_a_board_that_is_silent_for_a_while_is_said_and_goes_on(null_board, monkeypatch):
    """If the board is silent for a while, the tool reports the state `waiting`. When the board answers again, the
    stream continues.

    Time limits are shortened only while the board is silent.
    """
    monkeypatch.setattr("cipherlane.live.streamer.PATIENCE", 1000.0)
    seen, begun, silent = threading.Event(), threading.Event(), threading.Event()
    answered, states = null_board.answer, []

    def answer(raw, address):
        if seen.is_set() and not begun.is_set() and decode(raw).type == RecordType.DATA:
            monkeypatch.setattr("cipherlane.live.streamer.PATIENCE", 0.1)
            silent.set()
            begun.set()
        return None if silent.is_set() else answered(raw, address)

    monkeypatch.setattr(null_board, "answer", answer)

    def look(streamer, channel, said):
        if channel == Channel.PICTURE:
            seen.set()
            return False
        states.append(said["state"])
        if said["state"] == "waiting":
            assert "the board does not answer" in said["message"]
            monkeypatch.setattr("cipherlane.live.streamer.PATIENCE", 1000.0)
            silent.clear()
        return states[-2:] == ["waiting", "streaming"]

    watch(null_board, look, monkeypatch)
    assert states.count("waiting") == 1 and "away" not in states


def test_a_second_board_decrypts_every_block_once(null_board, monkeypatch):
    """One board encrypts, and a second board decrypts. On each board, the counter blocks of a session follow directly
    after the blocks of the previous session. A board merges adjoining ranges, so its table of ranges does not become
    full.
    """
    monkeypatch.setattr("cipherlane.measuring.nullranges.WINDOW", 32)  # window size of a real board, in records
    board = NullBoard(port=0)
    seen = []

    def look(streamer, channel, said):
        if channel == Channel.PICTURE and "second board" in said[0]["decrypted_by"]:
            seen.append(said)
        return len(seen) > 4 and channel == Channel.STATE and len(said["points"]) > 6

    with Served(lambda: board.serve_once(0.05)):
        watch(null_board, look, monkeypatch, open_peer=lambda: Device(open_transport(board.url)))
    for head, plaintext, wire, decrypted in seen:
        assert plaintext == decrypted != wire and head["equal"] and "second board, null (null)" in head["decrypted_by"]
    assert 128 - null_board._ranges.free <= 2 and 128 - board._ranges.free <= 2
    assert board._opened > 3 and board._rejected == 0
    board.close()


def test_where_the_second_board_is_not_there_the_host_decrypts(null_board, monkeypatch):
    said_so = []

    def look(streamer, channel, said):
        if channel == Channel.STATE:
            said_so.append(said["message"])
            return False
        assert "the host with" in said[0]["decrypted_by"] and said[0]["equal"]
        return len(said_so) > 2 and "nothing listens at UDP port 9" in said_so[-1]

    watch(null_board, look, monkeypatch, open_peer=lambda: Device(open_transport("udp://127.0.0.1:9"), 0.02))
    assert all(message.startswith("The second board does not decrypt: ") for message in said_so)


@pytest.mark.parametrize("silent", ["nothing", "data", "all"])
def test_it_is_stopped_within_a_stretch_and_leaves_the_board(null_board, monkeypatch, silent):
    """When the stream is stopped, the tool closes its session, even if the board answers no more data records. If the
    board answers nothing at all, the tool still ends, but the session stays open on the board.
    """
    monkeypatch.setattr("cipherlane.live.streamer.STRETCHES", (1000.0,))
    if silent != "all":  # this time limit is so long that it cannot pass during the test
        monkeypatch.setattr("cipherlane.live.streamer.STOP_PATIENCE", 1000.0)
    ceased, dropped, pictures_seen = threading.Event(), threading.Event(), threading.Event()
    answered, closed, devices = null_board.answer, [], []

    class Seen(Hub):
        def put(self, channel, message):
            if channel == Channel.PICTURE:
                pictures_seen.set()

    def opened():
        devices.append(device := Device(open_transport(null_board.url)))
        close = device.close
        monkeypatch.setattr(device, "close", lambda: closed.append(True) or close())
        return device

    def answer(raw, address):
        unheard = silent == "all" or (silent == "data" and decode(raw).type == RecordType.DATA)
        if ceased.is_set() and unheard:
            dropped.set()
            return None
        return answered(raw, address)

    monkeypatch.setattr(null_board, "answer", answer)
    hub = Seen()
    hub.viewers = 1
    streamer = Streamer(hub, opened, EDGE)
    thread = threading.Thread(target=streamer.run, daemon=True)
    thread.start()
    assert pictures_seen.wait(HANG_S)
    if silent == "all":
        # The link's time-out is longer than the test is allowed to take, so the tool must end without waiting for a
        # reply.
        devices[-1].link.set_pace(Pace.fixed(10 * HANG_S))
    ceased.set()
    assert silent == "nothing" or dropped.wait(HANG_S)
    streamer.stop()
    thread.join(HANG_S)
    assert not thread.is_alive() and closed == [True]
    assert bool(null_board._sessions) == (silent == "all")


def test_a_board_that_was_never_there_ends_it():
    streamer = Streamer(Hub(), lambda: Device(open_transport("udp://127.0.0.1:9"), 0.05), EDGE)
    with pytest.raises(CipherlaneError) as raised:
        streamer.run()
    assert isinstance(raised.value, PortError)
