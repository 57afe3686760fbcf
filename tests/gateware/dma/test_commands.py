# SPDX-License-Identifier: BSD-2-Clause
"""Test the accelerator: commands at the wrong time, refused commands, bus faults, aborts, zeroization and reset."""

import pytest

from gateware.ctr.counter import WIDTHS
from gateware.dma.errors import Error
from gateware.dma.ledger import ENTRIES
from tests.gateware.ctr.reference import KEYS, T1
from tests.gateware.dma.bench import ORIGIN, OUT, SIZE, SMALL, TIMEOUT_CYCLES, Descriptor

END = ORIGIN + SIZE


def check(bench, key, length=100, **values):
    """Execute one valid descriptor and check its result."""
    data = bench.rng.randbytes(length)
    descriptor = Descriptor(ORIGIN + 5, OUT + 9, length, T1, **values)
    bench.memory.write(descriptor.source, data)
    assert bench.transfer(descriptor) == [Error.NONE]
    assert bench.memory.read(descriptor.destination, length) == descriptor.result(key, data)
    bench.assert_empty()


def refused(bench, **values):
    """Submit a descriptor that the accelerator must end without memory access; return its error code."""
    bench.memory.log.clear()
    (error,) = bench.transfer(Descriptor(**{"length": 16, "counter": T1, **values}))
    assert bench.memory.log == []
    return error


# Refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slot", [0, 7, 8, 15])
def test_slot_without_a_key(bench, slot):
    bench.load_key(KEYS[128], 3)
    assert refused(bench, slot=slot) == Error.NO_KEY
    check(bench, KEYS[128], slot=3)


def test_invalid_width(bench):
    bench.load_key(KEYS[128])
    assert refused(bench, width=len(WIDTHS)) == Error.WIDTH


def test_bad_address(bench):
    bench.load_key(KEYS[128])
    small, small_size = SMALL
    for buffer, length in [
        (0, 16),
        (ORIGIN - 16, 16),
        (ORIGIN - 1, 2),
        (END, 1),
        (END - 1, 2),
        (END - 16, 17),
        (END - 33, 34),
        (small - 16, 16),
        (small, small_size + 1),
        (small + 1, small_size),
        (small + small_size, 1),
        (2**32 - 16, 16),
        (2**32 - 16, 32),
        (END - 16, 2**32 - 1),
        (ORIGIN, 2**32 - 1),
        (ORIGIN, 2**32 - ORIGIN),
        (2**32 - 16, ORIGIN + 32),
    ]:
        assert refused(bench, source=buffer, destination=ORIGIN, length=length) == Error.BAD_ADDRESS
        assert refused(bench, source=ORIGIN, destination=buffer, length=length) == Error.BAD_ADDRESS
    bench.memory.write(small, bytes(small_size))
    whole = Descriptor(small, small, small_size, T1)
    assert bench.transfer(whole) == [Error.NONE]
    assert bench.memory.read(small, small_size) == whole.result(KEYS[128], bytes(small_size))
    assert bench.transfer(Descriptor(END - 1, END - 1, 8, T1, in_bits=1)) == [Error.NONE]
    assert refused(bench, source=END - 1, length=9, in_bits=1) == Error.BAD_ADDRESS


def test_overlap(bench):
    bench.load_key(KEYS[128])
    for distance in (1, 15, 16, 32, 63):
        assert refused(bench, source=ORIGIN + 3, destination=ORIGIN + 3 + distance, length=64) == Error.OVERLAP
    assert bench.transfer(Descriptor(ORIGIN + 3, ORIGIN + 3 + 64, 64)) == [Error.NONE]


def test_a_refused_descriptor_takes_its_turn_and_the_others_go_on(bench):
    bench.load_key(KEYS[128])
    data = bench.rng.randbytes(300)
    bench.memory.write(ORIGIN, data)
    good = [Descriptor(ORIGIN, OUT + 0x200 * n, 300, T1 + n) for n in range(3)]
    bad = Descriptor(0, OUT, 16)
    empty = Descriptor(length=0)
    assert bench.transfer(good[0], bad, good[1], empty, good[2]) == [
        Error.NONE,
        Error.BAD_ADDRESS,
        Error.NONE,
        Error.NONE,
        Error.NONE,
    ]
    for d in good:
        assert bench.memory.read(d.destination, 300) == d.result(KEYS[128], data)


