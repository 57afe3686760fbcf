# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane pair` with a model of the board. `tests/end_to_end/test_linux_peer.py` tests this command with a
real Linux system.
"""

import os
import stat
import struct
import subprocess

import pytest
from cipherlane.commands import pair
from cipherlane.errors import ArgumentError
from cipherlane.link.device import Device
from cipherlane_base.wire.layout import Suite

from tests.waiting import HANG_S

from .blocks import Refusal
from .commands import ON_POSIX, command
from .links import LossyLink
from .model import PeerBoard, SocketBoard

MAC = "02:00:00:00:01:00"
SCI = bytes.fromhex("02434c4e45010001")
PROTECT = struct.Struct("<BBBBI8s32s32s")
AGREE = struct.Struct("<BBBBHH32s32s")


class MACsecBoard(PeerBoard):
    """A model board with MACsec. `asked` lists the requests that change its MACsec settings."""

    def __init__(self, refuses=None):
        super().__init__()
        self.asked = []
        self.refuses = refuses
        self.agreement = None  # state, and the request
        self.failed = False  # whether the MACsec hardware has failed during a change of keys
        self.required = False  # MACsec, by the configuration

    def _macsec(self, session, offset, token, data):
        on, suite, encrypt, an = self.asked[-1][:4] if self.asked else (0, 0, 0, 0)
        receives = 0 if self.failed else 1
        if self.required and not on:
            on, receives = 1, 0
        peer = self.asked[-1][5] if self.asked else bytes(8)
        counters = range(1, 22)
        if self.agreement:
            on, suite, encrypt, peer = self.agreement[0], 0, 1, bytes(8)
        return session, struct.pack("<BBBBI8s8sQQ22I", on, suite, encrypt, an, receives, SCI, peer, 1, 1, *counters, 0)

    def _protect(self, session, offset, token, data):
        if self.refuses:
            raise Refusal(self.refuses)
        self.asked.append(PROTECT.unpack(data))
        return session, b""

    def _agree(self, session, offset, token, data):
        self.agreement = (2, AGREE.unpack(data))
        return session, b""


@pytest.fixture
def board():
    return MACsecBoard()


@pytest.fixture
def to(board):
    with SocketBoard(board) as server:
        yield ("--port", server.url)


def command_lines(script):
    """Run a script of `cipherlane pair` with a fake program `ip` that prints its arguments; return the printed text."""
    tools = script.with_name("tools")
    tools.mkdir()
    (tools / "ip").write_text('#!/bin/sh\necho "$*"\n')
    (tools / "ip").chmod(0o700)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", str(script)]
    return subprocess.run(
        command, env={"PATH": path}, check=True, capture_output=True, text=True, timeout=HANG_S
    ).stdout


def made(to, *words, file="script"):
    return command("pair", *to, "--static", "--interface", "eth7", "--mac-address", MAC, *words, file)


@pytest.mark.parametrize(("suite", "code", "size"), [("gcm-aes-128", 0, 16), ("gcm-aes-256", 1, 32)])
def test_board_and_script_get_the_same_keys(board, to, suite, code, size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = made(to, "--suite", suite)
    assert (status, out) == (0, b"") and "  sudo sh script\n" in err
    state, asked_suite, encrypt, an, window, sci, transmit, receive = board.asked[0]
    assert (state, asked_suite, encrypt, an, window, sci) == (1, code, 1, 0, 0, bytes.fromhex("020000000100 0001"))
    text = (tmp_path / "script").read_text()
    assert f"rx port 1 address 02:43:4c:4e:45:01 sa 0 pn 1 on key 01 {transmit[:size].hex()}\n" in text
    assert f"tx sa 0 pn 1 on key 00 {receive[:size].hex()}\n" in text
    if os.name == "posix":
        lines = command_lines(tmp_path / "script")
        assert "-batch -" in lines and not any(key[:size].hex() in lines for key in (transmit, receive))
    assert f"link eth7 macsec0 type macsec port 1 cipher {suite} encrypt on validate strict replay on" in text
    assert not any(transmit[size:] + receive[size:]) and transmit != receive
    assert all(key.hex() not in err for key in (transmit, receive))


@ON_POSIX
def test_the_script_is_private_and_replaces_nothing(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert made(to)[0] == 0
    script = tmp_path / "script"
    assert stat.S_IMODE(script.stat().st_mode) == 0o600
    before = script.read_bytes()
    status, _, err = made(to)
    assert status and "already exists" in err
    assert script.read_bytes() == before and len(board.asked) == 1, "the board keeps the keys of the script"
    board.refuses = "hardware"
    assert made(to, "--force")[0] and script.read_bytes() == before
    board.refuses = None
    assert made(to, "--force")[0] == 0 and script.read_bytes() != before
    assert stat.S_IMODE(script.stat().st_mode) == 0o600 and os.listdir(tmp_path) == ["script"]


def test_a_refusal_leaves_no_script(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board.refuses = "type"
    status, _, err = made(to)
    assert status and "over its UART only" in err and len(err.splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_no_key_crosses_a_network(board):
    with Device(LossyLink(board, seed=1, shared=True)) as device:
        for act in (
            lambda: device.protect(Suite.GCM_AES_128, bytes(16), bytes(16), SCI),
            lambda: device.agree(Suite.GCM_AES_128, bytes(16), b"name"),
            device.unprotect,
        ):
            with pytest.raises(ArgumentError, match="name the UART with --port"):
                act()
    assert {"protect", "agree"}.isdisjoint(board.seen) and (board.asked, board.agreement) == ([], None)


def test_integrity_only(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert made(to, "--integrity-only")[0] == 0
    assert board.asked[0][2] == 0 and " encrypt off " in (tmp_path / "script").read_text()


@pytest.mark.parametrize(("suite", "code", "size"), [("gcm-aes-128", 0, 16), ("gcm-aes-256", 1, 32)])
def test_board_and_wpa_supplicant_get_the_same_cak(board, to, suite, code, size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = command("pair", *to, "--interface", "eth7", "--suite", suite, "conf")
    assert (status, out) == (0, b"")
    assert "  sudo wpa_supplicant -B -i eth7 -D macsec_linux -c conf\n" in err
    assert "  sudo ip address add 192.168.1.100/24 dev macsec0\n" in err
    asked_suite, encrypt, priority, ckn_bytes, cak_bits, window, cak, ckn = board.agreement[1]
    assert (asked_suite, encrypt, ckn_bytes, cak_bits, window) == (code, 1, 32, 8 * size, 0)
    text = (tmp_path / "conf").read_text()
    assert f"mka_cak={cak[:size].hex()}\n" in text and f"mka_ckn={ckn.hex()}\n" in text
    assert priority < int(text.partition("mka_priority=")[2].split()[0]), "the board has the random source"
    assert not any(cak[size:]) and "macsec_integ_only=0" in text
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "conf").stat().st_mode) == 0o600


def test_doctor_says_that_the_peer_is_missing(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("pair", *to, "--interface", "eth7", "conf")[0] == 0
    status, out, _ = command("doctor", *to)
    assert status and "no peer has agreed on a key" in " ".join(out.decode().split())
    board.agreement = (3, None)
    assert "GCM-AES-128: frames are encrypted" in " ".join(command("doctor", *to)[1].decode().split())


def test_undo(board, to):
    status, _, err = command("pair", *to, "--undo")
    assert status == 0 and "  sudo ip link delete macsec0\n" in err
    assert board.asked == [(0, 0, 0, 0, 0, bytes(8), bytes(32), bytes(32))] and "all frames pass" in err


def test_undo_on_a_board_that_requires_macsec(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board.required = True
    status, _, err = command("pair", *to, "--undo")
    assert status == 0 and "no frame passes until the next `cipherlane pair`" in err
    assert made(to)[0] == 0
    assert "frames are encrypted" in " ".join(command("doctor", *to)[1].decode().split())


def test_advice(board, to, tmp_path, monkeypatch):
    """The test follows the advice in the messages of `cipherlane pair`. The advice must work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pair, "_INTERFACES", tmp_path / "net")
    words = ("pair", *to, "--static", "--interface", "eth7", "script")
    status, _, err = command(*words)
    assert status and "or give --mac-address of another one" in err
    assert command(*words, "--mac-address", MAC)[0] == 0
    (tmp_path / "net" / "eth7").mkdir(parents=True)
    (tmp_path / "net" / "eth7" / "address").write_text(MAC + "\n")
    assert command(*words[:-1], "other")[0] == 0
    assert board.asked[1][5] == board.asked[0][5] == bytes.fromhex("0200000001000001")
    for missing in (("pair", *to, "third"), ("pair", *to, "--interface", "eth7")):
        status, _, err = command(*missing)
        assert status and "name the interface with --interface, and FILE" in err
    assert command("pair", *to, "--interface", "e;id", "x")[0]


