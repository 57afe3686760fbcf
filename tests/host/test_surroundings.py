# SPDX-License-Identifier: BSD-2-Clause
"""Tests the tool in unusual environments: text encodings, file systems without file modes, IPv6, git."""

import codecs
import os
import re
import socket
import subprocess
import sys

import pytest
from cipherlane import settings
from cipherlane.errors import ArgumentError, PortError
from cipherlane.files import encodings, private
from cipherlane.transport import open_transport, udp
from cipherlane_base import figures

from .commands import COMMAND, IV, KEY, ON_POSIX, command, one_line_error, reference

FORMS = {
    "byte-order mark": codecs.BOM_UTF8 + KEY.encode(),
    "is UTF-16, with": KEY.encode("utf-16"),
    "is UTF-16,": codecs.BOM_UTF16_BE + f"{KEY}\r\n".encode("utf-16-be"),
    "is UTF-16, but": KEY.encode("utf-16-le"),
    "UTF-16, but": KEY.encode("utf-16-be"),
    "is UTF-32": KEY.encode("utf-32"),
    "holds 24 raw bytes": bytes.fromhex(KEY),
}


def shell(line, **options):
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=120, **options)


def encrypted(server, source, out, key):
    return command(
        "encrypt", "--port", server.url, "--key-file", key, "--raw", "--iv", IV, source, out, env={"CIPHERLANE_KEY": ""}
    )


@ON_POSIX
@pytest.mark.parametrize("what", FORMS)
def test_a_key_file_in_another_form_is_mended(server, source, tmp_path, what):
    key = tmp_path / "my key"
    key.write_bytes(FORMS[what])
    key.chmod(0o600)
    status, _, stderr = encrypted(server, source, tmp_path / "out", key)
    line = one_line_error(stderr)
    assert status == 2 and what in line and "hexadecimal digits in plain ASCII" in line and KEY[:8] not in line
    done = shell(re.search(r"`(.*)`", line)[1])
    assert (done.returncode, done.stderr) == (0, "")
    status, _, stderr = encrypted(server, source, tmp_path / "out", f"{key}.new")
    assert status == 0 and (tmp_path / "out").read_bytes() == reference(source.read_bytes()), stderr
    status, _, stderr = command(
        "encrypt", "--port", server.url, "--key-file", "-", source, tmp_path / "no", stdin=FORMS[what]
    )
    assert status == 2 and "the key in standard input" in one_line_error(stderr)


