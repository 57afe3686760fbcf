# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the advice in the tool's messages works. The module `advice` lists the test that follows each piece of
advice; many of these tests are here.
"""

import errno
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from cipherlane import settings
from cipherlane.files import private
from cipherlane.measuring.nullboard import NullBoard

from . import advice
from .commands import COMMAND, IV, KEY, LOCKED, ON_POSIX, command, crypt, reference, words_of
from .model import ENGINES, PeerBoard, Refusal, SocketBoard
from .served import Served
from .test_files import link
from .test_lte import SnowBoard

HERE = Path(__file__).parent
OTHER_IV = "00" * 12 + "0000ffff"
KEY_128 = {"CIPHERLANE_KEY": KEY[:32]}
LTE = ("--count", "1", "--bearer", "2", "--direction", "1")


def test_every_piece_of_advice_is_run_or_says_why_not():
    texts = advice.given()
    parts = {**advice.RUN, **advice.NOT_RUN}
    unknown = {place: text for text, place in texts.items() if not any(part in text for part in parts)}
    assert unknown == {}, "carry it out in a test, and name that in tests/host/advice.py"
    assert [part for part in parts if not any(part in text for text in texts)] == [], "advice that is gone"
    for named in set(advice.RUN.values()) | {reason.partition("::")[2] for reason in advice.NOT_RUN.values()} - {""}:
        file, _, test = named.rpartition("::")
        assert f"def {test}(" in (HERE / f"{file or 'test_advice'}.py").read_text(encoding="utf-8"), named


@pytest.fixture
def place(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "file").write_text("")
    return tmp_path


@pytest.fixture
def to(server):
    return ("--port", server.url)


def refused(advised, *words, **options):
    """Run a command that must fail. Its error must contain the advice in `advised`. Return the error's line."""
    status, _, stderr = command(*words, **options)
    line = stderr.strip().splitlines()[-1]
    assert status and advised in line, (status, stderr)
    return line


def works(*words, **options):
    status, stdout, stderr = command(*words, **options)
    assert status == 0, stderr
    return stdout


# Files


def test_of_files_that_are_there(place, to):
    (place / "out").write_text("earlier")
    words = ("encrypt", *to, "in", "out")
    refused("out already exists: name another OUT, or replace it with --force", *words)
    works("encrypt", *to, "in", "other")
    (place / "out").chmod(0o400)
    refused("write-protected; chmod u+w it, or name another OUT", *words)
    (place / "out").chmod(0o600)
    works(*words, "--force")
    bench = ("bench", *to, "--engine", "ise")
    (place / "log").write_text("earlier")
    refused("name another with --log, or replace it with --force", *bench, "--log", "log")
    works(*bench, "--log", "another")
    works(*bench, "--log", "log", "--force")
    works(*bench, "--csv", "figures")
    refused("name another with --csv", *bench, "--csv", "file/figures")
    refused("it is a directory, name another OUT", "encrypt", *to, "in", ".")
    refused("name another OUT", "encrypt", *to, "in", "in")
    if os.name == "posix":
        line = refused("File name too long", "encrypt", *to, "in", "o" * 300)
        assert "name another OUT" in line
        refused(": give a shorter name", "encrypt", *to, "i" * 300, "new")


def test_of_files_that_are_in_the_way(place, to):
    (place / "secret.part").write_bytes(b"data")
    refused("give it another name, or name another OUT", "encrypt", *to, "secret.part", "secret")
    works("encrypt", *to, "secret.part", "another")
    (place / "secret.part").rename("renamed")
    works("encrypt", *to, "renamed", "secret")
    (place / "out.part.resume").write_text("a poem")
    refused("has the name of one: delete or rename it", "encrypt", *to, "in", "out")
    (place / "out.part.resume").rename("poem")
    link(place / "out.part", place / "poem")
    refused("is a symbolic link, which is not followed: delete it", "encrypt", *to, "in", "out")
    (place / "out.part").unlink()
    os.link("poem", "out.part")
    refused("another owner, name or kind; delete it", "encrypt", *to, "in", "out")
    (place / "out.part").unlink()
    refused("to resume: start without --resume", "encrypt", *to, "--resume", "in", "out")
    works("encrypt", *to, "in", "out")
    assert (place / "poem").read_text() == "a poem"


