# SPDX-License-Identifier: BSD-2-Clause
"""AES-128 encryption that computes each round key just before its use, without a key memory (FIPS-197, 5.1 and 5.2).

::

    key ──► key ◄─ SubWord, XOR ──┐
    block ─►(+)─► state ─► SubBytes, ShiftRows, MixColumns ─►(+)─┐
                    ▲                                            │
                    └─────────── columns of the new state ◄──────┘

Key and block are taken in one cycle, which adds the first round key. A round takes ``128 / datapath`` cycles. Each
cycle makes `datapath` bits of the new state and of the next round key. A block takes, by itself or in a sequence:

======== ================ =============
datapath cycles a block   S-boxes
======== ================ =============
32       41               4, and 4
64       21               8, and 4
128      11               16, and 4
======== ================ =============

These counts include the cycle that takes the block. Several engines (`create_on_the_fly`) process as many blocks at a
time. `gateware.aes.cores` has the cores for many blocks under one key, or several.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Mux, Signal

from .engines import take_turns
from .sbox import SBox
from .standard import BLOCK_BITS, WORD_BITS
from .transforms import byte_list, mix_column, shift_rows, xtime

DATAPATHS = (32, 64, 128)
ROUNDS = 10
JOB = [("key", BLOCK_BITS), ("block", BLOCK_BITS)]
RESULT = [("block", BLOCK_BITS)]


class OnTheFlyCipher(Module):
    """Encrypts one block at a time. Each block comes with its own key.

    Parameters
    ----------
    datapath : int
        One of `DATAPATHS`, in bits.
    sbox : str
        One of `gateware.aes.sbox.IMPLEMENTATIONS`.

    Attributes
    ----------
    sink : stream.Endpoint
        ``key`` and ``block``, 128 bits each, in the order of `gateware.aes`.
    source : stream.Endpoint
        ``block``, encrypted. The next block may be taken in the cycle in which it leaves.
    clear : Signal(), in
        Zeroize key and state; the current block is lost.
    key, state : Signal(128)
        The current round key, and the state, which is zero after the block has left.
    """

    def __init__(self, datapath: int = 128, sbox: str = "table"):
        if datapath not in DATAPATHS:
            raise ValueError(f"datapath {datapath} is not one of {', '.join(map(str, DATAPATHS))}")
        self.sink = sink = stream.Endpoint(JOB)
        self.source = source = stream.Endpoint(RESULT)
        self.clear = Signal()
        self.key = Signal(BLOCK_BITS)
        self.state = Signal(BLOCK_BITS)

        # # #

        steps = BLOCK_BITS // datapath
        width = datapath // WORD_BITS
        step, rounds_left, rcon = Signal(max=max(steps, 2)), Signal(max=ROUNDS + 1), Signal(8)
        busy, done, is_last_step = Signal(), Signal(), Signal()
        # Columns of the new state, stored here until the round has read all columns of the old state.
        waiting = Signal(BLOCK_BITS - datapath) if steps > 1 else None
        self.comb += [
            is_last_step.eq(step == steps - 1),
            source.valid.eq(done),
            source.block.eq(self.state),
            sink.ready.eq(~self.clear & ~busy & (~done | source.ready)),
        ]
        substituted = self._substituted(shift_rows(byte_list(self.state)), step, steps, sbox)
        columns = [substituted[4 * n : 4 * n + 4] for n in range(width)]
        mixed = Cat(*[byte for column in columns for byte in mix_column(column)])
        words = self._next_words(step, width, rcon, sbox)
        made = Signal(datapath)
        state_made, key_made = made, Cat(*words)
        still_waiting, waiting_made = [], []
        if waiting is not None:
            state_made, key_made = Cat(waiting, made), Cat(self.key[datapath:], *words)
            still_waiting, waiting_made = [waiting], [waiting.eq(state_made[datapath:])]
        self.comb += made.eq(Mux(rounds_left == 1, Cat(*substituted), mixed) ^ Cat(*words))
        self.sync += [
            If(source.ready & done, done.eq(0), self.state.eq(0)),
            If(
                busy,
                step.eq(step + 1),
                self.key.eq(key_made),
                If(
                    is_last_step,
                    step.eq(0),
                    self.state.eq(state_made),
                    *[register.eq(0) for register in still_waiting],
                    rcon.eq(xtime(rcon)),
                    rounds_left.eq(rounds_left - 1),
                    If(rounds_left == 1, busy.eq(0), done.eq(1), self.key.eq(0)),
                ).Else(*waiting_made),
            ),
            If(
                sink.valid & sink.ready,
                self.key.eq(sink.key),
                self.state.eq(sink.block ^ sink.key),
                rcon.eq(1),
                rounds_left.eq(ROUNDS),
                busy.eq(1),
            ),
            If(self.clear, *[signal.eq(0) for signal in (self.key, self.state, *still_waiting, step, busy, done)]),
        ]

    def _substituted(self, state: list, step: Signal, steps: int, sbox: str) -> list:
        """Return the bytes of part number `step` of the state, after ShiftRows and SubBytes."""
        size = len(state) // steps
        result = []
        for n in range(size):
            box = SBox(implementation=sbox)
            self.submodules += box
            byte = state[n]
            for late in range(1, steps):
                byte = Mux(step == late, state[late * size + n], byte)
            self.comb += box.i.eq(byte)
            result.append(box.o)
        return result

    def _next_words(self, step: Signal, width: int, rcon: Signal, sbox: str) -> list[Signal]:
        """Return the words that step number `step` computes. They are a part of the next round key."""
        last = byte_list(self.key[BLOCK_BITS - WORD_BITS :])
        boxes = [SBox(implementation=sbox) for _ in last]
        self.submodules += boxes
        self.comb += [box.i.eq(byte) for box, byte in zip(boxes, [*last[1:], last[0]], strict=True)]
        rotated = Cat(boxes[0].o ^ rcon, *[box.o for box in boxes[1:]])
        before = Signal(WORD_BITS)
        self.comb += before.eq(Mux(step == 0, rotated, Cat(*last)))
        words = []
        for n in range(width):
            word = Signal(WORD_BITS)
            self.comb += word.eq(self.key[WORD_BITS * n : WORD_BITS * n + WORD_BITS] ^ before)
            words.append(word)
            before = word
        return words


class OnTheFlyEngines(Module):
    """Combines several `OnTheFlyCipher`. They accept blocks in turn; results leave in the order of the blocks."""

    def __init__(self, ciphers: list[OnTheFlyCipher]):
        self.sink = stream.Endpoint(JOB)
        self.source = stream.Endpoint(RESULT)
        self.clear = Signal()

        # # #

        self.submodules += ciphers
        comb, sync = take_turns(ciphers, self.sink, self.source, restart=self.clear)
        self.comb += [*comb, *[cipher.clear.eq(self.clear) for cipher in ciphers]]
        self.sync += sync


def create_on_the_fly(datapath: int = 128, sbox: str = "table", engines: int = 1) -> Module:
    """Return a cipher with these parameters. If `engines` is above 1, combine this number of ciphers into one."""
    ciphers = [OnTheFlyCipher(datapath, sbox) for _ in range(engines)]
    return OnTheFlyEngines(ciphers) if engines > 1 else ciphers[0]
