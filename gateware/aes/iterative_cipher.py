# SPDX-License-Identifier: BSD-2-Clause
"""An AES cipher (FIPS-197, 5.1) that processes 32, 64 or 128 bits a cycle, one round after another.

A round takes ``parts = 128 / width`` cycles, one for each part of the state, that is for 1, 2 or 4 columns::

    sink ─► block ──────────────┐
    round keys 0 to Nr-1 ──────(+)─► addend ──────────┐
                ┌─► MixColumns ─► (0 in round 0) ────(+)─► state, ShiftRows ─► SubBytes ─┐
                ├────────────────────────────────────────────────────────────────────────┘
                └─► (+)─► result ─► source
    round key Nr ────┘

The addend of round 0 is the block plus round key 0. So the next block enters the state in the same cycles in which the
last round of the current block leaves it. The addresses of the round keys run three cycles ahead.

Byte order: as in `gateware.aes`. Throughput: a block every ``parts * Nr`` cycles: 10, 12 or 14 with 128 bits, 20, 24 or
28 with 64, 40, 48 or 56 with 32, for any sequence of slots and key lengths. Latency, from the acceptance of a block to
`source.valid`: ``parts * (Nr + 1) + 4`` cycles. Handshakes: valid and ready, both from registers. A block is accepted
while fewer than two are in the core, one in its rounds and one waiting at `source`. So the rounds never wait.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Record, Signal, bits_for

from .key_expansion import key_writes
from .key_memory import KeyMemory
from .standard import BLOCK_BITS, ROUND_KEY_ROWS, ROUNDS, WORD_BITS, by_length, length_codes
from .state import State
from .sub_bytes import SubBytes
from .transforms import byte_list, masked, mix_column

WIDTHS = (32, 64, 128)


def cipher_layout(slots: int) -> list[tuple[str, int]]:
    """Return the fields of a cipher's input: the block, the slot and length code of its key, and `error` (no key)."""
    return [("data", BLOCK_BITS), ("slot", bits_for(slots - 1)), ("length", 2), ("error", 1)]


# Fields of a cipher's output. `data` is the encrypted block. Without a key, `data` is zero and `error` is 1.
RESULT_LAYOUT = [("data", BLOCK_BITS), ("error", 1)]


