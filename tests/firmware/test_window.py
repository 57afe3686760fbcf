# SPDX-License-Identifier: BSD-2-Clause
"""Compares the firmware's window with a model. The window stores which of the latest records of a stream have arrived.
The model stores all records that have arrived. Also compares the firmware's record checksum with a second
implementation.
"""

import random

import pytest

from tests.firmware import records as r

NEW, AGAIN, OTHER, OUTSIDE = range(4)


class Model:
    """A model of the window. It follows the rules of the firmware's window, but stores every record that arrived."""

    def __init__(self, size):
        self.size, self.first, self.came = size, 0, {}

    def record(self, n, sum_):
        if not self.first <= n < self.first + 2 * self.size:
            return OUTSIDE
        if n in self.came:
            return AGAIN if self.came[n] == sum_ else OTHER
        self.came[n] = sum_
        if n >= self.first + self.size:
            self.first = n - self.size + 1
        return NEW

    def state(self):
        kept = [n for n in range(self.first, self.first + self.size) if n in self.came]
        return self.first, sum(1 << n % self.size for n in kept), max(self.came, default=-1) + 1

    def resize(self, size):
        self.first = max(self.first, max(self.came, default=-1) + 1 - size)
        self.size = size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [32, 64])
def test_random_records_agree_with_a_model_that_forgets_nothing(core, size, seed):
    rng = random.Random(100 * size + seed)
    model = Model(size)
    core.window("i", size)
    verdicts = []
    for _ in range(2000):
        if rng.random() < 0.005:
            model.resize(rng.choice([32, 64]))
            core.window("r", model.size)
        if rng.random() < 0.01:
            near = rng.choice([0, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1])
        else:
            near = model.first + rng.randrange(-5, model.size + (2 * model.size if rng.random() < 0.1 else 3))
        n, sum_ = near % (1 << 64), rng.choice([5, 5, 5, 6, 5 | 1 << 32])
        verdict, *state = core.window("n", n, sum_)
        assert verdict == model.record(n, sum_)
        assert tuple(state) == model.state()
        verdicts.append(verdict)
    assert all(verdicts.count(verdict) > 50 for verdict in range(4))


@pytest.mark.parametrize("size", [32, 64])
def test_edges_of_the_window(core, size):
    core.window("i", size)
    assert core.window("n", 2 * size, 1)[0] == OUTSIDE
    assert core.window("n", 2 * size - 1, 1) == (NEW, size, 1 << size - 1, 2 * size)
    assert core.window("n", size - 1, 1)[0] == OUTSIDE
    assert core.window("n", size, 1)[:2] == (NEW, size)
    assert core.window("n", 2 * size - 1, 1)[0] == AGAIN
    assert core.window("n", 2 * size - 1, 2)[0] == OTHER


def test_a_resize_leaves_no_sums_on_the_stack(core):
    """When the window is resized, no checksums of records may remain on the stack, because they reveal information
    about the data.
    """
    sums = [random.Random(n).getrandbits(64) for n in range(32)]
    core.window("i", 32)
    for n, sum_ in enumerate(sums):
        core.window("n", n, sum_)
    core.window("r", 64)
    assert [core.window("n", n, sum_)[0] for n, sum_ in enumerate(sums)] == [AGAIN] * 32
    assert not any(core.left_on_stack(sum_.to_bytes(8, "little")) for sum_ in sums[:-1])


@pytest.mark.parametrize("misalign", range(4))
def test_sum_of_data_of_any_length(core, misalign):
    rng = random.Random(misalign)
    for length in [*range(70), 255, 256, 1439, 1440]:
        for data in (rng.randbytes(length), b"\xff" * length, bytes(length)):
            assert core.record_sum(data, misalign) == r.record_sum(data)


def test_sum_tells_exchanged_and_lengthened_data_apart(core):
    data = random.Random(3).randbytes(64)
    others = [data[4:8] + data[:4] + data[8:], data + b"\0", data[:-1], data[32:] + data[:32], bytes(64), b""]
    assert len({core.record_sum(other) for other in [data, *others]}) == 7
