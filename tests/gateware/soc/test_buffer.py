# SPDX-License-Identifier: BSD-2-Clause
"""Compares both ports of the buffer memory with a model, in classic accesses and in bursts."""

import random

import pytest
from litex.soc.interconnect import wishbone
from migen import Module

from gateware.soc.buffer import BufferArbiter, BufferMemory
from tests.gateware.support import Simulation

SIZE = 512
CTI_CLASSIC, CTI_INCREMENTING, CTI_END = 0b000, 0b010, 0b111


def write(bus, address, value, select):
    yield from _request(bus, address, we=1, value=value, select=select)
    cycles = 1
    while not (yield bus.ack):
        yield
        cycles += 1
    yield from _release(bus)
    return cycles


def read(bus, address):
    yield from _request(bus, address, we=0)
    cycles = 1
    while not (yield bus.ack):
        yield
        cycles += 1
    value = yield bus.dat_r
    yield from _release(bus)
    return value, cycles


def read_burst(bus, address, count):
    values, cycles = [], 0
    yield from _request(bus, address, we=0, cti=CTI_INCREMENTING)
    while len(values) < count:
        cycles += 1
        if (yield bus.ack):
            values.append((yield bus.dat_r))
            yield bus.adr.eq(address + len(values))
            yield bus.cti.eq(CTI_END if len(values) == count - 1 else CTI_INCREMENTING)
            if len(values) == count:
                break
        yield
    yield from _release(bus)
    return values, cycles


def _request(bus, address, *, we, value=0, select=None, cti=CTI_CLASSIC):
    yield bus.adr.eq(address)
    yield bus.we.eq(we)
    yield bus.dat_w.eq(value)
    yield bus.sel.eq((1 << len(bus.sel)) - 1 if select is None else select)
    yield bus.cti.eq(cti)
    yield bus.cyc.eq(1)
    yield bus.stb.eq(1)
    yield


def _release(bus):
    yield bus.cyc.eq(0)
    yield bus.stb.eq(0)
    yield bus.cti.eq(CTI_CLASSIC)
    yield


def simulate(*processes):
    buffer = BufferMemory(size=SIZE)
    with Simulation(buffer, buffer.narrow, buffer.wide) as simulation:
        simulation.run(*[process(buffer) for process in processes], max_cycles=20000)


def test_ports_see_each_other():
    rng = random.Random(1)
    model = bytearray(SIZE)

    def process(buffer):
        for _ in range(400):
            bus = rng.choice([buffer.narrow, buffer.wide])
            width = len(bus.sel)
            address = rng.randrange(SIZE // width)
            if rng.random() < 0.5:
                value, select = rng.getrandbits(8 * width), rng.getrandbits(width)
                assert (yield from write(bus, address, value, select)) == 1
                for i in range(width):
                    if select >> i & 1:
                        model[width * address + i] = value >> (8 * i) & 0xFF
            else:
                value, cycles = yield from read(bus, address)
                assert value == int.from_bytes(model[width * address :][:width], "little")
                assert cycles == 2

    simulate(process)


@pytest.mark.parametrize("port", ["narrow", "wide"])
def test_incrementing_burst_reads_a_word_a_cycle(port):
    rng = random.Random(2)

    def process(buffer):
        bus = getattr(buffer, port)
        words = [rng.getrandbits(len(bus.dat_w)) for _ in range(16)]
        for address, word in enumerate(words):
            yield from write(bus, address, word, (1 << len(bus.sel)) - 1)
        for first in (0, 3, 8):
            values, cycles = yield from read_burst(bus, first, 8)
            assert values == words[first : first + 8]
            assert cycles == 9
            value, _ = yield from read(bus, 5)
            assert value == words[5]

    simulate(process)


def test_ports_work_at_the_same_time():
    def narrow(buffer):
        for i in range(40):
            yield from write(buffer.narrow, i % 32, i, 0xF)
            value, _ = yield from read(buffer.narrow, i % 32)
            assert value == i

    def wide(buffer):
        for i in range(40):
            address = 8 + i % 16
            yield from write(buffer.wide, address, i << 96 | i, 0xFFFF)
            value, _ = yield from read(buffer.wide, address)
            assert value == i << 96 | i

    simulate(narrow, wide)


@pytest.mark.parametrize("masters", [1, 2, 3])
def test_masters_share_the_wide_port(masters):
    """Several masters access the buffer memory at the same time, each in its own blocks. Each master must read the
    values that it wrote.
    """
    top = Module()
    top.submodules.buffer = buffer = BufferMemory(size=SIZE)
    buses = [wishbone.Interface(data_width=128, address_width=32, addressing="word") for _ in range(masters)]
    top.submodules.arbiter = BufferArbiter(buses, buffer)
    blocks = SIZE // 16 // masters

    def master(n):
        bus, rng = buses[n], random.Random(n)
        model = [0] * blocks
        for _ in range(150):
            block = rng.randrange(blocks)
            action = rng.randrange(3)
            if action == 0:
                model[block] = rng.getrandbits(128)
                yield from write(bus, blocks * n + block, model[block], 0xFFFF)
            elif action == 1:
                value, _ = yield from read(bus, blocks * n + block)
                assert value == model[block]
            else:
                values, _ = yield from read_burst(bus, blocks * n + block, min(4, blocks - block))
                assert values == model[block : block + 4]
            for _ in range(rng.randrange(3)):
                yield

    with Simulation(top, *buses) as simulation:
        simulation.run(*[master(n) for n in range(masters)], max_cycles=20000)


@pytest.mark.parametrize("size", [0, -16, 24])
def test_size_must_be_whole_blocks(size):
    with pytest.raises(ValueError, match="multiple of 16"):
        BufferMemory(size=size)
