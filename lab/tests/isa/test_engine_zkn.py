# SPDX-License-Identifier: BSD-2-Clause
"""Test the engine `zkn` with a model of the scalar AES instructions, against results of the library `cryptography`."""

import ctypes
import errno
import random
import subprocess

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lab.tests.isa import zkn
from tests.firmware.core_peer import CORE, write_wire_header


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zkn")
    command = ["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{CORE}", *zkn.OPTIONS]
    command += [f"-I{write_wire_header(folder).parent}", *map(str, zkn.SOURCES), *map(str, (CORE / "aes").glob("*.c"))]
    subprocess.run([*command, str(CORE / "engine" / "ctr.c"), "-o", str(folder / "zkn.so")], check=True, timeout=120)
    library = ctypes.CDLL(str(folder / "zkn.so"))
    library.peer_start()
    return library


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_ctr_of_any_length_and_nothing_left_of_the_key(peer, key_bytes):
    rng = random.Random(key_bytes)
    for size in (0, 1, 15, 16, 17, 64, 129, 500):
        key, counter, data = rng.randbytes(key_bytes), rng.randbytes(12) + b"\xff\xff\xff\xfe", rng.randbytes(size)
        out = ctypes.create_string_buffer(size + 1)
        length = ctypes.c_size_t(size)
        assert peer.peer_ctr(key, 8 * key_bytes, counter, data, out, length) == 0
        expected = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)
        assert out.raw == expected + b"\0"


def test_other_key_lengths_are_refused(peer):
    assert peer.peer_ctr(bytes(32), 160, bytes(16), b"", None, ctypes.c_size_t(0)) == -errno.EINVAL
