# SPDX-License-Identifier: BSD-2-Clause
"""Test how the Zephyr driver for LiteEth's MAC computes and checks checksums. The tests compute them as in RFC 1071."""

import ctypes
import random
import subprocess

import pytest

from gateware.flow.firmware import REPOSITORY
from tests.waiting import HANG_S

UDP, ICMP, TCP = 17, 1, 6
CHECKSUM = {UDP: 6, ICMP: 2}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("sums") / "sums.so"
    sources = [REPOSITORY / "firmware" / name for name in ("zephyr/drivers/frame_sums.c", "core/links/copy_sum.c")]
    command = ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I", REPOSITORY / "firmware" / "core"]
    subprocess.run([*command, "-o", path, *sources], check=True, timeout=HANG_S)
    library = ctypes.CDLL(path)
    library.cl_frame_sums_are_right.restype = ctypes.c_bool
    return library


def words(data):
    data += bytes(len(data) % 2)
    return sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


def checksum(data):
    total = words(data)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")


def frame(protocol, payload, *, padding=0, options=b"", right=True):
    """Return an Ethernet frame. Its checksums are correct, or 0 if `right` is false."""
    addresses, total = random.Random(len(payload)).randbytes(8), 20 + len(options) + len(payload)
    header = bytearray([0x45 + len(options) // 4, 0, *total.to_bytes(2, "big"), 0, 1, 0x40, 0, 64, protocol, 0, 0])
    header += addresses + options
    payload = bytearray(payload)
    if right:
        header[10:12] = checksum(bytes(header))
        if protocol in CHECKSUM:
            pseudo = addresses + bytes([0, protocol]) + len(payload).to_bytes(2, "big")
            at = CHECKSUM[protocol]
            value = checksum((pseudo if protocol == UDP else b"") + bytes(payload))
            payload[at : at + 2] = b"\xff\xff" if value == b"\0\0" else value
    return bytes(12) + b"\x08\x00" + bytes(header) + bytes(payload) + bytes(padding)


def payload(protocol, size):
    data = bytearray(random.Random(size).randbytes(size))
    if protocol in CHECKSUM:
        data[CHECKSUM[protocol] : CHECKSUM[protocol] + 2] = b"\0\0"
    return bytes(data)


def buffer(data):
    return (ctypes.c_uint8 * (len(data) + 2)).from_buffer_copy(data + b"\0\0")


def total(library, data):
    return ctypes.c_uint32(library.cl_sum(buffer(data), ctypes.c_size_t(len(data))))


def is_right(library, data):
    return library.cl_frame_sums_are_right(buffer(data), ctypes.c_size_t(len(data)), total(library, data))


FRAMES = [
    (protocol, size, extra)
    for protocol in (UDP, ICMP, TCP)
    for size in (8, 9, 24, 64, 1471, 1480)
    for extra in ({}, {"padding": 18}, {"options": bytes([1, 1, 1, 0])})
    if size + 34 + 18 <= 1514 or not extra
]


@pytest.mark.parametrize(("protocol", "size", "extra"), FRAMES)
def test_fills_in_and_accepts_what_is_right(library, protocol, size, extra):
    expected = frame(protocol, payload(protocol, size), **extra)
    empty = frame(protocol, payload(protocol, size), right=False, **extra)
    memory = buffer(empty)
    library.cl_frame_sums_fill(memory, ctypes.c_size_t(len(empty)), total(library, empty))
    assert bytes(memory)[: len(empty)] == expected
    assert is_right(library, expected)


@pytest.mark.parametrize("protocol", [UDP, ICMP])
def test_refuses_every_damaged_bit(library, protocol):
    data = frame(protocol, payload(protocol, 40))
    for bit in range(8 * 14, 8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        assert not is_right(library, bytes(damaged)), bit


def test_a_datagram_without_a_checksum_passes(library):
    data = bytearray(frame(UDP, payload(UDP, 40)))
    data[14 + 20 + 6 : 14 + 20 + 8] = b"\0\0"
    assert is_right(library, bytes(data))


@pytest.mark.parametrize("cut", [0, 13, 14, 33, 34, 41, 60])
def test_nothing_is_read_behind_the_end(library, cut):
    """If the frame ends inside the UDP header or data, the driver must report that the checksum is wrong. If the frame
    ends before the UDP header, the driver must treat it as a frame without checksums.
    """
    data = frame(UDP, payload(UDP, 40))[:cut]
    assert is_right(library, data) == (cut < 34)
