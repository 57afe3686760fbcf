# SPDX-License-Identifier: BSD-2-Clause
"""Pads short frames and limits the data rate, so that frames from the receive buffer look like frames from a wire.

A frame leaves with at least 60 bytes, filled with zeros: a frame that MACsec protected may have been shorter before.
Words leave in every second cycle at most, and a cycle more is free after each fourth word. So a frame that is already
in the buffer does not take the whole memory of the CPU's slots (`gateware.net.link.slots`). Without the additional
cycle, words to receive and words of a frame to send could take turns for a whole frame, and the CPU would wait longer
than its bus allows.

Throughput: 4 words in 9 cycles, 1.06 Gb/s at 75 MHz. Latency: none for a frame's first word.
"""

from liteeth.common import eth_phy_description
from litex.soc.interconnect import stream
from migen import If, Module, Mux, Signal

from .. import WORD_BITS, WORD_BYTES
from . import FRAME_BYTES_MIN

WORDS_MIN = FRAME_BYTES_MIN // WORD_BYTES


class AsFromWire(Module):
    """Pads short frames with zeros, and limits the rate at which words leave.

    Attributes
    ----------
    sink, source : stream.Endpoint, LiteEth's `eth_phy_description(32)`
        Frames without preamble and check sequence. Bytes of `sink` that do not count are zeros.
    """

    def __init__(self):
        self.sink = sink = stream.Endpoint(eth_phy_description(WORD_BITS))
        self.source = source = stream.Endpoint(eth_phy_description(WORD_BITS))

        # # #

        words = Signal(max=WORDS_MIN + 1)  # number of words of this frame that have left
        fills = Signal()  # 1 if all words of the frame have left, and padding follows
        pause = Signal(max=3)  # cycles until the next word may leave
        turn = Signal(max=4)  # number of the word modulo 4: an additional cycle follows each fourth word
        last_needed, short, step = Signal(), Signal(), Signal()
        full = 1 << (WORD_BYTES - 1)
        self.comb += [
            last_needed.eq(words == WORDS_MIN - 1),
            short.eq(words < WORDS_MIN),
            source.valid.eq((sink.valid | fills) & (pause == 0)),
            source.data.eq(Mux(fills, 0, sink.data)),
            source.error.eq(Mux(fills, 0, sink.error)),
            source.last.eq(Mux(short, last_needed & (fills | sink.last), sink.last)),
            source.last_be.eq(Mux(source.last, Mux(short, full, sink.last_be), 0)),
            step.eq(source.valid & source.ready),
            sink.ready.eq(source.ready & ~fills & (pause == 0)),
        ]
        self.sync += [
            If(pause != 0, pause.eq(pause - 1)),
            If(
                step,
                pause.eq(Mux(turn == 3, 2, 1)),
                turn.eq(turn + 1),
                If(short, words.eq(words + 1)),
                If(sink.last & ~fills & ~source.last, fills.eq(1)),
                If(source.last, words.eq(0), fills.eq(0)),
            ),
        ]
