# SPDX-License-Identifier: BSD-2-Clause
"""The LTE cipher 128-EEA1 (3GPP TS 33.401, B.1.2; UEA2 in TS 35.215, 3). It XORs a message with SNOW 3G keystream.

::

    job ─► SNOW 3G ─► z ─┐
                         ▼
    sink ──────────────►(+)─► bits after the length cleared ─► source

Throughput: a word of 32 bits a cycle, after 34 cycles for a job.
"""

from litex.soc.interconnect import stream
from migen import Case, Cat, If, Module, Replicate, Signal

from lab.snow3g.keystream import Snow3G

WORD_BITS = 32
JOB = [("key", 128), ("count", 32), ("bearer", 5), ("direction", 1), ("length", 32)]
DATA = [("data", WORD_BITS)]


class EEA1(Module):
    """Encrypts or decrypts one message after another with 128-EEA1. A message is a sequence of bits.

    Parameters
    ----------
    s_r, s_q : str
        As for `Snow3G`.

    Attributes
    ----------
    job : stream.Endpoint
        ``key``, its first byte in bits 7:0; ``count``, ``bearer`` and ``direction`` as TS 33.401 names them;
        ``length`` of the message in bits. Taken when the previous message has left. A message without bits has no
        words.
    sink, source : stream.Endpoint
        ceil(length / 32) words ``data``, the first byte in bits 7:0; the first bit of a byte is its highest. `source`
        sets ``last`` with the message's last word, in which the bits after the length are zero. ``last`` of `sink` is
        ignored.
    clear : Signal(), in
        Zeroize key and keystream, and end the message.
    """

    def __init__(self, s_r: str = "table", s_q: str = "table"):
        self.job = job = stream.Endpoint(JOB)
        self.sink = sink = stream.Endpoint(DATA)
        self.source = source = stream.Endpoint(DATA)
        self.clear = Signal()

        # # #

        self.submodules.generator = generator = Snow3G(s_r, s_q)
        left = Signal(WORD_BITS)
        key = [_swapped(job.key[32 * n : 32 * n + 32]) for n in range(4)]
        key.reverse()  # the list is reversed, because the first word of the key is k3
        stream_of = Cat(Replicate(0, 26), job.direction, job.bearer)
        fields = {f"k{n}": word for n, word in enumerate(key)}
        fields |= {"iv3": job.count, "iv2": stream_of, "iv1": job.count, "iv0": stream_of}
        is_last, goes, ended = Signal(), Signal(), Signal()
        kept = Signal(WORD_BITS)
        self.comb += [
            *[getattr(generator.sink, name).eq(value) for name, value in fields.items()],
            generator.sink.valid.eq(job.valid & (job.length != 0) & (left == 0) & ~ended),
            job.ready.eq((left == 0) & ~ended & (generator.sink.ready | (job.length == 0)) & ~self.clear),
            is_last.eq(left <= WORD_BITS),
            # Bit n of the mask `kept` is 1 if bit n of the keystream word encrypts a bit of the message. The highest
            # bit of a keystream word encrypts the first message bit.
            Case(
                Cat(left[:5], is_last),
                {
                    **{0b100000 | n: kept.eq((2**n - 1) << (WORD_BITS - n)) for n in range(1, WORD_BITS)},
                    "default": kept.eq(2**WORD_BITS - 1),
                },
            ),
            source.data.eq((sink.data ^ _swapped(generator.source.z)) & _swapped(kept)),
            source.last.eq(is_last),
            source.valid.eq(sink.valid & generator.source.valid & (left != 0)),
            goes.eq(source.valid & source.ready),
            sink.ready.eq(goes),
            generator.source.ready.eq(goes),
            generator.clear.eq(self.clear | ended),
        ]
        self.sync += [
            ended.eq(goes & is_last),
            If(goes, left.eq(left - WORD_BITS), If(is_last, left.eq(0))),
            If(job.valid & job.ready, left.eq(job.length)),
            If(self.clear, left.eq(0)),
        ]


def _swapped(word) -> Cat:
    """Return the bytes of a word in reverse order."""
    return Cat(word[24:32], word[16:24], word[8:16], word[:8])
