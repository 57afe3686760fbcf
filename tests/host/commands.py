"""The command line, run as a user runs it."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig

import pytest
from cipherlane import private
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

COMMAND = shutil.which("cipherlane", path=sysconfig.get_path("scripts")) or "cipherlane"
SERIAL = pytest.mark.skipif(
    sys.platform != "win32" and not private.fcntl, reason="pyserial has no serial ports without fcntl"
)
NO_PORT = "serial ports such as" if SERIAL.args[0] else "no port"  # what is said of one that is not there
LOCKED = pytest.mark.skipif(
    not (private.fcntl or private.msvcrt), reason="going on takes a lock: there is neither fcntl nor msvcrt"
)
ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes, signals and names such as /dev/fd are POSIX's")
KEY = "000102030405060708090a0b0c0d0e0f1011121314151617"
IV = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"


def reference(data):
    return Cipher(algorithms.AES(bytes.fromhex(KEY)), modes.CTR(bytes.fromhex(IV))).encryptor().update(data)


def command(*words, stdin=None, env=None):
    """Run the command, its key in the environment; return status, standard output and error (bytes, text)."""
    done = subprocess.run(
        [COMMAND, *map(str, words)],
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env={**os.environ, "CIPHERLANE_PORT": "", "CIPHERLANE_KEY": KEY, "COLUMNS": "80", **(env or {})},
    )
    return done.returncode, done.stdout, done.stderr.decode()


def crypt(board, source, target, *words, verb="encrypt", **options):
    url = board if isinstance(board, str) else board.url
    return command(verb, "--port", url, "--iv", IV, *words, source, target, **options)


def words_of(text):
    """Return the words of a command that the tool names, as its shell here would."""
    return shlex.split(text, posix=os.name == "posix")


def one_line_error(stderr):
    lines = stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("cipherlane: error: "), stderr
    return lines[0]
