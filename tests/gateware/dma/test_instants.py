# SPDX-License-Identifier: BSD-2-Clause
"""Executes a descriptor many times, and gives a command or a reset in a different cycle each time. Every block must use
the key that the descriptor's slot held when the descriptor started.

A descriptor runs from `start` to its end, and a command comes n cycles after `start`, for every n. Each time the
result, the output and the remaining keys must match one of two orders: the command before the descriptor, or after its
end. Other tests swap the roles: `start` comes in every cycle of a command. Each command must end within its stated
time.
"""

from dataclasses import replace

import pytest

from gateware.dma.errors import Error
from tests.gateware.ctr.reference import KEYS, T1
from tests.gateware.dma.bench import ORIGIN, OUT, Descriptor

SLOT, OTHER = 1, 2
LENGTH = 40
FILL = b"\xee"  # initial content of the destinations
OLD, NEW, ZERO = KEYS[256], KEYS[128], bytes(16)
PASSAGE = Descriptor(ORIGIN + 3, OUT + 5, LENGTH, T1, slot=SLOT)
AFTER = Descriptor(ORIGIN + 3, OUT + 0x105, LENGTH, T1, slot=SLOT)


@pytest.fixture
def sweep(bench):
    return Sweep(bench)


class Sweep:
    """Helpers for a series of tries. Each try gives the same command, but in a different cycle."""

    def __init__(self, bench):
        self.bench = bench
        self.data = bench.rng.randbytes(LENGTH)
        bench.memory.write(PASSAGE.source, self.data)
        # Limits, in cycles: a test gives its command in every cycle below a limit. A descriptor takes fewer cycles than
        # `passage`. A key expansion or the zeroization of one slot takes fewer cycles than `loading`. The zeroization
        # of all slots takes fewer cycles than `clearing`.
        self.passage, self.loading, self.clearing = (180, 180, 330) if bench.pipelined else (90, 80, 160)

    def write(self, name: str, value: int):
        """Write a register. In the next cycle, the caller must set the bus's `we` to 0, or access a register again."""
        csr = self.bench.csr
        yield [csr.adr.eq(self.bench.address[name]), csr.dat_w.eq(value), csr.we.eq(1)]
        yield

    def command(self, name: str):
        yield from self.write("control", 1 << self.bench.fields["control"][name].offset)

    def prepare(self, key: bytes | None = OLD, slot: int = SLOT):
        """Load the old key, fill the destinations, and write the new key's words and a descriptor to the registers."""
        for d in (PASSAGE, AFTER):
            self.bench.memory.write(d.destination - 5, FILL * (LENGTH + 27))
        if key:
            for each in {SLOT, slot}:
                yield from self.bench.set_key(key, each)
        yield from self.bench.write_fields("key_config", key_length=0, slot=slot)
        yield from self.bench.write_key(NEW)
        yield from self.bench.set_descriptor(PASSAGE)

    def one_after_the_other(self, first: str, wait: int, second: str):
        """Give two commands, `wait` + 1 cycles apart; return 1 if the accelerator refused the second command."""
        yield from self.command(first)
        if wait:
            yield self.bench.csr.we.eq(0)
        for _ in range(wait):
            yield
        yield from self.command(second)
        yield self.bench.csr.we.eq(0)
        yield
        # In this cycle, the accelerator receives the second command. Store whether `key_busy` is 1.
        self.was_key_busy = self.bench.peek("key_busy")
        yield
        return (yield from self.bench.status())["refused"]

    def outcome(self, number: int, slot: int = SLOT):
        """Wait until the first descriptor has ended and the accelerator is idle, then submit a second descriptor.
        Return the error codes of both descriptors.
        """
        first = yield from self.bench.result(number)
        yield from self.bench.wait_idle()
        second = yield from self.bench.result((yield from self.bench.submit(replace(AFTER, slot=slot))))
        return first, second

    def load_words_again(self, slot: int = SLOT):
        """Give `load_key` again, without writing new key words first."""
        yield from self.bench.write_fields("key_config", key_length=0, slot=slot)
        yield from self.bench.command("load_key")
        yield from self.bench.wait_idle()

    def holds(self, d: Descriptor, key: bytes | None) -> bool:
        """Return true if the destination contains the descriptor's output under `key`. If `key` is None, return true if
        the destination is unchanged.
        """
        output = d.result(key, self.data) if key else FILL * LENGTH
        return self.bench.memory.read(d.destination - 5, LENGTH + 27) == 5 * FILL + output + 22 * FILL

    def has_a_beginning(self, d: Descriptor, key: bytes) -> bool:
        """Return true if the destination contains only the beginning (possibly nothing) of the output under the key.
        The rest of the destination must be unchanged.
        """
        output = self.bench.memory.read(d.destination - 5, LENGTH + 27)
        whole = 5 * FILL + d.result(key, self.data)
        return any(output == whole[:n].ljust(LENGTH + 27, FILL) for n in (0, 16, 32, LENGTH + 5))


