# SPDX-License-Identifier: BSD-2-Clause
"""Test every AES core against FIPS-197, NIST's AESAVS and `cryptography`, and test its cycle counts."""

import itertools
import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.gateware.aes.core_bench import ROUNDS, ecb, expected, nist_vectors

PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


def test_fips_197_appendix_c(bench):
    for bits in bench.member.key_lengths:
        for slot in (0, bench.member.slots - 1):
            bench.load_key(slot, bytes(range(bits // 8)))
            assert bench.encrypt([(slot, PLAIN)]) == [bytes.fromhex(FIPS_197[bits])]


@pytest.mark.parametrize("kind", ["GFSbox", "KeySbox", "VarTxt", "VarKey", "MMT"])
def test_nist_known_answers(bench, kind):
    """Encrypt NIST's known-answer vectors, several at a time: each slot holds the key of one vector."""
    whole = bench.member.datapath == 128 and bench.member.slots == 8
    for bits in bench.member.key_lengths:
        vectors = nist_vectors(f"ECB{kind}{bits}.rsp")
        assert len(vectors) >= 5
        if not whole:
            vectors = vectors[:: 1 + len(vectors) // 12]
        for first in range(0, len(vectors), bench.member.slots):
            group = vectors[first : first + bench.member.slots]
            bench.load([key for key, _, _ in group])
            blocks = [
                (slot, plain[i : i + 16]) for slot, (_, plain, _) in enumerate(group) for i in range(0, len(plain), 16)
            ]
            assert b"".join(bench.encrypt(blocks)) == b"".join(cipher for _, _, cipher in group)


def test_monte_carlo(bench):
    """NIST's Monte Carlo test (AESAVS 6.4.1). Each of 1000 encryptions has the previous result as input. The last two
    results also determine the next key.

    One core runs 100 such chains, the others one.
    """
    core, sim = bench.core, bench.sim
    for bits in bench.member.key_lengths:
        rng = random.Random(bits)
        key, block = rng.randbytes(bits // 8), rng.randbytes(16)
        for _ in range(100 if bench.member.datapath == 128 and bench.member.slots == 8 else 1):
            bench.load_key(0, key)
            encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
            sim.poke({core.source.ready: 1, core.sink.slot: 0})
            outputs = [block]
            for _ in range(1000):
                sim.poke({core.sink.valid: 1, core.sink.data: int.from_bytes(outputs[-1], "little")})
                sim.clock()
                sim.poke({core.sink.valid: 0})
                sim.clock(bench.latency(bits))
                assert sim.peek(core.source.valid)
                outputs.append(sim.peek(core.source.data).to_bytes(16, "little"))
                assert outputs[-1] == encryptor.update(outputs[-2])
                sim.clock()
            tail = (outputs[-2] + outputs[-1])[-len(key) :]
            key, block = bytes(a ^ b for a, b in zip(key, tail, strict=True)), outputs[-1]


def test_cycles(bench):
    """For each key length, check the cycles per block in a long stream, and the latency of a block."""
    for bits in bench.member.key_lengths:
        key = bytes(bits // 8)
        bench.load_key(0, key)
        times = []
        blocks = [bytes([n]) * 16 for n in range(20)]
        before = bench.sim.cycle
        assert bench.encrypt([(0, block) for block in blocks], times=times) == ecb(key, blocks)
        engines = bench.member.engines
        cycles = [later - earlier for earlier, later in zip(times, times[engines:], strict=False)]
        assert set(cycles) == {bench.cycles_of_a_block(bits)}  # cycles from an engine's result to its next result
        assert times[0] - (before + 1) == bench.latency(bits)  # the core accepts block 0 in cycle `before` + 1


def test_no_bubble_between_slots_and_key_lengths(bench):
    """The number of cycles for a block depends only on the length of the block's own key. The block's slot, and the key
    length of the previous block, have no effect.
    """
    rng = random.Random(1)
    keys, times = bench.random_keys(rng), []
    bench.load(keys)
    blocks = bench.random_blocks(rng, 60)
    assert bench.encrypt(blocks, times=times) == expected(keys, blocks)
    cycles = [later - earlier for earlier, later in itertools.pairwise(times)]
    own = [bench.cycles_of_a_block(8 * len(keys[slot])) for slot, _ in blocks]
    if bench.member.engines == 1:
        assert cycles == own[1:]
    else:  # an engine waits for the other engines at most for the time of one block with the longest key
        assert sum(cycles) <= max(own) * len(cycles) / bench.member.engines + max(own)


def test_key_schedule_cycles(bench):
    """Count the cycles until a new key is valid, and the further cycles until the next key load can begin. In these
    further cycles, the core zeroizes round keys that remain from a longer previous key.
    """
    core = bench.core
    for bits in bench.member.key_lengths:
        cycles, erasing = [], []

        def watch(cycles=cycles, erasing=erasing):
            while not (yield core.key.valid):
                yield
            first = bench.sim.cycle
            yield
            while not (yield core.key_valid):
                yield
            cycles.append(bench.sim.cycle - first)
            while (yield core.key_busy):
                yield
            erasing.append(bench.sim.cycle - first - cycles[0])

        bench.sim.run(watch(), bench.key_loader(0, bytes(bits // 8)), max_cycles=200)
        words_with_sub_word = {128: 10, 192: 8, 256: 13}[bits]
        waits = (bench.member.stages if bench.pipelined else bench.member.key_stages) - 1
        assert cycles == [4 * (ROUNDS[bits] + 1) + 1 + words_with_sub_word * waits]
        rows = ROUNDS[max(bench.member.key_lengths)] - ROUNDS[bits]
        assert erasing == [rows * 128 // len(bench.writes.words)]
