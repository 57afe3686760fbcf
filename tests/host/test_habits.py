# SPDX-License-Identifier: BSD-2-Clause
"""Tests how the command line treats its user: questions, suggestions, history, settings, configuration and output."""

import argparse
import contextlib
import csv
import errno
import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cipherlane import cli, settings, views
from cipherlane.clock import REAL
from cipherlane.commands import common
from cipherlane.errors import ArgumentError, KeyLengthError, PortError
from cipherlane.files import keys
from cipherlane.link import discovery
from cipherlane.link.device import Device
from cipherlane.link.discovery import MOST_ADDRESSES, addresses, boards
from cipherlane.measuring.linkbench import STAGES, LinkMeasurement
from cipherlane.measuring.nullboard import NullBoard
from cipherlane.transport import open_transport
from cipherlane.transport.select import suggestion
from cipherlane.transport.udp import Datagrams
from cipherlane_base.figures import Measurement
from rich.console import Console

from tests.waiting import HANG_S

from .commands import (
    COMMAND,
    IV,
    KEY,
    LOCKED,
    NO_PORT,
    ON_POSIX,
    PATIENT,
    SERIAL,
    command,
    crypt,
    one_line_error,
    reference,
    words_of,
)
from .links import RECORD_TIME, LossyLink, SimulatedClock
from .model import PeerBoard, SocketBoard
from .test_files import link


def run(capsys, *words):
    """Run the command line in this process; return status, standard output and standard error."""
    try:
        status = cli.main([str(word) for word in words])
    except SystemExit as ended:
        status = ended.code
    return status, *capsys.readouterr()


# OUT


def test_an_output_is_replaced_with_force_alone(server, source, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    status, _, stderr = crypt(server, source, out)
    assert status == 2 and "out already exists: name another OUT, or replace it with --force" in one_line_error(stderr)
    assert out.read_bytes() == b"earlier" and server.board.seen == []
    assert crypt(server, source, out, "--force")[0] == 0
    assert out.read_bytes() == reference(source.read_bytes())


@LOCKED
def test_what_is_interrupted_with_force_goes_on_with_force(server, source, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    server.board.fail_after = 2
    words = ("--json", "--port", server.url, "encrypt", "--force", "--raw", "--iv", IV, source, out)
    status, _, stderr = command(*words)
    assert status == 7 and out.read_bytes() == b"earlier"
    server.board.fail_after = None
    again = words_of(one_line_error(stderr).partition("to resume: ")[2])
    assert again[:5] == ["cipherlane", "--json", "--port", server.url, "encrypt"] and again.count("--force") == 1
    assert command(*again[1:])[0] == 0
    assert out.read_bytes() == reference(source.read_bytes())


@ON_POSIX
@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 2), ("\n", 2), ("\x04", 2)])
def test_on_a_terminal_the_user_is_asked(server, source, tmp_path, answer, status):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [COMMAND, "encrypt", "--port", server.url, "--raw", "--iv", IV, "--no-progress", source, out],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "CIPHERLANE_KEY": KEY, "TERM": "dumb"},
    )
    os.close(terminal)
    said = b""
    while b"y/n" not in said:
        said += os.read(master, 1000)
    assert b"out already exists. Replace it?" in b" ".join(said.split())
    os.write(master, answer.encode())
    assert process.wait(HANG_S) == status
    process.stdout.close()
    os.close(master)
    assert out.read_bytes() == (reference(source.read_bytes()) if status == 0 else b"earlier")


def test_what_was_kept_is_said_also_of_a_stream_without_a_name(server, source):
    server.board.fail_after = 2
    status, stdout, stderr = crypt(server, source, "-")
    assert status == 7 and len(stdout) == 1952 and "- got the first 1952 bytes" in one_line_error(stderr)


# Ports


