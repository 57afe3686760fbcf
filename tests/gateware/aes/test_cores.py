"""Every core of the family against FIPS-197, NIST's AESAVS and `cryptography`; its cycles and its slots."""

import itertools
import random

import pytest

from tests.gateware.aes.core_bench import ROUNDS, Bench, Member, ecb, nist_vectors
from tests.gateware.support import receive, send

MEMBERS = [
    Member(128),
    Member(128, slots=1, key_lengths=(128,)),
    Member(128, "block_ram", slots=3),
    Member(128, "canright", slots=2, key_lengths=(128, 256)),
    Member(64),
    Member(64, "block_ram", slots=1),
    Member(32),
    Member(32, "block_ram", slots=2, key_lengths=(256,)),
    Member("pipelined"),
    Member("pipelined", "canright", slots=1, key_lengths=(128,), stages=3),
    Member("pipelined", "canright", slots=2, key_lengths=(128, 192), stages=4),
]
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


@pytest.fixture(scope="module", params=MEMBERS, ids=str)
def simulated(request):
    bench = Bench(request.param)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


def random_keys(bench: Bench, rng: random.Random) -> list[bytes]:
    """A key for each slot, all lengths in turn."""
    lengths = itertools.cycle(bench.member.key_lengths)
    return [rng.randbytes(next(lengths) // 8) for _ in range(bench.member.slots)]


def load(bench: Bench, keys: list[bytes]) -> None:
    for slot, key in enumerate(keys):
        bench.load_key(slot, key)


def random_blocks(bench: Bench, rng: random.Random, count: int) -> list[tuple[int, bytes]]:
    return [(rng.randrange(bench.member.slots), rng.randbytes(16)) for _ in range(count)]


def expected(keys: list[bytes], blocks: list[tuple[int, bytes]]) -> list[bytes]:
    return [ecb(keys[slot], [block])[0] for slot, block in blocks]


def test_fips_197_appendix_c(bench):
    for bits in bench.member.key_lengths:
        for slot in (0, bench.member.slots - 1):
            bench.load_key(slot, bytes(range(bits // 8)))
            assert bench.encrypt([(slot, PLAIN)]) == [bytes.fromhex(FIPS_197[bits])]


@pytest.mark.parametrize("kind", ["GFSbox", "KeySbox", "VarTxt", "VarKey", "MMT"])
def test_nist_known_answers(bench, kind):
    """Several vectors at a time, one in each slot."""
    whole = bench.member.datapath == 128 and bench.member.slots == 8
    for bits in bench.member.key_lengths:
        vectors = nist_vectors(f"ECB{kind}{bits}.rsp")
        assert len(vectors) >= 5
        if not whole:
            vectors = vectors[:: 1 + len(vectors) // 12]
        for first in range(0, len(vectors), bench.member.slots):
            group = vectors[first : first + bench.member.slots]
            load(bench, [key for key, _, _ in group])
            blocks = [
                (slot, plain[i : i + 16]) for slot, (_, plain, _) in enumerate(group) for i in range(0, len(plain), 16)
            ]
            assert b"".join(bench.encrypt(blocks)) == b"".join(cipher for _, _, cipher in group)


def cycles_of_a_block(bench: Bench, bits: int) -> int:
    if bench.member.datapath == "pipelined":
        return 1
    return 128 // bench.member.datapath * ROUNDS[bits]


def latency(bench: Bench, bits: int) -> int:
    if bench.member.datapath == "pipelined":
        return bench.member.stages * ROUNDS[max(bench.member.key_lengths)] + 5
    return 128 // bench.member.datapath * (ROUNDS[bits] + 1) + 4


def test_cycles(bench):
    """Steady state and latency for each key length."""
    for bits in bench.member.key_lengths:
        key = bytes(bits // 8)
        bench.load_key(0, key)
        times = []
        blocks = [bytes([n]) * 16 for n in range(20)]
        before = bench.sim.cycle
        assert bench.encrypt([(0, block) for block in blocks], times=times) == ecb(key, blocks)
        assert {later - earlier for earlier, later in itertools.pairwise(times)} == {cycles_of_a_block(bench, bits)}
        assert times[0] - (before + 1) == latency(bench, bits)  # offered, and taken, one cycle after `before`


def test_no_bubble_between_slots_and_key_lengths(bench):
    """Each block takes the cycles of its own key length, whatever slot and length came before it."""
    rng = random.Random(1)
    keys, times = random_keys(bench, rng), []
    load(bench, keys)
    blocks = random_blocks(bench, rng, 60)
    assert bench.encrypt(blocks, times=times) == expected(keys, blocks)
    cycles = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert cycles == [cycles_of_a_block(bench, 8 * len(keys[slot])) for slot, _ in blocks[1:]]


def test_key_schedule_cycles(bench):
    core = bench.core
    for bits in bench.member.key_lengths:
        cycles = []

        def watch(cycles=cycles):
            while not (yield core.key.valid):
                yield
            first = bench.sim.cycle
            yield
            while not (yield core.key_valid):
                yield
            cycles.append(bench.sim.cycle - first)

        bench.sim.run(watch(), bench.key_loader(0, bytes(bits // 8)), max_cycles=200)
        words_with_sub_word = {128: 10, 192: 8, 256: 13}[bits]
        waits = bench.member.stages - 1 if bench.member.datapath == "pipelined" else 0
        assert cycles == [4 * (ROUNDS[bits] + 1) + 1 + words_with_sub_word * waits]


@pytest.mark.parametrize("idle", [0.0, 0.4, 0.95])
@pytest.mark.parametrize("stall", [0.0, 0.4, 0.95])
def test_no_block_is_lost_repeated_or_reordered(bench, idle, stall):
    rng = random.Random(f"{idle} {stall}")
    keys = random_keys(bench, rng)
    load(bench, keys)
    blocks = random_blocks(bench, rng, 40)
    assert bench.encrypt(blocks, rng=rng, idle=idle, stall=stall) == expected(keys, blocks)
    bench.sim.run(bench.quiet(), max_cycles=201)


def test_backpressure_holds_the_block(bench):
    """Valid and data stay while ready is low, for much longer than a block."""
    key = bytes(bench.member.key_lengths[0] // 8)
    bench.load_key(0, key)
    blocks = [bytes([n]) * 16 for n in range(5)]
    first = int.from_bytes(ecb(key, blocks)[0], "little")
    core = bench.core

    def watch():
        while not (yield core.source.valid):
            yield
        for _ in range(300):
            assert (yield core.source.valid)
            assert (yield core.source.data) == first
            yield

    received = []

    def receive_late():
        yield from watch()
        yield from receive(core.source, 5, received)

    items = bench.blocks([(0, block) for block in blocks])
    bench.sim.run(send(core.sink, items), receive_late(), max_cycles=2000)
    assert [value.to_bytes(16, "little") for value in received] == ecb(key, blocks)


def test_random_differential(bench):
    """Keys are replaced all the time, while blocks of other slots go on."""
    rng = random.Random(20)
    keys = random_keys(bench, rng)
    load(bench, keys)
    for _ in range(12):
        replaced = rng.randrange(bench.member.slots)
        blocks = random_blocks(bench, rng, rng.randrange(1, 30))
        blocks = [(slot, block) for slot, block in blocks if slot != replaced]
        key = rng.randbytes(rng.choice(bench.member.key_lengths) // 8)
        loader = bench.key_loader(replaced, key, rng, rng.choice([0.0, 0.5]))
        idle, stall = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.2])
        assert bench.encrypt(blocks, loader, rng=rng, idle=idle, stall=stall) == expected(keys, blocks)
        keys[replaced] = key
        probe = [(replaced, rng.randbytes(16))]
        assert bench.encrypt(probe) == expected(keys, probe)
