# SPDX-License-Identifier: BSD-2-Clause
"""Tests the MACsec of the simulated board with an unmodified Linux kernel as its peer."""

import contextlib
import os
import secrets
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane.errors import BoardError
from cipherlane.link.device import Device
from cipherlane.protocol.records import Record
from cipherlane.transport.serial import SerialTransport
from cipherlane_base.wire.layout import ErrorCode, RecordType, Suite

from gateware.flow import emulator
from tests.end_to_end.bad_wire import BadWire
from tests.end_to_end.ethernet import running_board
from tests.gateware.support import ROOT
from tests.linux_peer import peer as linux
from tests.linux_peer.uart import reachable
from tests.waiting import HANG_S, until

HERE, CPU, FAST_PATH = "192.168.1.100", "192.168.1.50", "192.168.1.51"
MACSEC, EAPOL = bytes.fromhex("88e5"), bytes.fromhex("888e")
TOOL = str(Path(sys.prefix) / "bin" / "cipherlane")
FAILURES = ("bad_tag", "no_sa_error", "late", "not_valid")
# RECORDING_TOOL is a Python program that runs the host tool and records the random tokens that the host tool draws. It
# writes the tokens as decimal numbers to the file TOKENS, one token per line.
TOKENS = "/tmp/tokens"
RECORDING_TOOL = f"""
import secrets, sys
from cipherlane.cli import main
draw = secrets.randbits
def recorded(bits):
    token = draw(bits)
    with open({TOKENS!r}, "a") as file:
        print(token, file=file)
    return token
secrets.randbits = recorded
sys.exit(main())
"""


