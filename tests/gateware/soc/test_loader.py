# SPDX-License-Identifier: BSD-2-Clause
"""Test the hardware for a boot loader: the lock of the code memory, the watchdog, the cause of each reset, and the
detection of breaks on a UART line.
"""

import random

import pytest
from cipherlane_base.wire.codes import Cause
from litex.gen import LiteXModule
from litex.soc.cores.uart import RS232PHYTX
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, ClockDomainsRenamer, ClockSignal, Module, Record, ResetSignal

from gateware import targets
from gateware.soc.loader import BREAK_S, BreakDetector, CodeMemory, Loader
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.soc.test_buffer import read, read_burst, write
from tests.gateware.support import Simulation

WATCHDOG_CYCLES = 50
WORDS = 64
LOCKED = 4  # in the register


class Bench:
    """Simulates the loader's hardware and the code memory in an SoC that the loader can reset."""

    def __init__(self):
        inner = LiteXModule()
        inner.submodules.loader = self.loader = loader = Loader(WATCHDOG_CYCLES)
        inner.submodules.memory = memory = CodeMemory(4 * WORDS, init=list(range(WORDS // 2)))
        inner.comb += memory.locked.eq(loader.locked)
        self.csr = csr_bus.Interface(data_width=32, address_width=14)
        csrs = loader.get_csrs()
        self.address = {csr.name: place for place, csr in enumerate(csrs)}
        inner.submodules.bank = csr_bus.CSRBank(csrs, 0, self.csr)
        self.bus = memory.bus
        top = Module()
        top.submodules.inner = ClockDomainsRenamer("soc")(inner)
        top.clock_domains.cd_soc = ClockDomain("soc")
        top.comb += [top.cd_soc.clk.eq(ClockSignal("sys")), top.cd_soc.rst.eq(ResetSignal("sys") | loader.reset)]
        self.sim = Simulation(top, self.csr, self.bus, loader.asked, loader.broken, loader.reset, loader.locked)

    def run(self, generator, max_cycles=2000):
        result = []

        def process():
            result.append((yield from generator))

        self.sim.run(process(), max_cycles=max_cycles)
        return result[0]

    def store(self, name):
        def process():
            yield [self.csr.adr.eq(self.address[name]), self.csr.dat_w.eq(1), self.csr.we.eq(1)]
            yield
            yield self.csr.we.eq(0)
            yield
            yield

        self.run(process())

    def status(self):
        def process():
            yield [self.csr.adr.eq(self.address["status"]), self.csr.re.eq(1)]
            yield
            yield self.csr.re.eq(0)
            yield
            return (yield self.csr.dat_r)

        return self.run(process())

    def event(self, signal):
        """Set a signal for one cycle. Of the next five cycles, count those in which the loader resets the SoC."""

        def process():
            yield signal.eq(1)
            yield
            yield signal.eq(0)
            resets = 0
            for _ in range(5):
                resets += yield self.loader.reset
                yield
            return resets

        return self.run(process())

    def until_reset(self, most):
        """Return the number of cycles until the loader resets the SoC, or None if there is no reset within `most`
        cycles.
        """

        def process():
            for cycle in range(most):
                if (yield self.loader.reset):
                    return cycle
                yield
            return None

        return self.run(process())


@pytest.fixture(scope="module")
def built():
    return Bench()


@pytest.fixture
def bench(built):
    built.sim.power_on()
    return built


def image(bench):
    """Return all words of the code memory, read one by one and in a burst."""

    def process():
        found = []
        for address in range(WORDS):
            found.append((yield from read(bench.bus, address))[0])
        burst, _ = yield from read_burst(bench.bus, 0, WORDS)
        assert burst == found
        return found

    return bench.run(process())


def test_writes_pass_until_it_is_locked_and_after_a_reset_alone(bench):
    rng = random.Random(1)
    words = {address: rng.getrandbits(32) for address in rng.sample(range(6, WORDS), 20)}

    def fill():
        for address, word in words.items():
            yield from write(bench.bus, address, word, 0b1111)
        yield from write(bench.bus, 5, 0xAABBCCDD, 0b0101)

    def attack(address):
        for select in (0b1111, 0b0001, 0b1000):
            yield from write(bench.bus, address, 0x5A5A5A5A, select)  # is acknowledged

    assert image(bench) == [*range(WORDS // 2), *[0] * (WORDS // 2)]
    bench.run(fill())
    before = image(bench)
    assert all(before[address] == word for address, word in words.items()) and before[5] == 0x00BB00DD
    bench.store("lock")
    for address in range(WORDS):
        bench.run(attack(address))
        for name in ("lock", "feed"):
            bench.store(name)
    assert bench.status() == LOCKED
    bench.event(bench.loader.asked)
    assert bench.status() == Cause.FIRMWARE
    assert image(bench) == before, "neither what was written while it was locked, nor the reset, has changed a word"
    bench.run(write(bench.bus, 3, 0x12345678, 0b1111))
    assert bench.run(read(bench.bus, 3))[0] == 0x12345678


def test_the_watchdog_begins_with_the_lock_and_ends_what_does_not_feed_it(bench):
    assert bench.until_reset(3 * WATCHDOG_CYCLES) is None
    bench.store("lock")
    for _ in range(10):
        assert bench.until_reset(WATCHDOG_CYCLES - 12) is None
        bench.store("feed")
    assert WATCHDOG_CYCLES - 12 < bench.until_reset(WATCHDOG_CYCLES + 1) <= WATCHDOG_CYCLES
    assert bench.status() == Cause.WATCHDOG, "and unlocked"
    assert bench.until_reset(3 * WATCHDOG_CYCLES) is None


@pytest.mark.parametrize("again", ["asked", "broken"])
def test_firmware_that_was_ended_stays_named_until_firmware_is_started(bench, again):
    bench.store("lock")
    assert bench.event(bench.loader.asked) == 1
    for _ in range(2):
        assert bench.status() == Cause.FIRMWARE
        assert bench.event(getattr(bench.loader, again)) == 1
    bench.sim.reset()  # the button
    assert bench.status() == Cause.FIRMWARE
    bench.store("lock")
    assert bench.status() == LOCKED | Cause.POWER
    bench.sim.reset()
    assert bench.status() == Cause.POWER


def test_a_break_is_named_whether_firmware_runs_or_not(bench):
    assert bench.event(bench.loader.broken) == 1
    assert bench.status() == Cause.BREAK
    bench.store("lock")
    assert bench.event(bench.loader.broken) == 1
    assert bench.status() == Cause.BREAK
    assert bench.event(bench.loader.asked) == 1, "of the loader's own: nothing is known of firmware"
    assert bench.status() == Cause.BREAK


# The line


class Line(Module):
    """A break detector connected to LiteX's UART transmitter, on a line that the test can hold low, as in a break."""

    def __init__(self, cycles, bit_cycles):
        pads = Record([("tx", 1)])
        self.submodules.uart = ClockDomainsRenamer("sys")(RS232PHYTX(pads, 2**32 // bit_cycles))
        self.submodules.detector = detector = BreakDetector(cycles)
        self.low = Record([("line", 1)])
        self.comb += detector.rx.eq(pads.tx & ~self.low.line)
        self.sink, self.detected = self.uart.sink, detector.detected


BIT_CYCLES, BREAK_CYCLES = 10, 1000  # at 10 MHz, a bit of 1 us (1 Mbaud) takes 10 cycles, a break of 100 us 1000


@pytest.fixture(scope="module")
def line():
    built = Line(BREAK_CYCLES, BIT_CYCLES)
    return Simulation(built, built.sink, built.low, built.detected), built


def detections(simulation, line, cycles, low):
    """Return the cycles in which a break is detected. With `low` = 1, the line is low; with 0, the UART drives it."""
    found = []

    def process():
        yield line.low.line.eq(low)
        for cycle in range(cycles):
            yield
            if (yield line.detected):
                found.append(cycle)

    simulation.run(process(), max_cycles=cycles + 10)
    return found


def test_bytes_are_no_break_however_many_zeros_they_are(line):
    simulation, dut = line
    simulation.power_on()

    def send():
        yield [dut.sink.data.eq(0), dut.sink.valid.eq(1)]
        yield
        while not (yield dut.sink.ready):  # a byte is out
            yield

    simulation.run(send(), max_cycles=30 * BIT_CYCLES)
    assert detections(simulation, dut, 20 * BREAK_CYCLES, low=0) == []


def test_a_break_is_detected_once_however_long_it_is_and_again_after_it(line):
    simulation, dut = line
    simulation.power_on()
    assert detections(simulation, dut, 100, low=0) == []
    assert detections(simulation, dut, BREAK_CYCLES - 20, low=1) == [], "too short"
    assert detections(simulation, dut, 20, low=0) == []
    for _ in range(2):
        (at,) = detections(simulation, dut, 10 * BREAK_CYCLES, low=1)
        assert BREAK_CYCLES <= at <= BREAK_CYCLES + 5
        assert detections(simulation, dut, 20, low=0) == []


def test_a_line_that_is_low_from_the_reset_on_is_no_break(line):
    """If the line is low after a reset, the detector must report no break until the line has been high. The line can be
    low because a break caused the reset, or because no cable is connected.
    """
    simulation, dut = line
    simulation.power_on()
    detections(simulation, dut, 100, low=0)
    detections(simulation, dut, BREAK_CYCLES // 2, low=1)
    simulation.poke({dut.low.line: 1, simulation.rst: 1})
    simulation.clock()
    simulation.poke({simulation.rst: 0})
    simulation.clock()
    assert detections(simulation, dut, 3 * BREAK_CYCLES, low=1) == []
    assert detections(simulation, dut, 10, low=0) == []
    assert len(detections(simulation, dut, 2 * BREAK_CYCLES, low=1)) == 1


def test_a_break_is_long_for_any_board_s_uart_and_short_for_a_host():
    for target in targets.load_all():
        if target.configuration.code_size:
            assert 50 * 10 / target.board.uart_baudrate < BREAK_S < 0.25 / 50


def test_no_other_configuration_has_any_of_it():
    """Only a configuration with a loader has a code memory. With a loader, the CPU starts in the ROM, which then
    contains the loader.
    """
    soc = CipherlaneSoC(targets.load("sim", "loader"), firmware=[1, 2], loader=[3])
    regions = soc.bus.regions
    assert soc.cpu.reset_address == regions["rom"].origin == 0 and regions["rom"].size == 8192
    assert regions["code"].size == 65536 and regions["code"].cached
    soc = CipherlaneSoC(targets.load("sim"), firmware=[1])
    assert "code" not in soc.bus.regions and not hasattr(soc, "loader")
