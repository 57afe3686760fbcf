# SPDX-License-Identifier: BSD-2-Clause
"""Test key commands in Migen's own simulator. A simple model replaces the AES core, and records the key words."""

import pytest
from litex.soc.interconnect import stream
from migen import If, Module, Signal, run_simulation

from gateware.ctr.client import Client
from gateware.ctr.key_loader import KeyLoader

SLOTS = 4
# Number of slots of the second client. If a slot is in use, the loader refuses a command of the second client on this
# slot. For other clients, the loader delays the command.
OTHER_SLOTS = 2
WAIT_CYCLES = 40


class _Core(Module):
    """A model of an AES core's key port. It is busy for a few cycles after each word or command."""

    def __init__(self):
        self.key = stream.Endpoint([("word", 32)])
        self.key_slot = Signal(3)
        self.key_length = Signal(2)
        self.key_valid = Signal(SLOTS + OTHER_SLOTS)
        self.clear = Signal()
        self.clear_slot = Signal()
        self.key_busy = Signal()

        # # #

        left = Signal(4)
        self.comb += [self.key.ready.eq(1), self.key_busy.eq(left != 0)]
        self.sync += [
            If(left != 0, left.eq(left - 1)),
            If(self.key.valid, left.eq(5), self.key_valid.eq(self.key_valid | (1 << self.key_slot))),
            If(self.clear_slot, left.eq(3), self.key_valid.eq(self.key_valid & ~(1 << self.key_slot))),
            If(self.clear, left.eq(9), self.key_valid.eq(0)),
        ]


class _Bench(Module):
    def __init__(self):
        self.submodules.core = self.core = _Core()
        clients = [Client(slots=SLOTS, count_bits=8), Client(slots=OTHER_SLOTS, count_bits=8, waits=False)]
        self.submodules.loader = loader = KeyLoader(core=self.core, clients=clients, wait_cycles=WAIT_CYCLES)
        self.port, self.other = loader.ports
        self.words = []

    def write_key(self, words, port=None):
        port = port or self.port
        for n, word in enumerate(words):
            yield [port.index.eq(n), port.word.eq(word), port.write.eq(1)]
            yield
        yield port.write.eq(0)

    def use(self, which: str, slot: int, port=None):
        """Tell the loader that a slot comes into use (`which` is "begin") or is no longer in use ("end")."""
        record = getattr(port or self.port, which)
        yield record.number.eq(slot)
        yield from self.pulse(record.valid)

    def pulse(self, signal):
        yield signal.eq(1)
        yield
        yield signal.eq(0)
        yield

    def settle(self, most: int = 60, port=None):
        for _ in range(most):
            if not (yield (port or self.port).busy):
                return
            yield
        raise AssertionError("a command does not end")

    def load(self, slot: int, code: int, words, port=None):
        port = port or self.port
        yield from self.write_key(words, port)
        yield [port.slot.eq(slot), port.length.eq(code)]
        yield from self.pulse(port.load)

    def watch(self):
        """Record (slot, length code, word) for each word that the core accepts."""
        while True:
            yield
            if (yield self.core.key.valid):
                self.words.append(
                    ((yield self.core.key_slot), (yield self.core.key_length), (yield self.core.key.word))
                )


def run(bench: _Bench, scenario):
    done = []

    def main():
        yield
        yield from bench.settle()
        yield from scenario()
        done.append(True)

    run_simulation(bench, [main(), _until(bench.watch(), done)])
    assert done


def _until(generator, done):
    """Run a generator in the simulation until the list `done` is not empty."""
    reply = None
    while not done:
        reply = yield generator.send(reply)


