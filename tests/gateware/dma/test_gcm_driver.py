# SPDX-License-Identifier: BSD-2-Clause
"""Runs the C driver and engine for GCM on the simulated accelerator, and compares the results with `cryptography`."""

import ctypes
import errno
import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware.dma.gcm_dispatch import MODE_DECRYPT, MODE_ENCRYPT, MODE_VERIFY
from tests.gateware.dma.bench import ORIGIN, SIZE
from tests.gateware.dma.gcm_bench import DEPTH, TAGS
from tests.gateware.dma.test_driver import COUNTER, KEYS, Driver, check, library, region

__all__ = ["library", "region"]

IV = b"twelve bytes"
HELD_BYTES = 2048  # size of the accelerator's text buffer on the boards
BOUNCE_BYTES = 64  # size of the bounce buffer that `Driver.init` sets up


@pytest.fixture(scope="module")
def simulated(library, region):
    library.shim_has_gcm()
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint
    library.shim_gcm.argtypes = [number, number, ctypes.c_char_p, pointer, size, pointer, pointer, size, pointer]
    library.shim_gcm_run.argtypes = [
        number,
        number,
        pointer,
        number,
        pointer,
        number,
        pointer,
        pointer,
        number,
        pointer,
        number,
    ]
    driver = Driver(library, region, gcm_cycles=8, gcm_depth=DEPTH)
    yield driver
    driver.bench.sim.close()


@pytest.fixture
def driver(simulated):
    simulated.reset()
    assert simulated.init() == 0
    for n, key in enumerate(KEYS[:3]):
        assert simulated.c.shim_set_key(n, key, 8 * len(key)) == 0
    return simulated


def seal(n: int, aad: bytes, text: bytes, iv: bytes = IV) -> tuple[bytes, bytes]:
    sealed = AESGCM(KEYS[n]).encrypt(iv, text, aad)
    return sealed[:-16], sealed[-16:]


def engine_gcm(driver, n: int, decrypt: bool, where: dict, aad: bytes, text: bytes, tag: bytes = bytes(16)):
    """Copy the inputs to the addresses in `where`; call the engine's GCM function; return status, output and tag."""
    for name, data in (("aad", aad), ("in", text), ("tag", tag)):
        ctypes.memmove(where[name], data, len(data))
    status = driver.c.shim_gcm(
        n, decrypt, IV, where["aad"], len(aad), where["in"], where["out"], len(text), where["tag"]
    )
    return status, ctypes.string_at(where["out"], len(text)), ctypes.string_at(where["tag"], 16)


@pytest.mark.parametrize("length", [0, 1, 16, 33, 16 * DEPTH, 16 * DEPTH + 5])
def test_engine_at_any_alignment(driver, length):
    """The engine decrypts texts longer than the accelerator's buffer in two steps: verify, then decrypt."""
    rng = random.Random(length)
    for n in range(3):
        aad, text = rng.randbytes(rng.randrange(30)), rng.randbytes(length)
        where = {"aad": ORIGIN + 3, "in": ORIGIN + 0x101, "out": ORIGIN + 0x806, "tag": ORIGIN + 0x1001}
        if n == 1:
            where["out"] = where["in"]
        sealed, tag = seal(n, aad, text)
        assert engine_gcm(driver, n, False, where, aad, text) == (0, sealed, tag)
        assert engine_gcm(driver, n, True, where, aad, sealed, tag) == (0, text, tag)
        before = bytes(driver.region)
        wrong = tag[:9] + bytes([tag[9] ^ 4]) + tag[10:]
        status, output, _ = engine_gcm(driver, n, True, where, aad, sealed, wrong)
        assert status == -errno.EBADMSG
        place = where["out"] - ORIGIN
        assert output == (sealed if n == 1 else before[place : place + length])


def test_buffers_that_the_dma_does_not_reach(driver):
    rng = random.Random(2)
    outside = ctypes.create_string_buffer(512)
    base = ctypes.addressof(outside)
    inside = {"aad": ORIGIN, "in": ORIGIN + 0x100, "out": ORIGIN + 0x200, "tag": ORIGIN + 0x300}
    far = {"aad": base, "in": base + 0x40, "out": base + 0x80, "tag": base + 0xC0}
    for names in (["aad"], ["tag"], ["in"], ["out"], ["aad", "tag", "in", "out"]):
        where = inside | {name: far[name] for name in names}
        aad, text = rng.randbytes(16), rng.randbytes(32)
        sealed, tag = seal(0, aad, text)
        assert engine_gcm(driver, 0, False, where, aad, text) == (0, sealed, tag)
        assert engine_gcm(driver, 0, True, where, aad, sealed, tag) == (0, text, tag)
        assert engine_gcm(driver, 0, True, where, aad, sealed, bytes(16))[0] == -errno.EBADMSG
        assert bytes(driver.region[-BOUNCE_BYTES:]) == bytes(BOUNCE_BYTES), "data left in the bounce buffer"
        assert ctypes.string_at(where["out"], 32) == text, "a forged message changed the output"
    for aad, text in ((bytes(65), b""), (bytes(16), bytes(33)), (b"", bytes(49))):
        assert engine_gcm(driver, 0, False, far | {"in": base + 0x100, "out": base + 0x180}, aad, text)[0] == (
            -errno.ENOMEM
        )


