"""Cipher (FIPS-197, 5.1) as a pipeline: a block a cycle, each with its own key.

::

    sink ─► block ─(+)─► round 1 ─► round 2 ─► ... ─► round 14 ─► queue ─► source
                    ▲       ▲          ▲                 ▲
             round key 0    1          2                14      one small memory each, a row a slot

    round:  state ─► SubBytes with its registers ─► ShiftRows ─► MixColumns ─(+)─► next state
                └──► as many registers ───────────── skipped ──────────────► or this

A round has `stages` registers. All blocks pass all rounds of the longest key length; those of shorter keys go
past the first ones unchanged, and their round keys lie accordingly: so blocks stay in order, and a block a
cycle is the rate of every mixture of slots and key lengths. The slot travels with its block.

The pipeline never waits: a block sets out when the queue at the end has a place for it. Registers of a stage
take their values only as a block comes, so that an idle pipeline switches nothing.

Byte order: that of `gateware.aes`. Throughput: a block a cycle. Latency, from the acceptance of a block to
`source.valid`: ``stages * Nr + 5`` cycles, with Nr the rounds of the longest key length.
Handshakes: valid and ready, both from registers.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Mux, Signal, bits_for

from gateware.aes.iterative_cipher import cipher_layout
from gateware.aes.key_expansion import key_writes
from gateware.aes.key_memory import KeyMemory
from gateware.aes.output_queue import OutputQueue
from gateware.aes.standard import BLOCK_BITS, BLOCK_BYTES, ROUNDS, by_length, length_codes
from gateware.aes.sub_bytes import SubBytes
from gateware.aes.transforms import COLUMNS, byte_list, mix_column, shift_rows


class PipelinedCipher(Module):
    """Encrypts a block a cycle.

    Parameters
    ----------
    slots : int
        Number of keys whose round keys are stored.
    key_lengths : tuple of int
        Key lengths in bits. Each that is not the longest costs a way past the first rounds.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sub_bytes`).
    stages : int
        Registers of a round; how many an S-box can have is told there.

    Attributes
    ----------
    sink, source, keys, watched, in_use, flush, clear, idle
        See `gateware.aes.iterative_cipher.IterativeCipher`. `in_use` stays 1 for as many cycles as the pipeline
        has stages after `watched` has changed.
    scrub : Signal(), in
        From the cycle after `clear` on until the round keys are zero.
    zeroizing : Signal(), out
        What is left of blocks is being zeroized.
    """

    def __init__(self, *, slots: int = 1, key_lengths=(128, 192, 256), sbox: str = "table", stages: int = 2):
        slot_bits = bits_for(slots - 1)
        self.sink = stream.Endpoint(cipher_layout(slots))
        self.source = stream.Endpoint([("data", BLOCK_BITS)])
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
        ranks = rounds * stages  # of registers behind the first one

        # Round keys on their way to the memories: those of a shorter key go to the last rounds.
        skipped = by_length(self.keys.length, {code: rounds - ROUNDS[code] for code in codes})
        write, write_row, write_slot, words = Signal(), Signal(4), Signal(slot_bits), Signal(BLOCK_BITS)
        self.sync += [
            write.eq(self.keys.write),
            write_row.eq(Mux(self.keys.row == 0, 0, self.keys.row + skipped)),
            write_slot.eq(self.keys.slot),
            words.eq(self.keys.words),
        ]

        # What travels beside the data, rank by rank: 0 is where a block enters.
        depth = 1 << (ranks + 5).bit_length()
        self.submodules.queue = queue = OutputQueue(depth)
        take = Signal()
        moving = Signal(ranks + 1)  # the rank holds a block, or zeros that zeroize
        valid = Signal(ranks + 1)  # it holds a block that has not been flushed
        slot = [Signal(slot_bits, name=f"slot_{n}") for n in range(ranks + 1)]
        length = [Signal(2, name=f"length_{n}") for n in range(ranks + 1)]
        self.comb += [
            self.sink.ready.eq(queue.room & ~self.zeroizing),
            take.eq(self.sink.valid & self.sink.ready),
            queue.reserve.eq(take),
        ]
        self.sync += [
            moving.eq(Cat(take | self.scrub, moving)),
            valid.eq(Cat(take, valid)),
            slot[0].eq(self.sink.slot),
            length[0].eq(self.sink.length),
            *[slot[n].eq(slot[n - 1]) for n in range(1, ranks + 1)],
            *[length[n].eq(length[n - 1]) for n in range(1, ranks + 1)],
        ]

        def round_key(number: int):
            """The round key of the block in rank `number * stages`."""
            memory = KeyMemory(width=BLOCK_BITS, depth=slots, registered=slots > 1)
            self.submodules += memory
            self.comb += [
                memory.write.eq(write & (write_row == number)),
                memory.write_address.eq(write_slot),
                memory.write_data.eq(words),
                memory.read_address.eq(slot[number * stages - 1] if number else self.sink.slot),
            ]
            return memory.read_data

        # Datapath.
        block = Signal(BLOCK_BITS)
        self.sync += If(take, block.eq(self.sink.data)).Elif(self.scrub, block.eq(0))
        state = block ^ round_key(0)
        for number in range(1, rounds + 1):
            first = (number - 1) * stages  # rank of the state
            before = Signal(BLOCK_BITS, name=f"state_{number - 1}")
            sub_bytes = SubBytes(BLOCK_BYTES, sbox=sbox, stages=stages)
            self.submodules += sub_bytes
            self.comb += [
                before.eq(state),
                sub_bytes.i.eq(before),
                sub_bytes.enable.eq(moving[first : first + stages]),
            ]
            shifted = shift_rows(byte_list(sub_bytes.o))
            if number < rounds:
                shifted = [byte for c in range(COLUMNS) for byte in mix_column(shifted[4 * c : 4 * c + 4])]
            state = Cat(*shifted) ^ round_key(number)
            passing = [code for code in codes if number <= rounds - ROUNDS[code]]
            if passing:
                unchanged = before
                for n in range(stages):
                    delayed = Signal(BLOCK_BITS)
                    self.sync += If(moving[first + n], delayed.eq(unchanged))
                    unchanged = delayed
                passes = Signal()
                last = length[first + stages - 1]
                self.sync += passes.eq(by_length(last, {code: int(code in passing) for code in codes}))
                state = Mux(passes, unchanged, state)

        # End.
        arrived = Signal()
        result = Signal(BLOCK_BITS)
        self.sync += [arrived.eq(valid[ranks]), If(moving[ranks], result.eq(state))]
        self.comb += [
            queue.write.eq(arrived),
            queue.data.eq(result),
            queue.source.connect(self.source),
            self.idle.eq(queue.empty),
        ]

        # What proofs look at: blocks under way.
        self.control = {"valid": valid, "arrived": arrived, **queue.control}

        # Slots in use: a block needs its last round key `ranks` cycles after it was taken.
        remaining = Signal(max=ranks + 2)
        previous = Signal(slot_bits)
        self.comb += self.in_use.eq((remaining != 0) | (previous != self.watched))
        self.sync += [
            previous.eq(self.watched),
            If(remaining != 0, remaining.eq(remaining - 1)),
            If((take & (self.sink.slot == self.watched)) | (previous != self.watched), remaining.eq(ranks + 1)),
        ]

        # Flush and clear: zeros run through all stages after the keys are zero.
        longest = max(ranks + 2, depth)
        left = Signal(max=longest + 1)
        self.comb += [
            self.zeroizing.eq(left != 0),
            queue.zeroize.eq(self.zeroizing),
            queue.flush.eq(self.flush | self.clear | (left == 1)),  # the last also sets the queue's addresses back
        ]
        self.sync += [
            If(self.clear | self.scrub, left.eq(longest)).Elif(left != 0, left.eq(left - 1)),
            If(self.flush | self.clear, valid.eq(0), arrived.eq(0)),
        ]
