# SPDX-License-Identifier: BSD-2-Clause
"""Simulate the random source and its bus registers. A test sequence replaces the noise."""

from collections.abc import Iterator

from litex.soc.interconnect import csr_bus
from migen import Module, Signal

from gateware.random.source import RandomSource
from tests.gateware.support import Simulation

SAMPLE_CYCLES = 4
VALID, FAULT, SIMULATED = 1, 2, 4
RESTART = 1
BANK_WORDS = 512  # CSRBank's paging
SIMULATED_BANK = 1


class Noise(Module):
    """A noise source whose output bit is set by the test bench."""

    def __init__(self):
        self.bit = Signal()


class Bench:
    def __init__(self):
        top = Module()
        self.noise = Noise()
        top.submodules.dut = dut = RandomSource(self.noise, sample_cycles=SAMPLE_CYCLES)
        self.csr = csr_bus.Interface(data_width=32, address_width=14)
        csrs = dut.get_csrs()
        self.address = {csr.name: i for i, csr in enumerate(csrs)}
        banks = [csr_bus.Interface(data_width=32, address_width=14) for _ in range(2)]
        top.submodules += csr_bus.CSRBank(csrs, 0, banks[0])
        # Add a second random source that has no noise source, as on the simulated board.
        top.submodules.simulated = simulated = RandomSource(None)
        top.submodules += csr_bus.CSRBank(simulated.get_csrs(), SIMULATED_BANK, banks[1])
        top.submodules += csr_bus.InterconnectShared([self.csr], banks)
        self.sim = Simulation(top, self.csr, self.noise.bit)
        self.reset(iter(()))

    def reset(self, bits: Iterator[int]):
        """Reset the random source. From then on, its noise consists of `bits`, one bit for each sample."""
        self.sim.reset()
        self.samples = 0
        self.bits = bits
        self.background = [self._feed()]

    def _feed(self):
        """Set the noise source's output to one bit after another. Each bit lasts as many cycles as one sample takes.
        The first bit begins in the first cycle after the reset.
        """
        for bit in self.bits:
            yield self.noise.bit.eq(bit)
            for _ in range(SAMPLE_CYCLES):
                yield
            self.samples += 1

    def run(self, generator, max_cycles: int = 100_000):
        """Run a generator that makes one or more register accesses; return its result."""
        result = []

        def process():
            result.append((yield from generator))

        self.sim.run(process(), background=self.background, max_cycles=max_cycles)
        return result[0]

    def write(self, name: str, value: int, bank: int = 0):
        yield [self.csr.adr.eq(BANK_WORDS * bank + self.address[name]), self.csr.dat_w.eq(value), self.csr.we.eq(1)]
        yield
        yield self.csr.we.eq(0)

    def read(self, name: str, bank: int = 0):
        yield [self.csr.adr.eq(BANK_WORDS * bank + self.address[name]), self.csr.re.eq(1)]
        yield
        yield [self.csr.re.eq(0), self.csr.adr.eq(0)]
        yield
        return (yield self.csr.dat_r)