def test_invalid_key_commands(bench):
    bench.load_key(KEYS[128])

    def invalid(length, slot, command, error):
        yield from bench.write_fields("key_config", key_length=length, slot=slot)
        yield from bench.write_key(KEYS[256])
        yield from bench.command(command)
        status = yield from bench.wait_idle()
        assert (status["refused"], status["key_error"]) == (0, error)
        assert (yield from bench.read("key_valid")) == 1

    bench.run(invalid(3, 0, "load_key", Error.KEY_LENGTH))
    bench.run(invalid(2, 8, "load_key", Error.NO_KEY))
    bench.run(invalid(2, 15, "clear_key", Error.NO_KEY))
    check(bench, KEYS[128])


def test_full_queue(bench):
    bench.load_key(KEYS[256])
    bench.memory.latency = lambda: 20
    data = bench.rng.randbytes(160)
    bench.memory.write(ORIGIN, data)
    descriptor = Descriptor(length=160, counter=T1)

    def fill():
        for _ in range(ENTRIES):
            assert (yield from bench.status())["full"] == 0
            yield from bench.set_descriptor(descriptor)
            yield from bench.command("start")
        before = yield from bench.read("submitted")
        for _ in range(2):
            yield from bench.command("start")
            status = yield from bench.status()
            assert (status["full"], status["refused"]) == (1, 1)
        assert (yield from bench.read("submitted")) == before
        status = yield from bench.wait_idle()
        assert status["error"] == Error.NONE
        assert (yield from bench.read("completed")) == before

    bench.run(fill(), max_cycles=60000)
    assert bench.memory.read(OUT, 160) == descriptor.result(KEYS[256], data)
    check(bench, KEYS[256])


# Bus faults ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_write", [0, 1])
@pytest.mark.parametrize(("answer", "error"), [("err", Error.BUS_ERROR), (None, Error.BUS_TIMEOUT)])
@pytest.mark.parametrize("place", [0, 3, 9])
def test_bus_faults_end_their_descriptor_alone(bench, in_write, answer, error, place):
    bench.load_key(KEYS[128])
    data = bench.rng.randbytes(160)
    bench.memory.write(ORIGIN, data)
    base = OUT + 0x200 if in_write else ORIGIN + 0x400
    bench.memory.write(ORIGIN + 0x400, data)
    faulty = (in_write, base + 16 * place)
    bench.memory.answer = lambda address, we: answer if (we, address) == faulty else "ack"
    before = Descriptor(ORIGIN, OUT, 160, T1)
    middle = Descriptor(ORIGIN + 0x400, OUT + 0x200, 160, T1)
    after = Descriptor(ORIGIN, OUT + 0x400, 160, T1)
    assert bench.transfer(before, middle, after) == [Error.NONE, error, Error.NONE]
    for d in (before, after):
        assert bench.memory.read(d.destination, 160) == d.result(KEYS[128], data)
    # Before the bus fault, the accelerator wrote only right data for this descriptor. After the fault, it
    # accessed no memory for this descriptor.
    written = bench.memory.read(OUT + 0x200, 160)
    for i in range(0, 160, 16):
        assert written[i : i + 16] in (bytes(16), middle.result(KEYS[128], data)[i : i + 16])
    assert not any(written[16 * place :])
    if not in_write:
        reads = {a for we, a, _ in bench.memory.log if not we}
        assert not reads & set(range(faulty[1] + 16, base + 160, 16))
    bench.assert_empty()


def test_longest_wait_that_is_no_time_out(bench):
    bench.load_key(KEYS[128])
    bench.memory.latency = lambda: TIMEOUT_CYCLES - 2
    check(bench, KEYS[128], 40)


# Busy ----------------------------------------------------------------------------------------------------


