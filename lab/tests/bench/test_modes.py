# SPDX-License-Identifier: BSD-2-Clause
"""Test the benchmark's ECB and CBC: compile its C code for the host and compare it with an independent library. A
software model replaces the AES instructions.
"""

import ctypes
import random
import subprocess

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lab.bench.board import SOURCES as BENCH
from lab.tests.isa import zkn
from tests.firmware.core_peer import BUILD, CORE, write_wire_header

KEY_BITS = [128, 192, 256]
SOURCES = [
    *sorted((CORE / "aes").glob("*.c")),
    CORE / "engine" / "ctr.c",
    BENCH / "variants_c.c",
]
PROGRAMS = [f"{by}_{style}" for by in ("bytes", "tables", "instructions") for style in ("loop", "swap")]
EINVAL = 22
BLOCK = 16

RUN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
)
SET_KEY = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_bool
)


class Modes(ctypes.Structure):
    """The fields of the C structure cl_modes."""

    _fields_ = [("name", ctypes.c_char_p), ("set_key", SET_KEY), ("ecb", RUN * 3 * 2), ("cbc", RUN * 3 * 2)]


@pytest.fixture(scope="module", params=PROGRAMS)
def table(request):
    """Compile one variant of the benchmark's C code. Return the C structure cl_modes with the variant's functions."""
    folder = BUILD / "modes"
    path = folder / f"{request.param}.so"
    by, style = request.param.upper().split("_")
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{CORE}"]
    command += [f"-I{write_wire_header(folder).parent}", '-DBENCH_ENGINE="c"', "-DBENCH_ROUNDS=0"]
    command += [f"-DBENCH_BY=CL_C_{by}", f"-DBENCH_STYLE=CL_C_{style}"]
    more = zkn.SOURCES if by == "INSTRUCTIONS" else []
    command += zkn.OPTIONS if more else [f"-I{zkn.FIRMWARE}"]
    done = subprocess.run([*command, *map(str, [*SOURCES, *more]), "-o", str(path)], timeout=120, check=False)
    assert done.returncode == 0
    if more:
        ctypes.CDLL(str(path)).peer_start()
    return ctypes.POINTER(Modes).in_dll(ctypes.CDLL(str(path)), "bench_variants").contents


def run(table, mode, decrypt, key, chain, data, in_place):
    """Process data in a mode of operation. Return the result and the chain value (the next call's IV)."""
    state = (ctypes.c_uint32 * 128)()  # `state` is larger than the C structure cl_engine_key
    address = ctypes.addressof(state) + -ctypes.addressof(state) % 16
    assert table.set_key(None, address, key, 8 * len(key), decrypt) == 0
    words = ctypes.create_string_buffer(data, len(data) + 4)
    out = words if in_place else ctypes.create_string_buffer(len(data) + 4)
    link = ctypes.create_string_buffer(chain, BLOCK)
    function = getattr(table, mode)[decrypt][len(key) // 8 - 2]
    blocks = len(data) // BLOCK
    assert function(None, address, link, words, out, blocks) == 0
    return out.raw[: len(data)], link.raw


@pytest.mark.parametrize("mode", ["ecb", "cbc"])
@pytest.mark.parametrize("key_bits", KEY_BITS)
@pytest.mark.parametrize("decrypt", [False, True], ids=["encrypt", "decrypt"])
def test_ecb_and_cbc_of_every_number_of_blocks(table, mode, key_bits, decrypt):
    rng = random.Random(f"{mode}{key_bits}{decrypt}")
    for blocks in range(20):
        key, chain, data = rng.randbytes(key_bits // 8), rng.randbytes(BLOCK), rng.randbytes(BLOCK * blocks)
        cipher = Cipher(algorithms.AES(key), modes.ECB() if mode == "ecb" else modes.CBC(chain))
        expected = (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)
        result, link = run(table, mode, decrypt, key, chain, data, in_place=blocks % 2 == 0)
        assert result == expected
        if mode == "cbc" and blocks:
            assert link == (data if decrypt else expected)[-BLOCK:]
        else:
            assert link == chain


def test_other_key_lengths_are_refused(table):
    state = (ctypes.c_uint32 * 128)()
    assert table.set_key(None, state, bytes(32), 160, True) == -EINVAL