# Tests of a command in every cycle of a descriptor -------------------------------------------------------------


@pytest.mark.parametrize("slot", [SLOT, OTHER])
@pytest.mark.parametrize(("command", "left"), [("load_key", NEW), ("clear_key", None)])
def test_key_command(bench, sweep, command, left, slot):
    """A key command on the descriptor's slot is refused until the descriptor has ended. A key command on another slot
    is never refused.
    """
    seen = []

    def life(n):
        yield from sweep.prepare(slot=slot)
        number = yield from bench.read("submitted")
        refused = yield from sweep.one_after_the_other("start", n, command)
        after = OLD if refused else left
        results = yield from sweep.outcome(number, slot)
        assert results == (Error.NONE, Error.NONE if after else Error.NO_KEY), f"after {n} cycles"
        assert sweep.holds(PASSAGE, OLD), f"after {n} cycles"
        assert sweep.holds(AFTER, after), f"after {n} cycles"
        seen.append(refused)

    for n in range(sweep.passage):
        bench.run(life(n))
    assert seen == sorted(seen, reverse=True)
    assert {SLOT: {0, 1}, OTHER: {0}}[slot] == set(seen)
    bench.assert_empty()


@pytest.mark.parametrize("access_cycles", [1, 9])
@pytest.mark.parametrize("command", ["abort", "zeroize"])
def test_abort_and_zeroize(bench, sweep, command, access_cycles):
    """The command aborts the descriptor, unless the descriptor has already ended. The output of an aborted descriptor
    is correct up to some block; the memory after this block is unchanged.
    """
    seen = []
    bench.memory.latency = lambda: access_cycles

    def life(n):
        yield from sweep.prepare()
        number = yield from bench.read("submitted")
        refused = yield from sweep.one_after_the_other("start", n, command)
        first, second = yield from sweep.outcome(number)
        assert second == (Error.NONE if command == "abort" else Error.NO_KEY)
        assert sweep.holds(AFTER, OLD if command == "abort" else None), f"after {n} cycles"
        assert not refused or first == Error.NONE
        if first == Error.NONE:
            assert sweep.holds(PASSAGE, OLD)
        else:
            assert first == Error.ABORTED
            assert sweep.has_a_beginning(PASSAGE, OLD), f"after {n} cycles"
        seen.append(first)
        if command == "zeroize":  # `zeroize` must also zeroize the key words written for the next key
            yield from sweep.load_words_again()
            assert (yield from bench.result((yield from bench.submit(AFTER)))) == Error.NONE
            assert sweep.holds(AFTER, ZERO), f"key words are left after {n} cycles"

    for n in range(sweep.passage + (3 * access_cycles if access_cycles > 1 else 0)):
        bench.run(life(n))
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {Error.NONE, Error.ABORTED}
    bench.assert_empty()


def test_reset(bench, sweep):
    """Repeat a descriptor, with a reset in a different cycle each time. After each reset, the data written so far are
    right, no bus access is pending, no key remains, and the next descriptor works.
    """

    def life(n):
        yield from sweep.prepare()
        yield from sweep.command("start")
        yield bench.csr.we.eq(0)
        for _ in range(n):
            yield
        yield bench.sim.rst.eq(1)
        yield
        yield bench.sim.rst.eq(0)
        yield
        accesses = len(bench.memory.log)
        assert not bench.peek("bus_cyc")
        yield from bench.wait_idle()
        assert len(bench.memory.log) == accesses
        assert sweep.has_a_beginning(PASSAGE, OLD), f"after {n} cycles"
        assert (yield from bench.result((yield from bench.submit(AFTER)))) == Error.NO_KEY
        yield from sweep.load_words_again()
        assert (yield from bench.result((yield from bench.submit(AFTER)))) == Error.NONE
        assert sweep.holds(AFTER, ZERO), f"key words are left after {n} cycles"

    for n in range(sweep.passage):
        bench.run(life(n))
    bench.assert_empty()