def test_key_of_a_slot_in_use_cannot_be_changed(bench):
    bench.load_key(KEYS[128], 1)
    bench.load_key(KEYS[192], 2)
    data = bench.rng.randbytes(640)
    bench.memory.write(ORIGIN, data)
    descriptor = Descriptor(length=640, counter=T1, slot=1)

    def disturb():
        number = yield from bench.submit(descriptor)
        yield from bench.write_fields("key_config", key_length=2, slot=1)
        for command in ("load_key", "clear_key"):
            yield from bench.command(command)
            status = yield from bench.status()
            assert (status["busy"], status["key_busy"], status["refused"]) == (1, 0, 1)
        yield from bench.write_fields("key_config", key_length=2, slot=2)
        yield from bench.command("clear_key")  # the accelerator accepts this command, because slot 2 is not in use
        assert (yield from bench.status())["refused"] == 0
        assert (yield from bench.result(number)) == Error.NONE
        assert (yield from bench.read("key_valid")) == 0b010

    bench.run(disturb())
    assert bench.memory.read(OUT, 640) == descriptor.result(KEYS[128], data)
    assert refused(bench, slot=2) == Error.NO_KEY
    check(bench, KEYS[128], slot=1)


def test_commands_while_a_key_is_loaded(bench):
    def disturb():
        yield from bench.begin_key(KEYS[256], 4)
        yield from bench.write("key0", 0)  # a word written during the load must never become part of a key
        for command in ("load_key", "clear_key", "abort"):
            yield from bench.command(command)
            status = yield from bench.status()
            assert (status["key_busy"], status["refused"]) == (1, 1)
        yield from bench.wait_idle()

    bench.run(disturb())
    check(bench, KEYS[256], slot=4)


def test_only_the_first_of_several_commands_counts(bench):
    bench.load_key(KEYS[128])

    def several(*names):
        yield from bench.command(*names)
        yield from bench.wait_idle()

    bench.run(several("start", "clear_key"))
    assert refused(bench) == Error.NO_KEY
    bench.load_key(KEYS[128])
    bench.run(several("start", "load_key", "zeroize", "abort", "clear_key"))
    assert refused(bench) == Error.NO_KEY


def test_abort_while_idle_is_refused_and_does_nothing(bench):
    bench.load_key(KEYS[128])

    def abort():
        yield from bench.command("abort")
        status = yield from bench.status()
        assert (status["busy"], status["refused"]) == (0, 1)

    bench.run(abort())
    check(bench, KEYS[128])


def test_key_words_are_used_once(bench):
    """The key words are zeroized after use, so a second load_key loads a key of zeros."""
    bench.load_key(KEYS[256])

    def again():
        yield from bench.write_fields("key_config", key_length=2, slot=0)
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(again())
    check(bench, bytes(32))


# Abort, zeroize, reset ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wait", [*range(0, 40, 4), 100, 300])
@pytest.mark.parametrize("command", ["abort", "zeroize"])
def test_abort_and_zeroize_end_all_descriptors(bench, command, wait):
    bench.load_key(KEYS[192])
    descriptors = [Descriptor(ORIGIN, OUT, 1600, T1), Descriptor(ORIGIN, OUT + 0x800, 160, T1)]
    after = []

    def interrupt():
        numbers = []
        for d in descriptors:
            numbers.append((yield from bench.submit(d)))
        for _ in range(wait):
            yield
        yield from bench.command(command)
        for number in numbers:
            assert (yield from bench.result(number)) == Error.ABORTED
        status = yield from bench.wait_idle()
        assert (status["error"], status["refused"]) == (Error.ABORTED, 0)
        assert (yield from bench.read("key_valid")) == (command == "abort")
        after.append(len(bench.memory.log))
        for _ in range(100):
            yield

    bench.run(interrupt(), max_cycles=4000)
    bench.assert_empty()
    assert len(bench.memory.log) == after[0] < 220, "accesses after the end"
    written = max((a - OUT + 16 for we, a, _ in bench.memory.log if we), default=0)
    assert bench.memory.read(OUT, written) == descriptors[0].result(KEYS[192], bytes(written))
    assert not any(bench.memory.read(OUT + written, 1600 - written))
    if command == "zeroize":
        assert refused(bench) == Error.NO_KEY
        bench.load_key(KEYS[128])
        check(bench, KEYS[128])
    else:
        check(bench, KEYS[192])


