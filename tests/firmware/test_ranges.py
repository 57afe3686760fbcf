# SPDX-License-Identifier: BSD-2-Clause
"""Tests the table of used ranges of counter blocks against a model that stores every single block in a set.

The lowest bit of a key's number is the mode: 0 for CTR, 1 for GCM.
"""

import errno
import random

import pytest

RANGES, ALL = 128, 1 << 128


class Model:
    """A model of the table of ranges. `used` maps each key to the set of its used blocks. `held` contains only the
    ranges that streams hold; its keys are indices in the firmware's table.
    """

    def __init__(self):
        self.used: dict[int, set[int]] = {}
        self.held: dict[int, tuple[int, int, int]] = {}
        """By index: key, first, blocks."""

    @staticmethod
    def blocks(first, count):
        return {(first + i) % ALL for i in range(count)}

    def take(self, key, first, count):
        wanted = self.blocks(first, count)
        if self.conflicts(key, wanted):
            return False
        self.used.setdefault(key, set()).update(wanted)
        return True

    def conflicts(self, key, wanted):
        """Return True if CTR or GCM has already used a block of the set `wanted` with this key. GCM encrypts block 0 to
        get its hash subkey. So also return True if the key is used in GCM, and CTR uses or wants block 0.
        """
        other = self.used.get(key ^ 1, set())
        zero = 0 in other if key & 1 else 0 in wanted and bool(other)
        return bool(wanted & (self.used.get(key, set()) | other)) or zero

    def released(self, key):
        """Return the used blocks of a key that are outside all ranges that streams hold."""
        held = [self.blocks(first, count) for other, first, count in self.held.values() if other == key]
        return self.used.get(key, set()).difference(*held)

    def expected(self):
        """Return the ranges that the table must contain: the ranges that streams hold, and the released blocks, joined
        into the longest possible ranges.
        """
        entries = [(*held, True) for held in self.held.values()]
        for key in self.used:
            blocks = self.released(key)
            for first in (block for block in blocks if (block - 1) % ALL not in blocks):
                count = 1
                while (first + count) % ALL in blocks:
                    count += 1
                entries.append((key, first, count, False))
        return sorted(entries)


@pytest.mark.parametrize("seed", range(6))
def test_random_operations_agree_with_a_model_of_every_block(core, seed):
    """Add, extend, shorten and release random ranges. They begin near block 0, where block numbers wrap, or near a
    multiple of 2^64. Few keys are used, so that ranges often touch or overlap.
    """
    rng = random.Random(seed)
    _, free, entries = core.ranges("0")
    model = Model()
    refusals = merged = 0
    for _ in range(1500):
        what = rng.choice("tttesrr")
        if what == "t":
            key, count = 2 * rng.randrange(2) + (rng.random() < 0.3), rng.randrange(1, 12)
            first = (rng.choice([0, 1 << 64, 5 << 64]) + rng.randrange(-60, 60)) % ALL
            result, free, entries = core.ranges("t", key, first, count)
            if model.take(key, first, count):
                model.held[result] = (key, first, count)
            else:
                assert result == -errno.EEXIST
                refusals += 1
        elif model.held:
            index = rng.choice(sorted(model.held))
            key, first, count = model.held[index]
            blocks = rng.randrange(1, 20)
            if what == "e":
                result, free, entries = core.ranges("e", index, blocks)
                if blocks > count:
                    more = model.blocks(first + count, blocks - count)
                    assert (result == -errno.EEXIST) == model.conflicts(key, more)
                    if result == 0:
                        model.used[key] |= more
                        model.held[index] = (key, first, blocks)
            elif what == "s":
                blocks = rng.choice([0, blocks])
                result, free, entries = core.ranges("s", index, blocks)
                if blocks < count:
                    model.used[key] -= model.blocks(first + blocks, count - blocks)
                    model.held[index] = (key, first, blocks)
                if blocks == 0:
                    del model.held[index]
            else:
                before = len(entries)
                result, free, entries = core.ranges("r", index, 0)
                del model.held[index]
                merged += before - len(entries)
        assert sorted(entries) == model.expected()
        assert free == RANGES - len(entries)
    assert refusals > 100
    assert merged > 10


def test_long_ranges_overlap_modulo_2_to_the_128(core):
    core.ranges("0")
    most = (1 << 64) - 1
    assert core.ranges("t", 7, ALL - 5, most)[0] == 0
    for first in (ALL - 5, ALL - 1, 0, 1, most - 6, ALL - 5 - most + 1):
        assert core.ranges("t", 7, first, 1 if first < most else most)[0] == -errno.EEXIST, first
    assert core.ranges("t", 7, most - 5, 1)[0] == 1
    assert core.ranges("t", 7, ALL - 5 - most, most)[0] == 2
    assert core.ranges("t", 8, 0, 1)[0] == 3, "another key"


def test_ranges_that_would_be_too_long_together_stay_apart(core):
    core.ranges("0")
    half = 1 << 63
    for place, first in enumerate((0, half)):
        assert core.ranges("t", 1, first, half)[0] == place
    for place in range(2):
        _, _, entries = core.ranges("r", place, 0)
    assert entries == [(1, 0, half, False), (1, half, half, False)]
    assert core.ranges("t", 1, (1 << 64) - 1, 1)[0] == -errno.EEXIST


def test_a_full_table_refuses_and_forgets_nothing(core):
    core.ranges("0")
    for i in range(RANGES):
        result, free, _ = core.ranges("t", 2 * i, i, 1)
        assert (result, free) == (i, RANGES - 1 - i)
    assert core.ranges("t", 1000, 0, 1)[0] == -errno.ENOSPC
    for i in range(RANGES):
        core.ranges("r", i, 0)
        assert core.ranges("t", 2 * i, i, 1)[0] == -errno.EEXIST
    assert core.ranges("t", 1000, 0, 1)[0] == -errno.ENOSPC


def test_block_0_is_used_in_one_mode(core):
    core.ranges("0")
    ctr, gcm, far = 6, 7, 9 << 64
    assert core.ranges("t", gcm, far, 5)[0] == 0
    assert core.ranges("t", ctr, far + 4, 1)[0] == -errno.EEXIST, "a block of the other mode"
    for first, count in ((0, 1), (ALL - 1, 2), (ALL - 9, 20)):
        assert core.ranges("t", ctr, first, count)[0] == -errno.EEXIST
    assert core.ranges("t", ctr, ALL - 1, 1)[0] == 1
    assert core.ranges("e", 1, 2)[0] == -errno.EEXIST, "nor can a range grow to it"
    assert core.ranges("t", gcm, 0, 5)[0] == 2, "GCM itself may, with a prefix of zeros"
    core.ranges("0")
    assert core.ranges("t", ctr, ALL - 3, 7)[0] == 0
    assert core.ranges("t", gcm, far, 5)[0] == -errno.EEXIST
    assert core.ranges("t", gcm + 2, far, 5)[0] == 1, "another key"


def test_ranges_of_two_modes_stay_apart(core):
    core.ranges("0")
    assert core.ranges("t", 6, 100, 10)[0] == 0
    assert core.ranges("t", 7, 110, 10)[0] == 1
    for place in range(2):
        _, _, entries = core.ranges("r", place, 0)
    assert entries == [(6, 100, 10, False), (7, 110, 10, False)]
