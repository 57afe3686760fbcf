"""ECB and CBC of the engines in plain C, compiled for the host, against an independent library."""

import ctypes
import random
import subprocess

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware.core_peer import BUILD, CORE

KEY_BITS = [128, 192, 256]
SOURCES = ["aes.c", "aes_inverse.c", "aes_tables.c", "modes_c.c"]
EINVAL = 22
BLOCK = 16

RUN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
)
SET_KEY = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_bool
)


class Modes(ctypes.Structure):
    """The struct cl_modes."""

    _fields_ = [("name", ctypes.c_char_p), ("set_key", SET_KEY), ("ecb", RUN * 3 * 2), ("cbc", RUN * 3 * 2)]


@pytest.fixture(scope="module")
def library():
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "modes.so"
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{CORE}"]
    done = subprocess.run(
        [*command, *(str(CORE / name) for name in SOURCES), "-o", str(path)], timeout=120, check=False
    )
    assert done.returncode == 0
    return ctypes.CDLL(str(path))


def run(library, engine, mode, decrypt, key, chain, data, in_place):
    """The result and the chain that follows."""
    table = Modes.in_dll(library, f"cl_modes_{engine}")
    state = (ctypes.c_uint32 * 128)()  # more than a struct cl_engine_key
    address = ctypes.addressof(state) + -ctypes.addressof(state) % 16
    assert table.set_key(None, address, key, 8 * len(key), decrypt) == 0
    words = ctypes.create_string_buffer(data, len(data) + 4)
    out = words if in_place else ctypes.create_string_buffer(len(data) + 4)
    link = ctypes.create_string_buffer(chain, BLOCK)
    function = getattr(table, mode)[decrypt][len(key) // 8 - 2]
    blocks = len(data) // BLOCK
    assert function(None, address, link, words, out, blocks) == 0
    return out.raw[: len(data)], link.raw


@pytest.mark.parametrize("engine", ["byte", "table"])
@pytest.mark.parametrize("mode", ["ecb", "cbc"])
@pytest.mark.parametrize("key_bits", KEY_BITS)
@pytest.mark.parametrize("decrypt", [False, True], ids=["encrypt", "decrypt"])
def test_ecb_and_cbc_of_every_number_of_blocks(library, engine, mode, key_bits, decrypt):
    rng = random.Random(f"{engine}{mode}{key_bits}{decrypt}")
    for blocks in range(20):
        key, chain, data = rng.randbytes(key_bits // 8), rng.randbytes(BLOCK), rng.randbytes(BLOCK * blocks)
        cipher = Cipher(algorithms.AES(key), modes.ECB() if mode == "ecb" else modes.CBC(chain))
        expected = (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)
        result, link = run(library, engine, mode, decrypt, key, chain, data, in_place=blocks % 2 == 0)
        assert result == expected
        if mode == "cbc" and blocks:
            assert link == (data if decrypt else expected)[-BLOCK:]
        else:
            assert link == chain


@pytest.mark.parametrize("engine", ["byte", "table"])
def test_other_key_lengths_are_refused(library, engine):
    state = (ctypes.c_uint32 * 128)()
    table = Modes.in_dll(library, f"cl_modes_{engine}")
    assert table.set_key(None, state, bytes(32), 160, True) == -EINVAL
