# SPDX-License-Identifier: BSD-2-Clause
"""Runs the accelerator's C driver and engine on the simulated accelerator.

The driver is compiled for this machine and reaches the registers through the CSR bus of the simulation. The DMA's
memory is real memory of this process, at 32-bit addresses.
"""

import ctypes
import errno
import mmap
import random
import subprocess

import pytest

from gateware.codegen import registers, wire
from gateware.ctr.counter import WIDTH_32
from tests.gateware.ctr.reference import ctr, eea2_sets
from tests.gateware.dma.bench import ORIGIN, SIZE, Bench
from tests.gateware.support import ROOT

MAP_FIXED_NOREPLACE = 0x100000
CORE = ROOT / "firmware" / "core"
SHIM = ROOT / "tests" / "gateware" / "dma" / "driver_shim.c"
BOUNCE = ORIGIN + SIZE - 64
KEYS = [bytes(range(n, n + 16 + 8 * (n % 3))) for n in range(1, 11)]
SLOTS = 8
BUSY = 0b1
KEY_BUSY = 0b10
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfffffffe")


def compiled(folder, shim, *options):
    """Compile the C driver and the test functions in the file `shim`; return the loaded library."""
    (folder / "cl_accel_regs.h").write_text(registers.render())
    (folder / "cl_wire.h").write_text(wire.render(ROOT / "host" / "cipherlane_base" / "wire" / "wire.toml"))
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
    command += [f"-I{CORE}", *options, str(shim), str(CORE / "engine" / "ctr.c")]
    command += [str(CORE / "aes" / "aes.c"), str(CORE / "aes" / "engine_byte.c"), "-o", str(folder / "driver.so")]
    subprocess.run(command, check=True, timeout=120)
    return ctypes.CDLL(str(folder / "driver.so"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("driver"), SHIM)


@pytest.fixture(scope="module")
def region():
    """Map memory into this process at the addresses of the simulated DMA's memory region."""
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
    def __init__(self, library, region, **parameters):
        self.bench = Bench(**parameters)
        self.region = region
        self.names = {offset * 4: name for name, offset in self.bench.address.items()}
        self.reset()
        self.c = library
        byte_pointer, pointer, number = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint
        library.shim_init.argtypes = [ctypes.c_size_t, ctypes.c_size_t, pointer, ctypes.c_size_t]
        library.shim_uncache.argtypes = [ctypes.c_size_t]
        library.shim_ctr.argtypes = [number, byte_pointer, pointer, pointer, ctypes.c_size_t]
        library.shim_run.argtypes = [number, byte_pointer, ctypes.c_uint64, pointer, pointer, ctypes.c_size_t]
        library.shim_eea2.argtypes = [number, number, number, number, pointer, pointer, number]
        library.shim_submit.argtypes = [number, number, byte_pointer, pointer, pointer, number, ctypes.c_int]
        self.callbacks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self.read_register),
            ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self.write_register),
        )
        library.shim_connect(*self.callbacks)

    def reset(self):
        self.bench.reset()
        self.region[:] = bytes(len(self.region))
        self.bench.memory.contents[ORIGIN] = self.region
        self.writes = []
        self.stuck = 0  # if not 0, the driver reads this value from the status register
        self.hang_at_start = False

    def init(self, bounce_bytes=64):
        return self.c.shim_init(ORIGIN, SIZE, BOUNCE, bounce_bytes)

    def read_register(self, offset):
        if self.stuck and self.names[offset] == "status":
            return self.stuck
        if self.hang_at_start and self.names[offset] == "completed":
            return 0
        values = []

        def access():
            values.append((yield from self.bench.read(self.names[offset])))

        self.bench.run(access())
        return values[0]

    def write_register(self, offset, value):
        self.writes.append(self.names[offset])

        def access():
            yield from self.bench.write(self.names[offset], value)
            yield

        self.bench.run(access())


@pytest.fixture(scope="module")
def simulated(library, region):
    driver = Driver(library, region)
    yield driver
    driver.bench.sim.close()


@pytest.fixture
def driver(simulated):
    simulated.reset()
    assert simulated.init() == 0
    return simulated