def check_that_linux_can_run() -> None:
    reason = linux.missing()
    if reason and os.environ.get("CI"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def board():
    check_that_linux_can_run()
    with running_board(ROOT / "build" / "sim_macsec") as board:
        yield board


@pytest.fixture(scope="module")
def peer(board):
    with linux.LinuxPeer(board.pid) as peer:
        yield peer


@pytest.fixture(scope="module")
def device(board):
    with reachable(board.pid, board.port) as url, Device(SerialTransport(url)) as device:
        yield device


@pytest.fixture(scope="module")
def secure(peer, device):
    """Return a function that protects the link with new keys. The function's argument `suite` is the cipher suite."""

    def make(suite: Suite, an: int = 0) -> tuple[bytes, bytes]:
        size = 32 if suite == Suite.GCM_AES_256 else 16
        keys = secrets.token_bytes(size), secrets.token_bytes(size)
        peer.remove_macsec()
        device.protect(suite, *keys, peer.sci(), an=an)
        peer.add_macsec(suite.name.lower().replace("_", "-"), device.macsec().sci, an, *keys)
        peer.run("ip", "address", "add", f"{HERE}/24", "dev", "macsec0")
        until(lambda: peer.ping(CPU, 1, timeout=2) == 1, lambda: "the first frames pass")
        return keys

    return make


def encrypt(peer, engine: str, size: int = 30_000, timeout: float = 120, tool: str = TOOL) -> str:
    """Run the host tool on the Linux machine `peer`: encrypt the first `size` bytes of the Python executable, and
    verify the result. Return the output of the host tool. `tool` is the command that starts the host tool.
    """
    command = f"""
        umask 077; cd /tmp; test -f key || {TOOL} keygen key
        head -c {size} {shlex.quote(sys.executable)} > in
        {tool} encrypt --raw --verify --force --port udp://{CPU} --engine {engine} --key-file key in out
    """
    return peer.run("sh", "-ec", command, timeout=timeout)


@pytest.mark.parametrize("suite", Suite)
def test_linux_reaches_the_cpu_and_the_fast_path(peer, device, secure, suite):
    before = device.macsec().counters
    secure(suite)
    for address in (CPU, FAST_PATH):
        assert peer.ping(address, 3) == 3
        assert peer.ping(address, 1, size=1) == 1
    assert peer.ping(CPU, 2, size=1440) == 2
    state = device.macsec()
    assert state.suite == suite and state.encrypt
    counters = peer.macsec_counters()
    assert counters["InPktsOK"] == state.counters["encrypted"] - before["encrypted"] == state.next_pn - 1
    # Ignore the counter of frames without MACsec: Linux can send such frames from eth0, for example router
    # solicitations.
    failed = state.failed() - state.counters["no_tag"] - (sum(before[name] for name in FAILURES))
    assert counters["InPktsNotValid"] == counters["InPktsLate"] == failed == 0


# Tests marked `thorough` repeat other tests under other conditions. Some repeat a test of this file with another
# engine. Others repeat a test of test_mka.py, but the peer is Linux instead of a model.
def engines(often: str) -> list:
    """Return the engines as parameters of a test. Every test run uses the engine in `often`, and the thorough suite
    also uses the other engines.
    """
    others = [engine for engine in ("fastpath", "ise_vmem", "accelerator") if engine != often]
    return [often, *[pytest.param(engine, marks=pytest.mark.thorough) for engine in others]]


@pytest.mark.parametrize("engine", engines("fastpath"))
def test_the_tool_works_through_macsec(peer, secure, engine):
    """The host tool must work over MACsec, which reduces the MTU of the interface to 1468 bytes. The test encrypts a
    file, and the host tool verifies the result.
    """
    secure(Suite.GCM_AES_128)
    assert "yes" in encrypt(peer, engine)


@pytest.mark.parametrize("engine", engines("accelerator"))
def test_a_cable_that_loses_frames_costs_time_alone(board, peer, device, secure, engine):
    secure(Suite.GCM_AES_256)
    before = device.macsec()
    with BadWire(board, seed=37, device=linux.DEVICE, lose=0.3) as cable:
        assert "yes" in encrypt(peer, engine, timeout=HANG_S)
    assert cable.frames["lose"] > 10
    after = device.macsec()
    assert [after.counters[name] for name in FAILURES] == [before.counters[name] for name in FAILURES]
    assert peer.ping(CPU, 1) == 1


def test_nothing_but_addresses_of_ethernet_is_readable_on_the_cable(peer, secure):
    keys = secure(Suite.GCM_AES_256)
    with peer.cable() as cable:
        encrypt(peer, "fastpath", tool=shlex.join([sys.executable, "-c", RECORDING_TOOL]))
        assert peer.ping(CPU) == 1
        frames = cable.frames()
    key = bytes.fromhex(peer.run("cat", "/tmp/key"))
    tokens = [int(token).to_bytes(8, "little") for token in peer.run("cat", TOKENS).split()]
    # The search below looks for tokens as eight little-endian bytes. Check first that a record contains its token in
    # this format. Otherwise, the search could never find a token.
    assert len(tokens) > 1 and tokens[0] in Record(RecordType.INFO, token=int.from_bytes(tokens[0], "little")).encode()
    plain = Path(sys.executable).read_bytes()[:30_000]
    secrets_in_frames = [
        *keys,
        key,
        *tokens,
        *(plain[n : n + 16] for n in range(0, len(plain) - 16, 16) if any(plain[n : n + 16])),
    ]
    addresses = [bytes(map(int, address.split("."))) for address in (HERE, CPU, FAST_PATH)]
    protected = [frame for frame in frames if frame[12:14] == MACSEC]
    assert len(protected) > 40
    everything = b"".join(frame[14:] for frame in protected)
    assert not [secret for secret in secrets_in_frames if secret in everything]
    # The four bytes of an address can occur anywhere by chance, so look only at the offsets at which IPv4 and ARP store
    # addresses.
    assert not [frame for frame in protected if frame[26:30] in addresses or frame[30:34] in addresses]
    readable = [frame for frame in frames if frame[12:14] != MACSEC]
    assert not [frame for frame in readable if any(address in frame for address in addresses)]


def test_replayed_and_forged_frames_are_dropped_and_counted(peer, device, secure):
    secure(Suite.GCM_AES_128)
    board_mac = device.macsec().sci[:6]
    with peer.cable() as cable:
        assert peer.ping(CPU) == 1
        asked = next(frame for frame in cable.frames() if frame[:6] == board_mac and frame[12:14] == MACSEC)
        before = device.macsec().counters
        cable.send(asked)
        forged = bytearray(asked)
        # Give the forged frame a packet number that the peer has not used yet.
        forged[16:20] = (1000).to_bytes(4, "big")
        cable.send(bytes(forged))
        unprotected = asked[:12] + bytes.fromhex("0806") + bytes(46)
        cable.send(unprotected)

        def changed(*names):
            after = device.macsec().counters
            return [after[name] - before[name] for name in names]

        until(lambda: all(changed("late", "not_valid", "no_tag")), lambda: "the three frames are counted")
        assert changed("late", "not_valid", "ok") == [1, 1, 0]
    assert peer.ping(CPU) == 1


def test_a_new_key_during_a_transfer_loses_no_frame(peer, device, secure):
    secure(Suite.GCM_AES_128)
    new = secrets.token_bytes(16), secrets.token_bytes(16)
    before = device.macsec()
    script = (
        f"cd /tmp; {TOOL} bench --link --engine fastpath --duration 6 --port udp://{CPU} > bench 2>&1; echo $? > done"
    )
    peer.run("sh", "-c", f"rm -f /tmp/done; ({script}) > /dev/null 2>&1 &")
    until(lambda: device.macsec().counters["ok"] > before.counters["ok"] + 20, lambda: "the transfer runs")
    peer.add_receive_key(before.sci, 1, new[0])
    device.protect(Suite.GCM_AES_128, *new, before.peer_sci, an=1)
    peer.use_transmit_key(1, new[1])
    until(lambda: peer.attempt("cat", "/tmp/done")[0] == 0, lambda: "the transfer ends")
    assert peer.run("cat", "/tmp/done").strip() == "0", peer.run("cat", "/tmp/bench")
    after, counters = device.macsec(), peer.macsec_counters()
    assert after.an == 1 and after.next_pn > 1
    for name in ("late", "not_valid", "no_sa_error", "bad_tag", "overrun", "stopped"):
        assert after.counters[name] == before.counters[name], name
    assert [counters[name] for name in ("InPktsNotValid", "InPktsLate", "InPktsNotUsingSA")] == [0, 0, 0]


def test_a_key_is_refused_the_second_time_and_over_the_network(peer, device, secure):
    keys = secure(Suite.GCM_AES_128)
    with pytest.raises(BoardError) as refused:
        device.protect(Suite.GCM_AES_128, *keys, peer.sci())
    assert refused.value.code == ErrorCode.REUSED
    assert peer.ping(CPU) == 1
    script = f"""
from cipherlane.link.device import Device
from cipherlane.protocol.records import Record
from cipherlane.transport import open_transport
from cipherlane_base.wire.layout import RecordType
keys = {{"peer_sci": b"", "transmit_key": b"", "receive_key": b""}}
with Device(open_transport("udp://{CPU}", 0)) as device:
    device.request(RecordType.PROTECT, state=0, suite=0, encrypt=0, an=0, replay_window=0, **keys)
"""
    status, output = peer.attempt(sys.executable, "-c", script)
    assert status == 1 and "unknown" in output and str(int(RecordType.PROTECT)) in output, output
    assert device.macsec().suite == Suite.GCM_AES_128


def pair(device, *words) -> str:
    """Run `cipherlane pair` at the board's UART. Return the commands that `pair` tells the user to run with sudo."""
    port = device.link.transport.url
    device.link.transport.close()
    command = [TOOL, "pair", "--port", port, "--interface", "eth0", "--address", f"{HERE}/24", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    device.link.transport = SerialTransport(port)
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("  sudo ") for line in done.stderr.splitlines() if line.startswith("  sudo ")]


@pytest.mark.thorough
def test_the_script_of_pair_sets_up_linux(peer, device, tmp_path):
    """`cipherlane pair --static` sends keys to the board over the UART, and writes a script that sets up MACsec in
    Linux. The link between Linux and the board must then work.
    """
    peer.remove_macsec()
    mac_address = peer.run("cat", "/sys/class/net/eth0/address").strip()
    script = tmp_path / "macsec.sh"
    steps = pair(device, "--static", "--mac-address", mac_address, "--suite", "gcm-aes-128", script)
    assert steps == [f"sh {script}"]
    peer.run("sh", "-c", script.read_text())
    assert peer.ping(CPU, 2) == peer.ping(FAST_PATH, 2) == 2
    assert "GCM-AES-128: frames are encrypted" in peer.run(TOOL, "doctor", "--port", f"udp://{CPU}", timeout=120)
    assert pair(device, "--undo") == ["ip link delete macsec0"]
    assert device.macsec().suite is None
    peer.run("ip", "link", "delete", "macsec0")


def test_wpa_supplicant_agrees_with_the_board(peer, device, tmp_path):
    """The commands that `cipherlane pair` prints must set up a protected link. This link must also recover after the
    cable was unplugged, and after the peer was restarted.

    wpa_supplicant 2.10 creates macsec0 for GCM-AES-128 only.
    """
    peer.remove_macsec()
    file = tmp_path / "mka.conf"
    suite = Suite.GCM_AES_128
    daemon, address = pair(device, file)
    assert daemon == f"wpa_supplicant -B -i eth0 -D macsec_linux -c {file}" and address.startswith("ip address add")
    try:
        peer.start_mka(file.read_text())
        status = peer.await_secured()
        assert status["Key Server Priority"] == "16" and status["live_peers"] == "1"
        peer.run(*address.split())
        assert peer.ping(CPU, 2) == peer.ping(FAST_PATH, 2) == 2
        state = device.macsec()
        assert (state.suite, state.agrees, state.encrypt) == (suite, True, True)
        assert state.counters["mkpdus"] > 1 and state.counters["mkpdus_refused"] == 0
        assert "yes" in encrypt(peer, "fastpath")
        peer.run("ip", "link", "set", "eth0", "down")
        until(lambda: device.macsec().suite is None, lambda: "the board notices that its peer is gone")
        peer.run("ip", "link", "set", "eth0", "up")
        until(lambda: device.macsec().suite == suite, lambda: "both agree again")
        until(lambda: peer.ping(CPU, 1, timeout=1) == 1, lambda: "frames pass again")
        peer.stop_mka()
        peer.start_mka(file.read_text())
        peer.await_secured()
        peer.run(*address.split())
        until(lambda: peer.ping(CPU, 1, timeout=1) == 1, lambda: "frames pass with the restarted peer")
    finally:
        peer.stop_mka()
        device.unprotect()


@pytest.mark.thorough
def test_the_board_follows_a_peer_that_is_key_server(peer, device):
    peer.remove_macsec()
    cak, ckn = secrets.token_bytes(32), secrets.token_bytes(7)
    device.agree(Suite.GCM_AES_128, cak, ckn, priority=200)
    config = "eapol_version=3\nap_scan=0\nnetwork={\nkey_mgmt=NONE\neapol_flags=0\nmacsec_policy=1\n"
    config += "macsec_replay_protect=1\nmacsec_replay_window=0\n"
    config += f"mka_cak={cak.hex()}\nmka_ckn={ckn.hex()}\nmka_priority=100\n}}\n"
    try:
        peer.start_mka(config)
        assert peer.await_secured()["Key Server Priority"] == "100"
        peer.run("ip", "address", "add", f"{HERE}/24", "dev", "macsec0")
        until(lambda: device.macsec().suite == Suite.GCM_AES_128, lambda: "the board transmits with the key")
        assert peer.ping(CPU, 2) == peer.ping(FAST_PATH, 2) == 2
    finally:
        peer.stop_mka()
        device.unprotect()


@pytest.mark.thorough
def test_a_stranger_with_another_key_is_refused(peer, device):
    peer.remove_macsec()
    device.agree(Suite.GCM_AES_128, secrets.token_bytes(16), b"same name")
    config = "eapol_version=3\nap_scan=0\nnetwork={\nkey_mgmt=NONE\neapol_flags=0\nmacsec_policy=1\n"
    config += f"mka_cak={secrets.token_hex(16)}\nmka_ckn={b'same name'.hex()}\nmka_priority=1\n}}\n"
    try:
        peer.start_mka(config)
        until(lambda: device.macsec().counters["mkpdus_refused"] > 1, lambda: "the board sees the stranger")
        state = device.macsec()
        assert state.suite is None and state.agrees and state.counters["mkpdus"] == 0
        assert peer.mka_status()["live_peers"] == "0"
    finally:
        peer.stop_mka()
        device.unprotect()


def test_without_macsec_all_frames_pass_again(peer, device, secure):
    secure(Suite.GCM_AES_128)
    device.unprotect()
    peer.remove_macsec()
    peer.run("ip", "address", "add", f"{HERE}/24", "dev", "eth0")
    try:
        assert peer.ping(CPU, 2) == peer.ping(FAST_PATH, 2) == 2
    finally:
        peer.run("ip", "address", "flush", "dev", "eth0")
    state = device.macsec()
    assert state.suite is None and state.next_pn == 0


@pytest.mark.thorough  # Verilator needs minutes to build this board
def test_a_board_that_requires_macsec_answers_nothing_without_keys():
    check_that_linux_can_run()
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(running_board(emulator.build("macsec_required")))
        url = stack.enter_context(reachable(board.pid, board.port))
        device = stack.enter_context(Device(SerialTransport(url)))
        peer = stack.enter_context(linux.LinuxPeer(board.pid))
        peer.run("ip", "address", "add", f"{HERE}/24", "dev", "eth0")

        def nothing_passes():
            before = device.macsec()
            assert before.closed and before.suite is None
            answered = [peer.ping(address, 1, timeout=1) for address in (CPU, FAST_PATH)]
            until(
                lambda: device.macsec().counters["no_tag"] > before.counters["no_tag"],
                lambda: "dropped frames are counted",
                lambda: answered.append(peer.ping(CPU, 1, timeout=1)),
            )
            return not any(answered)

        assert nothing_passes()
        keys = secrets.token_bytes(16), secrets.token_bytes(16)
        device.protect(Suite.GCM_AES_128, *keys, peer.sci())
        peer.add_macsec("gcm-aes-128", device.macsec().sci, 0, *keys)
        peer.run("ip", "address", "flush", "dev", "eth0")
        peer.run("ip", "address", "add", f"{HERE}/24", "dev", "macsec0")
        until(lambda: peer.ping(CPU, 1, timeout=2) == 1, lambda: "frames pass with keys")
        peer.remove_macsec()
        peer.run("ip", "address", "add", f"{HERE}/24", "dev", "eth0")
        device.unprotect()
        assert nothing_passes()