@LOCKED
@pytest.mark.parametrize(
    "words", [["--log", "log"], ["--log=log"], ["--force"], ["--key", KEY], [f"--key={KEY}"], ["--key-file", "key"]]
)
@pytest.mark.parametrize("before", [False, True])
def test_of_going_on(place, server, to, words, before):
    """If a transfer fails, the tool prints a command that resumes it. This command must work, wherever the options
    stood in the failed command. The printed command does not contain the key. It also omits --log, because the log file
    exists by then.
    """
    if before and not words[0].startswith(("--log", "--force")):
        pytest.skip("options of the command stand after it")
    (place / "FILE").write_text(KEY)  # the printed command reads the key from a file called FILE
    (place / "FILE").chmod(0o600)
    server.board.fail_after = 3
    line = [*words, "encrypt", *to, "in", "out"] if before else ["encrypt", *to, *words, "in", "out"]
    hint = refused("out.part holds the first 2944 bytes; to resume: cipherlane ", *line).partition("; to resume: ")[2]
    assert KEY not in hint
    server.board.fail_after = None
    works(*words_of(hint)[1:])
    assert not (place / "out.part").exists() and (place / "out").stat().st_size == 16 + 5003 + 6 * 16


@LOCKED
def test_of_an_output_that_comes_to_be_meanwhile(place, server, to, monkeypatch):
    for forced in (False, True):
        server.board.power_cycle()
        answer = server.board.answer

        def answering(record, peer=None, answer=answer):
            (place / "out").write_text("of another program")
            return answer(record, peer)

        server.board.answer = answering
        line = refused(
            "was created by another program meanwhile: move it, or add --force, and resume", "encrypt", *to, "in", "out"
        )
        server.board.answer = answer
        hint = words_of(line.partition("; to resume: ")[2])[1:]
        if forced:
            works(*hint, "--force")
        else:
            (place / "out").rename("moved")
            works(*hint)
            (place / "out").unlink()


@LOCKED
@pytest.mark.parametrize("how", ["resume", "delete"])
@pytest.mark.parametrize("what", ["begun already", "another key", "changed", "verified"])
def test_of_an_output_that_is_not_as_it_was(place, server, to, how, what):
    server.board.fail_after = 3
    assert crypt(server, "in", "out")[0] == 7
    server.board.fail_after = None
    good = (place / "out.part").read_bytes()
    if what == "begun already":
        line = refused(
            "continue it with --resume, or delete it and out.part.resume and", "encrypt", *to, "--raw", "in", "out"
        )
    elif what == "another key":
        line = refused(
            "resume with the original input and options, or delete it and out.part.resume and",
            *("encrypt", *to, "--raw", "--resume", "in", "out"),
            env={"CIPHERLANE_KEY": KEY[::-1]},
        )
    else:
        (place / "out.part").write_bytes(bytes(5) + good[5:])
        words = ("encrypt", *to, "--raw", "--resume", *["--verify"] * (what == "verified"), "in", "out")
        said = "delete out.part and out.part.resume, and" if what == "verified" else "or delete it and out.part.resume"
        line = refused(said, *words)
        (place / "out.part").write_bytes(good)
    assert line.endswith("start without --resume (--raw: under another IV)")
    if how == "resume":
        works("encrypt", *to, "--raw", "--resume", "in", "out")
        assert (place / "out").read_bytes() == reference((place / "in").read_bytes())
    else:
        (place / "out.part").unlink()
        (place / "out.part.resume").unlink()
        works("encrypt", *to, "--raw", "--iv", OTHER_IV, "in", "out")


@LOCKED
def test_of_a_place_without_locks(place, server, to, monkeypatch):
    server.board.fail_after = 3
    assert crypt(server, "in", "out")[0] == 7
    server.board.fail_after = None
    monkeypatch.setattr(private, "fcntl", None)
    monkeypatch.setattr(private, "msvcrt", None)
    refused(
        "out.part cannot be locked on this file system: delete it, and start without --resume (--raw: under another",
        *("encrypt", *to, "--raw", "--resume", "in", "out"),
    )
    (place / "out.part").unlink()
    works("encrypt", *to, "--raw", "--iv", OTHER_IV, "in", "out")


