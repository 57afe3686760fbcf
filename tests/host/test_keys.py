# SPDX-License-Identifier: BSD-2-Clause
"""Tests keys: from which sources the tool accepts them, and that no output shows a key."""

import os
import re
import subprocess
import sys

import pytest
from cipherlane import cli

from tests.waiting import HANG_S, grows

from .commands import COMMAND, IV, KEY, PATIENT, command, one_line_error, reference
from .model import PeerBoard, SocketBoard

OTHER = "00112233445566778899AABBCCDDEEFF"


@pytest.fixture
def encrypt(server, source, tmp_path):
    """Return a function that encrypts. The key comes from the command-line options in `words`, or from the environment
    variable CIPHERLANE_KEY. The function sets this variable to `key`.

    It returns exit status and standard error.
    """

    def run(*words, key="", port=None, input=source, **options):
        (tmp_path / "out").unlink(missing_ok=True)
        server.board.power_cycle()
        words = ["encrypt", "--port", port or server.url, "--raw", "--iv", IV, *words, input, tmp_path / "out"]
        status, stdout, stderr = command(*words, env={"CIPHERLANE_KEY": key}, **options)
        assert stdout == b""
        if status == 0:
            assert (tmp_path / "out").read_bytes() == reference(source.read_bytes())
        return status, stderr

    return run


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    return path


def test_keys_come_from_a_file_standard_input_or_the_environment(encrypt, key_file):
    assert encrypt("--key-file", key_file)[0] == 0
    assert encrypt("--key-file", "-", stdin=KEY.encode())[0] == 0
    assert encrypt(key=KEY)[0] == 0
    assert encrypt("--key-file", key_file, key=OTHER)[0] == 0, "what is named wins"
    key_file.write_text(" ".join(KEY[at : at + 2] for at in range(0, len(KEY), 2)))
    assert encrypt("--key-file", key_file)[0] == 0, "as od prints it"
    status, stderr = encrypt()
    assert status == 2 and "no key: use --key-file FILE" in one_line_error(stderr)
    status, stderr = encrypt("--key-file", "-", input="-", stdin=b"")
    assert status == 2 and "both read standard input" in one_line_error(stderr)
    status, stderr = encrypt("--key-file", key_file.with_name("absent"))
    assert status == 2 and "cannot read the key from" in one_line_error(stderr)
    status, stderr = encrypt("--key-file", key_file, "--key", OTHER)
    assert status == 2 and "not allowed with argument" in stderr and OTHER not in stderr


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o601])
def test_a_key_file_that_others_can_open_is_refused(encrypt, key_file, mode):
    key_file.chmod(mode)
    status, stderr = encrypt("--key-file", key_file)
    assert status == 2 and f"(mode {mode:04o}): chmod 600 {key_file}" in one_line_error(stderr)
    key_file.chmod(0o400)
    assert encrypt("--key-file", key_file)[0] == 0


def test_a_key_as_argument_works_and_warns(encrypt):
    status, stderr = encrypt("--key", KEY)
    assert status == 0
    assert stderr.startswith("cipherlane: warning: everybody on this machine who lists processes sees --key")
    assert KEY not in stderr


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("00" * 15, "the key has 120 bits: give 32, 48 or 64"),
        (OTHER[:-1], "the key is not hexadecimal"),
        (OTHER + "zz", "the key is not hexadecimal"),
        (OTHER + "0011", "the key has 144 bits"),
        ("\N{GREEK SMALL LETTER ALPHA}" + OTHER, "the key is not hexadecimal"),
    ],
)
def test_wrong_keys_are_not_shown(source, key_file, monkeypatch, capsys, key, expected):
    key_file.write_text(key, encoding="utf-8")
    for words, environment in ((["--key-file", key_file], ""), (["--key", key], ""), ([], key)):
        monkeypatch.setenv("CIPHERLANE_KEY", environment)
        words = ["encrypt", "--port", "/dev/ttyNOPE", "--raw", "--iv", IV, *words, source, f"{source}.out"]
        status, stderr = cli.main(list(map(str, words))), capsys.readouterr().err
        assert status == 2 and expected in stderr
        assert key not in stderr and key[:8] not in stderr


@pytest.mark.parametrize(
    ("iv", "expected"),
    [
        ("00" * 12, "the IV has 12 bytes: give 16"),
        ("00" * 17, "the IV has 17 bytes: give 16"),
        ("0", "the IV is not hexadecimal"),
    ],
)
def test_wrong_initial_blocks(source, tmp_path, iv, expected):
    status, _, stderr = command("encrypt", "--port", "/dev/ttyNOPE", "--raw", "--iv", iv, source, tmp_path / "out")
    assert status == 2 and expected in one_line_error(stderr)


def test_initial_block_that_the_board_draws(server, source, tmp_path):
    out = tmp_path / "out"
    status, _, stderr = command("encrypt", "--port", server.url, "--raw", source, out)
    assert status == 0, stderr
    iv = re.search(r"IV ([0-9a-f]{24}0{8}) ", stderr)[1]
    with SocketBoard(PeerBoard()) as other:
        status, _, stderr = command("decrypt", "--port", other.url, "--raw", "--iv", iv, out, tmp_path / "back")
    assert status == 0, stderr
    assert (tmp_path / "back").read_bytes() == source.read_bytes()
    server.board.random = None
    for words in ([], ["--raw"]):
        status, _, stderr = command("encrypt", "--port", server.url, *words, source, tmp_path / "new")
        assert status == 6 and "give --raw and an --iv that was never used" in one_line_error(stderr)
    status, _, stderr = command("decrypt", "--port", server.url, "--raw", source, tmp_path / "new")
    assert status == 2 and "decrypt --raw needs --iv" in one_line_error(stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "in", "out"]