def test_a_text_form_is_named_when_no_more_of_python_can_be_loaded():
    program = """
import sys
from cipherlane.files import encodings
sys.meta_path.clear()
print([encodings.foreign("key".encode(name))[0] for name in ("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32")])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.stderr == "" and found.stdout.count("is UTF-16") == 3 and "is UTF-32" in found.stdout


@pytest.mark.parametrize(
    "data", [b"", KEY.encode(), b"no key at all!!", b"sixteen letters.", bytes(15), b"\xff\xfe\xff"]
)
def test_other_bytes_are_in_no_such_form(data):
    assert encodings.foreign(data) == ("", "")


@ON_POSIX
@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_configuration_in_another_form_is_named_and_what_is_said_mends_it(tmp_path, monkeypatch, form):
    file = tmp_path / "my config.toml"
    file.write_bytes('# für alle\nport = "udp://192.0.2.1"\r\n'.encode(form))
    monkeypatch.setenv("CIPHERLANE_CONFIG", str(file))
    status, _, stderr = command("config", env={"CIPHERLANE_CONFIG": str(file)})
    line = one_line_error(stderr)
    assert status == 2 and re.search("byte-order mark|UTF-16|UTF-32", line) and "must be UTF-8" in line
    assert shell(re.search(r"`(.*)`", line)[1]).returncode == 0
    monkeypatch.setenv("CIPHERLANE_CONFIG", f"{file}.new")
    assert settings.read() == {"port": "udp://192.0.2.1"}
    file.write_bytes("# für".encode("latin-1"))
    monkeypatch.setenv("CIPHERLANE_CONFIG", str(file))
    with pytest.raises(ArgumentError, match="is not UTF-8 at byte 3"):
        settings.read()


@ON_POSIX
def test_a_key_file_that_cannot_be_private_is_given_as_standard_input(server, source, tmp_path):
    key = tmp_path / "key's"
    key.write_text(KEY)
    key.chmod(0o666)
    status, _, stderr = encrypted(server, source, tmp_path / "out", key)
    assert status == 2
    (way,) = re.findall(r"where that changes nothing, give (--key-file - < .*)$", one_line_error(stderr))
    done = shell(f"{COMMAND} encrypt --port {server.url} --raw --iv {IV} in out {way}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())


@ON_POSIX
def test_keygen_makes_no_key_that_others_can_read(tmp_path, monkeypatch):
    """If the file system ignores file modes, `keygen` refuses to write a key, because other users could read it."""
    create = private.create

    def loose(path):
        descriptor = create(path)
        os.fchmod(descriptor, 0o777)
        return descriptor

    monkeypatch.setattr(private, "create", loose)
    status, _, stderr = command("keygen", tmp_path / "key")
    assert status == 2 and f"others can read files in {tmp_path}, whatever their mode" in one_line_error(stderr)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert command("keygen", tmp_path / "key")[0] == 0


# IPv4


@pytest.mark.parametrize(
    "port", ["udp://[::1]", "udp://[fe80::1%25eth0]:4000", "udp://::1", "::1", "[2001:db8::1]:4000"]
)
def test_an_address_of_ipv6_is_said_to_be_none_of_a_board(port):
    status, _, stderr = command("info", "--port", port)
    line = one_line_error(stderr)
    assert status == 3 and "is an IPv6 address, but boards use IPv4: give the IPv4 address of the board" in line


@pytest.mark.parametrize("network", ["fe80::1", "fe80::/64", "udp://[::1]"])
def test_networks_of_ipv6_are_not_searched(network):
    status, _, stderr = command("find", "--network", network)
    assert status == 3 and "boards use IPv4" in one_line_error(stderr)


@pytest.mark.parametrize("words", [("info", "--port", "udp://six.example"), ("find", "--network", "six.example")])
def test_a_name_with_addresses_of_ipv6_alone(monkeypatch, words):
    ask = socket.getaddrinfo

    def answer(host, port, family=0, *rest):
        if host != "six.example":
            return ask(host, port, family, *rest)
        if family == socket.AF_INET6:
            return [(family, socket.SOCK_DGRAM, 17, "", ("2001:db8::1", port, 0, 0))]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    status, _, stderr = command(*words)
    assert status == 3
    assert "six.example has only IPv6 addresses, but boards use IPv4: give the IPv4" in one_line_error(stderr)


def test_other_ports_are_none_of_ipv6(null_board):
    assert udp.resolve("localhost", 5)[0].startswith("127.")
    with open_transport(null_board.url):
        pass
    for host in ("nosuch.invalid", "a" * 70, "a..b"):
        with pytest.raises(PortError, match="cannot reach"):
            open_transport(f"udp://{host}")


def test_help_says_which_addresses_boards_have():
    status, stdout, _ = command("info", "--help")
    assert status == 0 and "udp://host[:port] (IPv4)" in " ".join(stdout.decode().split())


# Tests about the environment: Python and git


def test_the_package_is_the_command():
    for words in (["--version"], ["encrypt", "--raw", "--iv", "00", "IN"]):
        pair = [
            subprocess.run([*program, *words], capture_output=True, text=True, timeout=120)
            for program in ([COMMAND], [sys.executable, "-m", "cipherlane"])
        ]
        assert pair[0].returncode == pair[1].returncode and pair[0].stderr == pair[1].stderr
        assert pair[0].stdout == pair[1].stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a checkout to another user")
def test_a_checkout_that_git_refuses(tmp_path, monkeypatch, capsys):
    for name in ("GIT_DIR", "GIT_WORK_TREE", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    checkout = tmp_path / "a checkout"
    checkout.mkdir()
    file = checkout / "file"
    file.write_text("x")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "file"], [*author, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=checkout, check=True, timeout=60)
    known = figures.commit(file)
    assert known and capsys.readouterr().err == ""
    subprocess.run(["chown", "-R", "65534", checkout], check=True, timeout=60)
    figures._warn_of_no_commit.cache_clear()
    assert figures.commit(file) is None and figures.commit(file) is None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("cipherlane: warning: figures name no commit, because git refuses this checkout")
    assert shell(re.search(r"`(.*)`", line)[1]).returncode == 0
    assert figures.commit(file) == known and capsys.readouterr().err == ""
    assert figures.commit(tmp_path / "home") is None and capsys.readouterr().err == "", "no checkout is no refusal"