def check(driver, n, source, destination, length, seed=1):
    data = random.Random(seed).randbytes(length)
    ctypes.memmove(source, data, length)
    assert driver.c.shim_ctr(n, COUNTER, source, destination, length) == 0
    assert ctypes.string_at(destination, length) == ctr(KEYS[n], int.from_bytes(COUNTER, "big"), data)


def test_direct_and_in_place_at_any_alignment(driver):
    for n, key in enumerate(KEYS[:2]):
        assert driver.c.shim_set_key(n, key, 8 * len(key)) == 0
    driver.writes.clear()
    for length in (0, 1, 15, 16, 17, 100, 256):
        for n in range(2):
            check(driver, n, ORIGIN + 3, ORIGIN + 0x1001, length)
            check(driver, n, ORIGIN + 0x805, ORIGIN + 0x805, length)
    assert driver.c.shim_flushes() == 24  # each call flushes the cache once, except calls with length 0
    assert "key0" not in driver.writes, "each key has a slot of its own"


def test_memory_that_is_not_cached(driver):
    """For uncached memory, the driver must not flush the cache. For a buffer that is partly cached, the driver must use
    the bounce buffer.
    """
    edge = ORIGIN + SIZE // 2
    driver.c.shim_uncache(edge)
    assert driver.c.shim_set_key(0, KEYS[0], 8 * len(KEYS[0])) == 0
    for source, destination, flushes in (
        (edge + 2, edge + 0x402, 0),
        (ORIGIN + 1, edge, 0),
        (edge, edge - 50, 1),
        (edge + 64, edge - 49, 1),
        (edge - 1, edge + 64, 1),
    ):
        before = driver.c.shim_flushes()
        check(driver, 0, source, destination, 50)
        assert driver.c.shim_flushes() - before == flushes