# Tests of `start` in every cycle of a command --------------------------------------------------------------------


@pytest.mark.parametrize("command", ["load_key", "clear_key", "zeroize"])
def test_start_during_a_key_command(bench, sweep, command):
    """A descriptor that starts during `load_key` waits for the key. A descriptor that starts during `clear_key` ends
    with the error "no key". During `zeroize`, the accelerator refuses `start`.
    """
    seen = []

    def life(n):
        yield from sweep.prepare()
        number = yield from bench.read("submitted")
        bench.memory.log.clear()
        refused = yield from sweep.one_after_the_other(command, n, "start")
        after = NEW if command == "load_key" else None
        assert refused == (command == "zeroize" and sweep.was_key_busy), f"after {n} cycles"
        if not refused:
            assert (yield from bench.result(number)) == (Error.NONE if after else Error.NO_KEY), f"after {n} cycles"
        yield from bench.wait_idle()
        assert (yield from bench.read("submitted")) == (number + (not refused)) % 2**16
        assert sweep.holds(PASSAGE, None if refused else after), f"after {n} cycles"
        assert after or not bench.memory.log
        seen.append(refused)

    for n in range(sweep.clearing if command == "zeroize" else sweep.loading):
        bench.run(life(n))
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == ({0, 1} if command == "zeroize" else {0})
    bench.assert_empty()


def test_start_during_an_abort(bench, sweep):
    """During an abort, the accelerator refuses `start`. After the abort, it executes the whole next descriptor."""
    seen = []
    bench.memory.latency = lambda: 9

    def life(n):
        yield from sweep.prepare()
        yield from bench.command("start")
        yield from bench.set_descriptor(AFTER)
        number = yield from bench.read("submitted")
        refused = yield from sweep.one_after_the_other("abort", n, "start")
        if not refused:
            assert (yield from bench.result(number)) == Error.NONE
        yield from bench.wait_idle()
        assert sweep.has_a_beginning(PASSAGE, OLD)
        assert sweep.holds(AFTER, None if refused else OLD), f"after {n} cycles"
        seen.append(refused)

    for n in range(20):
        bench.run(life(n))
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {0, 1}
    bench.assert_empty()


@pytest.mark.parametrize("command", ["load_key", "zeroize"])
def test_key_word_during_a_key_command(bench, sweep, command):
    """A key word written after `load_key` never becomes part of the key that this command loads. After `load_key` or
    `zeroize`, the accelerator drops all written key words until `key_busy` is 0.
    """
    word = 0xA5A5A5A5
    later = word.to_bytes(4, "little") + bytes(12)
    seen = []

    def life(n):
        yield from sweep.prepare()
        yield from sweep.command(command)
        if n:
            yield bench.csr.we.eq(0)
        for _ in range(n):
            yield
        yield from sweep.write("key0", word)
        yield bench.csr.we.eq(0)
        # If n is 0, the accelerator accepts the command in this cycle, so `key_busy` is still 0.
        was_busy = bench.peek("key_busy") or n == 0
        yield from bench.wait_idle()
        if command == "load_key":
            assert (yield from bench.result((yield from bench.submit(AFTER)))) == Error.NONE
            assert sweep.holds(AFTER, NEW), f"a word after {n} cycles is in the key"
        yield from sweep.load_words_again()
        assert (yield from bench.result((yield from bench.submit(AFTER)))) == Error.NONE
        assert sweep.holds(AFTER, ZERO if was_busy else later), f"after {n} cycles"
        seen.append(was_busy)

    for n in range(sweep.clearing if command == "zeroize" else sweep.loading):
        bench.run(life(n))
    assert set(seen) == {0, 1}
