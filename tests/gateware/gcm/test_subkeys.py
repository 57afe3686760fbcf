# SPDX-License-Identifier: BSD-2-Clause
"""Test the store of GHASH subkeys. For each new key, the store requests a subkey. When a key is removed, the store
removes the key's subkey. If the requested subkey arrives later, the store drops it. Also test flush and zeroization.
"""

from migen import run_simulation

from gateware.gcm.subkeys import Subkeys
from tests.gateware.gcm.memories import contents, memory_of

SLOTS = 4
MOST = 3 * SLOTS


def until(signal, value=1):
    for _ in range(MOST):
        if (yield signal) == value:
            return
        yield
    raise AssertionError(f"{signal} does not become {value}")


def take_request(dut):
    yield dut.request.ready.eq(1)
    yield from until(dut.request.valid)
    slot = yield dut.request.slot
    yield
    yield dut.request.ready.eq(0)
    yield
    return slot


def answer(dut, data, error=0):
    yield from [dut.answer.data.eq(data), dut.answer.error.eq(error), dut.answer.valid.eq(1)]
    yield
    yield dut.answer.valid.eq(0)
    yield


def run(bench):
    dut = Subkeys(SLOTS)
    memory = memory_of(dut)
    run_simulation(dut, bench(dut, memory))


def test_each_key_has_its_subkey():
    def bench(dut, _):
        yield dut.usable.eq(0b1011)
        found = []
        for _ in range(3):
            slot = yield from take_request(dut)
            found.append(slot)
            yield from answer(dut, 100 + slot)
        assert sorted(found) == [0, 1, 3] and (yield dut.held) == 0b1011
        for slot in found:
            yield dut.slot.eq(slot)
            yield
            yield
            assert (yield dut.subkey) == 100 + slot
        yield dut.request.ready.eq(1)
        for _ in range(MOST):
            yield
            assert not (yield dut.request.valid)

    run(bench)


def test_a_subkey_ends_after_the_last_use_of_its_key():
    def bench(dut, memory):
        yield dut.usable.eq(1)
        yield from take_request(dut)
        yield from answer(dut, 55)
        yield from [dut.used.eq(1), dut.usable.eq(0)]
        for _ in range(MOST):
            yield
        assert (yield dut.held) == 1 and 55 in (yield from contents(memory))
        yield dut.used.eq(0)
        yield from until(dut.ended)
        assert (yield dut.ended_slot) == 0
        yield
        yield
        assert (yield dut.held) == 0 and set((yield from contents(memory))) == {0}

    run(bench)


def test_an_answer_for_a_key_that_ended_is_dropped():
    def bench(dut, memory):
        yield dut.usable.eq(1)
        yield from take_request(dut)
        yield dut.usable.eq(0)
        yield
        yield
        yield dut.usable.eq(1)  # another key
        yield
        yield
        yield from answer(dut, 66)
        assert (yield dut.held) == 0 and 66 not in (yield from contents(memory))
        yield from take_request(dut)
        yield from answer(dut, 77)
        assert (yield dut.held) == 1 and 77 in (yield from contents(memory))

    run(bench)


def test_errors_and_flush_ask_again():
    def bench(dut, _):
        yield dut.usable.eq(1)
        yield from take_request(dut)
        yield from answer(dut, 1, error=1)
        assert (yield dut.held) == 0
        yield from take_request(dut)
        yield dut.flush.eq(1)
        yield
        yield dut.flush.eq(0)
        yield
        yield from take_request(dut)
        yield from answer(dut, 2)
        assert (yield dut.held) == 1

    run(bench)


def test_clear_zeroizes_every_row():
    def bench(dut, memory):
        yield dut.usable.eq(2**SLOTS - 1)
        for n in range(SLOTS):
            yield from take_request(dut)
            yield from answer(dut, 200 + n)
        assert 0 not in (yield from contents(memory))
        yield from [dut.clear.eq(1), dut.usable.eq(0)]
        yield
        yield dut.clear.eq(0)
        for _ in range(SLOTS + 1):
            yield
        assert set((yield from contents(memory))) == {0}
        assert not (yield dut.held) and not (yield dut.zeroizing)

    run(bench)