def test_more_keys_than_slots(driver):
    """If no hardware slot is free, the engine refuses a new key, and the other keys keep their slots. Key structures
    contain no copy of a key.
    """
    for n, key in enumerate(KEYS):
        assert driver.c.shim_set_key(n, key, 8 * len(key)) == (0 if n < SLOTS else -errno.EBUSY)
        assert not driver.c.shim_holds(n, key, len(key))
    driver.writes.clear()
    for n in range(SLOTS):
        check(driver, n, ORIGIN, ORIGIN + 0x1000, 20)
    assert driver.c.shim_ctr(SLOTS, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert "key0" not in driver.writes
    driver.c.shim_clear(3)
    assert driver.c.shim_set_key(SLOTS, KEYS[SLOTS], 8 * len(KEYS[SLOTS])) == 0
    check(driver, SLOTS, ORIGIN, ORIGIN + 0x1000, 20)
    check(driver, 4, ORIGIN, ORIGIN + 0x1000, 20)
    assert driver.c.shim_ctr(3, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    for n in range(len(KEYS)):
        driver.c.shim_clear(n)
        assert driver.c.shim_key_is_zero(n)
    assert driver.read_register(driver.bench.address["key_valid"] * 4) == 0


def test_register_writes_of_a_call(driver):
    driver.c.shim_load(3, KEYS[0], 128)
    driver.writes.clear()
    assert driver.c.shim_run(3, COUNTER, 0, ORIGIN, ORIGIN, 32) == 0
    where = ["iv0", "iv1", "iv2", "iv3", "index_lo", "index_hi", "source", "destination", "length", "options"]
    assert driver.writes == [*where, "control"]


def test_index_reaches_the_counter(driver):
    assert driver.c.shim_load(7, KEYS[1], 8 * len(KEYS[1])) == 0
    index = 0x1234_5678_9ABC_DEF0
    driver.region[:32] = bytes(32)
    assert driver.c.shim_run(7, COUNTER, index, ORIGIN, ORIGIN + 0x100, 32) == 0
    assert bytes(driver.region[0x100:0x120]) == ctr(KEYS[1], int.from_bytes(COUNTER, "big") + index, bytes(32))


def test_eea2(driver):
    for slot, s in enumerate(eea2_sets()):
        assert driver.c.shim_load(slot, s["key"], 128) == 0
        size = len(s["plaintext"])
        driver.region[5 : 5 + size] = s["plaintext"]
        where = (ORIGIN + 5, ORIGIN + 0x1000, s["length"])
        assert driver.c.shim_eea2(slot, s["count"], s["bearer"], s["direction"], *where) == 0
        assert bytes(driver.region[0x1000 : 0x1000 + size]) == s["ciphertext"], s["name"]


def test_submit_and_poll(driver):
    driver.c.shim_load(0, KEYS[0], 8 * len(KEYS[0]))
    driver.c.shim_load(1, KEYS[1], 8 * len(KEYS[1]))
    data = random.Random(2).randbytes(300)
    driver.region[:300] = data
    counter = int.from_bytes(COUNTER, "big")
    first = driver.c.shim_submit(0, 0, COUNTER, ORIGIN, ORIGIN + 0x401, 300, 0)
    second = driver.c.shim_submit(1, WIDTH_32, COUNTER, ORIGIN + 0x401, ORIGIN + 0x800, 300, 1)
    third = driver.c.shim_submit(0, 0, COUNTER, ORIGIN, 0, 300, 0)
    assert (second, third) == (first + 1, first + 2)
    assert driver.c.shim_poll(second) == -errno.EAGAIN
    for _ in range(1000):
        if (status := driver.c.shim_poll(second)) != -errno.EAGAIN:
            break
    assert status == 0
    assert driver.c.shim_poll(first) == 0
    middle = ctr(KEYS[0], counter, data)
    assert bytes(driver.region[0x401 : 0x401 + 300]) == middle
    assert bytes(driver.region[0x800 : 0x800 + 300]) == ctr(KEYS[1], counter, middle, width=WIDTH_32)
    for _ in range(1000):
        if (status := driver.c.shim_poll(third)) != -errno.EAGAIN:
            break
    assert status == -errno.EFAULT


def test_full_queue_and_abort(driver):
    driver.c.shim_load(0, KEYS[0], 8 * len(KEYS[0]))
    driver.bench.memory.latency = lambda: 50
    numbers = [driver.c.shim_submit(0, 0, COUNTER, ORIGIN, ORIGIN + 0x800, 0x400, 0) for _ in range(8)]
    assert numbers == list(range(numbers[0], numbers[0] + 8))
    assert driver.c.shim_submit(0, 0, COUNTER, ORIGIN, ORIGIN, 16, 0) == -errno.EBUSY
    assert driver.c.shim_load(0, KEYS[1], 128) == -errno.EBUSY
    assert driver.c.shim_clear_slot(0) == -errno.EBUSY
    assert driver.c.shim_abort() == 0
    assert [driver.c.shim_poll(n) for n in numbers] == 8 * [-errno.ECANCELED]
    driver.bench.memory.latency = lambda: 1
    assert driver.c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 16) == 0
    assert driver.c.shim_abort() == 0  # none is outstanding


@pytest.mark.parametrize("length", [1, 16, 63, 64, 65, 200])
def test_bounce_for_memory_that_the_dma_cannot_reach(driver, length):
    driver.c.shim_set_key(0, KEYS[0], 8 * len(KEYS[0]))
    outside = ctypes.create_string_buffer(512)
    check(driver, 0, ctypes.addressof(outside), ctypes.addressof(outside), length)
    check(driver, 0, ctypes.addressof(outside) + 1, ORIGIN + 7, length)
    assert bytes(driver.region[-64:]) == bytes(64), "data left in the bounce buffer"


def test_no_bounce_buffer_is_refused(driver):
    assert driver.init(bounce_bytes=15) == 0
    outside = ctypes.create_string_buffer(16)
    driver.c.shim_set_key(0, KEYS[0], 8 * len(KEYS[0]))
    assert driver.c.shim_ctr(0, COUNTER, ctypes.addressof(outside), ORIGIN, 16) == -errno.EINVAL


def test_clear_leaves_no_key(driver):
    driver.c.shim_set_key(0, KEYS[0], 8 * len(KEYS[0]))
    driver.c.shim_clear(0)
    assert driver.c.shim_key_is_zero(0)
    assert driver.c.shim_ctr(0, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    for slot in range(8):
        assert driver.c.shim_run(slot, COUNTER, 0, ORIGIN, ORIGIN, 16) == -errno.EINVAL


def test_key_that_a_fault_took_is_not_replaced_by_another(driver):
    """If a key command does not end, the engine makes the hardware zeroize all slots.

    A session must not use a new key that is then loaded into its old slot.
    """
    for n, key in enumerate(KEYS[:2]):
        assert driver.c.shim_set_key(n, key, 8 * len(key)) == 0
    driver.stuck = KEY_BUSY
    driver.c.shim_clear(0)
    driver.stuck = 0
    assert driver.c.shim_abort() == 0
    while driver.read_register(driver.bench.address["status"] * 4) & KEY_BUSY:
        pass  # if KEY_BUSY stays set, the simulation ends with an error after many cycles
    assert driver.read_register(driver.bench.address["key_valid"] * 4) == 0
    assert driver.c.shim_ctr(1, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EIO
    for n in (2, 3):
        assert driver.c.shim_set_key(n, KEYS[n], 8 * len(KEYS[n])) == 0
    assert driver.c.shim_ctr(1, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EIO
    driver.c.shim_clear(1)
    check(driver, 2, ORIGIN, ORIGIN, 48)
    check(driver, 3, ORIGIN, ORIGIN, 48)


def test_clear_of_another_key_keeps_the_loaded_one(driver):
    for n, key in enumerate(KEYS[:2]):
        driver.c.shim_set_key(n, key, 8 * len(key))
    driver.c.shim_clear(0)
    driver.writes.clear()
    check(driver, 1, ORIGIN, ORIGIN, 48)
    assert "key0" not in driver.writes


def test_arguments(driver):
    c = driver.c
    assert c.shim_set_key(0, KEYS[0], 64) == -errno.EINVAL
    assert c.shim_ctr(0, COUNTER, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert c.shim_load(8, KEYS[0], 128) == -errno.EINVAL
    assert c.shim_clear_slot(8) == -errno.EINVAL
    c.shim_load(0, KEYS[0], 128)
    driver.writes.clear()
    assert c.shim_run(0, COUNTER, 0, ORIGIN, 2**33, 16) == -errno.EFAULT
    assert c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 2**32) == -errno.EINVAL
    assert c.shim_run(8, COUNTER, 0, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert c.shim_submit(0, 3, COUNTER, ORIGIN, ORIGIN, 16, 0) == -errno.EINVAL
    assert c.shim_eea2(0, 0, 32, 0, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert c.shim_eea2(0, 0, 0, 2, ORIGIN, ORIGIN, 16) == -errno.EINVAL
    assert driver.writes == []
    assert c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN + SIZE, 16) == -errno.EFAULT
    assert c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN + 16, 32) == -errno.EINVAL
    assert c.shim_run(1, COUNTER, 0, ORIGIN, ORIGIN, 32) == -errno.EINVAL


def test_faults_of_the_bus(driver):
    driver.c.shim_load(0, KEYS[0], 128)
    driver.bench.memory.answer = lambda address, we: "err" if we else "ack"
    assert driver.c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 64) == -errno.EIO
    driver.bench.memory.answer = lambda address, we: None if we else "ack"
    assert driver.c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 64) == -errno.ETIMEDOUT
    driver.bench.memory.answer = lambda address, we: "ack"
    assert driver.c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 64) == 0


def test_accelerator_that_stays_busy(driver):
    driver.c.shim_load(0, KEYS[0], 128)
    driver.stuck = BUSY | KEY_BUSY
    assert driver.c.shim_load(1, KEYS[1], 128) == -errno.EBUSY
    assert driver.c.shim_clear_slot(0) == -errno.EBUSY
    assert driver.c.shim_abort() == -errno.ETIMEDOUT
    assert driver.init() == -errno.ETIMEDOUT


def test_run_that_never_ends_is_given_up(driver):
    driver.c.shim_load(0, KEYS[0], 128)
    driver.hang_at_start = True
    driver.writes.clear()
    assert driver.c.shim_run(0, COUNTER, 0, ORIGIN, ORIGIN, 16) == -errno.ETIMEDOUT
    assert driver.writes[-2:] == ["control", "control"]  # start, then abort
