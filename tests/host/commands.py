# SPDX-License-Identifier: BSD-2-Clause
"""Runs the tool's command line in the process of the test, for tests that do not need a new process."""

import contextlib
import faulthandler
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile

import pytest
from cipherlane import cli
from cipherlane.files import private
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.waiting import HANG_S

COMMAND = shutil.which("cipherlane", path=sysconfig.get_path("scripts")) or "cipherlane"
SERIAL = pytest.mark.skipif(
    sys.platform != "win32" and not private.fcntl, reason="pyserial has no serial ports without fcntl"
)
# Text that the tool prints about a port that does not exist.
NO_PORT = "serial ports such as" if SERIAL.args[0] else "no port"
LOCKED = pytest.mark.skipif(
    not (private.fcntl or private.msvcrt), reason="going on takes a lock: there is neither fcntl nor msvcrt"
)
ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes, signals and names such as /dev/fd are POSIX's")
KEY = "000102030405060708090a0b0c0d0e0f1011121314151617"
IV = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"


def reference(data):
    return Cipher(algorithms.AES(bytes.fromhex(KEY)), modes.CTR(bytes.fromhex(IV))).encryptor().update(data)


# options for commands that must wait for the board, even on a busy machine
PATIENT = ("--timeout", str(HANG_S))


def command(*words, stdin=None, env=None):
    """Run the command line in this process, with the key in the environment; return status, standard output and error.

    Standard output is bytes, standard error is text. The standard streams are files, so code that reads or writes them
    by descriptor number works, too.
    """
    with contextlib.ExitStack() as stack:
        names = ("stdin", "stdout", "stderr")
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]
        files[0].write(stdin or b"")
        files[0].seek(0)
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, file, mode in zip(names, files, "rww", strict=True):
            text = open(file.fileno(), mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            patch.setattr(sys, name, stack.enter_context(text))
        for name, value in {"CIPHERLANE_PORT": "", "CIPHERLANE_KEY": KEY, "COLUMNS": "80", **(env or {})}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", [COMMAND, *map(str, words)])
        faulthandler.dump_traceback_later(2 * HANG_S, exit=True, file=sys.__stderr__)
        try:
            status = cli.main(sys.argv[1:])
        except SystemExit as ended:
            status = ended.code
        finally:
            faulthandler.cancel_dump_traceback_later()
            sys.stdout.flush()
            sys.stderr.flush()
        for file in files[1:]:
            file.seek(0)
        return status, files[1].read(), files[2].read().decode()


def crypt(board, source, target, *words, verb="encrypt", **options):
    url = board if isinstance(board, str) else board.url
    return command(verb, "--port", url, "--raw", "--iv", IV, *words, source, target, **options)


def words_of(text):
    """Return the words into which this system's shell splits `text`, a command that the tool printed."""
    return shlex.split(text, posix=os.name == "posix")


def one_line_error(stderr):
    lines = stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("cipherlane: error: "), stderr
    return lines[0]
