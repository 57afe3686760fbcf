"""The accelerator through its registers and its bus, against SP 800-38A and `cryptography`."""

import itertools

import pytest

from gateware.ctr.accelerator import CTRAccelerator
from gateware.ctr.errors import Error
from tests.gateware.ctr.bench import ORIGIN, SIZE, SMALL, TIMEOUT_CYCLES, Bench, ctr

KEYS = {
    128: bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    192: bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    256: bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
}
T1 = 0xF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
SP_800_38A = {  # F.5.1, F.5.3, F.5.5
    128: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    192: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
    "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    256: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
}
OUT = ORIGIN + 0x2000


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.reset()
    return simulated


def check_run(bench, key, length, *, counter=T1, index=0, source=ORIGIN, destination=OUT, max_cycles=20000):
    """One run: result, nothing else touched, accesses in order and as few as possible. Returns its cycles."""
    data = bench.rng.randbytes(length)
    guard = bench.rng.randbytes(32)
    bench.memory.write(destination + length, guard)
    bench.memory.write(source, data)
    after_source = bench.memory.read(source + length, 32)
    bench.memory.log.clear()
    status, cycles = bench.transfer(counter, index, source, destination, length, max_cycles)
    assert status == {"busy": 0, "done": 1, "key_valid": 1, "refused": 0, "error": Error.NONE}
    assert bench.memory.read(destination, length) == ctr(key, counter + index, data)
    if source != destination:
        assert bench.memory.read(source, length) == data
    assert bench.memory.read(source + length, 32) == after_source
    assert bench.memory.read(destination + length, 32) == guard
    blocks = (length + 15) // 16
    for we, base in ((0, source), (1, destination)):
        sels = [0xFFFF] * blocks
        if length % 16:
            sels[-1] = 2 ** (length % 16) - 1
        assert [(a, s) for w, a, s in bench.memory.log if w == we] == [(base + 16 * n, sels[n]) for n in range(blocks)]
    return cycles


@pytest.mark.parametrize("key_bits", KEYS)
def test_sp_800_38a_f5(bench, key_bits):
    bench.load_key(KEYS[key_bits])
    bench.memory.write(ORIGIN, PLAIN)
    status, _ = bench.transfer(T1, 0, ORIGIN, OUT, len(PLAIN))
    assert (status["done"], status["error"]) == (1, Error.NONE)
    assert bench.memory.read(OUT, len(PLAIN)).hex() == SP_800_38A[key_bits]
    # Decryption is the same, and an index of 2 begins at the third block.
    status, _ = bench.transfer(T1, 2, OUT + 32, ORIGIN + 0x100, 32)
    assert bench.memory.read(ORIGIN + 0x100, 32) == PLAIN[32:]


@pytest.mark.parametrize("key_bits", KEYS)
@pytest.mark.parametrize("in_place", [False, True])
def test_lengths(bench, key_bits, in_place):
    bench.load_key(KEYS[key_bits])
    for length in [*range(0, 36), 63, 64, 65, 200, 1000]:
        check_run(bench, KEYS[key_bits], length, destination=ORIGIN if in_place else OUT)


@pytest.mark.parametrize("index", [0, 1, 2**32 - 1, 2**32, 2**64 - 1])
@pytest.mark.parametrize("counter", [0, 2**32 - 2, 2**64 - 2, 2**128 - 2])
def test_index_and_wraps(bench, counter, index):
    bench.load_key(KEYS[128])
    check_run(bench, KEYS[128], 70, counter=counter, index=index)


