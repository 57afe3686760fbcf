# SPDX-License-Identifier: BSD-2-Clause
"""Test the engine `snow3g`, which is written in C, with a simulated accelerator: the SNOW 3G core and its DMA."""

import ctypes
import errno
import random
from pathlib import Path

import pytest

from gateware.ctr.service import CTRService, slots_of
from lab.snow3g.core import BLOCKS, Snow3GCore
from lab.tests.snow3g.reference import eea1
from lab.tests.snow3g.test_core import counter_block
from lab.tests.snow3g.vectors import MESSAGES
from tests.gateware.dma.bench import ORIGIN
from tests.gateware.dma.test_driver import SHIM, Driver, compiled, region  # noqa: F401 (a fixture)
from tests.gateware.support import ROOT

OUT = ORIGIN + 0x2000
KEYS = [bytes(range(n, n + 16)) for n in range(1, 4)]


def create(clients):
    return CTRService(core=Snow3GCore(slots=slots_of(clients)), clients=clients)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory, region):  # noqa: F811
    folders = (SHIM.parent, ROOT / "lab" / "snow3g" / "firmware")
    shim = Path(__file__).with_name("snow3g_shim.c")
    library = compiled(tmp_path_factory.mktemp("driver"), shim, *(f"-I{folder}" for folder in folders))
    driver = Driver(library, region, create=create)
    yield driver
    driver.bench.sim.close()


@pytest.fixture
def driver(simulated):
    simulated.reset()
    assert simulated.init() == 0
    simulated.c.shim_ciphers_snow3g()
    return simulated


def ciphered(driver, n, counter, data, source=ORIGIN, destination=OUT):
    ctypes.memmove(source, data, len(data))
    status = driver.c.shim_ctr(n, counter, source, destination, len(data))
    return status or ctypes.string_at(destination, len(data))


def test_known_answers(driver):
    assert [driver.c.shim_known_answer(n) for n in range(3)] == [0, 0, -errno.ENOENT]


def test_messages_of_several_keys_at_any_alignment(driver):
    """The engine must encrypt parts of messages in any order. If the DMA cannot reach the data, the driver must copy
    the data through the bounce buffer.
    """
    rng = random.Random(2)
    for n, key in enumerate(KEYS):
        assert driver.c.shim_set_key(n, key, 128) == 0
    outside = ctypes.create_string_buffer(600)
    for _ in range(40):
        n, number, length = rng.randrange(len(KEYS)), rng.randrange(20), rng.choice((0, 1, 15, 16, 33, 200))
        data, message = rng.randbytes(length), (rng.choice((1, 99)), 7, 1)
        places = rng.choice([(ORIGIN + 3, OUT + 1), (ORIGIN, ORIGIN), (ctypes.addressof(outside), OUT)])
        expected = eea1(KEYS[n], *message, bytes(16 * number) + data)[16 * number :]
        assert ciphered(driver, n, counter_block(*message, number), data, *places) == expected


def test_lengths_in_bits(driver):
    """The driver gives the accelerator the message length in bits. In the output, the bits after the message must be
    zero.
    """
    for m in MESSAGES:
        assert driver.c.shim_load(0, m.key, 128) == 0
        padded = m.plaintext[:-1] + bytes([m.plaintext[-1] | (1 << -m.bits % 8) - 1])
        ctypes.memmove(ORIGIN, padded, len(padded))
        # Call the driver's function for 128-EEA2. This function also serves 128-EEA1, because both ciphers use the same
        # format of counter block.
        assert driver.c.shim_eea2(0, m.count, m.bearer, m.direction, ORIGIN, OUT, m.bits) == 0
        behind = -m.bits % 8
        assert ctypes.string_at(OUT, len(padded)) == m.ciphertext[:-1] + bytes([m.ciphertext[-1] >> behind << behind])


def test_what_is_none_of_a_message_is_refused(driver):
    """The engine must refuse keys of 192 and 256 bits, counter blocks that 128-EEA1 does not define, and data that
    extend beyond the last counter block. If the engine refuses, the accelerator must not start.
    """
    assert driver.c.shim_set_key(0, bytes(32), 256) == driver.c.shim_set_key(0, bytes(24), 192) == -errno.EINVAL
    assert driver.c.shim_set_key(0, KEYS[0], 128) == 0
    good = counter_block(1, 2, 1)
    driver.writes.clear()
    for byte, bit in ((4, 0), (4, 1), (5, 7), (7, 0), (8, 0), (13, 0)):
        bad = bytearray(good)
        bad[byte] |= 1 << bit
        assert ciphered(driver, 0, bytes(bad), bytes(16)) == -errno.EINVAL
    last = counter_block(1, 2, 1, BLOCKS - 1)
    assert ciphered(driver, 0, last, bytes(17)) == -errno.EINVAL
    assert driver.writes == []


def test_clear(driver):
    """After the engine clears a key, the key slot is free and the engine's key structure is zero. `test_core` tests
    that the core keeps no part of the key.
    """
    assert driver.c.shim_set_key(0, KEYS[0], 128) == 0
    assert ciphered(driver, 0, counter_block(1, 2, 1), bytes(64)) == eea1(KEYS[0], 1, 2, 1, bytes(64))
    driver.c.shim_clear(0)
    assert driver.c.shim_key_is_zero(0)
    assert driver.read_register(driver.bench.address["key_valid"] * 4) == 0
    assert ciphered(driver, 0, counter_block(1, 2, 1), bytes(64)) == -errno.EINVAL