@pytest.mark.parametrize("wait", range(0, 60, 6))
def test_zeroize_during_a_key_load(bench, wait):
    bench.load_key(KEYS[128], 7)

    def interrupt():
        yield from bench.begin_key(KEYS[256])
        for _ in range(wait):
            yield
        yield from bench.command("zeroize")
        status = yield from bench.wait_idle()
        assert status["key_error"] == Error.NONE
        assert (yield from bench.read("key_valid")) == 0
        # The stored key words are also zero, so `load_key` now loads a key of zeros.
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(interrupt())
    check(bench, bytes(32))
    assert refused(bench, slot=7) == Error.NO_KEY


@pytest.mark.parametrize("wait", range(0, 120, 9))
def test_reset_in_mid_operation(bench, wait):
    """After a reset, the keys are zeroized, the bus is idle, and the accelerator works as after power-on."""

    def begin():
        yield from bench.set_key(KEYS[256])
        yield from bench.submit(Descriptor(length=1000, counter=T1))
        yield from bench.submit(Descriptor(length=1000, counter=T1))
        for _ in range(wait):
            yield

    bench.run(begin())
    bench.reset()
    bench.assert_empty()
    assert refused(bench) == Error.NO_KEY

    def load():
        yield from bench.write("key_config", 2)
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(load())
    check(bench, bytes(32))  # the reset zeroized the key words, so this key is zero
    bench.load_key(KEYS[128])
    check(bench, KEYS[128])


def test_registers_after_reset(bench):
    values = {}

    def read_all():
        for name in bench.address:
            values[name] = yield from bench.read(name)

    bench.run(read_all())
    assert not any(values.values())


def test_keys_are_never_readable(bench):
    """No register address returns a word of the key, at any stage from loading to zeroization."""
    key = KEYS[256]
    secret = {int.from_bytes(key[i : i + 4], order) for i in range(0, 32, 4) for order in ("little", "big")}
    seen = []

    def read_all():
        for address in range(0x100):
            yield [bench.csr.adr.eq(address), bench.csr.re.eq(1)]
            yield
            yield bench.csr.re.eq(0)
            yield
            seen.append((yield bench.csr.dat_r))

    def life():
        yield from bench.write_fields("key_config", key_length=2, slot=6)
        yield from bench.write_key(key)
        yield from read_all()
        yield from bench.command("load_key")
        yield from read_all()
        yield from bench.wait_idle()
        yield from bench.submit(Descriptor(length=0x800, slot=6))
        yield from read_all()
        yield from bench.wait_idle()
        yield from bench.command("zeroize")
        yield from read_all()

    bench.run(life(), max_cycles=60000)
    assert len(seen) == 4 * 0x100
    assert not secret & set(seen)


def test_interrupt(bench):
    bench.load_key(KEYS[128])
    silent, loud = Descriptor(length=64), Descriptor(length=64, interrupt=1)

    def life():
        yield from bench.result((yield from bench.submit(silent)))
        assert (yield from bench.read("ev_pending")) == 0
        yield from bench.result((yield from bench.submit(loud)))
        assert not bench.peek("irq"), "interrupt while not enabled"
        assert (yield from bench.read("ev_pending")) == 1
        yield from bench.write("ev_pending", 1)
        yield from bench.write("ev_enable", 1)
        yield
        yield
        assert not bench.peek("irq")
        yield from bench.submit(silent)
        number = yield from bench.submit(loud)
        while not bench.peek("irq"):
            yield
        assert (yield from bench.result(number)) == Error.NONE
        assert (yield from bench.status())["busy"] == 0
        yield from bench.write("ev_pending", 1)
        yield
        yield
        assert not bench.peek("irq")

    bench.run(life())
