# SPDX-License-Identifier: BSD-2-Clause
"""Test the streams and key slots of every core: backpressure, key changes during operation, clear and flush at any
time.
"""

import itertools
import random

import pytest

from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.aes.core_bench import ecb, expected
from tests.gateware.isa.fips197 import expand_key
from tests.gateware.support import receive, send

PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.mark.parametrize("idle", [0.0, 0.4, 0.95])
@pytest.mark.parametrize("stall", [0.0, 0.4, 0.95])
def test_no_block_is_lost_repeated_or_reordered(bench, idle, stall):
    rng = random.Random(f"{idle} {stall}")
    keys = bench.random_keys(rng)
    bench.load(keys)
    blocks = bench.random_blocks(rng, 40)
    assert bench.encrypt(blocks, rng=rng, idle=idle, stall=stall) == expected(keys, blocks)
    bench.sim.run(bench.quiet(), max_cycles=201)


def test_backpressure_holds_the_block(bench):
    """The core's output stays valid and unchanged while `ready` is low for much longer than a block takes."""
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
    """While one slot gets a new key, the core still encrypts random blocks of the other slots correctly."""
    rng = random.Random(20)
    keys = bench.random_keys(rng)
    bench.load(keys)
    for _ in range(12):
        replaced = rng.randrange(bench.member.slots)
        blocks = bench.random_blocks(rng, rng.randrange(1, 30))
        blocks = [(slot, block) for slot, block in blocks if slot != replaced]
        key = rng.randbytes(rng.choice(bench.member.key_lengths) // 8)
        loader = bench.key_loader(replaced, key, rng, rng.choice([0.0, 0.5]))
        idle, stall = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.2])
        assert bench.encrypt(blocks, loader, rng=rng, idle=idle, stall=stall) == expected(keys, blocks)
        keys[replaced] = key
        probe = [(replaced, rng.randbytes(16))]
        assert bench.encrypt(probe) == expected(keys, probe)


@pytest.mark.parametrize("stall", [0.0, 0.6])
def test_a_block_without_a_key_has_its_turn_and_is_zero(bench, stall):
    """For a block whose slot holds no key, the core returns zeros with an error flag, in the order of the blocks.
    Tested without any keys, and with keys in other slots.
    """
    rng = random.Random(f"keyless {stall}")
    slots = bench.member.slots
    for keyed in (range(0), range(slots - 1)):
        keys = bench.random_keys(rng)
        for slot in keyed:
            bench.load_key(slot, keys[slot])
        blocks = bench.random_blocks(rng, 40)
        wanted = [(expected(keys, [each])[0], 0) if each[0] in keyed else (bytes(16), 1) for each in blocks]
        assert bench.results(blocks, rng=rng, stall=stall) == wanted
        bench.sim.run(bench.quiet(), max_cycles=201)