def test_cycles_depend_on_length_and_key_size_alone(bench):
    """A block every Nr cycles on a memory that answers in the cycle after `stb`; whatever data and key."""
    for key_bits, rounds in ((128, 10), (192, 12), (256, 14)):
        seen = {}
        for _ in range(3):
            key = bench.rng.randbytes(key_bits // 8)
            bench.load_key(key)
            for length in (0, 1, 16, 160, 161, 1600):
                cycles = check_run(bench, key, length, counter=bench.rng.getrandbits(128))
                assert seen.setdefault(length, cycles) == cycles
        assert seen[1600] - seen[160] == 90 * rounds
        assert seen[1] == seen[16]
        assert seen[161] - seen[160] == rounds
        assert seen[160] == 10 * rounds + 11


@pytest.mark.parametrize("longest", [2, 8, 40])
def test_shared_bus(bench, longest):
    """Other masters hold the bus now and then, for up to `longest` cycles."""
    bench.load_key(KEYS[256])
    rng = bench.rng
    bench.memory.latency = lambda: rng.choice([1, 1, 1, rng.randrange(1, longest + 1)])
    for length in (1, 16, 100, 640, 2000):
        check_run(bench, KEYS[256], length, max_cycles=80000)
        check_run(bench, KEYS[256], length, destination=ORIGIN, max_cycles=80000)


def test_waits_on_the_bus_are_evened_out(bench):
    """Every tenth access waits for 20 cycles: the core is still never idle."""
    bench.load_key(KEYS[128])
    cycles = {}
    for length in (160, 1600):
        count = itertools.count()
        bench.memory.latency = lambda count=count: 20 if next(count) % 10 == 9 else 1
        cycles[length] = check_run(bench, KEYS[128], length)
    assert cycles[1600] - cycles[160] <= 90 * 10 + 20


def test_random_differential(bench):
    rng = bench.rng
    for _ in range(40):
        key = rng.randbytes(rng.choice([16, 24, 32]))
        bench.load_key(key)
        for _ in range(rng.randrange(1, 4)):
            length = rng.choice([rng.randrange(0, 20), rng.randrange(0, 600)])
            source = ORIGIN + 16 * rng.randrange(0, 128)
            destination = rng.choice([source, OUT + 16 * rng.randrange(0, 64)])
            counter, index = rng.getrandbits(128) | rng.choice([0, 2**128 - 16]), rng.getrandbits(64)
            check_run(bench, key, length, counter=counter, index=index, source=source, destination=destination)


# Refusals and errors ------------------------------------------------------------------------------------


def refused(bench, source, destination, length):
    bench.memory.log.clear()
    status, _ = bench.transfer(T1, 0, source, destination, length)
    assert bench.memory.log == []
    assert (status["busy"], status["done"], status["refused"]) == (0, 1, 0)
    return status["error"]


def test_start_without_key(bench):
    assert refused(bench, ORIGIN, OUT, 16) == Error.NO_KEY
    bench.load_key(KEYS[128])
    check_run(bench, KEYS[128], 16)


@pytest.mark.parametrize(("source", "destination"), [(1, 0), (8, 0), (0, 4), (0, 15), (2, 2)])
def test_unaligned(bench, source, destination):
    bench.load_key(KEYS[128])
    assert refused(bench, ORIGIN + source, OUT + destination, 16) == Error.UNALIGNED


def test_bad_address(bench):
    bench.load_key(KEYS[128])
    end, (small, small_size) = ORIGIN + SIZE, SMALL
    for buffer, length in [
        (0, 16),
        (ORIGIN - 16, 16),
        (ORIGIN - 16, 32),
        (end, 16),
        (end, 1),
        (end - 16, 17),
        (end - 32, 33),
        (small - 16, 16),
        (small, small_size + 1),
        (small + small_size, 1),
        (2**32 - 16, 16),
        (2**32 - 16, 32),
        (end - 16, 2**32 - 1),
        (ORIGIN, 2**32 - 1),
        (ORIGIN, 2**32 - ORIGIN),
        (2**32 - 16, ORIGIN + 32),
    ]:
        assert refused(bench, buffer, ORIGIN, length) == Error.BAD_ADDRESS
        assert refused(bench, ORIGIN, buffer, length) == Error.BAD_ADDRESS
    check_run(bench, KEYS[128], 32, source=end - 256, destination=end - 64)
    bench.memory.write(small, bytes(small_size))
    status, _ = bench.transfer(T1, 0, small, small, small_size)
    assert status["error"] == Error.NONE
    assert bench.memory.read(small, small_size) == ctr(KEYS[128], T1, bytes(small_size))
    status, _ = bench.transfer(T1, 0, end - 16, end - 16, 16)
    assert status["error"] == Error.NONE


def test_overlap(bench):
    bench.load_key(KEYS[128])
    assert refused(bench, ORIGIN, ORIGIN + 16, 17) == Error.OVERLAP
    assert refused(bench, ORIGIN, ORIGIN + 0x100, 0x101) == Error.OVERLAP
    check_run(bench, KEYS[128], 0x100, source=ORIGIN, destination=ORIGIN + 0x120)
    data = bench.rng.randbytes(0x100)
    bench.memory.write(ORIGIN, data)
    status, _ = bench.transfer(T1, 0, ORIGIN, ORIGIN + 0x100, 0x100)  # side by side is no overlap
    assert status["error"] == Error.NONE
    assert bench.memory.read(ORIGIN + 0x100, 0x100) == ctr(KEYS[128], T1, data)
    # The other way round is safe, as every block is read before it is written over.
    data = bench.rng.randbytes(0x100)
    bench.memory.write(ORIGIN + 16, data)
    status, _ = bench.transfer(T1, 0, ORIGIN + 16, ORIGIN, 0x100)
    assert status["error"] == Error.NONE
    assert bench.memory.read(ORIGIN, 0x100) == ctr(KEYS[128], T1, data)


@pytest.mark.parametrize("nth", range(0, 12))
@pytest.mark.parametrize("answer", ["err", None])
def test_bus_faults(bench, nth, answer):
    """The nth access fails: the run ends with its error, within the time-out, and the next one works."""
    bench.load_key(KEYS[128])
    count = itertools.count()
    bench.memory.answer = lambda address, we: answer if next(count) == nth else "ack"
    bench.memory.write(ORIGIN, bytes(96))
    status, cycles = bench.transfer(T1, 0, ORIGIN, OUT, 96)
    assert (status["done"], status["error"]) == (1, Error.BUS_ERROR if answer else Error.BUS_TIMEOUT)
    assert cycles < 120 + TIMEOUT_CYCLES
    assert next(count) == nth + 1, "accesses after the fault"
    bench.memory.answer = lambda address, we: "ack"
    check_run(bench, KEYS[128], 96)


def test_slow_answer_is_no_timeout(bench):
    bench.load_key(KEYS[128])
    bench.memory.latency = lambda: TIMEOUT_CYCLES - 1
    check_run(bench, KEYS[128], 40)


def test_invalid_key_length_keeps_the_key(bench):
    bench.load_key(KEYS[128])

    def load():
        yield from bench.write("config", 3)
        yield from bench.write("key0", 0x12345678)
        yield from bench.command("load_key")
        status = yield from bench.wait_idle()
        assert (status["done"], status["key_valid"], status["error"]) == (1, 1, Error.KEY_LENGTH)

    bench.run(load())
    check_run(bench, KEYS[128], 32)


# Busy, abort, zeroize, reset ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["start", "load_key"])
def test_commands_while_busy_are_refused(bench, command):
    """And parameters and key words written meanwhile are for the next command."""
    bench.load_key(KEYS[256])
    data = bench.rng.randbytes(640)
    bench.memory.write(ORIGIN, data)

    def disturb():
        yield from bench.set_run(T1, 0, ORIGIN, OUT, len(data))
        yield from bench.command("start")
        yield from bench.set_run(0, 0, 0, 0, 16)
        yield from bench.write("config", 0)
        for i in range(8):
            yield from bench.write(f"key{i}", 0)
        yield from bench.command(command)
        status = yield from bench.status()
        assert (status["busy"], status["done"], status["refused"]) == (1, 0, 1)
        status = yield from bench.wait_idle()
        assert (status["done"], status["refused"], status["error"]) == (1, 1, Error.NONE)

    bench.run(disturb())
    assert bench.memory.read(OUT, len(data)) == ctr(KEYS[256], T1, data)
    check_run(bench, KEYS[256], 32)  # the key is the one that was loaded; `refused` is cleared

    def load():
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(load())
    check_run(bench, bytes(16), 32)


def test_only_the_first_of_several_commands_counts(bench):
    bench.load_key(KEYS[128])

    def several(*names):
        yield from bench.command(*names)
        yield from bench.wait_idle()

    bench.run(several("start", "load_key"))
    check_run(bench, KEYS[128], 16)
    bench.run(several("start", "load_key", "zeroize", "abort"))
    assert refused(bench, ORIGIN, OUT, 16) == Error.NO_KEY


@pytest.mark.parametrize("wait", [*range(0, 40, 2), 100, 300])
@pytest.mark.parametrize("command", ["abort", "zeroize"])
def test_abort_and_zeroize_in_a_run(bench, command, wait):
    bench.load_key(KEYS[192])
    bench.memory.write(ORIGIN, bytes(1600))
    after = []

    def interrupt():
        yield from bench.set_run(T1, 0, ORIGIN, OUT, 1600)
        yield from bench.command("start")
        for _ in range(wait):
            yield
        yield from bench.command(command)
        status = yield from bench.wait_idle()
        assert (status["done"], status["error"], status["refused"]) == (1, Error.ABORTED, 0)
        assert status["key_valid"] == (command == "abort")
        after.append(len(bench.memory.log))
        for _ in range(100):
            yield

    bench.run(interrupt(), max_cycles=2000)
    assert len(bench.memory.log) == after[0] < 200, "accesses after the end"
    written = max((a - OUT + 16 for we, a, _ in bench.memory.log if we), default=0)
    assert bench.memory.read(OUT, written) == ctr(KEYS[192], T1, bytes(written))
    assert not any(bench.memory.read(OUT + written, 1600 - written))
    if command == "zeroize":
        assert refused(bench, ORIGIN, OUT, 16) == Error.NO_KEY
        bench.load_key(KEYS[128])
        check_run(bench, KEYS[128], 50)
    else:
        check_run(bench, KEYS[192], 50)


def test_abort_while_idle_is_refused_and_does_nothing(bench):
    bench.load_key(KEYS[128])

    def abort():
        yield from bench.command("abort")
        status = yield from bench.status()
        assert (status["busy"], status["refused"], status["key_valid"]) == (0, 1, 1)

    bench.run(abort())
    check_run(bench, KEYS[128], 16)


@pytest.mark.parametrize("wait", [*range(0, 60, 5)])
def test_zeroize_during_a_key_load(bench, wait):
    def interrupt():
        yield from bench.write("config", 2)
        for i in range(8):
            yield from bench.write(f"key{i}", 0x01020304 + i)
        yield from bench.command("load_key")
        for _ in range(wait):
            yield
        yield from bench.command("zeroize")
        status = yield from bench.wait_idle()
        assert (status["done"], status["key_valid"], status["error"]) == (1, 0, 0)
        # The key words are zero as well: what a load now takes is a key of zeros.
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(interrupt())
    check_run(bench, bytes(32), 33)


@pytest.mark.parametrize("wait", range(2, 8))
def test_key_words_written_during_a_key_load_are_ignored(bench, wait):
    bench.load_key(KEYS[256])

    def disturb():
        yield from bench.command("load_key")
        for _ in range(wait):
            yield
        yield from bench.write("key7", 0)
        yield from bench.wait_idle()

    bench.run(disturb())
    check_run(bench, KEYS[256], 32)


@pytest.mark.parametrize("wait", range(0, 120, 7))
def test_reset_in_mid_operation(bench, wait):
    """The key is gone, the bus is idle, and the accelerator works as after power-on."""

    def begin():
        yield from bench.set_key(KEYS[256])
        yield from bench.set_run(T1, 0, ORIGIN, OUT, 1000)
        yield from bench.command("start")
        for _ in range(wait):
            yield

    bench.run(begin())
    bench.reset()
    assert not bench.sim.peek(bench.dut.bus.cyc)
    assert refused(bench, ORIGIN, OUT, 16) == Error.NO_KEY

    def load():
        yield from bench.write("config", 2)
        yield from bench.command("load_key")
        yield from bench.wait_idle()

    bench.run(load())
    check_run(bench, bytes(32), 100)  # the key words were zeroized, too
    bench.load_key(KEYS[128])
    check_run(bench, KEYS[128], 100)


def test_registers_after_reset(bench):
    values = {}

    def read_all():
        for name in bench.address:
            values[name] = yield from bench.read(name)

    bench.run(read_all())
    assert not any(values.values())


def test_keys_are_never_readable(bench):
    """Every address of the bank, at every stage of a key's life: no word of the key, nor of its schedule."""
    key = KEYS[256]
    secret = {int.from_bytes(key[i : i + 4], "little") for i in range(0, 32, 4)}
    secret |= {int.from_bytes(key[i : i + 4], "big") for i in range(0, 32, 4)}
    seen = []

    def read_all():
        for address in range(0x200):
            yield [bench.csr.adr.eq(address), bench.csr.re.eq(1)]
            yield
            yield bench.csr.re.eq(0)
            yield
            seen.append((yield bench.csr.dat_r))

    def life():
        yield from bench.write("config", 2)
        for i in range(8):
            yield from bench.write(f"key{i}", int.from_bytes(key[4 * i : 4 * i + 4], "little"))
            yield from read_all()
        yield from bench.command("load_key")
        yield from read_all()
        yield from bench.wait_idle()
        yield from bench.set_run(0, 0, ORIGIN, OUT, 0x1000)
        yield from bench.command("start")
        yield from read_all()
        yield from bench.wait_idle()
        yield from bench.command("zeroize")
        yield from read_all()

    bench.run(life(), max_cycles=60000)
    assert len(seen) == 11 * 0x200
    assert not secret & set(seen)


def test_interrupt(bench):
    bench.load_key(KEYS[128])

    def life():
        yield from bench.write("ev_pending", 1)
        yield from bench.set_run(T1, 0, ORIGIN, OUT, 64)
        yield from bench.command("start")
        yield from bench.wait_idle()
        assert not (yield bench.dut.ev.irq), "interrupt while not enabled"
        assert (yield from bench.read("ev_pending")) == 1
        yield from bench.write("ev_pending", 1)
        yield from bench.write("ev_enable", 1)
        yield
        yield
        assert not (yield bench.dut.ev.irq)
        yield from bench.command("start")
        while not (yield bench.dut.ev.irq):
            assert (yield from bench.status())["done"] == 0 or (yield bench.dut.ev.irq)
        assert (yield from bench.status())["done"] == 1
        yield from bench.write("ev_pending", 1)
        yield
        yield
        assert not (yield bench.dut.ev.irq)

    bench.run(life())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regions": []}, "regions is empty"),
        ({"regions": [(8, 16)]}, "multiples of 16"),
        ({"regions": [(0, 2**32 + 16)]}, "within 32 bits"),
        ({"regions": [(0, 16)], "timeout_cycles": 1}, "timeout_cycles"),
        ({"regions": [(0, 16)], "fifo_depth": 1}, "fifo_depth"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        CTRAccelerator(**parameters)
