"""The iterative core against FIPS-197, SP 800-38A, NIST's known answers and `cryptography`."""

import itertools
import random
import re
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.aes.iterative import IterativeCore
from gateware.aes.key_schedule import KEY_LENGTHS
from tests.gateware.support import Simulation, receive, send

ROUNDS = {128: 10, 192: 12, 256: 14}
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


def ecb(key: bytes, blocks: list[bytes]) -> list[bytes]:
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return [encryptor.update(block) for block in blocks]


def items(blocks):
    return [{"data": int.from_bytes(block, "little")} for block in blocks]


def words(key: bytes):
    return [{"word": int.from_bytes(key[i : i + 4], "little")} for i in range(0, len(key), 4)]


class Bench:
    def __init__(self):
        core = self.core = IterativeCore()
        controls = (core.key_length, core.key_valid, core.busy, core.flush, core.clear)
        memory_port = (core.schedule.write, core.schedule.row, core.schedule.round_key)
        self.sim = Simulation(core, core.sink, core.source, core.key, *controls, *memory_port)

    def load_key(self, key: bytes, rng=None, idle=0.0):
        def bench():
            yield self.core.key_length.eq(KEY_LENGTHS[8 * len(key)])
            yield from send(self.core.key, words(key), rng, idle)
            yield
            while not (yield self.core.key_valid):
                yield

        start = self.sim.cycle
        self.sim.run(bench(), max_cycles=400)
        return self.sim.cycle - start

    def encrypt(self, blocks, rng=None, idle=0.0, stall=0.0, times=None):
        received = []
        self.sim.run(
            send(self.core.sink, items(blocks), rng, idle),
            receive(
                self.core.source, len(blocks), received, rng=rng, stall=stall, times=times and (self.sim, times[0])
            ),
            max_cycles=200 + 200 * len(blocks),
        )
        return [value.to_bytes(16, "little") for value in received]


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