@LOCKED
def test_of_another_run(place, server, to, monkeypatch):
    descriptor = private.create(place / "out.part")
    assert private.lock(descriptor, place / "out.part")
    refused("wait until it has ended, or name another OUT", "encrypt", *to, "in", "out")
    works("encrypt", *to, "in", "another")
    os.close(descriptor)
    works("encrypt", *to, "in", "out")
    with monkeypatch.context() as patch:

        def full(*_):
            raise Refusal("sessions_full", 2)

        patch.setattr(server.board, "_open", full)
        refused("close one, or try again later", "encrypt", *to, "in", "new")
    works("encrypt", *to, "in", "new")


def test_of_beginning_again(place, server, to):
    """If a user encrypts again with the same IV, the board refuses the used counter blocks. The tool then advises
    another IV, another board, or a power cycle, and this advice works.
    """
    assert crypt(server, "in", "out")[0] == 0
    again = ("encrypt", *to, "--raw", "--iv", IV, "in", "new")
    line = refused("use another IV or none (the board draws one), or another board; a power cycle", *again)
    assert "--resume" not in line
    works("encrypt", *to, "in", "none")
    works("encrypt", *to, "--raw", "--iv", OTHER_IV, "in", "another")
    with SocketBoard(PeerBoard()) as other:
        works("decrypt", "--port", other.url, "--raw", "--iv", IV, "out", "back")
    refused(
        "a power cycle clears this board's table: after it, decrypt",
        "decrypt",
        *to,
        "--raw",
        "--iv",
        IV,
        "out",
        "again",
    )
    server.board.power_cycle()
    works("decrypt", *to, "--raw", "--iv", IV, "out", "again")
    assert (place / "again").read_bytes() == (place / "back").read_bytes() == (place / "in").read_bytes()


def test_of_logs(place, to):
    bench = ("bench", *to, "--engine", "ise", "--log")
    refused("name another file with --log", *bench, "absent/log")
    works(*bench, "log")
    if os.path.exists("/dev/full"):
        refused("make room, or name another with --log", *bench, "/dev/full")
        works(*bench, "another")