def test_loads_of_all_lengths_reach_their_slots():
    bench = _Bench()

    def scenario():
        for slot, (code, _) in enumerate(((0, 4), (1, 6), (2, 8))):
            yield from bench.load(slot, code, range(100 * slot, 100 * slot + 8))
            yield from bench.settle()
            assert (yield bench.port.usable) >> slot & 1
        wanted = [(s, c, 100 * s + n) for s, (c, count) in enumerate(((0, 4), (1, 6), (2, 8))) for n in range(count)]
        assert bench.words == wanted
        yield from bench.pulse(bench.port.load)  # loads zeros, because no key words were written since the last load
        yield from bench.settle()
        assert bench.words[len(wanted) :] == [(2, 2, 0)] * 8

    run(bench, scenario)


def test_a_slot_in_use_is_waited_for_and_withdrawn_at_once():
    bench = _Bench()

    def scenario():
        loader = bench.port
        for slot in (1, 2):
            yield from bench.load(slot, 0, range(4))
            yield from bench.settle()
        yield from bench.use("begin", 1)
        yield from bench.load(1, 0, range(10, 14))
        for _ in range(20):
            assert (yield loader.usable) == 0b0100 and (yield loader.busy)
            yield
        assert len(bench.words) == 8
        yield from bench.use("begin", 2)  # the command on slot 1 does not wait for slot 2
        yield from bench.use("end", 1)
        yield from bench.settle()
        assert len(bench.words) == 12 and (yield loader.usable) == 0b0110
        yield loader.slot.eq(2)
        yield from bench.pulse(loader.clear_slot)
        yield
        assert (yield loader.usable) == 0b0010 and (yield bench.core.key_valid) == 0b0110
        yield from bench.use("end", 2)
        yield from bench.settle()
        assert (yield bench.core.key_valid) == 0b0010

    run(bench, scenario)


def test_a_datagram_that_does_not_end_costs_the_key():
    """If a datagram keeps a slot in use forever, a key command on this slot still ends after a limited time.

    Afterwards the slot holds no key, and the key words that software wrote are zeroized.
    """
    bench = _Bench()

    def scenario():
        loader = bench.port
        yield from bench.load(1, 0, range(4))
        yield from bench.settle()
        for loading in (True, False):
            yield from bench.use("begin", 1)
            if loading:
                yield from bench.load(1, 0, range(10, 14))
            else:
                yield from bench.pulse(loader.clear_slot)
            yield from bench.settle(WAIT_CYCLES + 20)
            assert (yield bench.core.key_valid) == (yield loader.usable) == 0
            assert len(bench.words) == 4
            yield from bench.use("end", 1)
        yield loader.slot.eq(2)
        yield from bench.pulse(loader.load)
        yield from bench.settle()
        assert [word for *_, word in bench.words[4:]] == [0] * 4

    run(bench, scenario)


@pytest.mark.parametrize("when", range(14))
def test_zeroize_ends_the_present_command_at_once(when):
    """`zeroize` ends a key command at once, in every phase of the command. It also zeroizes the key words that were
    written for the command.
    """
    bench = _Bench()

    def scenario():
        loader = bench.port
        yield from bench.load(2, 0, range(20, 24))
        yield from bench.settle()
        if when < 7:
            yield from bench.use("begin", 0)
        yield from bench.write_key(range(4))
        yield [loader.slot.eq(0), loader.length.eq(0), loader.load.eq(1)]
        yield
        yield loader.load.eq(0)
        for _ in range(when % 7):
            yield
        yield loader.zeroize.eq(1)
        yield
        assert (yield loader.flush) and (yield bench.core.clear) and (yield loader.usable) in (0, 0b0100)
        yield loader.zeroize.eq(0)
        yield
        assert not (yield loader.flush) and (yield loader.usable) == 0
        yield from bench.settle()
        assert (yield bench.core.key_valid) == 0
        yield from bench.pulse(loader.release)
        taken = len(bench.words)
        yield from bench.load(3, 2, [])  # nothing was written since
        yield from bench.settle()
        assert (yield loader.usable) == 0b1000 and [word for *_, word in bench.words[taken:]] == [0] * 8

    run(bench, scenario)