@pytest.mark.parametrize("how", ["load", "clear_slot"])
def test_a_key_goes_under_a_stream_of_its_blocks(bench, how):
    """Replace or clear a slot's key while the core gets blocks for this slot. The first results are encrypted under the
    old key, and the next results are zeros. If the key was replaced, the last results can be encrypted under the new
    key.

    The command ends although blocks keep coming.
    """
    rng = random.Random(how)
    core, slot = bench.core, bench.member.slots - 1
    for n in range(6):
        old, new = (rng.randbytes(rng.choice(bench.member.key_lengths) // 8) for _ in range(2))
        bench.load_key(slot, old)
        blocks = [(slot, rng.randbytes(16)) for _ in range(400 if bench.pipelined else 20 * bench.member.engines)]
        ended = []

        def command(new=new, n=n, ended=ended):
            for _ in range(30 + n):
                yield
            if how == "load":
                loading = bench.key_loader(slot, new)
            else:
                loading = iter(([core.key_slot.eq(slot), core.clear_slot.eq(1)], None, core.clear_slot.eq(0), None))
            began = bench.sim.cycle
            yield from loading
            while (yield core.key_busy):
                yield
            ended.append(bench.sim.cycle - began)

        results = bench.results(blocks, command(), stall=n % 2 / 4, rng=rng)
        kinds = []
        for (data, error), before, behind in zip(
            results, *(ecb(k, [b for _, b in blocks]) for k in (old, new)), strict=True
        ):
            kinds.append("none" if (data, error) == (bytes(16), 1) else {before: "old", behind: "new"}[data])
            assert error == (kinds[-1] == "none")
        present = [kind for kind, _ in itertools.groupby(kinds)]
        assert present in ((["old", "none", "new"], ["old", "none"]) if how == "load" else (["old", "none"],))
        assert ended and ended[0] < 256


def test_key_valid_falls_when_a_key_is_offered(bench):
    core = bench.core
    bits = bench.member.key_lengths[0]
    bench.load_key(0, bytes(bits // 8))

    def replace():
        yield core.key_slot.eq(0)
        for _ in range(100):
            yield
            assert (yield core.key_valid) & 1
        yield [core.key.valid.eq(1), core.key_length.eq(KEY_LENGTHS[bits])]
        yield
        while not (yield core.key.ready):
            assert not (yield core.key_valid) & 1
            yield
        yield core.key.valid.eq(0)
        for _ in range(20):
            yield
            assert not (yield core.key_valid) & 1
            assert (yield core.key_busy)

    bench.sim.run(replace(), max_cycles=400)


def test_key_waits_for_the_blocks_that_use_its_slot(bench):
    """If a slot's key is replaced, blocks that the core has already accepted still use the old key."""
    rng = random.Random(7)
    core = bench.core
    old = rng.randbytes(bench.member.key_lengths[0] // 8)
    bench.load_key(0, old)
    for _ in range(15):
        new = rng.randbytes(rng.choice(bench.member.key_lengths) // 8)
        blocks = [rng.randbytes(16) for _ in range(rng.randrange(1, 6))]

        def next_key(key=new):
            while (yield core.idle):
                yield
            for _ in range(rng.randrange(40)):
                yield
            while (yield core.sink.valid):
                yield
            yield from bench.key_loader(0, key)

        assert bench.encrypt([(0, b) for b in blocks], next_key(), rng=rng, stall=0.5) == ecb(old, blocks)
        old = new


@pytest.mark.parametrize("how", ["flush", "clear", "reset"])
def test_interrupted_blocks_leave_nothing(bench, how):
    """Flush, clear or reset the core at many points while it encrypts two blocks: no block comes out afterwards.

    A flush keeps the key; other interruptions do not.
    """
    core, sim = bench.core, bench.sim
    bits = bench.member.key_lengths[-1]
    key = bytes(range(bits // 8))
    signal = {"flush": core.flush, "clear": core.clear, "reset": sim.rst}[how]
    bench.load_key(0, key)
    two_blocks = bench.latency(bits) + bench.cycles_of_a_block(bits)
    for when in range(1, two_blocks + 4, 1 + two_blocks // 24):

        def interrupt(when=when):
            yield [core.sink.data.eq(int.from_bytes(PLAIN, "little")), core.sink.valid.eq(1), core.sink.slot.eq(0)]
            for _ in range(when):
                yield
            yield [core.sink.valid.eq(0), signal.eq(1)]
            yield
            yield signal.eq(0)
            yield

        sim.run(interrupt(), max_cycles=when + 4)
        sim.run(bench.quiet(two_blocks + 20), max_cycles=two_blocks + 22)
        assert sim.peek(core.source.data) == 0 or how == "reset"
        assert sim.peek(core.key_valid) == (how == "flush")
        if how != "flush":
            sim.run(bench.until_not(core.key_busy), max_cycles=3000)
            bench.load_key(0, key)
        assert bench.encrypt([(0, PLAIN)]) == ecb(key, [PLAIN])


def test_clear_zeroizes_every_round_key(bench):
    """Pulse `clear` at many points of a key load: all round keys become zero, and then a new key can be loaded."""
    core, sim = bench.core, bench.sim
    for n, when in enumerate(range(0, 70, 7)):
        bits = bench.member.key_lengths[n % len(bench.member.key_lengths)]
        slot = n % bench.member.slots
        rows = {}

        def clear(loading, when=when):
            for _ in range(when):
                yield
            loading.close()
            yield [core.clear.eq(1), core.key.valid.eq(0)]
            yield
            yield core.clear.eq(0)
            yield
            assert (yield core.key_busy)
            while (yield core.key_busy):
                yield

        loading = bench.key_loader(slot, bytes(range(1, bits // 8 + 1)))
        watch = bench.watch_rows(rows)
        sim.run(clear(loading), background=[watch, loading], max_cycles=6000)
        assert not sim.peek(core.key_valid)
        parts = 128 // len(bench.writes.words)
        every = {(s, r, p) for s in range(bench.member.slots) for r in range(16) for p in range(parts)}
        assert rows == dict.fromkeys(every, 0)
        key = bytes(range(bits // 8))
        bench.load_key(slot, key)
        assert bench.encrypt([(slot, PLAIN)]) == ecb(key, [PLAIN])


def test_no_round_key_outlives_its_key(bench):
    """Load keys of all lengths into one slot, in every order of lengths. After each load, the slot contains only the
    new round keys, and all other slots contain zeros.
    """
    rng = random.Random(8)
    core, sim = bench.core, bench.sim
    contents = {}

    def clear():
        yield core.clear.eq(1)
        yield
        yield core.clear.eq(0)
        yield
        yield from bench.until_not(core.key_busy)

    def load(slot, key):
        yield from bench.key_loader(slot, key)
        yield from bench.until_not(core.key_busy)

    sim.run(clear(), background=[bench.watch_memories(contents)], max_cycles=6000)
    places = len(contents)
    lengths = bench.member.key_lengths
    slot = bench.member.slots - 1
    other = {place: 0 for place in contents if place[0] != slot}
    width = len(bench.writes.words)
    parts = 128 // width
    for bits in itertools.chain.from_iterable(itertools.product(lengths[::-1], lengths)):
        key = rng.randbytes(bits // 8)
        sim.run(load(slot, key), background=[bench.watch_memories(contents)], max_cycles=1000)
        held = [value for place, value in contents.items() if place[0] == slot and value]
        schedule = [int.from_bytes(row, "little") for row in expand_key(key)]
        wanted = [row >> width * part & 2**width - 1 for row in schedule for part in range(parts)]
        if not bench.pipelined:  # each engine has its own copy of the last round key
            wanted = (wanted + wanted[-parts:]) * bench.member.engines
        assert sorted(held) == sorted(wanted)
        assert {place: value for place, value in contents.items() if place[0] != slot} == other
        assert len(contents) == places


def test_clear_slot_leaves_the_others(bench):
    """Zeroize one slot while the core encrypts blocks of other slots. If a key load into this slot is under way, the
    zeroize command aborts the load.
    """
    rng = random.Random(3)
    core, sim = bench.core, bench.sim
    for when in (0, 1, 9, 30, 200):
        keys = bench.random_keys(rng)
        bench.load(keys)
        sim.run(bench.until_not(core.key_busy), max_cycles=100)
        victim = rng.randrange(bench.member.slots)
        blocks = [(slot, block) for slot, block in bench.random_blocks(rng, 12) if slot != victim]
        rows = {}

        def clear(loading, victim=victim, when=when):
            for _ in range(when):
                yield
            loading.close()
            yield [core.clear_slot.eq(1), core.key_slot.eq(victim), core.key.valid.eq(0)]
            yield
            yield core.clear_slot.eq(0)
            yield
            while (yield core.key_busy):
                yield

        loading = bench.key_loader(victim, keys[victim][::-1])
        encrypted = bench.encrypt(blocks, clear(loading), background=[bench.watch_rows(rows), loading])
        assert encrypted == expected(keys, blocks)
        assert sim.peek(core.key_valid) == 2**bench.member.slots - 1 ^ 1 << victim
        parts = 128 // len(bench.writes.words)
        assert rows == {(victim, r, p): 0 for r in range(16) for p in range(parts)}


def test_clear_of_another_slot_waits_for_the_load(bench):
    """While a key is loaded into one slot, a command to zeroize another slot waits until the load is complete."""
    if bench.member.slots == 1:
        assert len(bench.core.key_valid) == 1  # there is no other
        return
    core, sim = bench.core, bench.sim
    key = bytes(range(bench.member.key_lengths[0] // 8))
    bench.load_key(0, key)

    def clear():
        for _ in range(20):
            yield
        yield [core.clear_slot.eq(1), core.key_slot.eq(0)]
        yield
        yield core.clear_slot.eq(0)
        yield
        assert not (yield core.key_valid) & 1
        while (yield core.key_busy):
            yield

    sim.run(clear(), bench.key_loader(1, key), max_cycles=1000)
    assert sim.peek(core.key_valid) == 2
    assert bench.encrypt([(1, PLAIN)]) == ecb(key, [PLAIN])


def test_a_flush_at_any_time_of_a_zeroization_harms_no_later_block(bench):
    core, sim = bench.core, bench.sim
    rng = random.Random(31)
    for delay in range(20):

        def interrupted(delay=delay):
            yield core.clear.eq(1)
            yield
            yield core.clear.eq(0)
            for _ in range(delay):
                yield
            yield core.flush.eq(1)
            yield
            yield core.flush.eq(0)
            yield from bench.until_not(core.busy)

        sim.run(interrupted(), max_cycles=5000)
        keys = bench.random_keys(rng)
        bench.load_key(0, keys[0])
        blocks = [(0, rng.randbytes(16)) for _ in range(3)]
        assert bench.encrypt(blocks) == expected(keys, blocks)
