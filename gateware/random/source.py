"""Random source: noise of ring oscillators, sampled, tested all the time, and given to the CPU a word at a time.

::

    ring oscillators ─► bit ─┬─► words of 32 bits ─────► data, valid
                             ├─► health tests ─┬─► fault (no words until restart)
                             └─(+)─► health ───┘
                  sample before ┘    tests

How software uses it: see that `simulated` is 0. For each word wait until `valid` is 1, read `data` once, and read
`status` again: with `fault` set there, drop all words that were read. After a fault write `restart`, which tests the
source anew; a source that fails again is broken. The words are raw samples: give at least 16 of them to a
conditioning function (SP 800-90C) for 128 bits of randomness.

Tests after SP 800-90B: the repetition count and adaptive proportion tests (4.4) run over all samples, whether they are
read or not, and over the sums of neighbouring samples, which finds a source that has locked to the clock. The start-up
test (4.3) is their first window of 1024 samples, after reset and restart; none of these is given. A sample that fails
sets `fault` at once, and no word is given that it is part of, nor any after it.

Assumed is a min-entropy of 0.25 bits a sample, conditional on all samples before: 8 bits a word. It has a sample every
128 cycles, in which each ring turns a hundred times and more. The assumption has not been measured on hardware; the raw
words are what SP 800-90B's estimators take. Rate of false alarms: 2^-30 a sample and test for a source that has no more
entropy than that, so that one that has twice as much gives practically none.

A simulated board has no noise: `simulated` is 1 there and no word is ever given.
"""

from migen import Cat, If, Module, Signal

from gateware.random.health import WINDOW, HealthTests
from gateware.random.registers import WORD_BITS, RandomRegisters

MIN_ENTROPY = 0.25
ALPHA_BITS = 30
SAMPLE_CYCLES = 128


class RandomSource(RandomRegisters):
    """The random source as a peripheral.

    Parameters
    ----------
    noise : Module or None
        Has the bit of noise as `bit`, in the clock domain `sys`; not yet a submodule. None: there is no source.
    min_entropy : float
        Assumed bits of min-entropy of a sample.
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

        # Samples, none while there is a fault. The rings lie where they like: their bit may come from far.
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

        # Words, after the samples of the start-up test. A word that nobody has read is not replaced.
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