@pytest.mark.parametrize(
    ("port", "meant"),
    [
        ("192.168.1.50", "udp://192.168.1.50"),
        ("192.168.1.50:20197", "udp://192.168.1.50:20197"),
        ("board.lab.example", "udp://board.lab.example"),
        ("localhost", "udp://localhost"),
        ("tcp://localhost:1234", "socket://localhost:1234"),
        ("telnet://h:1", "socket://h:1"),
        ("SIM", "sim"),
        ("sim-udp", "sim+udp"),
        ("sim_eth:build/x", "sim+udp:build/x"),
        ("tty", "/dev/tty"),
    ],
)
def test_near_misses_of_ports(port, meant):
    if meant.startswith("/dev") and os.name != "posix":
        pytest.skip("no such device here")
    assert suggestion(port) == meant
    with pytest.raises(PortError, match=re.escape(f"no port {port}: did you mean --port {meant}?")):
        open_transport(port)


@pytest.mark.parametrize("port", ["COM3", "/dev/ttyUSB7", "/dev/tty.usbserial-1", "./a.b", "rfc2217://h:1"])
def test_ports_that_mean_themselves(port):
    assert suggestion(port) is None


def test_options_stand_before_the_command_too(capsys, null_board):
    for words in (("--port", null_board.url, "--json", "info"), ("info", "--json", "--port", null_board.url)):
        status, stdout, _ = run(capsys, *words)
        assert status == 0 and json.loads(stdout)["board"] == "null"
    status, stdout, _ = run(capsys, "--port", "/dev/ttyNOPE", "info", "--port", null_board.url)
    assert status == 0 and "null" in stdout, "what stands behind wins"
    status, stdout, stderr = run(capsys, "--port", "x", "keygen", "y")
    assert (status, stdout) == (2, "") and "keygen takes no --port" in stderr and not Path("y").exists()


# Keys


@pytest.mark.parametrize("bits", [None, 128, 192, 256])
def test_keygen(capsys, tmp_path, bits):
    path = tmp_path / "key"
    words = ["keygen", *(["--key-bits", bits] if bits else []), path]
    status, stdout, stderr = run(capsys, *words)
    assert status == 0 and stdout == ""
    text = path.read_text()
    key = keys.parse_key(text)
    assert len(key) * 8 == (bits or 256) and text[:8] not in stderr
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    status, _, stderr = run(capsys, *words)
    assert status == 2 and "a key is never replaced" in one_line_error(stderr) and path.read_text() == text
    assert run(capsys, "keygen", tmp_path / "other")[0] == 0 and (tmp_path / "other").read_text() != text


def test_keygen_where_no_file_can_be(capsys, tmp_path):
    link(tmp_path / "link", tmp_path / "elsewhere")
    for name, expected in (
        ("-", "name a file"),
        (tmp_path / "a" / "b", "cannot write"),
        (tmp_path / "link", "already exists"),
    ):
        status, stdout, stderr = run(capsys, "keygen", name)
        assert (status, stdout) == (2, "") and expected in one_line_error(stderr)
    assert not (tmp_path / "elsewhere").exists()


# Settings