class IterativeCipher(Module):
    """Encrypts blocks one after another.

    Parameters
    ----------
    width : int
        Bits of the datapath: 32, 64 or 128.
    slots : int
        Number of keys with stored round keys.
    key_lengths : tuple of int
        Key lengths in bits.
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sub_bytes`).

    Attributes
    ----------
    sink : stream.Endpoint, data(128), slot, length(2), error, in
        Blocks to encrypt, each with a slot that holds a key and that key's length code. A block without a key has
        `error`; its processing does not matter.
    source : stream.Endpoint, data(128), error, out
        Encrypted blocks, in the same order; zeros for a block with `error`.
    keys : Record, in
        Round keys to store (`key_writes`).
    watched, in_use : Signal, in, and Signal(), out
        `in_use`: the core holds a block that needs the round keys of slot `watched`. Blocks with `error` need none.
    flush : Signal(), in
        Drop all blocks. A zeroization that is under way may begin again.
    clear : Signal(), in
        Drop all blocks and zeroize their remains, in ``2 * parts`` cycles.
    scrub : Signal(), in
        Not used: the remains of blocks do not depend on later round keys.
    zeroizing : Signal(), out
        The remains of blocks are being zeroized.
    idle : Signal(), out
        No block is in the core.
    """

    def __init__(self, *, width: int = BLOCK_BITS, slots: int = 1, key_lengths=(128, 192, 256), sbox: str = "table"):
        if width not in WIDTHS:
            raise ValueError(f"width is {width}; give one of {', '.join(map(str, WIDTHS))}")
        parts = BLOCK_BITS // width
        slot_bits = bits_for(slots - 1)
        part_bits = (parts - 1).bit_length()
        self.sink = stream.Endpoint(cipher_layout(slots))
        self.source = stream.Endpoint(RESULT_LAYOUT)
        self.keys: Record = key_writes(width, slots)
        self.watched = Signal(slot_bits)
        self.in_use = Signal()
        self.flush = Signal()
        self.clear = Signal()
        self.scrub = Signal()
        self.zeroizing = Signal()
        self.idle = Signal()

        # # #

        # Address stage: computes the address of the next part of the round key. A part has `width` bits.
        active = Signal()
        step = Signal(part_bits + 4)  # round and part
        slot = Signal(slot_bits)
        length = Signal(2)
        error = Signal()
        last_step = Signal()
        block = Signal(BLOCK_BITS)
        outstanding = Signal(2)
        left = Signal(max=2 * parts + 1)  # cycles left for zeroization
        take = Signal()
        part_mask = parts - 1
        end_of_round = (step & part_mask) == part_mask
        round_number = step[part_bits:]
        codes = length_codes(key_lengths)
        final = by_length(length, {code: ROUNDS[code] * parts - 1 for code in codes})
        self.comb += [
            last_step.eq(active & (step == final)),
            self.sink.ready.eq((~active | last_step) & ~outstanding[1] & ~self.zeroizing),
            self.zeroizing.eq(left != 0),
            take.eq(self.sink.valid & self.sink.ready),
            self.idle.eq(outstanding == 0),
        ]
        self.sync += [
            If(active, step.eq(step + 1)),
            If(last_step, active.eq(0)),
            If(
                take,
                active.eq(1),
                step.eq(0),
                slot.eq(self.sink.slot),
                length.eq(self.sink.length),
                error.eq(self.sink.error),
                block.eq(self.sink.data),
            ),
            outstanding.eq(outstanding + take - (self.source.valid & self.source.ready)),
        ]

        # Memory stage: the memory outputs a part of the round key. In round 0, the next stage XORs this part with
        # `block[:width]`, the part of the block at the same position.
        key_active, key_first, key_complete, key_ending = (Signal() for _ in range(4))
        self.submodules.round_keys = round_keys = KeyMemory(
            width=width, depth=slots * ROUND_KEY_ROWS * parts, registered=True
        )
        key_part = [self.keys.part] if parts > 1 else []
        key_slot = [self.keys.slot] if slots > 1 else []
        self.comb += [
            round_keys.write.eq(self.keys.write),
            round_keys.write_address.eq(Cat(*key_part, self.keys.row, *key_slot)),
            round_keys.write_data.eq(self.keys.words),
            round_keys.read_address.eq(Cat(step, slot) if slots > 1 else step),
        ]
        self.sync += [
            key_active.eq(active),
            key_first.eq(active & (round_number == 0)),
            key_complete.eq(active & end_of_round),
            key_ending.eq(last_step),
        ]
        if parts > 1:
            self.sync += If(key_first, block.eq(block[width:]))

        # Addend stage: `addend` is a part of the round key. In round 0, `addend` is the XOR of this part and the
        # matching part of the block.
        self.addend = addend = Signal(width)
        self.mixing = mixing = Signal()
        present, complete, ending = (Signal() for _ in range(3))
        part = Signal(max(part_bits, 1))
        bank = Signal()  # number of the bank of `state` into which the round writes
        self.sync += [
            addend.eq(masked(key_active, round_keys.read_data) ^ masked(key_first, block[:width])),
            present.eq(key_active),
            mixing.eq(key_active & ~key_first),
            complete.eq(key_complete),
            ending.eq(key_ending),
        ]

        # Round stage: applies a round to one part of the state at a time. While the addend stage contains no block,
        # `addend` is zero, so that no old data enter this stage.
        self.submodules.state = state = State(width=width)
        self.submodules.sub_bytes = sub_bytes = SubBytes(width // 8, sbox=sbox)
        substituted = byte_list(sub_bytes.o)
        doubled = None if sub_bytes.doubled is None else byte_list(sub_bytes.doubled)
        columns = [slice(4 * c, 4 * c + 4) for c in range(width // WORD_BITS)]
        mixed = Signal(width)
        read_bank = Signal()
        read_part = Signal(max(part_bits, 1))  # number of the part of the state that SubBytes processes
        self.comb += [
            mixed.eq(Cat(*[Cat(*mix_column(substituted[c], doubled and doubled[c])) for c in columns])),
            state.new.eq(masked(mixing, mixed) ^ addend),
            state.write.eq(present | self.zeroizing),
            state.write_bank.eq(bank),
            state.write_part.eq(part),
            state.complete.eq(complete),
            state.read_bank.eq(read_bank),
            state.read_part.eq(read_part + 1),
            sub_bytes.i.eq(state.shifted),
            sub_bytes.enable.eq(1),
        ]
        self.sync += [
            If(complete, read_part.eq(0), read_bank.eq(bank)).Elif(read_part != part_mask, read_part.eq(read_part + 1)),
            If(
                state.write & (parts > 1),
                part.eq(part + 1),
                If(part == part_mask, bank.eq(~bank)),
            ),
        ]

        # Result stage: adds the last round key, which comes from the memory `last_keys`. This memory has room for one
        # round key per slot. The key expansion writes all round keys of a slot to the same place, so the last one (Nr)
        # remains.
        finishing = Signal()
        finished = Signal()  # 1: `result` is complete, and waits until the register `source` is free
        finishing_slot = Signal(slot_bits)
        finishing_error = Signal()
        leave = Signal()
        result = Signal(BLOCK_BITS)
        self.submodules.last_keys = last_keys = KeyMemory(width=width, depth=slots * parts, registered=False)
        write_address = [*key_part, *key_slot]
        read_address = [*([read_part] if parts > 1 else []), *([finishing_slot] if slots > 1 else [])]
        if write_address:
            self.comb += last_keys.write_address.eq(Cat(*write_address))
            self.comb += last_keys.read_address.eq(Cat(*read_address))
        self.comb += [
            leave.eq(finished & (~self.source.valid | self.source.ready)),
            last_keys.write.eq(self.keys.write & ~self.keys.beyond),
            last_keys.write_data.eq(self.keys.words),
        ]
        self.sync += [
            If(last_step, finishing_slot.eq(slot), finishing_error.eq(error)),
            If(ending, finishing.eq(1)).Elif(read_part == part_mask, finishing.eq(0)),
            If(finishing, result.eq(Cat(result, sub_bytes.o ^ last_keys.read_data)[width:])),
            If(self.source.valid & self.source.ready, self.source.valid.eq(0)),
            If(
                leave,
                self.source.valid.eq(1),
                self.source.data.eq(result),
                self.source.error.eq(finishing_error),
                finished.eq(0),
            ),
            If(finishing & (read_part == part_mask), finished.eq(1)),
        ]

        # Signals that the formal proofs use, in addition to `addend`, `mixing`, `state` and `sub_bytes`.
        self.control = {
            "active": active,
            "last_step": last_step,
            "step": step,
            "final_step": Signal(len(step), name="final_step"),
            "key_ending": key_ending,
            "key_complete": key_complete,
            "ending": ending,
            "complete": complete,
            "finishing": finishing,
            "read_part": read_part,
            "finished": finished,
            "outstanding": outstanding,
            "slot_of_block": slot,
            "error_of_block": error,
            "finishing_slot": finishing_slot,
            "finishing_error": finishing_error,
        }
        self.comb += self.control["final_step"].eq(final)

        # A slot is in use from the acceptance of a block until the cipher has read all round keys for this block.
        leaving = Signal()
        self.comb += [
            leaving.eq(key_ending | ending | finishing),
            self.in_use.eq(
                (active & ~error & (slot == self.watched))
                | (leaving & ~finishing_error & (finishing_slot == self.watched))
            ),
        ]

        # Flush and clear.
        registers = [active, step, key_active, key_first, key_complete, key_ending, present, mixing, complete, ending]
        registers += [finishing, finished, self.source.valid, outstanding, part, bank, read_part]
        self.sync += [
            If(self.zeroizing, left.eq(left - 1)),
            If(self.flush | self.clear, *[signal.eq(0) for signal in (*registers, block, addend, result)]),
            # Clear `source.data` in one statement with one condition. Then synthesis uses the flip-flops' reset inputs
            # instead of a LUT for each bit.
            If(self.flush | self.clear | (leave & finishing_error), self.source.data.eq(0)),
            # Zeroization writes zeros to all parts of the state, one after the other. `bank` and `part` select the
            # part. A flush resets these two registers, so a flush during zeroization starts the zeroization again.
            If(self.clear | (self.flush & self.zeroizing) if parts > 1 else self.clear, left.eq(2 * parts)),
        ]
