# SPDX-License-Identifier: BSD-2-Clause
"""A pipelined AES cipher (FIPS-197, 5.1). It accepts a block in each cycle; each block can have its own key.

::

    sink ─► block ─(+)─► round 1 ─► round 2 ─► ... ─► round 14 ─► queue ─► source
                    ▲       ▲          ▲                 ▲
             round key 0    1          2                14      one small memory each, a row a slot

A round has `stages` registers (`gateware.aes.pipelined_round`). All blocks pass all rounds of the longest key length.
Blocks with shorter keys pass the first rounds unchanged, and their round keys are stored accordingly. So blocks stay in
order, and every mixture of slots and key lengths runs at a block a cycle. The slot travels with its block.

The pipeline never waits: a block sets out only when the queue at the end has a place for it. So no handshake reaches
the data registers. The first register takes whatever is offered, and a valid bit travels with it. The second takes only
blocks, and the others follow it, so an idle pipeline switches nothing. Data registers are not reset.

Byte order: as in `gateware.aes`. Throughput: a block a cycle. Latency, from the acceptance of a block to
`source.valid`: ``stages * Nr + 5`` cycles, with Nr the rounds of the longest key length. Handshakes: valid and ready,
both from registers.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Signal, bits_for

from .iterative_cipher import RESULT_LAYOUT, cipher_layout
from .key_expansion import key_writes
from .key_memory import KeyMemory
from .output_queue import OutputQueue
from .pipelined_round import PipelinedRound
from .standard import BLOCK_BITS, ROUNDS, by_length, length_codes


class PipelinedCipher(Module):
    """Accepts a block in each cycle and encrypts it in a pipeline.

    Parameters
    ----------
    slots : int
        Number of keys with stored round keys.
    key_lengths : tuple of int
        Key lengths in bits. Each length except the longest costs a bypass of the first rounds.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sub_bytes`).
    stages : int
        Registers of a round; `gateware.aes.sub_bytes` tells how many an S-box can have.

    Attributes
    ----------
    sink, source, keys, watched, in_use, flush, clear, idle
        See `gateware.aes.iterative_cipher.IterativeCipher`. After `watched` changes, `in_use` stays 1 for as many
        cycles as the pipeline has stages.
    scrub : Signal(), in
        High from the cycle after `clear` until the round keys are zero.
    zeroizing : Signal(), out
        The remains of blocks are being zeroized.
    """

    def __init__(self, *, slots: int = 1, key_lengths=(128, 192, 256), sbox: str = "table", stages: int = 2):
        slot_bits = bits_for(slots - 1)
        self.sink = stream.Endpoint(cipher_layout(slots))
        self.source = stream.Endpoint(RESULT_LAYOUT)
        self.keys = key_writes(BLOCK_BITS, slots)
        self.watched = Signal(slot_bits)
        self.in_use = Signal()
        self.flush = Signal()
        self.clear = Signal()
        self.scrub = Signal()
        self.idle = Signal()
        self.zeroizing = Signal()

        # # #

        codes = length_codes(key_lengths)
        rounds = ROUNDS[codes[-1]]
        ranks = rounds * stages  # number of data registers in the pipeline, without the first one (rank 0)

        # Registers before the write ports of the round-key memories. Each round of the pipeline has its own memory. A
        # key with fewer rounds than the pipeline uses the memory of round 0 and the memories of the last rounds.
        write = Signal(rounds + 1)  # bit n is 1: a round key is written to the memory of round n
        write_slot, words = Signal(slot_bits, reset_less=True), Signal(BLOCK_BITS, reset_less=True)
        self.sync += [
            *[write[n].eq(self.keys.write & self._is_row_of(n, codes)) for n in range(rounds + 1)],
            write_slot.eq(self.keys.slot),
            words.eq(self.keys.words),
        ]

        # Signals that move with a block through the pipeline. A rank consists of one data register and the signals that
        # describe the content of this register. A block enters the pipeline at rank 0.
        self.submodules.queue = queue = OutputQueue(ranks + 5)
        take = Signal()
        zeroizing = self.zeroizing
        valid = Signal(ranks + 1)  # bit n is 1: rank n contains a block that was not flushed
        moving = Signal()  # 1: rank 0 contains a block, or zeros that zeroize the pipeline
        slot = [Signal(slot_bits, name=f"slot_{n}", reset_less=True) for n in range(ranks + 1)]
        length = [Signal(2, name=f"length_{n}", reset_less=True) for n in range(ranks + 1)]
        error = [Signal(name=f"error_{n}", reset_less=True) for n in range(ranks + 2)]
        self.comb += [
            self.sink.ready.eq(queue.room & ~zeroizing),
            take.eq(self.sink.valid & self.sink.ready),
            queue.reserve.eq(take),
        ]
        self.sync += [
            valid.eq(Cat(take, valid)),
            moving.eq(take | zeroizing),
            If(take, slot[0].eq(self.sink.slot), length[0].eq(self.sink.length), error[0].eq(self.sink.error)),
            *[slot[n].eq(slot[n - 1]) for n in range(1, ranks + 1)],
            *[length[n].eq(length[n - 1]) for n in range(1, ranks + 1)],
            *[error[n].eq(error[n - 1]) for n in range(1, ranks + 2)],
        ]

        def round_key(number: int):
            """Return the round key of round `number` for the block in the data register of rank `number * stages`."""
            memory = KeyMemory(width=BLOCK_BITS, depth=slots, registered=slots > 1)
            self.submodules += memory
            self.comb += [
                memory.write.eq(write[number]),
                memory.write_address.eq(write_slot),
                memory.write_data.eq(words),
                memory.read_address.eq(slot[number * stages - 1] if number else self.sink.slot),
            ]
            return memory.read_data

        # Datapath.
        block = Signal(BLOCK_BITS, reset_less=True)
        self.sync += If(zeroizing, block.eq(0)).Else(block.eq(self.sink.data))
        state = block ^ round_key(0)
        for number in range(1, rounds + 1):
            passing = [code for code in codes if number <= rounds - ROUNDS[code]]
            one = PipelinedRound(sbox=sbox, stages=stages, is_last=number == rounds, can_pass=bool(passing))
            self.submodules += one
            self.comb += [
                one.i.eq(state),
                one.enable.eq(moving if number == 1 else 1),
                one.key.eq(round_key(number)),
            ]
            if passing:
                last = length[number * stages - 1]
                passes = by_length(last, {code: int(code in passing) for code in codes})
                self.sync += one.passes.eq(passes)
            state = one.o

        # End.
        arrived = Signal()
        result = Signal(BLOCK_BITS, reset_less=True)
        self.sync += [arrived.eq(valid[ranks]), If(zeroizing | error[ranks], result.eq(0)).Else(result.eq(state))]
        self.comb += [
            queue.write.eq(arrived),
            queue.data.eq(result),
            queue.error.eq(error[ranks + 1]),
            queue.source.connect(self.source),
            self.idle.eq(queue.empty),
        ]

        # After the core accepts a block, the slot of the block's key stays in use for `ranks` + 1 cycles. By then, the
        # block has received its last round key.
        remaining = Signal(max=ranks + 2)
        previous = Signal(slot_bits)
        self.comb += self.in_use.eq((remaining != 0) | (previous != self.watched))
        self.sync += [
            previous.eq(self.watched),
            If(remaining != 0, remaining.eq(remaining - 1)),
            If(
                (take & ~self.sink.error & (self.sink.slot == self.watched)) | (previous != self.watched),
                remaining.eq(ranks + 1),
            ),
        ]

        # Handle `flush` and `clear`. After `clear`, the keys are zeroized first. Then zeros move through all
        # stages and the queue.
        longest = max(ranks, queue.depth) + 4
        left = Signal(max=longest + 1)
        last_cycle = Signal()
        self.comb += [
            queue.zeroize.eq(zeroizing),
            # `last_cycle` resets the queue's addresses after zeroization
            queue.flush.eq(self.flush | self.clear | last_cycle),
        ]
        self.sync += [
            last_cycle.eq(left == 1),
            If(left != 0, left.eq(left - 1)),
            If(last_cycle, zeroizing.eq(0)),
            If(self.clear | self.scrub, left.eq(longest), last_cycle.eq(0), zeroizing.eq(1)),
            If(self.flush | self.clear, valid.eq(0), arrived.eq(0)),
        ]

        # Signals that the formal proofs use: blocks in the pipeline, and the steps of zeroization.
        self.control = {"valid": valid, "arrived": arrived, **queue.control}
        self.control |= {"cycles_left": left, "last_cycle": last_cycle}
        self.control |= {"remaining": remaining, "previous": previous}
        self.slots, self.errors = slot, error

    def _is_row_of(self, number: int, codes: tuple[int, ...]):
        """Return an expression that is 1 if the round key that is being written belongs to pipeline round `number`.

        Rows after a short key's last round key belong to the first rounds of the pipeline, which this key does not use.
        """
        rows = {code: number for code in codes}
        for code in codes if number else ():
            skipped = ROUNDS[codes[-1]] - ROUNDS[code]
            rows[code] = number - skipped if number > skipped else number + ROUNDS[code]
        return by_length(self.keys.length, {code: self.keys.row == row for code, row in rows.items()})