def test_a_board_without_macsec_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    class Older(MACsecBoard):
        def _macsec(self, *_):
            raise Refusal("type", 0x12)

    with SocketBoard(Older()) as server:
        status, _, err = made(("--port", server.url))
        assert status and "the board has no MACsec" in err
        assert os.listdir(tmp_path) == []
        assert command("info", "--port", server.url)[0] == 0
        assert "the board has no MACsec" in command("doctor", "--port", server.url)[1].decode()


def test_doctor_and_info_report_the_link(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "off: all frames pass unprotected" in " ".join(command("doctor", *to)[1].decode().split())
    assert made(to)[0] == 0
    seen = " ".join(command("doctor", *to)[1].decode().split())
    assert "GCM-AES-256: frames are encrypted; 31 frames were dropped" in seen
    status, out, _ = command("info", *to, "--json")
    assert status == 0 and b'"protected_by": "GCM-AES-256"' in out and b'"closed": false' in out


def test_doctor_says_that_a_fault_closed_the_port(board, to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert made(to)[0] == 0
    board.failed = True
    status, out, _ = command("doctor", *to)
    assert status and "or it failed when keys changed; run `cipherlane pair`" in " ".join(out.decode().split())
    status, out, _ = command("info", *to, "--json")
    assert b'"protected_by": null' in out and b'"closed": true' in out
    board.failed = False
    assert made(to, "--force")[0] == 0
    assert "frames are encrypted" in " ".join(command("doctor", *to)[1].decode().split())
