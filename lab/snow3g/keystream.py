# SPDX-License-Identifier: BSD-2-Clause
"""The keystream generator of SNOW 3G (3GPP TS 35.216, 4), with a datapath of 32 bits.

::

    load ─► s15 ─► s14 ─► ... ─► s2 ─► ... ─► s0 ──┐
             ▲                                     ├─► z
             ├─ v ◄─ s0, s2, s11                   │
             └─ F ◄─ R1, R2, R3 ◄─ s5, s15 ────────┘

A key and an initialisation vector are loaded in one cycle. The generator is clocked 33 times. Then it offers one word
each cycle. ``s_r`` and ``s_q`` choose the S-boxes (`lab.snow3g.sboxes`).
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Signal

from lab.snow3g.sboxes import create_s1, create_s2
from lab.snow3g.standard import DIV_ALPHA, INITIALISATION_CLOCKS, MUL_ALPHA

STAGES = 16
JOB = [*((f"k{n}", 32) for n in range(4)), *((f"iv{n}", 32) for n in range(4))]


class Snow3G(Module):
    """Generates the keystream of one key and one initialisation vector at a time.

    Parameters
    ----------
    s_r, s_q : str
        Implementations of the S-boxes.

    Attributes
    ----------
    sink : stream.Endpoint
        Words of the key and of the initialisation vector, as the standard numbers them (4.1). It is ready except during
        initialisation. Taking it ends the previous keystream.
    source : stream.Endpoint
        ``z``: the keystream's words, from z1 on, without end.
    clear : Signal(), in
        Zeroize the state; the keystream ends.
    state : list of Signal(32)
        s0 to s15 and R1 to R3, from which the key can be computed.
    """

    def __init__(self, s_r: str = "table", s_q: str = "table"):
        self.sink = sink = stream.Endpoint(JOB)
        self.source = source = stream.Endpoint([("z", 32)])
        self.clear = Signal()

        # # #

        s = [Signal(32, name=f"s{n}") for n in range(STAGES)]
        r1, r2, r3 = (Signal(32, name=f"r{n}") for n in (1, 2, 3))
        self.state = [*s, r1, r2, r3]
        f, v = Signal(32), Signal(32)
        # Number of clock cycles that remain until the first word of keystream. The count starts at 33: 32 cycles for
        # the initialisation, and one for a word that the standard discards.
        left = Signal(max=INITIALISATION_CLOCKS + 2)
        starts, feeds_back = Signal(), Signal()
        self.submodules.s1 = s1 = create_s1(s_r)
        self.submodules.s2 = s2 = create_s2(s_q)
        running = Signal()
        self.comb += [
            starts.eq(left != 0),
            feeds_back.eq(left > 1),
            sink.ready.eq(~starts & ~self.clear),
            source.valid.eq(running & ~starts),
            f.eq((s[15] + r1) ^ r2),
            source.z.eq(f ^ s[0]),
            s1.i.eq(r1),
            s2.i.eq(r2),
            v.eq(
                Cat(*[0] * 8, s[0][:24])
                ^ _table(self, s[0][24:], MUL_ALPHA)
                ^ s[2]
                ^ s[11][8:]
                ^ _table(self, s[11][:8], DIV_ALPHA)
            ),
        ]
        k = [getattr(sink, f"k{n}") for n in range(4)]
        iv = [getattr(sink, f"iv{n}") for n in range(4)]
        loaded = [~k[n] for n in range(4)] + k + [~k[0], ~k[1] ^ iv[3], ~k[2] ^ iv[2], ~k[3]]
        loaded += [k[0] ^ iv[1], k[1], k[2], k[3] ^ iv[0]]
        self.sync += [
            If(
                starts | (source.valid & source.ready),
                *[s[n].eq(s[n + 1]) for n in range(STAGES - 1)],
                s[15].eq(v),
                If(feeds_back, s[15].eq(v ^ f)),
                r1.eq(r2 + (r3 ^ s[5])),
                r2.eq(s1.o),
                r3.eq(s2.o),
            ),
            If(starts, left.eq(left - 1)),
            If(
                sink.valid & sink.ready,
                *[stage.eq(word) for stage, word in zip(s, loaded, strict=True)],
                *[r.eq(0) for r in (r1, r2, r3)],
                left.eq(INITIALISATION_CLOCKS + 1),
                running.eq(1),
            ),
            If(self.clear, *[word.eq(0) for word in self.state], left.eq(0), running.eq(0)),
        ]


def _table(module: Module, byte, table: tuple[int, ...]) -> Signal:
    """Return a signal whose value is a linear function of a byte. `table` lists the values of the function for all
    bytes. Linear means: each bit of a value is the XOR of some bits of the byte.
    """
    word = Signal(32)
    module.comb += word.eq(Cat(*[_sum(byte[n] for n in range(8) if table[1 << n] >> bit & 1) for bit in range(32)]))
    return word


def _sum(bits):
    total = 0
    for bit in bits:
        total = total ^ bit
    return total
