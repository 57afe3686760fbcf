# SPDX-License-Identifier: BSD-2-Clause
"""Test the C driver of the random source. Its register accesses go to the simulated source over the CSR bus."""

import ctypes
import errno
import itertools
import subprocess

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.codegen import registers
from gateware.random.source import MIN_ENTROPY
from tests.firmware.core_peer import write_wire_header
from tests.gateware.random.bench import SIMULATED_BANK, VALID, Bench
from tests.gateware.random.test_source import STARTUP, biased, stuck_after, words_of
from tests.gateware.support import ROOT

CORE = ROOT / "firmware" / "core"
FILL = 0xA5A5_A5A5


class Driver:
    """Runs the C driver on the simulated source. `data_is_read` is called before each read of the register `data`."""

    def __init__(self, folder):
        (folder / "cl_random_regs.h").write_text(registers.render(registers.RANDOM_SOURCE))
        write_wire_header(folder)
        command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC", "-O1"]
        command += [f"-I{folder}", f"-I{CORE}", str(ROOT / "tests" / "gateware" / "random" / "driver_shim.c")]
        command += [str(path) for room in ("aes", "engine") for path in sorted((CORE / room).glob("*.c"))]
        subprocess.run([*command, "-o", str(folder / "driver.so")], check=True, timeout=120)
        self.c = ctypes.CDLL(str(folder / "driver.so"))
        self.c.shim_read.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.c.shim_condition.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        self.bench = Bench()
        self.names = {4 * address: name for name, address in self.bench.address.items()}
        self.callbacks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self._read),
            ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self._write),
        )
        self.c.shim_connect(*self.callbacks)

    def reset(self, bits):
        self.bench.reset(iter(bits))
        self.bank = 0
        self.status = None
        self.reads = 0
        self.data_is_read = lambda: None

    def _read(self, offset):
        self.reads += 1
        if self.names[offset] == "data":
            self.data_is_read()
        elif self.status is not None:
            return self.status
        return self.bench.run(self.bench.read(self.names[offset], self.bank))

    def _write(self, offset, value):
        self.bench.run(self.bench.write(self.names[offset], value, self.bank))

    def read(self, count):
        """Let the driver read `count` words into a buffer that first contains a fill pattern. Return the driver's
        status and the words.
        """
        words = (ctypes.c_uint32 * (count + 1))(*(count + 1) * [FILL])
        status = self.c.shim_read(words, count)
        assert words[count] == FILL
        return status, list(words)[:count]

    def condition(self, count, calls=2**32 - 1):
        """Let the driver make `count` conditioned random bytes. The AES engine succeeds in `calls` calls, and then
        fails. Return the driver's status and its output buffer, which first contains a fill pattern.
        """
        data = ctypes.create_string_buffer(bytes([FILL & 0xFF]) * (count + 1), count + 1)
        status = self.c.shim_condition(data, count, calls)
        assert data.raw[count] == FILL & 0xFF
        return status, data.raw[:count]

    def pass_samples(self, count):
        def process():
            while self.bench.samples < count:
                yield

        self.bench.run(process())


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    driver = Driver(tmp_path_factory.mktemp("driver"))
    yield driver
    driver.bench.sim.close()


@pytest.fixture
def driver(simulated):
    simulated.reset(biased(0.5, 1))
    return simulated


def test_reads_each_word_once(driver):
    samples = list(itertools.islice(biased(0.5, 1), STARTUP + 64 * 32))
    expected = words_of(samples)
    assert driver.read(0) == (0, [])
    for count in (1, 16, 5):
        assert driver.read(count) == (0, expected[:count])
        expected = expected[count:]


def cbc_mac(words):
    encryptor = Cipher(algorithms.AES(bytes(16)), modes.CBC(bytes(16))).encryptor()
    return encryptor.update(b"".join(word.to_bytes(4, "little") for word in words))[-16:]


def test_bytes_are_condensed_from_words_with_twice_their_entropy(driver):
    count = 2 * 128 // int(32 * MIN_ENTROPY)
    words = words_of(list(itertools.islice(biased(0.5, 1), STARTUP + 3 * count * 32)))
    blocks = [cbc_mac(words[n : n + count]) for n in range(0, 3 * count, count)]
    assert driver.condition(0) == (0, b"")
    assert driver.condition(17) == (0, blocks[0] + blocks[1][:1])
    assert driver.condition(16) == (0, blocks[2])


def test_no_byte_is_left_of_what_failed(driver):
    assert driver.condition(20, calls=9) == (-errno.EIO, bytes(20))
    driver.reset(stuck_after(STARTUP + 40 * 32, 1))
    assert driver.condition(20) == (-errno.EIO, bytes(20))
    driver.bank = SIMULATED_BANK
    assert driver.condition(3) == (-errno.ENODEV, bytes(3))


def test_no_source(driver):
    driver.bank = SIMULATED_BANK
    assert driver.read(3) == (-errno.ENODEV, [0, 0, 0])


def test_fault_while_reading(driver):
    driver.reset(stuck_after(STARTUP + 3 * 32 + 7, 1))
    assert driver.read(8) == (-errno.EIO, 8 * [0])
    assert driver.read(1) == (-errno.EIO, [0])


def test_fault_between_the_look_and_the_last_word(driver):
    driver.reset(stuck_after(STARTUP + 32, 0))
    driver.data_is_read = lambda: driver.pass_samples(STARTUP + 32 + 200)
    assert driver.read(1) == (-errno.EIO, [0])


def test_restart_after_a_fault(driver):
    stuck = [0] * 200
    driver.reset(itertools.chain(stuck, biased(0.5, 2)))
    assert driver.read(1) == (-errno.EIO, [0])
    driver.pass_samples(len(stuck))
    driver.c.shim_restart()
    status, words = driver.read(4)
    assert status == 0 and len(set(words)) == 4
    assert driver.bench.samples >= len(stuck) + STARTUP + 4 * 32


def test_source_that_never_answers_is_given_up(driver):
    driver.status = 0
    assert driver.read(2) == (-errno.ETIMEDOUT, [0, 0])
    assert driver.reads < 200_000
    driver.status = VALID  # from here on, the source works again
    driver.data_is_read = lambda: driver.pass_samples(STARTUP + 33)
    assert driver.read(1)[0] == 0


def test_entropy_of_a_word_is_the_gateware_s():
    text = (CORE / "random" / "random.h").read_text()
    assert f"#define CL_RANDOM_WORD_ENTROPY {int(32 * MIN_ENTROPY)}u" in text