def test_of_faults_of_the_tool(place, to, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("cipherlane.commands.info.views.show", lambda *_: {}["no such key"])
        refused("a fault of this tool, KeyError", "info", *to)
        refused("; --log FILE records what is sent and received", "info", *to)
        refused(", and the log seen", "info", *to, "--log", "seen")
    seen = {json.loads(line)["direction"] for line in (place / "seen").read_text().splitlines()}
    assert seen == {"sent", "received"}


def test_of_new_keys(place):
    refused("a key is never replaced: name another file", "keygen", "key")
    refused("a key is never printed: name a file", "keygen", "-")
    refused("; name another file", "keygen", "absent/key")
    works("keygen", "another")
    assert len((place / "another").read_text().strip()) == 64


# Tests about keys, counter blocks and streams


def test_of_keys_and_blocks(place, to):
    nothing = {"CIPHERLANE_KEY": ""}
    words = ("encrypt", *to, "in")
    refused("no key: use --key-file FILE (- for standard input), or set CIPHERLANE_KEY", *words, "o", env=nothing)
    works(*words, "o1", "--key-file", "key", env=nothing)
    works(*words, "o2", "--key-file", "-", stdin=KEY.encode(), env=nothing)
    works(*words, "o3")
    status, _, stderr = command(*words, "o4", "--key", KEY, env=nothing)
    assert status == 0 and "use --key-file FILE, --key-file - or CIPHERLANE_KEY" in stderr
    refused("--key-file takes the name of a file", *words, "o", "--key-file", KEY)
    refused("give 32, 48 or 64 hexadecimal digits", *words, "o", env={"CIPHERLANE_KEY": KEY[:-2]})
    refused("give 16, as 32 hexadecimal digits", *words, "o", "--raw", "--iv", IV[:-2])
    refused("give 32 hexadecimal digits", *words, "o", "--raw", "--iv", "x")
    refused("decrypt --raw needs --iv", "decrypt", "--raw", *to, "in", "back")
    works("decrypt", *to, "--raw", "--iv", IV, "in", "back")
    if os.name == "posix":
        (place / "key").chmod(0o644)
        line = refused("chmod 600 key; where that changes nothing", *words, "o5", "--key-file", "key", env=nothing)
        assert subprocess.run(["/bin/sh", "-c", re.search(r"(chmod 600 \S+);", line)[1]], timeout=60).returncode == 0
        works(*words, "o5", "--key-file", "key", env=nothing)


def test_of_standard_streams(place, to):
    refused("name a file", "encrypt", *to, "--key-file", "-", "-", "out", stdin=b"x")
    refused("name a file", "mac", *to, *LTE, "--key-file", "-", "-", stdin=b"x")
    refused("--json and OUT - would both write to standard output: name a file", "encrypt", *to, "--json", "in", "-")
    works("encrypt", *to, "--json", "in", "out")
    works("encrypt", *to, "--key-file", "key", "-", "other", stdin=b"x")
    refused("--resume needs an output file", "encrypt", *to, "--resume", "in", "-")
    refused("--csv takes the name of a file: ./- is a file, --json", "bench", *to, "--csv", "-")
    works("bench", *to, "--engine", "ise", "--csv", "./-")
    assert json.loads(works("bench", *to, "--engine", "ise", "--json")) and (place / "-").exists()


# Tests about engines, numbers and LTE


def test_of_engines(place, server, to):
    line = refused("choose one of", "bench", *to, "--engine", "ise_vmem")
    for name in line.partition("choose one of ")[2].split(", "):
        works("bench", *to, "--engine", name)
    server.board.bench_bytes = 0
    refused("measure with bench --link", "bench", *to, "--engine", "ise")
    works("bench", "--link", *to, "--engine", "ise", "--bytes", "5000")
    server.board.engines = 1 << ENGINES["byte"]
    refused("name others with --engine", "demo", *to)
    works("demo", *to, "--engine", "byte")


def test_of_options_that_go_with_others(server, to):
    refused("go with --link", "bench", *to, "--window", "4")
    server.board.gcm_engines = 0
    refused("these engines have no AES-GCM on this board: leave --mode gcm out", "bench", *to, "--mode", "gcm")
    refused("--link measures AES-CTR only: leave --mode gcm out", "bench", *to, "--link", "--mode", "gcm")
    refused("--interval goes with --link", "bench", *to, "--interval", "1")
    words = ("bench", *to, "--link", "--engine", "ise")
    works(*words, "--window", "4", "--bytes", "5000", "--interval", "1")
    refused("give one", *words, "--bytes", "5000", "--duration", "1")
    works(*words, "--duration", "0.1")


def test_of_numbers(to):
    words = ("bench", *to, "--link", "--engine", "ise", "--bytes", "5000", "--record-bytes")
    most = re.search(r"give a multiple of (\d+) up to (\d+)", refused("give a multiple of", *words, "17"))
    works(*words, most[1])
    works(*words, most[2])


def test_of_lte(place):
    with SocketBoard(SnowBoard()) as both, SocketBoard(PeerBoard()) as aes:
        crypt128 = ("encrypt", "--port", both.url, "--cipher")

        outputs = iter(range(100))

        def does(*words):
            return works(*words, "in", f"out{next(outputs)}", env=KEY_128)

        def says(advised, *words, **options):
            return refused(advised, *words, "in", "no", env=KEY_128, **options)

        message = [("--count", str(count), "--bearer", "2", "--direction", "1") for count in range(9)]
        says("--iv goes with --cipher ctr: --count, --bearer", *crypt128, "eea2", *message[0], "--iv", IV)
        does(*crypt128, "eea2", *message[0])
        says("--count goes with --cipher eea1 or eea2", "encrypt", "--port", both.url, *message[1])
        does(*crypt128, "eea2", *message[1])
        says("leave it", *crypt128, "eea1", *message[2], "--verify")
        does(*crypt128, "eea1", *message[2])
        says("give --cipher eea1, or another engine", *crypt128, "ctr", "--engine", "snow3g")
        does(*crypt128, "eea1", *message[3], "--engine", "snow3g")
        says(
            "give --cipher gcm or --cipher ctr or --cipher eea2, or another",
            *crypt128,
            "eea1",
            *message[4],
            "--engine",
            "ise",
        )
        does(*crypt128, "eea2", *message[4], "--engine", "ise")
        says("or give --cipher eea2", "encrypt", "--port", aes.url, "--cipher", "eea1", *message[5])
        does("encrypt", "--port", aes.url, "--cipher", "eea2", *message[5])
        last = (*crypt128, "eea2", *message[6])
        says("give 0 or more", *last, "--bits", "-1")
        line = says("give at most 40024", *last, "--bits", "50000")
        line = says("give --bits from 40017 to 40024", *last, "--bits", "40000")
        does(*last, "--bits", re.search(r"from (\d+)", line)[1])
        refused("name a file", *last, "--bits", "8", "-", "no", env=KEY_128, stdin=b"x")
        (place / "large").write_bytes(bytes((1 << 20) + 1))
        refused("give a shorter file, or --cipher eea2", *crypt128, "eea1", *message[7], "large", "no", env=KEY_128)
        line = refused("give a shorter one", "mac", "--port", both.url, *LTE, "large", env=KEY_128)
        (place / "large").write_bytes(bytes(int(re.search(r"at most (\d+)", line)[1])))
        works("mac", "--port", both.url, *LTE, "large", env=KEY_128)
        words = ("bench", "--port", both.url, "--engine", "snow3g")
        refused("give --key-bits 128", *words, "--key-bits", "256")
        works(*words, "--key-bits", "128")


# Tests about ports, settings and other commands


def test_of_ports(place, server, to, monkeypatch):
    refused("use --port", "info")
    works("info", env={"CIPHERLANE_PORT": server.url})
    works("info", *to)
    line = refused("did you mean --port", "info", "--port", server.url.replace("socket", "tcp"))
    works("info", *re.search(r"(--port) (\S+)\?", line).groups())
    works("config")
    status, stdout, stderr = command("find", "--ask")
    assert status in (0, 4) and (stdout or "name the board's network with --network" in stderr)
    board = NullBoard(port=0)
    with Served(lambda: board.serve_once(0.05)):
        works("find", "--network", board.url, "--timeout", "1")
        # This URL contains an IPv4 address. The advice "give the IPv4 address" below asks for such a URL.
        works("info", "--port", board.url)
    board.close()
    refused("check the address, or start the board", "info", "--port", board.url)
    board = NullBoard(port=int(board.url.rpartition(":")[2]))
    with Served(lambda: board.serve_once(0.05)):
        works("info", "--port", board.url)
    board.close()
    refused("give the IPv4 address", "info", "--port", "udp://[::1]")
    refused("name", "info", "--port", "/dev/ttyNONE")
    ways = "name a serial device, socket://host:port, rfc2217://host:port or sim with --port"
    refused(ways, "info", "--port", "nonsense://x")
    closed = SocketBoard(PeerBoard())
    port = int(closed.url.rpartition(":")[2])
    url = closed.url
    closed._server.close()
    refused("start the board or the simulated board first", "info", "--port", url)
    with SocketBoard(PeerBoard(), port) as started:
        works("info", "--port", started.url)

    def full(self, records, target):
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr("cipherlane.transport.udp.Datagrams.send", full)
    refused("check the network, or name another", "find", "--network", "192.0.2.7")


def test_of_build_ids(place):
    with SocketBoard(PeerBoard()) as server:
        words = ("doctor", "--port", server.url)
        refused("give an id as `cipherlane info` prints it", *words, "--expect", "nonsense")
        shown = json.loads(works("info", "--port", server.url, "--json"))["build_id"]
        assert shown, "the model has one"
        (place / "x.build_id").write_text(shown)
        for expected in (shown, "x.build_id"):
            stdout = command(*words, "--expect", expected, "--json")[1]
            assert {"name": "build", "passed": True, "seen": f"{shown}, as expected"} in json.loads(stdout)


def test_of_the_configuration(place, server, monkeypatch):
    file = place / "config.toml"
    given = {"CIPHERLANE_CONFIG": str(file)}
    refused("write it, or unset CIPHERLANE_CONFIG", "config", env=given)
    works("config", env={"CIPHERLANE_CONFIG": ""})
    for content, advised in (
        (b"port = ", "mend or delete it"),
        (b"\xff", "save it as UTF-8, or delete it"),
        (b"port = [1]", "mend it"),
        (b"baud = 'x'", "mend it"),
        (f"key = '{KEY}'".encode(), "delete it there, and name a key file with key_file"),
    ):
        file.write_bytes(content)
        assert KEY not in refused(advised, "config", env=given)
    file.write_text(f"port = '{server.url}'\nkey_file = 'key'\n")
    works("encrypt", "in", "out", env={**given, "CIPHERLANE_KEY": "", "CIPHERLANE_PORT": ""})
    assert {"port", "key_file"} <= set(settings.SETTINGS)


def test_of_commands_that_the_terminal_view_names(to):
    line = refused("prints figures", "top", *to, "--json")
    assert json.loads(works(*words_of(line.partition("`")[2].partition("`")[0])[1:], *to, "--bytes", "5000"))
    line = refused("prints figures without", "top", *to)
    works(*words_of(line.partition("`")[2].partition("`")[0])[1:], *to, "--bytes", "5000")


@ON_POSIX
def test_of_commands_that_others_name(place, to):
    line = refused("makes one", "report")
    words = words_of(re.search(r"`(.*)`", line)[1].replace("FILE", "x.json"))
    works(*words[1:], *to, "--engine", "ise")
    works("report", "x.json")
    process = subprocess.Popen(
        [COMMAND, "null-board", "--listen", "udp://127.0.0.1:0"], stderr=subprocess.PIPE, text=True
    )
    try:
        url = re.search(r"udp://\S+", process.stderr.readline())
        assert url is None or ":0" not in url[0][-2:]
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_of_the_demo(place, server, to):
    """The demo ends by printing commands that the user can run next. Each of these commands works."""
    named = re.findall(r"^  \S*cipherlane (.*?) +#", works("demo", *to).decode(), re.M)
    assert len(named) == 3
    for line in named:
        works(*words_of(line))


def test_of_the_live_view(place, server, to):
    pytest.importorskip("starlette")
    refused("give an address as 127.0.0.1:8765, or [::1]:8765", "live", *to, "--listen", "x/y")
    refused("name one", "live", *to, "--listen", "0.0.0.0")
    refused("name another with --listen", "live", *to, "--listen", "192.0.2.1")
    (place / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(9))
    refused("give", "live", *to, "--image", "image.png")
    refused("cannot read the image absent", "live", *to, "--image", "absent")


def test_of_tables_that_do_not_fit(to):
    words = ("bench", *to, "--engine", "ise")
    shown = " ".join(works(*words, env={"COLUMNS": "40"}).decode().split())
    (names,) = re.findall(r"not shown here, but by --json: (.*?)(?: \w+:|$)", shown)
    (record, *_) = json.loads(works(*words, "--json"))
    assert names and set(re.split(r", |/", names)[0].split()) & {key.split("_")[0] for key in record}


def test_of_packages():
    extras = tomllib.loads((advice.SOURCES / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {each for text in advice.given() for each in re.findall(r"cipherlane\[([\w,]+)\]", text)}
    assert {name for each in named for name in each.split(",")} <= set(extras) and len(named) >= 4


def test_of_targets():
    makefile = (advice.SOURCES.parent / "Makefile").read_text()
    named = {each for text in advice.given() for each in re.findall(r"`(?:sudo )?make ([a-z-]+)", text)}
    assert named >= {"sim", "firmware"} and all(re.search(rf"^{name}:", makefile, re.M) for name in named)
    if make := shutil.which("make"):
        done = subprocess.run([make, "-n", "sim", "TRANSPORT=udp"], cwd=advice.SOURCES.parent, timeout=60)
        assert done.returncode == 0