def test_a_client_that_does_not_wait_is_refused():
    """The second client has the option `waits=False`. If a key of this client is in use, the loader refuses commands on
    this key, instead of delaying the commands. Each client has its own key words and slots.
    """
    bench = _Bench()

    def scenario():
        port, other = bench.port, bench.other
        yield from bench.write_key(range(4))
        yield from bench.load(1, 0, range(10, 14), other)
        assert (yield other.withdrawn) == 0b10 and (yield port.withdrawn) == 0
        assert not (yield port.busy) and (yield other.busy)
        yield from bench.settle(port=other)
        assert bench.words == [(SLOTS + 1, 0, word) for word in range(10, 14)]
        assert (yield other.usable) == 0b10 and (yield port.usable) == 0
        yield from bench.use("begin", 1, other)
        assert (yield other.used) == 0b10 and (yield port.used) == 0 and not (yield other.ready)
        for command in (other.load, other.clear_slot, other.wipe):
            yield from bench.pulse(command)
            assert not (yield other.busy)
        yield other.slot.eq(0)
        yield
        assert (yield other.ready)
        yield from bench.pulse(other.load)  # this command uses and zeroizes only the second client's words
        yield from bench.settle(port=other)
        yield [port.slot.eq(0), port.length.eq(0)]
        yield from bench.pulse(port.load)
        yield from bench.settle()
        assert [word for *_, word in bench.words[4:]] == [0] * 4 + [*range(4)]
        yield from bench.use("end", 1, other)
        yield other.slot.eq(1)
        yield from bench.pulse(other.clear_slot)
        yield from bench.settle(port=other)
        assert (yield other.usable) == 0b01 and (yield port.usable) == 0b0001

    run(bench, scenario)


def test_words_are_wiped_without_a_key():
    bench = _Bench()

    def scenario():
        yield from bench.write_key(range(1, 9))
        yield from bench.pulse(bench.port.wipe)
        yield from bench.settle()
        assert not bench.words and (yield bench.port.usable) == 0
        yield from bench.load(0, 2, [])
        yield from bench.settle()
        assert [word for *_, word in bench.words] == [0] * 8

    run(bench, scenario)


def test_a_use_may_begin_while_another_ends():
    bench = _Bench()

    def scenario():
        port = bench.port
        yield from bench.use("begin", 2)
        yield [port.begin.number.eq(2), port.end.number.eq(2), port.begin.valid.eq(1), port.end.valid.eq(1)]
        yield
        yield [port.begin.valid.eq(0), port.end.valid.eq(0)]
        yield
        assert (yield port.used) == 0b0100
        yield from bench.use("end", 2)
        assert (yield port.used) == 0

    run(bench, scenario)


def test_commands_of_clients_take_turns():
    """Two clients give key commands that overlap in time. The loader carries out one command after the other. Each
    command uses the words, slot and length that the command's own client set.
    """
    bench = _Bench()

    def scenario():
        port, other = bench.port, bench.other
        yield from bench.use("begin", 1)
        yield from bench.load(1, 2, range(20, 28))
        yield from bench.load(0, 0, range(10, 14), other)
        for _ in range(10):
            yield
            assert (yield port.busy) and (yield other.busy) and not bench.words
            assert (yield other.withdrawn) == 0b01 and (yield port.withdrawn) == 0b0010
        yield from bench.use("end", 1)
        yield from bench.settle()
        yield from bench.settle(port=other)
        wanted = [*((1, 2, word) for word in range(20, 28)), *((SLOTS, 0, word) for word in range(10, 14))]
        assert bench.words == wanted
        assert (yield port.usable) == 0b0010 and (yield other.usable) == 0b01
        yield [port.slot.eq(3), port.load.eq(1), other.slot.eq(1), other.load.eq(1)]
        yield
        yield [port.load.eq(0), other.load.eq(0)]
        yield
        assert (yield port.busy) and (yield other.busy)
        yield from bench.settle()
        yield from bench.settle(port=other)
        assert {slot for slot, *_ in bench.words[12:]} == {3, SLOTS + 1}

    run(bench, scenario)