@pytest.mark.parametrize(
    "words",
    [
        ["encrypt", "--kye", OTHER, "IN", "OUT"],
        ["encrypt", f"--kye={OTHER}", "IN", "OUT"],
        ["encrypt", f"--ke={OTHER}", "IN", "OUT"],
        ["encrypt", f"--key{OTHER}", "IN", "OUT"],
        ["encrypt", f"-k{OTHER}", "IN", "OUT"],
        ["encrypt", "-k", OTHER, "IN", "OUT"],
        ["encrypt", "--key", "0011", *(OTHER[at : at + 4] for at in range(4, 32, 4)), "IN", "OUT"],
        ["encrypt", "--key-file", OTHER, "IN", "OUT"],
        ["encrypt", "--key-file", f"0x{OTHER}", "IN", "OUT"],
        ["encrypt", f"--resume={OTHER}", "IN", "OUT"],
        ["encrypt", "--engine", OTHER, "IN", "OUT"],
        ["encrypt", f"--engine={OTHER}", "IN", "OUT"],
        ["encrypt", "--baud", OTHER, "IN", "OUT"],
        ["encrypt", "--timeout", OTHER, "IN", "OUT"],
        ["encrypt", "--timeout", f"x\\\n{OTHER}", "IN", "OUT"],
        ["bench", "--bytes", OTHER],
        ["bench", "--key-bits", OTHER],
        ["info", "--key", OTHER],
        ["info", OTHER],
        [OTHER],
        [f"--key={OTHER}", "encrypt", "IN", "OUT"],
        ["--key", OTHER, "encrypt", "IN", "OUT"],
    ],
)
def test_a_mistyped_command_line_does_not_show_a_key(capsys, monkeypatch, words):
    monkeypatch.delenv("CIPHERLANE_KEY", raising=False)
    try:
        status = cli.main(words)
    except SystemExit as ended:
        status = ended.code
    stdout, stderr = capsys.readouterr()
    assert (status, stdout) == (2, "")
    assert "error: " in stderr
    shown = stderr.upper()
    for start in range(4, len(OTHER) - 3, 4):
        assert OTHER[start : start + 4] not in shown, stderr


def test_a_mistyped_command_line_is_still_explained(capsys):
    for words, expected in (
        (["encrypt", "--kye", "secret", "IN", "OUT"], "unrecognized arguments: --kye (did you mean --key?) ..."),
        (
            ["encrypt", "--engine", "fast", "IN", "OUT"],
            "invalid choice: '...' (did you mean fastpath?) (choose from 'byte',",
        ),
        (["encrypt", "IN"], "arguments are required: OUT"),
        (["bench", "--bytes", "0"], "argument --bytes: ... is not a number of bytes from 1 to 4294967295"),
    ):
        with pytest.raises(SystemExit, match="2"):
            cli.main(words)
        stderr = capsys.readouterr().err
        assert expected in stderr and "secret" not in stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc, and at the simulated board")
def test_the_key_is_in_no_process_list_and_in_no_child(server, tmp_path, source):
    """If the key is in the environment, it must not appear in any process's command line, nor in the environment of a
    child process.
    """
    from .simbuild import make_build

    build = make_build(tmp_path / "sim", extra="SocketBoard.most = 10")
    (tmp_path / "in").write_bytes(bytes(100_000))
    process = subprocess.Popen(
        [
            COMMAND,
            "encrypt",
            "--port",
            f"sim:{build}",
            *PATIENT,
            "--raw",
            "--iv",
            IV,
            tmp_path / "in",
            tmp_path / "out",
        ],
        env={**os.environ, "CIPHERLANE_KEY": KEY},
    )
    try:
        grows(tmp_path / "out.part", 0, process)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            children = file.read().split()
        assert children
        for child in children:
            with open(f"/proc/{child}/environ", "rb") as file:
                assert KEY.encode() not in file.read()
        for number in (str(process.pid), *children):
            with open(f"/proc/{number}/cmdline", "rb") as file:
                assert KEY.encode() not in file.read()
    finally:
        process.terminate()
        assert process.wait(HANG_S) == 143


def test_help_says_what_crosses_the_network():
    for words in ([], ["encrypt"], ["decrypt"]):
        status, stdout, _ = command(*words, "--help")
        assert status == 0 and "a session's key, token and data are sent in the clear" in " ".join(
            stdout.decode().split()
        )


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["inof"], "'...' (did you mean info?) (choose from 'find',"),
        (["encrpyt", "IN", "OUT"], "(did you mean encrypt?)"),
        (["info", "--prot", "sim"], "unrecognized arguments: --prot (did you mean --port?) ..."),
        (["encrypt", "--ivv=00", "IN", "OUT"], "--ivv (did you mean --iv?)"),
        (["info", "--josn"], "--josn (did you mean --json?)"),
        (["bench", "--engine", "ise_fuse"], "(did you mean ise_fused?)"),
        (["xyzzy"], "invalid choice: '...' (choose from"),
        (["info", "--xyzzy"], "unrecognized arguments: --xyzzy\n"),
    ],
)
def test_a_mistyped_word_suggests_the_nearest(capsys, words, meant):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words)
    assert meant in capsys.readouterr().err
