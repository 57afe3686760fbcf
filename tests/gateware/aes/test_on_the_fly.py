# SPDX-License-Identifier: BSD-2-Clause
"""Test AES-128 with round keys computed during encryption: results (`cryptography`, NIST), cycles, key removal."""

import random
from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.aes.on_the_fly import DATAPATHS, OnTheFlyCipher, create_on_the_fly
from tests.gateware.aes.core_bench import nist_vectors
from tests.gateware.support import Simulation, receive, send

CYCLES = {32: 41, 64: 21, 128: 11}
SBOXES = {32: "tower", 64: "onehot", 128: "ecp5"}


@pytest.fixture(scope="module", params=DATAPATHS)
def bench(request):
    dut = OnTheFlyCipher(request.param, SBOXES[request.param])
    with Simulation(dut, dut.sink, dut.source, dut.clear, dut.key, dut.state) as sim:
        sim.dut, sim.cycles = dut, CYCLES[request.param]
        yield sim


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def encrypted(sim, given: list[tuple[bytes, bytes]], rng=None) -> tuple[list[bytes], list[int]]:
    """Encrypt (key, block) pairs in the core; return the results, and the cycles in which they came out."""
    dut, found, times = sim.dut, [], []
    items = [{"key": number(key), "block": number(block)} for key, block in given]
    pace = {"rng": rng, "stall": 0.7} if rng else {}
    take = receive(dut.source, len(items), found, field="block", times=(sim, times), **pace)
    sim.run(send(dut.sink, items, rng, 0.7 if rng else 0), take, max_cycles=200 + 200 * len(items))
    return [value.to_bytes(16, "little") for value in found], times


@pytest.mark.parametrize("seed", [None, 1])
def test_blocks(bench, seed):
    draw = random.Random(2)
    given = [(draw.randbytes(16), draw.randbytes(16)) for _ in range(20)]
    expected = [Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block) for key, block in given]
    found, times = encrypted(bench, given, random.Random(seed) if seed else None)
    assert found == expected
    if not seed:
        assert {b - a for a, b in pairwise(times)} == {bench.cycles}


def test_published_vectors(bench):
    vectors = nist_vectors("ECBVarKey128.rsp")[::8] + nist_vectors("ECBGFSbox128.rsp")
    assert encrypted(bench, [(key, block) for key, block, _ in vectors])[0] == [wanted for *_, wanted in vectors]


def test_one_block_alone_with_its_loading(bench):
    """Count the cycles from the acceptance of a key and block to the block's result."""
    dut, taken = bench.dut, []

    def load():
        yield from send(dut.sink, [{"key": 1, "block": 2}])
        taken.append(bench.cycle)

    bench.run(load(), max_cycles=3)
    while not bench.peek(dut.source.valid):
        assert bench.cycle < taken[0] + 100
        bench.clock()
    assert bench.cycle - taken[0] == bench.cycles  # the core accepts the block in the cycle after `taken[0]`
    assert not bench.peek(dut.key)
    encrypted(bench, [])
    bench.run(receive(dut.source, 1, [], field="block"), max_cycles=3)
    assert not bench.peek(dut.state)


def test_a_cleared_block_leaves_nothing(bench):
    dut = bench.dut
    for cycles in range(bench.cycles + 2):
        bench.run(send(dut.sink, [{"key": 2**128 - 1, "block": 3}]), max_cycles=50)
        bench.clock(cycles)
        bench.poke({dut.clear: 1})
        bench.clock(2)
        bench.poke({dut.clear: 0})
        bench.clock(1)
        assert not bench.peek(dut.key) and not bench.peek(dut.state) and not bench.peek(dut.source.valid)
    key, block = bytes(16), bytes(range(16))
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)
    assert encrypted(bench, [(key, block)])[0] == [expected]


@pytest.fixture(scope="module")
def engines():
    dut = create_on_the_fly(128, "table", 3)
    with Simulation(dut, dut.sink, dut.source, dut.clear) as sim:
        sim.dut, sim.count = dut, 3
        yield sim


@pytest.mark.parametrize("seed", [None, 3])
def test_engines_keep_the_order(engines, seed):
    draw = random.Random(4)
    given = [(draw.randbytes(16), draw.randbytes(16)) for _ in range(25)]
    expected = [Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block) for key, block in given]
    found, times = encrypted(engines, given, random.Random(seed) if seed else None)
    assert found == expected
    if not seed:
        count = engines.count
        assert {b - a for a, b in zip(times, times[count:], strict=False)} == {CYCLES[128]}


def test_clear_ends_the_blocks_of_all_engines(engines):
    dut, taken = engines.dut, engines.count - 1  # give a block to each engine except the last one
    engines.run(send(dut.sink, [{"key": 5, "block": 6}] * taken), max_cycles=50)
    engines.poke({dut.clear: 1})
    engines.clock(2)
    engines.poke({dut.clear: 0})
    for _ in range(2 * CYCLES[128]):
        engines.clock(1)
        assert not engines.peek(dut.source.valid)
    test_engines_keep_the_order(engines, None)


def test_parameters():
    with pytest.raises(ValueError, match="datapath 16"):
        OnTheFlyCipher(16)
    with pytest.raises(ValueError, match="abacus"):
        OnTheFlyCipher(sbox="abacus")