@pytest.fixture
def configuration(tmp_path, monkeypatch):
    """Return a function that writes the configuration file. The commands read no other configuration file."""
    for name in [name for name in os.environ if name.startswith("CIPHERLANE_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    monkeypatch.setenv("CIPHERLANE_CONFIG", str(path))

    def write(text):
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_precedence_of_settings(capsys, configuration, monkeypatch):
    path = configuration('port = "/dev/ttyFILE"\nbaud = 9600\n')
    assert settings.value("port") == ("/dev/ttyFILE", str(path)) and settings.value("baud") == (9600, str(path))
    assert settings.value("timeout") == (None, "default")
    monkeypatch.setenv("CIPHERLANE_PORT", "/dev/ttyENV")
    assert settings.value("port") == ("/dev/ttyENV", "$CIPHERLANE_PORT")
    for words, expected in (((), "/dev/ttyENV"), (("--port", "/dev/ttyOPTION"), "/dev/ttyOPTION")):
        status, _, stderr = run(capsys, "info", *words)
        assert status == 3 and f"{NO_PORT} {expected}" in one_line_error(stderr)
    monkeypatch.delenv("CIPHERLANE_PORT")
    assert f"{NO_PORT} /dev/ttyFILE" in run(capsys, "info")[2]
    status, stdout, _ = run(capsys, "--json", "config")
    shown = json.loads(stdout)
    assert status == 0 and shown["file"] == str(path)
    assert shown["settings"]["baud"] == {"value": 9600, "source": str(path)}
    assert "9600" in run(capsys, "config")[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'key = "{KEY}"', "contains a key: delete it there, and name a key file"),
        ('prot = "x"', "no setting is called prot; the settings are port, baud"),
        (f'{KEY} = "x"', "no setting is called ...; the settings are"),
        ("baud = true", "baud is neither text nor number"),
        ('baud = "fast"', "baud is not a valid value for --baud"),
        ("timeout = -1", "timeout is not a valid value for --timeout"),
        ("port = ", "cannot read the configuration"),
        (f"port = {KEY}", "cannot read the configuration"),
    ],
)
def test_a_configuration_that_cannot_be(capsys, configuration, text, expected):
    path = configuration(text)
    status, stdout, stderr = run(capsys, "info")
    assert (status, stdout) == (2, "") and expected in one_line_error(stderr) and str(path) in stderr
    assert KEY[:8] not in stderr
    assert run(capsys, "info", "--help")[0] == 0, "help needs none"


