# SPDX-License-Identifier: BSD-2-Clause
"""Test the memcpy of our Zephyr module: compare its results with Python, and copy at the edges of accessible memory."""

import ctypes
import mmap
import random
import subprocess

import pytest

from gateware.flow.firmware import REPOSITORY
from tests.waiting import HANG_S

PAGE = mmap.PAGESIZE
LENGTHS = (*range(70), 255, 256, 1000)
PROT_NONE = 0


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    path = tmp_path_factory.mktemp("memcpy") / "memcpy.so"
    command = ["cc", "-O2", "-Wall", "-Werror", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-Dmemcpy=copy"]
    # With these options, an unaligned word access ends the process. The CPU core does not allow such an access either.
    command += ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error", "-shared", "-fPIC"]
    source = REPOSITORY / "firmware" / "zephyr" / "src" / "memcpy.c"
    subprocess.run([*command, "-o", path, source], check=True, timeout=HANG_S)
    function = ctypes.CDLL(path).copy
    function.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
    function.restype = ctypes.c_void_p
    return function


@pytest.fixture(scope="module")
def page():
    """Return the address and the content of a memory page. An access to the page before it or after it ends the
    process.
    """
    memory = mmap.mmap(-1, 3 * PAGE)
    whole = (ctypes.c_uint8 * (3 * PAGE)).from_buffer(memory)
    start = ctypes.addressof(whole)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for at in (0, 2 * PAGE):
        assert protect(start + at, PAGE, PROT_NONE) == 0
    return start + PAGE, (ctypes.c_uint8 * PAGE).from_address(start + PAGE), memory


@pytest.mark.parametrize("to_offset", range(4))
@pytest.mark.parametrize("from_offset", range(4))
def test_every_alignment(copy, to_offset, from_offset):
    rng = random.Random(to_offset + 4 * from_offset)
    for length in LENGTHS:
        data, before = rng.randbytes(length + 8), rng.randbytes(length + 16)
        source = (ctypes.c_uint32 * (len(data) // 4 + 2)).from_buffer_copy(data + bytes(12 - len(data) % 4))
        target = (ctypes.c_uint32 * (len(before) // 4 + 2)).from_buffer_copy(before + bytes(12 - len(before) % 4))
        to = ctypes.addressof(target) + to_offset
        assert copy(to, ctypes.addressof(source) + from_offset, length) == to
        expected = before[:to_offset] + data[from_offset : from_offset + length] + before[to_offset + length :]
        assert bytes(target)[: len(before)] == expected


@pytest.mark.parametrize("offset", range(4))
def test_no_access_beyond_the_words_of_source_and_destination(copy, page, offset):
    """Copy from and to the first and the last bytes of accessible memory."""
    address, content, _ = page
    rng = random.Random(offset)
    for length in LENGTHS:
        for at in (offset, PAGE - length - offset):
            data = rng.randbytes(length)
            source = ctypes.create_string_buffer(data, length + 1)
            copy(address + at, ctypes.addressof(source), length)
            assert bytes(content[at : at + length]) == data
            target = ctypes.create_string_buffer(length + 1)
            copy(ctypes.addressof(target), address + at, length)
            assert target.raw == data + b"\0"
