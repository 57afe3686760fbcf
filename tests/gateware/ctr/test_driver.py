"""The C driver and engine of the accelerator, on the simulated accelerator.

The driver, compiled for this machine, reaches the registers through the CSR bus of the simulation; the
DMA's memory is real memory of this process, at addresses of 32 bits.
"""

import ctypes
import errno
import mmap
import random
import subprocess

import pytest

from firmware.codegen import registers, wire
from gateware.ctr.errors import Error
from tests.gateware.ctr.bench import ORIGIN, SIZE, Bench, ctr
from tests.gateware.support import ROOT

MAP_FIXED_NOREPLACE = 0x100000
CORE = ROOT / "firmware" / "core"
BOUNCE = ORIGIN + SIZE - 64
KEYS = [bytes(range(1, 17)), bytes(range(100, 132))]
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfffffffe")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    (folder / "cl_accel_regs.h").write_text(registers.render())
    (folder / "cl_wire.h").write_text(wire.render(ROOT / "host" / "cipherlane" / "protocol" / "wire.toml"))
    command = [
        "gcc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
        "-shared",
        "-fPIC",
        "-O1",
        f"-I{folder}",
    ]
    command += [f"-I{CORE}", str(ROOT / "tests" / "gateware" / "ctr" / "driver_shim.c"), str(CORE / "ctr.c")]
    command += [str(CORE / "aes.c"), str(CORE / "engine_byte.c"), "-o", str(folder / "driver.so")]
    subprocess.run(command, check=True, timeout=120)
    return ctypes.CDLL(str(folder / "driver.so"))