def test_engine_needs_a_key(driver):
    where = {"aad": ORIGIN, "in": ORIGIN + 0x100, "out": ORIGIN + 0x200, "tag": ORIGIN + 0x300}
    assert engine_gcm(driver, 3, False, where, b"", b"text")[0] == -errno.EINVAL
    driver.c.shim_clear(1)
    assert engine_gcm(driver, 1, False, where, b"", b"text")[0] == -errno.EINVAL
    sealed, tag = seal(0, b"", b"text")
    assert engine_gcm(driver, 0, False, where, b"", b"text") == (0, sealed, tag)
    check(driver, 0, ORIGIN, ORIGIN + 0x1000, 100)  # counter mode after GCM


def test_clear_overwrites_what_was_held(driver):
    """To remove a key, the engine also encrypts other data, to overwrite all decrypted text in the hardware."""
    where = {"aad": ORIGIN, "in": ORIGIN + 0x100, "out": ORIGIN + 0x400, "tag": ORIGIN + 0x600}
    text = b"\xa5" * (16 * DEPTH)
    sealed, tag = seal(0, b"", text)
    assert engine_gcm(driver, 0, True, where, b"", sealed, tag) == (0, text, tag)
    reads = len(driver.bench.memory.log)
    driver.c.shim_clear(0)
    passed = [address for we, address, _ in driver.bench.memory.log[reads:] if we]
    assert len(passed) >= HELD_BYTES // 16
    assert driver.c.shim_key_is_zero(0)


def run(driver, mode, iv, aad, text, tag, tag_length=16, slot=0):
    names = {"iv": iv, "aad": aad, "in": text, "tag": tag}
    places = {name: ORIGIN + 0x200 * n + 7 for n, name in enumerate(names)}
    for name, data in names.items():
        ctypes.memmove(places[name], data, len(data))
    out = ORIGIN + 0x1000
    status = driver.c.shim_gcm_run(
        slot,
        mode,
        places["iv"],
        len(iv),
        places["aad"],
        len(aad),
        places["in"],
        out,
        len(text),
        places["tag"],
        tag_length,
    )
    return status, ctypes.string_at(out, len(text)), ctypes.string_at(places["tag"], tag_length)


def test_driver_with_other_ivs_and_tags(driver):
    rng = random.Random(4)
    for tag_length in TAGS:
        iv, text = rng.randbytes(rng.choice([8, 12, 16, 33])), rng.randbytes(50)
        sealed, tag = seal(0, b"aad", text, iv)
        tag = tag[:tag_length]
        assert run(driver, MODE_ENCRYPT, iv, b"aad", text, b"", tag_length) == (0, sealed, tag)
        assert run(driver, MODE_DECRYPT, iv, b"aad", sealed, tag, tag_length) == (0, text, tag)
        assert run(driver, MODE_VERIFY, iv, b"aad", sealed, tag, tag_length)[0] == 0
        assert run(driver, MODE_VERIFY, iv, b"aax", sealed, tag, tag_length)[0] == -errno.EBADMSG


def test_driver_refuses(driver):
    long, iv = bytes(16 * DEPTH + 1), bytes(16)
    assert run(driver, MODE_DECRYPT, iv, b"", long, bytes(16))[0] == -errno.EMSGSIZE
    assert run(driver, MODE_DECRYPT, IV, b"", long, bytes(16))[0] == -errno.EBADMSG
    for tag_length in (0, 3, 5, 11):
        assert run(driver, MODE_DECRYPT, IV, b"", b"text", bytes(16), tag_length)[0] == -errno.EMSGSIZE
    driver.writes.clear()
    assert run(driver, 0, IV, b"", b"text", b"")[0] == -errno.EINVAL
    assert run(driver, 4, IV, b"", b"text", b"")[0] == -errno.EINVAL
    assert run(driver, MODE_ENCRYPT, IV, b"", b"text", b"", 17)[0] == -errno.EINVAL
    assert run(driver, MODE_ENCRYPT, IV, b"", b"text", b"", slot=8)[0] == -errno.EINVAL
    assert driver.c.shim_gcm_run(0, 1, ORIGIN, 12, 2**33, 4, ORIGIN, ORIGIN, 0, ORIGIN, 16) == -errno.EFAULT
    assert driver.writes == []
    assert driver.c.shim_gcm_run(0, 1, ORIGIN, 12, ORIGIN, 4, ORIGIN, ORIGIN, 0, ORIGIN + SIZE, 16) == -errno.EFAULT
    assert driver.c.shim_ctr(0, COUNTER, ORIGIN, ORIGIN, 16) == 0
