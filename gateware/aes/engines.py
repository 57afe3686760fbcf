# SPDX-License-Identifier: BSD-2-Clause
"""Combines several ciphers. They accept blocks in turn; the results leave in the order of the blocks.

::

            ┌─► cipher 0 ─┐
    sink ──►├─► cipher 1 ─┤──► source
            └─► ...      ─┘

Block n goes to cipher n modulo their number. Results are taken from the ciphers in the same turn, so they are in order.
All ciphers get all keys. Between blocks of different key lengths a cipher may wait for its turn.

Latency: the cipher's. Throughput: the cipher's times their number, at most a block a cycle. Handshakes: the ciphers',
selected by a register.
"""

from functools import reduce
from operator import and_, or_

from litex.soc.interconnect import stream
from migen import Case, If, Module, Signal, bits_for

from .iterative_cipher import RESULT_LAYOUT, cipher_layout
from .key_expansion import key_writes


def take_turns(ciphers: list, sink: stream.Endpoint, source: stream.Endpoint, restart) -> tuple[list, list]:
    """Return combinational and clocked statements that connect a shared sink and source to the ciphers in turn.

    The ciphers' own ``sink`` and ``source`` have the same layouts. `restart` gives the turn to the first cipher, in the
    next cycle.
    """
    last = len(ciphers) - 1
    sink_turn, source_turn = Signal(max=len(ciphers)), Signal(max=len(ciphers))
    comb = [
        Case(sink_turn, {n: sink.connect(cipher.sink, keep={"valid", "ready"}) for n, cipher in enumerate(ciphers)}),
        *[sink.connect(cipher.sink, omit={"valid", "ready"}) for cipher in ciphers],
        Case(source_turn, {n: cipher.source.connect(source) for n, cipher in enumerate(ciphers)}),
    ]
    sync = [
        If(sink.valid & sink.ready, If(sink_turn == last, sink_turn.eq(0)).Else(sink_turn.eq(sink_turn + 1))),
        If(
            source.valid & source.ready,
            If(source_turn == last, source_turn.eq(0)).Else(source_turn.eq(source_turn + 1)),
        ),
        If(restart, sink_turn.eq(0), source_turn.eq(0)),
    ]
    return comb, sync


class Engines(Module):
    """Combines several ciphers into a module with the ports of a single cipher.

    Parameters
    ----------
    ciphers : list of Module
        `IterativeCipher` or alike, two or more, all made with the same parameters.
    width, slots : int
        These parameters.

    Attributes
    ----------
    sink, source, keys, watched, in_use, flush, clear, scrub, zeroizing, idle
        See `gateware.aes.iterative_cipher.IterativeCipher`.
    """

    def __init__(self, ciphers: list, *, width: int, slots: int):
        self.sink = stream.Endpoint(cipher_layout(slots))
        self.source = stream.Endpoint(RESULT_LAYOUT)
        self.keys = key_writes(width, slots)
        self.watched = Signal(bits_for(slots - 1))
        self.in_use = Signal()
        self.flush = Signal()
        self.clear = Signal()
        self.scrub = Signal()
        self.zeroizing = Signal()
        self.idle = Signal()

        # # #

        self.submodules += ciphers
        for cipher in ciphers:
            self.comb += [
                cipher.keys.eq(self.keys),
                cipher.watched.eq(self.watched),
                cipher.flush.eq(self.flush),
                cipher.clear.eq(self.clear),
                cipher.scrub.eq(self.scrub),
            ]
        self.comb += [
            self.in_use.eq(reduce(or_, [cipher.in_use for cipher in ciphers])),
            self.zeroizing.eq(reduce(or_, [cipher.zeroizing for cipher in ciphers])),
            self.idle.eq(reduce(and_, [cipher.idle for cipher in ciphers])),
        ]

        # Turns.
        comb, sync = take_turns(ciphers, self.sink, self.source, restart=self.flush | self.clear)
        self.comb += comb
        self.sync += sync