@pytest.fixture(scope="module")
def region():
    """Memory at the address of the DMA's region."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
    address = libc.mmap(ORIGIN, SIZE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    assert address == ORIGIN, "the address of the DMA's region is taken in this process"
    yield memoryview((ctypes.c_ubyte * SIZE).from_address(address)).cast("B")
    libc.munmap(address, SIZE)


class Driver:
    def __init__(self, library, region):
        self.bench = Bench()
        self.bench.memory.contents[ORIGIN] = region
        self.region = region
        self.names = {offset * 4: name for name, offset in self.bench.address.items()}
        self.writes = []
        self.always_busy = False
        self.hang_at_start = False
        self.c = library
        library.shim_init.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        library.shim_ctr.argtypes = [ctypes.c_uint, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        library.shim_run.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.callbacks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self.read_register),
            ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self.write_register),
        )
        library.shim_connect(*self.callbacks)

    def init(self, bounce_bytes=64):
        return self.c.shim_init(ORIGIN, SIZE, BOUNCE, bounce_bytes)

    def read_register(self, offset):
        if self.always_busy:
            return 1
        values = []

        def access():
            values.append((yield from self.bench.read(self.names[offset])))

        self.bench.run(access())
        return values[0]

    def write_register(self, offset, value):
        self.writes.append(self.names[offset])
        if self.hang_at_start and self.names[offset] == "control":
            self.always_busy = True
            return

        def access():
            yield from self.bench.write(self.names[offset], value)
            yield

        self.bench.run(access())


@pytest.fixture
def driver(library, region):
    driver = Driver(library, region)
    assert driver.init() == 0
    yield driver
    driver.bench.sim.close()


def check(driver, slot, key, source, destination, length, seed=1):
    data = random.Random(seed).randbytes(length)
    ctypes.memmove(source, data, length)
    assert driver.c.shim_ctr(slot, COUNTER, source, destination, length) == 0
    assert ctypes.string_at(destination, length) == ctr(key, int.from_bytes(COUNTER, "big"), data)


def test_direct_and_in_place(driver):
    for slot, key in enumerate(KEYS):
        assert driver.c.shim_set_key(slot, key, 8 * len(key)) == 0
    # The keys take turns, so that each call finds the other's key in the accelerator.
    for length in (0, 1, 15, 16, 17, 100, 256):
        for slot, key in enumerate(KEYS):
            check(driver, slot, key, ORIGIN, ORIGIN + 0x1000, length)
            check(driver, slot, key, ORIGIN + 0x800, ORIGIN + 0x800, length)
    assert driver.c.shim_flushes() == 24  # every run, and none for length 0


def test_few_register_writes_a_call(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.c.shim_set_counter(COUNTER)
    driver.writes.clear()
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 32) == 0
    assert driver.writes == ["index_lo", "index_hi", "source", "destination", "length", "control"]


def test_index_reaches_the_counter(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.c.shim_set_counter(COUNTER)
    index = 0x1234_5678_9ABC_DEF0
    driver.region[:32] = bytes(32)
    assert driver.c.shim_run(index, ORIGIN, ORIGIN + 0x100, 32) == 0
    assert bytes(driver.region[0x100:0x120]) == ctr(KEYS[0], int.from_bytes(COUNTER, "big") + index, bytes(32))


@pytest.mark.parametrize("length", [1, 16, 63, 64, 65, 200])
def test_bounce_for_other_buffers(driver, length):
    driver.c.shim_set_key(0, KEYS[0], 128)
    outside = ctypes.create_string_buffer(512)
    check(driver, 0, KEYS[0], ORIGIN + 3, ORIGIN + 0x1001, length)
    check(driver, 0, KEYS[0], ctypes.addressof(outside), ctypes.addressof(outside), length)
    assert bytes(driver.region[-64:]) == bytes(64), "data left in the bounce buffer"


def test_no_bounce_buffer_is_refused(driver):
    assert driver.init(bounce_bytes=15) == 0
    driver.c.shim_set_key(0, KEYS[0], 128)
    assert driver.c.shim_ctr(0, COUNTER, ORIGIN + 4, ORIGIN, 16) == -errno.EINVAL


def test_clear_leaves_no_key(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.c.shim_clear(0)
    assert driver.c.shim_key_is_zero(0)
    assert driver.c.shim_ctr(0, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 16) == -errno.EINVAL  # the hardware has none either
    assert driver.read_register(4) >> 4 == Error.NO_KEY


def test_clear_of_another_key_keeps_the_loaded_one(driver):
    for slot, key in enumerate(KEYS):
        driver.c.shim_set_key(slot, key, 8 * len(key))
    driver.c.shim_clear(0)
    driver.writes.clear()
    check(driver, 1, KEYS[1], ORIGIN, ORIGIN, 48)
    assert "key0" not in driver.writes


def test_arguments(driver):
    assert driver.c.shim_set_key(0, KEYS[0], 64) == -errno.EINVAL
    assert driver.c.shim_ctr(0, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    driver.c.shim_set_key(0, KEYS[0], 128)
    assert driver.c.shim_run(0, ORIGIN + 8, ORIGIN, 16) == -errno.EINVAL
    assert driver.c.shim_run(0, ORIGIN, 2**33, 16) == -errno.EFAULT
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 2**32) == -errno.EINVAL
    assert driver.c.shim_run(0, ORIGIN, ORIGIN + SIZE, 16) == -errno.EFAULT
    assert driver.c.shim_run(0, ORIGIN, ORIGIN + 16, 32) == -errno.EINVAL


def test_faults_of_the_bus(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.bench.memory.answer = lambda address, we: "err" if we else "ack"
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 64) == -errno.EIO
    driver.bench.memory.answer = lambda address, we: None if we else "ack"
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 64) == -errno.ETIMEDOUT
    driver.bench.memory.answer = lambda address, we: "ack"
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 64) == 0


def test_accelerator_that_stays_busy(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.always_busy = True
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 16) == -errno.EBUSY
    assert driver.c.shim_set_key(1, KEYS[1], 256) == -errno.EBUSY
    assert driver.init() == -errno.ETIMEDOUT


def test_run_that_never_ends_is_given_up(driver):
    driver.c.shim_set_key(0, KEYS[0], 128)
    driver.hang_at_start = True
    driver.writes.clear()
    assert driver.c.shim_run(0, ORIGIN, ORIGIN, 16) == -errno.ETIMEDOUT
    assert driver.writes[-2:] == ["control", "control"]  # start, then abort