def test_a_configuration_that_is_not_there(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("CIPHERLANE_CONFIG", str(tmp_path / "absent"))
    status, _, stderr = run(capsys, "config")
    assert status == 2 and "write it, or unset CIPHERLANE_CONFIG" in one_line_error(stderr)
    monkeypatch.setenv("CIPHERLANE_CONFIG", "")
    assert "none is read" in run(capsys, "config")[1]
    monkeypatch.delenv("CIPHERLANE_CONFIG")
    assert settings.path().parts[-2:] == ("cipherlane", "config.toml"), "in the user's folder"


def test_the_key_file_can_be_a_setting(capsys, configuration, null_board, monkeypatch, tmp_path):
    configuration('key_file = "key"\n')
    for name, key in (("config/key", KEY), ("other", "11" * 16)):
        (tmp_path / name).write_text(key)
        (tmp_path / name).chmod(0o600)
    args = argparse.Namespace(key=None, key_file=None)
    assert keys.take_key(args) == bytes.fromhex(KEY), "beside the configuration file"
    monkeypatch.setenv("CIPHERLANE_KEY_FILE", str(tmp_path / "other"))
    assert keys.take_key(args) == bytes.fromhex("11" * 16)
    monkeypatch.setenv("CIPHERLANE_KEY", "22" * 24)
    assert keys.take_key(args) == bytes.fromhex("22" * 24)
    monkeypatch.setenv("CIPHERLANE_KEY", "22")
    with pytest.raises(KeyLengthError):
        keys.take_key(args)
    assert keys.take_key(argparse.Namespace(key=None, key_file=str(tmp_path / "other"))) == bytes.fromhex("11" * 16)


# find


class Serving(SimulatedClock):
    """A simulated clock that also runs a null board. When the host waits, the board first answers all requests. The
    clock advances only if the host has nothing to read.

    After the first answers, the host's process is paused for `pause` seconds.
    """

    def __init__(self, board, pause=0.0):
        super().__init__()
        self._board, self._pause = board, pause

    def _serves(self):
        served = False
        while REAL.readable(self._board._datagrams.socket, 0):
            self._board.serve_once(0)
            served = True
        return served

    def readable(self, source, timeout):
        if REAL.readable(source, HANG_S if self._serves() else 0):
            return True
        self.sleep(timeout)
        return False

    def now(self):
        if self._pause and self._serves():
            self.time, self._pause = self.time + self._pause, 0.0
        return self.time


def test_find_asks_each_address_of_a_network(capsys, null_board, monkeypatch):
    with contextlib.closing(NullBoard(port=0)) as board:
        (found,) = boards("127.0.0.0/29", 5.0, int(board.url.rpartition(":")[2]), Serving(board))
    assert found.port == board.url and (found.info.board, found.info.kind) == ("null", "null")
    monkeypatch.setenv("CIPHERLANE_PORT", null_board.url)
    status, stdout, _ = run(capsys, "find", "--json", *PATIENT)
    (record,) = json.loads(stdout)["boards"]
    assert status == 0 and record["port"] == null_board.url and record["info"]["engines"] == ["table"]
    status, stdout, _ = run(capsys, "find", "--network", null_board.url, *PATIENT)
    assert status == 0 and null_board.url in stdout and "cryptography" in stdout


def test_find_takes_what_came_while_it_was_stopped():
    """If the process is paused for longer than `find` would wait, `find` still uses the answers that arrived during
    the pause.
    """
    with contextlib.closing(NullBoard(port=0)) as board:
        clock = Serving(board, pause=60.0)
        (found,) = boards("127.0.0.0/29", 5.0, int(board.url.rpartition(":")[2]), clock)
    assert found.port == board.url and clock.time >= 1060


def test_find_keeps_its_time():
    with contextlib.closing(NullBoard(port=0)) as board:
        clock = Serving(board)
        begun = clock.now()
        assert boards("127.0.0.2/31", 0.3, 9, clock) == []
        assert clock.now() - begun == pytest.approx(0.3)


def test_find_says_what_it_did_not_find(capsys, monkeypatch):
    monkeypatch.setattr("cipherlane.commands.find.serial_ports", list)
    status, stdout, stderr = run(capsys, "find", "--network", "udp://127.0.0.1:9", "--timeout", "0.3")
    assert status == 4 and "no board answers at" in stdout and "name the board's network" in one_line_error(stderr)
    status, stdout, _ = run(capsys, "find")
    assert status == 4 and "no network was searched: name one with --network" in stdout


@SERIAL
def test_find_lists_serial_ports(capsys, monkeypatch):
    from serial.tools import list_ports, list_ports_common

    port = list_ports_common.ListPortInfo("/dev/ttyUSB1")
    port.vid, port.pid, port.serial_number, port.description = 0x0403, 0x6010, "FT7", "Dual RS232 [bold]"
    port.location = "1-2:1.1"
    plain = list_ports_common.ListPortInfo("/dev/ttyS0")
    monkeypatch.setattr(list_ports, "comports", lambda: [plain, port])
    monkeypatch.setenv("COLUMNS", "160")
    status, stdout, _ = run(capsys, "find")
    uart = "LambdaConcept ECPIX-5 R01, R02 or Lattice ECP5-5G Versa"
    assert uart in stdout
    port.location = "1-2:1.0"
    assert uart not in run(capsys, "find")[1], "that is the JTAG's"
    assert status == 0 and re.search(r"/dev/ttyUSB1 +0403:6010 +FT7 +Dual RS232 \[bold\]", stdout)
    status, stdout, _ = run(capsys, "find", "--json")
    assert [each["usb"] for each in json.loads(stdout)["serial"]] == ["0403:6010", None]


def test_find_asks_at_serial_ports_on_usb_when_told_to(capsys, monkeypatch):
    """Of five ports, the first answers, the second is silent, the third answers in another record version, the fourth
    cannot be opened, and the fifth is not on USB. `find --ask` lists only the first and the third.
    """
    monkeypatch.setenv("COLUMNS", "120")
    other, silent = PeerBoard(), SocketBoard(PeerBoard(), mangle=lambda frame: b"\2")
    other.version = 1
    with SocketBoard(PeerBoard()) as board, silent, SocketBoard(other) as old:
        ports = [discovery.SerialPort(each.url, "0403:6010", "", "") for each in (board, silent, old)]
        ports += [discovery.SerialPort("/nothing", "0403:6010", "", ""), discovery.SerialPort(board.url, None, "", "")]
        monkeypatch.setattr("cipherlane.commands.find.serial_ports", lambda: ports)
        monkeypatch.setattr(discovery, "Device", lambda at, _: Device(at, 0.1 if at.url == silent.url else HANG_S))
        status, stdout, _ = run(capsys, "find", "--ask", "--json")
        found = {each["port"]: each["info"] for each in json.loads(stdout)["boards"]}
        assert status == 0 and list(found) == [board.url, old.url] and found[old.url] is None
        assert found[board.url]["build_id"] == "0001020304050607-08090a0b0c0d0e0f"
        shown = run(capsys, "find", "--ask")[1]
        assert re.search(rf"{board.url} +model +\w+ +peer 1\.2\.3 +00010203-08090a0b", shown)
        assert re.search(rf"{old.url} +\? +\? +of another record version +-", shown)


@pytest.fixture
def unserved():
    """Yield a null board that no thread serves. The board answers only while the host waits on the test's clock."""
    with contextlib.closing(NullBoard(port=0)) as board:
        yield board


def test_find_keeps_what_it_found_where_nothing_more_can_be_sent(unserved, monkeypatch):
    """If datagrams can no longer be sent, `find` still reports the boards that it has found. On macOS, for example,
    sending then fails with "Host is down".
    """
    port, clock = int(unserved.url.rpartition(":")[2]), Serving(unserved)
    send, asked = Datagrams.send, set()

    def send_once(datagrams, records, address):
        if address in asked:
            raise OSError(errno.EHOSTDOWN, "Host is down")
        if address[1] == port:  # only requests go to this port; the board's answers go to another port
            asked.add(address)
        send(datagrams, records, address)

    monkeypatch.setattr(Datagrams, "send", send_once)
    (found,) = boards("127.0.0.0/29", 1.0, port, clock)
    assert found.port == unserved.url and len(asked) == 6
    with pytest.raises(PortError, match="nothing can be sent to"):
        boards("127.0.0.0/29", 1.0, port, clock)


def test_find_hears_boards_of_another_version_and_nobody_else(unserved):
    genuine, token = unserved.answer, []

    def answer(raw, address):
        reply = genuine(raw, address)
        token.append(raw[16:24])
        return b"\x63" + reply[1:] if len(token) > 1 else reply[:16] + bytes(8) + reply[24:]

    unserved.answer = answer
    (found,) = boards("127.0.0.1", 3.0, int(unserved.url.rpartition(":")[2]), Serving(unserved))
    assert found.info is None and len(token) > 1, "the first answer was to another's question"


def test_find_lists_no_stranger_who_was_not_asked(unserved):
    """A reply in another record version has no token that `find` can check. So `find` accepts such a reply only from
    an address to which it has sent a request.
    """
    genuine = unserved.answer
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:

        def answer(raw, address):
            stranger.sendto(b"\3" + raw[1:], address)
            return genuine(raw, address)

        unserved.answer = answer
        (found,) = boards("127.0.0.1", 3.0, int(unserved.url.rpartition(":")[2]), Serving(unserved))
    assert found.port == unserved.url and found.info.board == "null"


def test_networks_that_cannot_be_searched():
    assert len(addresses("10.1.2.3/24")) == 254 and addresses("127.0.0.1") == ["127.0.0.1"]
    with pytest.raises(ArgumentError, match=f"has 65536 addresses: give {MOST_ADDRESSES} at most"):
        addresses("10.0.0.0/16")
    with pytest.raises(ArgumentError, match="neither an IPv4 address, nor a network, nor a known name"):
        addresses("no such name")


# bench


def test_bench_keeps_its_figures_as_csv_too(tmp_path, capsys, null_board):
    words = (
        "--port",
        null_board.url,
        "--json",
        "--results",
        tmp_path / "a" / "x.json",
        "--csv",
        tmp_path / "a" / "x.csv",
    )
    status, stdout, _ = run(capsys, "bench", "--link", "--bytes", "5000", *words)
    assert status == 0
    (record,) = json.loads(stdout)
    assert json.loads((tmp_path / "a" / "x.json").read_text())["records"] == [record]
    (row,) = csv.DictReader(io.StringIO((tmp_path / "a" / "x.csv").read_text()))
    assert row["engine"] == "table" and float(row["goodput_mbps"]) == record["goodput_mbps"]
    assert float(row["latency_ms.p99"]) == record["latency_ms"]["p99"]
    status, _, stderr = run(capsys, "bench", "--port", null_board.url, "--bytes", "5000", "--csv", tmp_path)
    assert status == 2 and "it is a directory, name another with --csv" in one_line_error(stderr)


@pytest.mark.parametrize("link", [[], ["--link"]])
def test_bench_for_a_time(capsys, monkeypatch, link):
    wire = LossyLink(PeerBoard(), seed=0, ordered=True)
    monkeypatch.setattr(common, "open_device", lambda args: Device(wire))
    words = ("--port", "model", "--engine", "ise", "--duration", "0.04", "--key-bits", "128", "--json", *link)
    words += () if link else ("--mode", "ctr")
    begun = wire.clock.time
    status, stdout, stderr = run(capsys, "bench", *words)
    assert status == 0 and 0.04 <= wire.clock.time - begun < 0.08, stderr
    (record,) = json.loads(stdout)
    assert record["bytes"] > 300 * 0.04 / RECORD_TIME, "as many records as that time has"
    status, _, stderr = run(capsys, "bench", *words, "--bytes", "5")
    assert status == 2 and "give one" in one_line_error(stderr)


def test_bench_for_a_time_takes_one_range_a_key():
    with SocketBoard(PeerBoard(ranges=2)) as server:
        words = ("--link", "--duration", "0.1", "--key-bits", "128", "--json", "--port", server.url)
        status, stdout, stderr = command("bench", *words)
        assert status == 0 and len(json.loads(stdout)) == 4, stderr
        assert server.board._held() == 1


def test_bench_shows_how_far_it_is(server):
    status, stdout, stderr = command("bench", "--port", server.url, "--engine", "ise", "--progress", "--json")
    assert status == 0 and "6/6" in stderr and "ise 256 encrypt gcm" in stderr and len(json.loads(stdout)) == 6
    assert command("bench", "--port", server.url, "--engine", "ise", "--json")[2] == "", "quiet where nobody watches"


def test_an_interrupted_bench_keeps_what_is_measured(server, tmp_path, capsys, monkeypatch):
    calls = []

    @contextlib.contextmanager
    def interrupting(*words):
        def begin(label):
            calls.append(label)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return lambda done: None

        yield begin

    monkeypatch.setattr(views, "bench_progress", interrupting)
    path = tmp_path / "x.json"
    status, stdout, stderr = run(capsys, "bench", "--port", server.url, "--json", "--results", path)
    assert status == 130
    assert f"interrupted; 2 of 24 figures were measured: see {path}" in one_line_error(stderr)
    kept = json.loads(path.read_text())
    assert kept["records"] == json.loads(stdout) and kept["interrupted"] == "2 of 24 figures were measured"
    assert [(each["key_bits"], each["interrupted"]) for each in kept["records"]] == [(128, False), (192, False)]


# The output


def figures(engines, directions, kind="sim"):
    return [
        Measurement(engine, bits, direction, 29_912_000, 1_869_500, 3_141_592_000, 200, kind, 75_000_000, verified=True)
        for engine in engines
        for bits in (128, 256)
        for direction in directions
    ]


def shown(table, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("directions", [["encrypt"], ["encrypt", "decrypt"]])
def test_tables_fit(width, directions):
    text = shown(views.measurement_table(figures(["ise_fused", "accelerator"], directions)), width)
    assert max(map(len, text.splitlines())) <= width and "…" not in text
    for part in ("ise_fused", "accelerator", "1680.4", "256", "5.71", "sim", "yes", "encrypt"):
        assert part in text, text
    wide = shown(views.measurement_table(figures(["ise"], directions)), 120)
    assert "verified" in wide and "all:" not in wide


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_of_the_link_fit(width):
    cycles = dict(zip(STAGES, (111.0, 222.0, 333.0, 444.0, 555.0), strict=True))
    rest = {"kind": "sim", "clock_hz": 1, "seconds": 1.0, "goodput_mbps": 941.2, "host_core_mbps": 5123.0, "loss": 0.01}
    latency = {"p50": 1.25, "p90": 2.5, "p99": 123.75}
    item = LinkMeasurement(
        "accelerator", 128, 1440, 256, 1, **rest, retransmissions=0, latency_ms=latency, packet_cycles=cycles
    )
    for table, parts in (
        (views.link_table([item]), ("accelerator 128", "1440", "941.2", "sim", "1.0%", "1.25")),
        (views.packet_table([item]), ("accelerator 128", "111", "222", "444", "555", "1665")),
    ):
        text = shown(table, width)
        assert max(map(len, text.splitlines())) <= width and "…" not in text
        for part in parts:
            assert part in text, text


def test_a_table_says_what_it_leaves_out():
    text = shown(views.measurement_table(figures(["accelerator", "ise"], ["encrypt", "decrypt"])), 45)
    assert "not shown here, but by --json: bits/cycle" in " ".join(text.split())


def all_parsers():
    parser = cli.build_parser()
    return {"cipherlane": parser, **parser.commands.choices}


@pytest.mark.parametrize("name", all_parsers())
def test_help_says_something_on_every_command_and_option(name):
    parser = all_parsers()[name]
    assert len(parser.description) > 15
    for action in parser._actions:
        assert action.help or action is getattr(parser, "commands", None), (
            f"{name} {action.option_strings or action.dest}"
        )


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_completion(capsys, monkeypatch, tmp_path, name):
    monkeypatch.setenv("CIPHERLANE_KEY", KEY)
    monkeypatch.setenv("CIPHERLANE_PORT", "udp://192.0.2.7")
    status, stdout, _ = run(capsys, "completion", name)
    assert status == 0 and "accelerator" in stdout and "null" in stdout
    assert KEY not in stdout and "192.0.2.7" not in stdout
    if name == "bash" and Path("/bin/bash").exists():
        script = tmp_path / "script"
        script.write_text(
            stdout + "\nCOMP_WORDS=(cipherlane enc); COMP_CWORD=1; COMP_LINE='cipherlane enc'\n"
            "_shtab_cipherlane; echo ${COMPREPLY[@]}\n"
        )
        done = subprocess.run(["/bin/bash", script], capture_output=True, text=True, timeout=HANG_S)
        assert done.stdout.strip() == "encrypt", done.stderr


def test_manual_page(capsys, monkeypatch):
    monkeypatch.setenv("CIPHERLANE_KEY", KEY)
    status, stdout, _ = run(capsys, "man")
    assert status == 0 and stdout.startswith(".TH CIPHERLANE") and KEY not in stdout
    for name in all_parsers():
        assert name.replace("-", "\\-") in stdout or name in stdout
    assert "crosses? in the clear" not in stdout and "\\-\\-key\\-file" in stdout
    monkeypatch.setitem(sys.modules, "argparse_manpage.manpage", None)
    status, _, stderr = run(capsys, "man")
    assert status == 2 and "pip install 'cipherlane[man]'" in one_line_error(stderr)
