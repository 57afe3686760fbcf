# SPDX-License-Identifier: BSD-2-Clause
"""Test memcpy and memset of the bare-metal port. They are compiled for the host under other names, because the host's C
library has functions with these names.
"""

import ctypes
import subprocess

import pytest

from tests.firmware.core_peer import BUILD, CORE
from tests.waiting import HANG_S

SIZE = 80


@pytest.fixture(scope="module")
def library():
    BUILD.mkdir(parents=True, exist_ok=True)
    output = BUILD / "memory.so"
    flags = ["-O2", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-shared", "-fPIC"]
    names = ["-Dmemcpy=port_memcpy", "-Dmemset=port_memset"]
    source = CORE.parent / "baremetal" / "memory.c"
    subprocess.run(["gcc", *flags, *names, source, "-o", output], check=True, timeout=HANG_S)
    loaded = ctypes.CDLL(output)
    for function in (loaded.port_memcpy, loaded.port_memset):
        function.restype = ctypes.c_void_p
    return loaded


@pytest.mark.parametrize("to", range(4))
@pytest.mark.parametrize("source", range(4))
def test_copies_any_bytes_at_any_alignment(library, to, source):
    pattern = bytes(range(1, SIZE + 1))
    data = (ctypes.c_uint64 * (SIZE // 8)).from_buffer_copy(pattern)
    for size in range(SIZE - 8):
        room = (ctypes.c_uint64 * (SIZE // 8))()
        begin = ctypes.addressof(room) + to
        found = library.port_memcpy(
            ctypes.c_void_p(begin), ctypes.c_void_p(ctypes.addressof(data) + source), ctypes.c_size_t(size)
        )
        assert found == begin
        assert bytes(room) == bytes(to) + pattern[source : source + size] + bytes(SIZE - to - size)


@pytest.mark.parametrize("to", range(4))
@pytest.mark.parametrize("value", [0, 0xA5, 0x1FF])
def test_fills_any_bytes_at_any_alignment(library, to, value):
    for size in range(SIZE - 8):
        room = (ctypes.c_uint64 * (SIZE // 8)).from_buffer_copy(b"\x5a" * SIZE)
        begin = ctypes.addressof(room) + to
        assert library.port_memset(ctypes.c_void_p(begin), value, ctypes.c_size_t(size)) == begin
        assert bytes(room) == b"\x5a" * to + bytes([value & 0xFF]) * size + b"\x5a" * (SIZE - to - size)
