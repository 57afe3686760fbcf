# SPDX-License-Identifier: BSD-2-Clause
"""Random source: noise of ring oscillators, sampled, continuously tested, and offered to the CPU word by word.

::

    ring oscillators ─► bit ─┬─► words of 32 bits ─────► data, valid
                             ├─► health tests ─┬─► fault (no words until restart)
                             └─(+)─► health ───┘
                  sample before ┘    tests

Software uses it as follows. Check that `simulated` is 0. For each word, wait until `valid` is 1, read `data` once, and
read `status` again. If `fault` is set, drop all words that were read. After a fault write `restart`, which tests the
source again; a source that fails again is broken. The words are raw samples. Put at least 16 of them through a
conditioning function (SP 800-90C) for 128 bits of randomness.

Tests follow SP 800-90B. The repetition count and adaptive proportion tests (4.4) cover all samples, whether software
reads them or not. They also cover the sums of neighbouring samples, which detects a source that has locked to the
clock. The start-up test (4.3) is the first window of 1024 samples after reset and restart; these samples are never
offered. A failing sample sets `fault` at once. No word that contains it is offered, nor any later word.

We assume a min-entropy of 0.25 bits a sample, given all earlier samples: 8 bits a word. The source takes a sample
every 128 cycles, in which each ring makes a hundred turns or more. **The assumption has not been measured on
hardware**; SP 800-90B's estimators take the raw words. The rate of false alarms is 2^-30 for each sample and test, if
the source has just this entropy. A source with twice as much entropy causes practically none.

A simulated board has no noise: `simulated` is 1 there, and no word is ever offered.
"""

from migen import Cat, If, Module, Signal

from .health import WINDOW, HealthTests
from .registers import WORD_BITS, RandomRegisters

MIN_ENTROPY = 0.25
ALPHA_BITS = 30
SAMPLE_CYCLES = 128


class RandomSource(RandomRegisters):
    """The random source as a peripheral.

    Parameters
    ----------
    noise : Module or None
        A module with a noise bit `bit` in the clock domain `sys`; not yet a submodule. None: there is no source.
    min_entropy : float
        Assumed min-entropy of a sample in bits.
    alpha_bits : int
        Minus log2 of the rate of false alarms.
    sample_cycles : int
        Cycles between samples, 2 or more.

    Raises
    ------
    ValueError
        A parameter is out of range; see `HealthTests` too.
    """

    def __init__(
        self,
        noise: Module | None,
        *,
        min_entropy: float = MIN_ENTROPY,
        alpha_bits: int = ALPHA_BITS,
        sample_cycles: int = SAMPLE_CYCLES,
    ):
        if sample_cycles < 2:
            raise ValueError(f"sample_cycles is {sample_cycles}; give 2 or more")
        super().__init__()

        # # #

        if noise is None:
            self.comb += self.status.fields.simulated.eq(1)
            return
        self.noise = noise
        self.tests = tests = HealthTests(min_entropy=min_entropy, alpha_bits=alpha_bits)
        self.sum_tests = sum_tests = HealthTests(min_entropy=min_entropy, alpha_bits=alpha_bits)
        restart = self.control.fields.restart
        fault = Signal()
        fail = Signal()

        # Sampling stops at a fault. The rings can be placed far away, so the register `bit` splits the long path from
        # the rings.
        bit = Signal()
        self.sync += bit.eq(noise.bit)
        count = Signal(max=sample_cycles)
        sample = Signal()
        before = Signal()
        self.comb += [
            sample.eq((count == sample_cycles - 1) & ~fault & ~restart),
            tests.valid.eq(sample),
            tests.bit.eq(bit),
            sum_tests.valid.eq(sample),
            sum_tests.bit.eq(bit ^ before),
            fail.eq(tests.fail | sum_tests.fail),
        ]
        self.sync += [
            count.eq(count + 1),
            If((count == sample_cycles - 1) | restart, count.eq(0)),
            If(sample, before.eq(bit)),
            If(restart, before.eq(0)),
        ]

        # Collects words from the samples after the start-up test. A complete word stays until software has read it.
        started = Signal(max=WINDOW + 1)
        bits = Signal(WORD_BITS)
        collected = Signal(max=WORD_BITS)
        word = Signal(WORD_BITS)
        valid = Signal()
        shifted = Cat(bit, bits[:-1])
        self.sync += [
            If(self.data.we, valid.eq(0), word.eq(0)),
            If(sample & (started != WINDOW), started.eq(started + 1)),
            If(
                sample & (started == WINDOW),
                bits.eq(shifted),
                collected.eq(collected + 1),  # modulo the word
                If((collected == WORD_BITS - 1) & ~valid, word.eq(shifted), valid.eq(1)),
            ),
            If(
                fail | restart,
                fault.eq(fail),
                valid.eq(0),
                word.eq(0),
                bits.eq(0),
                collected.eq(0),
                started.eq(0),
            ),
        ]
        self.comb += [
            tests.restart.eq(restart),
            sum_tests.restart.eq(restart),
            self.status.fields.valid.eq(valid),
            self.status.fields.fault.eq(fault),
            self.data.status.eq(word),
        ]