@pytest.mark.parametrize("key_bits", ROUNDS)
def test_fips_197_appendix_c(bench, key_bits):
    bench.load_key(bytes(range(key_bits // 8)))
    assert bench.encrypt([PLAIN]) == [bytes.fromhex(FIPS_197[key_bits])]


def nist_vectors(name: str):
    """(key, plaintext, ciphertext) of the ENCRYPT part of a file of NIST's AESAVS."""
    text = (Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "ECB" / name).read_text()
    encrypt = text[text.index("[ENCRYPT]") : text.index("[DECRYPT]")]
    fields = {"KEY": [], "PLAINTEXT": [], "CIPHERTEXT": []}
    for field, value in re.findall(r"^(KEY|PLAINTEXT|CIPHERTEXT) = ([0-9a-f]+)", encrypt, re.MULTILINE):
        fields[field].append(bytes.fromhex(value))
    return list(zip(*fields.values(), strict=True))


@pytest.mark.parametrize("key_bits", ROUNDS)
@pytest.mark.parametrize("kind", ["GFSbox", "KeySbox", "VarTxt", "VarKey", "MMT"])
def test_nist_known_answers(bench, kind, key_bits):
    vectors = nist_vectors(f"ECB{kind}{key_bits}.rsp")
    assert len(vectors) >= 5
    loaded = None
    for key, plain, cipher in vectors:
        if key != loaded:
            bench.load_key(key)
            loaded = key
        blocks = [plain[i : i + 16] for i in range(0, len(plain), 16)]
        assert b"".join(bench.encrypt(blocks)) == cipher


@pytest.mark.parametrize("key_bits", ROUNDS)
def test_monte_carlo(bench, key_bits):
    """AESAVS 6.4.1, with fewer steps: each block encrypts the one before; keys chain as AESAVS says."""
    rng = random.Random(key_bits)
    key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
    for _ in range(3):
        bench.load_key(key)
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        outputs = [block]
        for _ in range(50):
            outputs += bench.encrypt([outputs[-1]])
            assert outputs[-1] == encryptor.update(outputs[-2])
        tail = (outputs[-2] + outputs[-1])[-len(key) :]
        key, block = bytes(a ^ b for a, b in zip(key, tail, strict=True)), outputs[-1]


@pytest.mark.parametrize("key_bits", ROUNDS)
def test_cycles(bench, key_bits):
    """A block every Nr cycles, Nr + 2 cycles of latency, and the key schedule's cycles."""
    rounds = ROUNDS[key_bits]
    bench.load_key(bytes(key_bits // 8))
    times = []
    blocks = [bytes([n]) * 16 for n in range(20)]
    before = bench.sim.cycle
    assert bench.encrypt(blocks, times=[times]) == ecb(bytes(key_bits // 8), blocks)
    assert {later - earlier for earlier, later in itertools.pairwise(times)} == {rounds}
    assert times[0] - (before + 1) == rounds + 2  # the first block is offered, and taken, one cycle after `before`


@pytest.mark.parametrize("key_bits", ROUNDS)
def test_key_schedule_cycles(bench, key_bits):
    core, cycles = bench.core, []

    def watch():
        while not (yield core.key.valid):
            yield
        first = bench.sim.cycle
        while not (yield core.key_valid):
            yield
        cycles.append(bench.sim.cycle - first)

    def load():
        yield core.key_length.eq(KEY_LENGTHS[key_bits])
        yield from send(core.key, words(bytes(key_bits // 8)))

    bench.sim.run(watch(), load(), max_cycles=200)
    assert cycles == [4 * (ROUNDS[key_bits] + 1) + 1]


@pytest.mark.parametrize("idle", [0.0, 0.3, 0.95])
@pytest.mark.parametrize("stall", [0.0, 0.3, 0.95])
@pytest.mark.parametrize("key_bits", ROUNDS)
def test_no_block_is_lost_repeated_or_reordered(bench, key_bits, idle, stall):
    rng = random.Random(f"{key_bits} {idle} {stall}")
    key = rng.randbytes(key_bits // 8)
    bench.load_key(key, rng, idle)
    blocks = [rng.randbytes(16) for _ in range(60)]
    assert bench.encrypt(blocks, rng, idle, stall) == ecb(key, blocks)
    bench.sim.run(quiet(bench.core, 40), max_cycles=41)


def quiet(core, cycles):
    """Nothing more comes out, and the core is idle at the end."""
    yield core.source.ready.eq(1)
    for _ in range(cycles):
        yield
        assert not (yield core.source.valid)
    assert not (yield core.busy)


def test_backpressure_holds_the_block(bench):
    """Valid and data stay while ready is low, for much longer than a block."""
    bench.load_key(bytes(16))
    blocks = [bytes([n]) * 16 for n in range(3)]
    expected = [int.from_bytes(block, "little") for block in ecb(bytes(16), blocks)]
    core = bench.core

    def watch():
        while not (yield core.source.valid):
            yield
        for _ in range(100):
            assert (yield core.source.valid)
            assert (yield core.source.data) == expected[0]
            yield

    received = []

    def receive_late():
        yield from watch()
        yield from receive(core.source, 3, received)

    bench.sim.run(send(core.sink, items(blocks)), receive_late(), max_cycles=400)
    assert received == expected


def test_key_changes_between_messages(bench):
    """A key offered while blocks are in the core waits for the last of them."""
    rng = random.Random(7)
    old = rng.randbytes(16)
    bench.load_key(old)
    for _ in range(12):
        new = rng.randbytes(rng.choice([16, 24, 32]))
        blocks = [rng.randbytes(16) for _ in range(rng.randrange(1, 5))]
        received = []

        def next_key(key=new):
            while not (yield bench.core.busy):
                yield
            yield bench.core.key_length.eq(KEY_LENGTHS[8 * len(key)])
            yield from send(bench.core.key, words(key))
            yield
            while (yield bench.core.busy):
                yield

        bench.sim.run(
            send(bench.core.sink, items(blocks)),
            receive(bench.core.source, len(blocks), received, rng=rng, stall=0.8),
            next_key(),
            max_cycles=1000,
        )
        assert [value.to_bytes(16, "little") for value in received] == ecb(old, blocks)
        old = new


def test_block_waits_for_the_first_key(bench):
    key, blocks, received = bytes(range(32)), [PLAIN], []

    def late_key():
        for _ in range(50):
            assert not (yield bench.core.sink.ready)
            yield
        yield bench.core.key_length.eq(KEY_LENGTHS[256])
        yield from send(bench.core.key, words(key))

    bench.sim.run(
        send(bench.core.sink, items(blocks)), receive(bench.core.source, 1, received), late_key(), max_cycles=300
    )
    assert received[0].to_bytes(16, "little").hex() == FIPS_197[256]


@pytest.mark.parametrize("how", ["flush", "clear", "reset"])
@pytest.mark.parametrize("when", range(1, 28))
def test_interrupted_blocks_leave_nothing(bench, when, how):
    """At every point of two blocks: nothing comes out afterwards; a flush keeps the key, the others do not."""
    core, key = bench.core, bytes(range(16))
    bench.load_key(key)
    signal = {"flush": core.flush, "clear": core.clear, "reset": bench.sim.rst}[how]

    def interrupt():
        yield [core.sink.data.eq(int.from_bytes(PLAIN, "little")), core.sink.valid.eq(1)]
        for _ in range(when):
            yield
        yield [core.sink.valid.eq(0), signal.eq(1)]
        yield
        yield signal.eq(0)
        yield

    bench.sim.run(interrupt(), max_cycles=40)
    bench.sim.run(quiet(core, 40), max_cycles=41)
    assert bench.sim.peek(core.key_valid) == (how == "flush")
    if how != "flush":
        bench.load_key(key)
    assert bench.encrypt([PLAIN]) == ecb(key, [PLAIN])


@pytest.mark.parametrize("key_bits", ROUNDS)
@pytest.mark.parametrize("when", range(0, 70, 3))
def test_clear_zeroizes_every_round_key(bench, when, key_bits):
    """At every point of a key load: all rows are zero in the end, and a key loads afterwards."""
    core, schedule = bench.core, bench.core.schedule
    rows = {}

    def watch():
        while True:
            if (yield schedule.write):
                rows[(yield schedule.row)] = yield schedule.round_key
            yield

    def load():
        yield core.key_length.eq(KEY_LENGTHS[key_bits])
        yield from send(core.key, words(bytes(range(1, key_bits // 8 + 1))))

    def clear():
        for _ in range(when):
            yield
        loading.close()
        yield [core.clear.eq(1), core.key.valid.eq(0)]
        yield
        yield core.clear.eq(0)
        yield
        while (yield core.busy):
            yield

    loading = load()
    bench.sim.run(clear(), background=[watch(), loading], max_cycles=120)
    assert not bench.sim.peek(core.key_valid)
    assert rows == dict.fromkeys(range(16), 0)
    key = bytes(range(key_bits // 8))
    bench.load_key(key)
    assert bench.encrypt([PLAIN]) == ecb(key, [PLAIN])


def test_random_differential(bench):
    rng = random.Random(20)
    for _ in range(25):
        key = rng.randbytes(rng.choice([16, 24, 32]))
        bench.load_key(key, rng, rng.choice([0.0, 0.5]))
        blocks = [rng.randbytes(16) for _ in range(rng.randrange(1, 40))]
        assert bench.encrypt(blocks, rng, rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.2])) == ecb(key, blocks)
