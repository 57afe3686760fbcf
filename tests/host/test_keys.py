"""Keys: where they come from, and that none is shown."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from .commands import COMMAND, IV, KEY, command, one_line_error, reference

OTHER = "00112233445566778899AABBCCDDEEFF"  # in no test's environment


def encrypt(server, source, tmp_path, *words, key=None, **options):
    """Encrypt with no key but those that `words` and `key`, of the environment, give."""
    out = tmp_path / "out"
    port = server if isinstance(server, str) else server.url
    env = {"CIPHERLANE_KEY": key or ""}
    program = "import os, sys; os.environ['CIPHERLANE_KEY'] or os.environ.pop('CIPHERLANE_KEY'); "
    assert program
    return command("encrypt", "--port", port, "--iv", IV, *words, source, out, env=env, **options), out


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    return path
