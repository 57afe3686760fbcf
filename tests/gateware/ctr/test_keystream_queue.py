# SPDX-License-Identifier: BSD-2-Clause
"""Test that a clear removes all keystream from the registers and memory of a keystream queue. `tests/formal` proves
that the queue's output is right.
"""

import random

from migen import Memory, run_simulation

from gateware.aes.standard import BLOCK_BITS
from gateware.ctr.keystream_queue import KeystreamQueue

DEPTH = 4


def test_clear_leaves_no_keystream():
    """After `clear`, the queue's memory and registers hold no keystream, for any number of blocks stored before."""
    rng = random.Random(1)
    for blocks in range(DEPTH + 3):
        dut = KeystreamQueue(DEPTH)
        (memory,) = (special for special in dut._fragment.specials if isinstance(special, Memory))
        (read_port,) = (port for port in memory.ports if port.we is None)
        cleared = []

        def bench(dut=dut, memory=memory, read_port=read_port, cleared=cleared, blocks=blocks):
            for _ in range(blocks):
                yield [dut.reserve.eq(1), dut.write.eq(1), dut.data.eq(rng.getrandbits(BLOCK_BITS) | 1)]
                yield
            yield [dut.reserve.eq(0), dut.write.eq(0), dut.clear.eq(1)]
            yield
            yield [dut.clear.eq(0), dut.data.eq(0)]
            for _ in range(DEPTH + 2):
                yield
            assert not (yield dut.zeroizing)
            left = [(yield dut.source.data), (yield read_port.dat_r)]
            for row in range(DEPTH):
                left.append((yield memory[row]))
            cleared.append(left)

        run_simulation(dut, bench())
        assert cleared == [[0] * (DEPTH + 2)], blocks
