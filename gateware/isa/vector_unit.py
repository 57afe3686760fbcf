# SPDX-License-Identifier: BSD-2-Clause
"""The vector AES unit: four lanes, a shuffle network and register files on VexRiscv's CFU port.

::

                      rs1, rs2
                         │
    CFU ──► decoder ──► state registers ──► shuffle ─► lanes: SubBytes ─┤ registers ├─► lanes: MixColumns,
     port               counter bases, adder                            │  stage 2  │   AddRoundKey ─► write back
                        key registers (read) ───────────────────────────┴───────────┴──────┘

The unit follows Jenkins, Mamidi, Schulte and Glossner 2007. Each lane (vector processing element) holds one column of
the state, and ShiftRows is a shuffle between lanes. Decryption is the equivalent inverse cipher (FIPS-197, 5.3.5). It
uses the same datapath and takes the same time.

Pipeline: stage 1 is the cycle in which the CFU command is accepted, and stage 2 is the next cycle. Registers are
written at the end of stage 2. The unit accepts one instruction each cycle. An instruction waits one cycle if it reads a
register that the instruction in stage 2 writes. Every command gets exactly one response, one cycle after it was
accepted, or two cycles for key_read, sub_word, sub_rot_word, context and the status instructions. The response is 0 for
instructions without a result and for undefined function ids, which change nothing. Timing does not depend on data.

Vector loads and stores run while later instructions execute, through the unit's own memory port. An instruction waits
if it touches a register that a load has yet to write or a group has yet to read.

With a multiplier, products in GF(2^128) for GHASH also run while later instructions execute (`gateware.isa.products`).
An instruction waits if it touches the register that a product has yet to write. A product waits for earlier loads. A
group and `context` wait for a product.

No hidden state: only state registers, key registers, the selected context and the memory port's fault outlive an
instruction, and software can read back each of them. The port's queue keeps old requests until later ones replace them,
but nothing depends on these. The multiplier's tables follow from a state register, and are zeroized when it is written.
"""

from migen import Array, Cat, Constant, If, Mux, Signal

from ..aes.transforms import byte_list, inv_shift_rows, masked, shift_rows
from .cfu import CFUUnit
from .decoder import Decoder
from .instructions import COUNTER_BASE, LANES
from .lane import OF_CELLS, Lane
from .memory_port import VectorMemoryPort
from .memory_requests import MemoryRequests
from .products import Products
from .register_file import CounterBases, KeyRegisters, StateRegisters

UNIT_VERSION = 2
STATUS_PRODUCTS = 1 << 8  # this bit in the result of `status` is 1 if the unit has a multiplier


class VectorAESUnit(CFUUnit):
    """The vector AES unit, with the command and response streams of `CFUUnit` and a port to memory.

    Parameters
    ----------
    memory : (origin, size)
        The memory that vector loads and stores may access, in bytes (see `VectorMemoryPort`).
    sbox : str
        Implementation of the S-boxes (`gateware.aes.column_sbox`).
    product_cycles : int
        Cycles of a product (`gateware.gcm.ghash.CYCLES`), or 0 for a unit without products.

    Attributes
    ----------
    bus : wishbone.Interface
        Master of vector loads and stores, 128 bits.
    products : Products or None
        The multiplier.
    """

    def __init__(self, *, memory: tuple[int, int], sbox: str = "table", product_cycles: int = 0):
        CFUUnit.__init__(self)

        # # #

        rs1, rs2 = self.cmd_inputs
        self.submodules.decoder = decoder = Decoder(products=bool(product_cycles))
        self.submodules.state = state = StateRegisters()
        self.submodules.keys = keys = KeyRegisters()
        self.submodules.bases = bases = CounterBases()
        self.submodules.memory = memory_port = VectorMemoryPort(origin=memory[0], size=memory[1])
        self.submodules.requests = requests = MemoryRequests(decoder)
        self.bus = memory_port.bus
        self.products = products = None
        if product_cycles:
            portable = sbox not in OF_CELLS
            products = Products(decoder, memory_port, cycles=product_cycles, portable=portable)
            self.submodules.products = products
        results = products or memory_port
        lanes = [Lane(sbox=sbox) for _ in range(LANES)]
        self.submodules += lanes
        self.comb += decoder.function_id.eq(self.cmd_function_id)

        context = Signal(3)
        accept = Signal()
        late = Signal()  # 1 in the additional cycle that some commands take before their response
        late_is_key = Signal()
        late_is_context = Signal()
        late_is_memory_status = Signal()
        late_word = Signal(3)
        key_register = Signal(4)
        state_address = Signal(6)
        key_address = Signal(7)
        self.comb += [
            accept.eq(self.cmd_valid & self.cmd_ready),
            key_register.eq(Mux(decoder.is_key_read, rs1[2:6], decoder.key_register)),
            state_address.eq(Cat(decoder.state_register, context)),
            key_address.eq(Cat(key_register, context)),
        ]

        # Stage 1 reads a state register, moves its bytes between the lanes (ShiftRows), and substitutes them
        # (SubBytes). The order of these two steps does not affect the result. Some instructions use operands of the CPU
        # instead of the shuffled bytes. For a counter block, stage 1 computes the lower 64 bits.
        index_low = Signal(64)
        counter_low = Signal(66)
        # Groups and products also read state registers after the cycle in which they are accepted. The register
        # `other_register` then contains the number of the state register to read. This register shortens the unit's
        # longest path, from an instruction through the read port.
        self.other_reads = other_reads = Signal()
        self.other_register = other_register = Signal(3)
        self.sync += [
            other_reads.eq(requests.reads_next | (products.reads_next if products else 0)),
            other_register.eq(requests.next_register),
        ]
        if products:
            self.sync += If(products.reads_next, other_register.eq(products.next_register))
        read_register = Mux(other_reads, other_register, decoder.state_register)
        self.comb += [
            state.read_address.eq(Cat(read_register, context)),
            keys.read_address.eq(key_address),
            bases.read_address.eq(context),
            index_low.eq(Cat(rs1, rs2)),
            counter_low.eq(_big_endian(Cat(*bases.read_data)[64:]) + index_low + decoder.state_register),
        ]
        counter_low_columns = _columns(_big_endian(counter_low[:64]))
        is_counter = decoder.is_counter | decoder.is_counter_xor
        is_sub_word = decoder.is_sub_word | decoder.is_sub_rot_word
        takes_operands = (
            decoder.is_move_in
            | decoder.is_move_in_xor
            | decoder.is_key_write
            | decoder.is_key_write_inv_mix
            | is_sub_word
        )
        before = byte_list(Cat(*state.read_data))
        forward, inverse = shift_rows(before), inv_shift_rows(before)
        for c, lane in enumerate(lanes):
            column = slice(4 * c, 4 * c + 4)
            self.comb += [
                If(
                    takes_operands,
                    lane.column.eq(self.cmd_inputs[c % 2] ^ masked(decoder.is_move_in_xor, state.read_data[c])),
                )
                .Elif(decoder.shuffle[0], lane.column.eq(Cat(*forward[column])))
                .Elif(decoder.shuffle[1], lane.column.eq(Cat(*inverse[column])))
                .Else(lane.column.eq(state.read_data[c])),
                lane.substitute.eq(decoder.substitute | is_sub_word),
                lane.inverse.eq(decoder.substitute_inverse),
            ]
            if c >= 2:
                self.comb += If(is_counter, lane.column.eq(counter_low_columns[c - 2]))
        # Between the stages.
        stage2_valid = Signal()
        stage2_state = Signal(6)
        stage2_key = Signal(7)
        stage2_write_state = Signal(4)
        stage2_write_key = Signal(4)
        stage2_mix = Signal()
        stage2_add_key = Signal()
        stage2_counter = Signal()
        stage2_base_high = Signal(64)
        stage2_carry = Signal(2)
        self.sync += [
            stage2_valid.eq(accept),
            stage2_state.eq(state_address),
            stage2_key.eq(key_address),
            stage2_write_state.eq(decoder.write_state),
            stage2_write_key.eq(decoder.write_key),
            stage2_mix.eq(decoder.mix),
            stage2_add_key.eq(decoder.add_key),
            stage2_counter.eq(is_counter),
            stage2_base_high.eq(Cat(*bases.read_data[:2])),
            stage2_carry.eq(counter_low[64:]),
        ]

        # Stage 2 mixes columns and adds the round key. For a counter block, it adds the carry to the upper 64 bits.
        counter_high = Signal(64)
        self.comb += counter_high.eq(_big_endian(stage2_base_high) + stage2_carry)
        counter_high_columns = _columns(_big_endian(counter_high))
        stage2_writes_state = Signal()
        stage2_writes_key = Signal()
        # The lanes also write loaded blocks and products to state registers, in cycles in which no instruction writes.
        writes_loaded = Signal()
        loaded = _columns(results.result_data)
        self.comb += [
            writes_loaded.eq(results.result_valid & ~stage2_writes_state & ~stage2_writes_key),
            results.result_ready.eq(writes_loaded),
        ]
        for c, lane in enumerate(lanes):
            self.comb += [
                lane.replacement.eq(Mux(writes_loaded, loaded[c], counter_high_columns[c]) if c < 2 else loaded[c]),
                lane.replace.eq(writes_loaded | stage2_counter if c < 2 else writes_loaded),
                lane.mix.eq(stage2_mix),
                lane.round_key.eq(keys.read_data[c]),
                lane.add_key.eq(stage2_valid & stage2_add_key),
                state.write_data[c].eq(lane.result),
                keys.write_data[c].eq(lane.result),
                bases.write_data[c].eq(lane.result),
            ]
        self.comb += [
            If(
                writes_loaded,
                state.write_address.eq(Cat(results.result_register, context)),
                state.write_lanes.eq(0b1111),
            ).Else(
                state.write_address.eq(stage2_state),
                state.write_lanes.eq(masked(stage2_valid, stage2_write_state)),
            ),
            keys.write_address.eq(stage2_key),
            keys.write_lanes.eq(masked(stage2_valid, stage2_write_key)),
            bases.write_address.eq(stage2_key[4:]),
            bases.write_lanes.eq(masked(stage2_key[:4] == COUNTER_BASE, keys.write_lanes)),
        ]

        # Loads and stores.
        self.comb += [
            requests.accept.eq(accept),
            requests.operands[0].eq(rs1),
            requests.operands[1].eq(rs2),
            requests.read_data.eq(Cat(*state.read_data)),
            requests.written.eq(memory_port.result_ready if products else writes_loaded),
            requests.written_register.eq(memory_port.result_register),
            requests.dropped.eq(memory_port.dropped),
            requests.dropped_register.eq(memory_port.dropped_register),
            requests.request.connect(memory_port.request),
            memory_port.clear_fault.eq(late & late_is_memory_status & late_word[0]),
        ]

        # Interlock. An instruction waits in these cases: (a) stage 2 still computes a register that the instruction
        # reads; (b) a load of the instruction's state register is pending; (c) a group (an instruction on all state
        # registers) uses the read port; (d) the queue of loads and stores is full. Groups and the instructions
        # `memory_status` and `context` wait until that queue is empty. The interlock must be fast, because the CPU's
        # pipeline waits for it. So it uses only registers and few bits of the function id. If these bits equal the
        # number of a pending register, the interlock also delays an instruction that uses no state register.
        hazard = Signal()
        memory_busy = Signal()
        waits_for_memory = decoder.is_memory_status | decoder.is_context | decoder.is_vxor_group
        # Contexts need no comparison: all instructions in the pipeline have the same context.
        same_register = stage2_state[:3] == decoder.state_register
        is_busy = (requests.pending != 0) | ~memory_port.idle | requests.request.valid
        waits = (
            (stage2_writes_state & same_register & decoder.reads_state)
            | (stage2_writes_key & decoder.reads_key)
            | (other_reads & decoder.reads_state)
            | Array(requests.pending)[decoder.state_register]
            | ((decoder.loads | decoder.stores) & (memory_port.full | requests.taking))
            | (waits_for_memory & memory_busy)
        )
        if products:
            # A product waits for earlier loads and for the multiplier. Groups and the instructions `memory_status` and
            # `context` wait for the product. Any other instruction waits if it uses a register of the product, or while
            # the product uses the read port.
            is_product = decoder.is_vghsh | decoder.is_vgmul
            is_busy = is_busy | products.active
            waits = (
                waits
                | (is_product & (~products.ready | (requests.pending != 0)))
                | Array(products.pending)[decoder.state_register]
            )
            self.comb += [
                products.accept.eq(accept & is_product),
                products.registers.eq(rs1[:7]),
                products.context.eq(context),
                products.read_data.eq(Cat(*state.read_data)),
                products.written.eq(state.write_lanes != 0),
                products.written_register.eq(state.write_address),
            ]
        self.comb += [memory_busy.eq(is_busy), hazard.eq(waits)]
        self.sync += [
            stage2_writes_state.eq(accept & (decoder.write_state != 0)),
            stage2_writes_key.eq(accept & (decoder.write_key != 0)),
        ]

        # Each command gets one response, which stays valid until the CPU accepts it. The response to a `late` command
        # takes one more cycle than other responses, and depends only on registers. The instruction `context` takes
        # effect in this additional cycle. RotWord may follow SubWord here, because both orders give the same result.
        features = STATUS_PRODUCTS >> 3 if products else 0
        late_is_status = Signal()
        late_rotates = Signal()
        late_lane = Signal(2)
        late_operand = Signal(32)
        sub_word = lanes[0].substituted
        moved_lane = Array(state.read_data)[self.cmd_function_id[6:8]]
        early_output = Signal(32)
        late_output = Signal(32)
        self.comb += [
            self.cmd_ready.eq(~hazard & ~late & (~self.rsp_valid | self.rsp_ready)),
            early_output.eq(masked(decoder.is_move_out_xor, moved_lane ^ rs1)),
            If(late_is_key, late_output.eq(Array(keys.read_data)[late_lane]))
            .Elif(late_is_context, late_output.eq(context))
            .Elif(late_is_memory_status, late_output.eq(memory_port.status))
            .Elif(late_is_status, late_output.eq(Cat(context, Constant(features, 13), Constant(UNIT_VERSION, 16))))
            .Else(late_output.eq(Mux(late_rotates, Cat(sub_word[8:], sub_word[:8]), sub_word) ^ late_operand)),
        ]
        is_late = is_sub_word | decoder.is_key_read
        is_late = is_late | decoder.is_context | decoder.is_status | decoder.is_memory_status
        self.sync += [
            late_is_key.eq(decoder.is_key_read),
            late_is_context.eq(decoder.is_context),
            late_is_memory_status.eq(decoder.is_memory_status),
            late_is_status.eq(decoder.is_status),
            late_lane.eq(rs1[:2]),
            late_rotates.eq(decoder.is_sub_rot_word),
            late_word.eq(rs1[:3]),
            late_operand.eq(rs2),
            late.eq(accept & is_late),
            If(late & late_is_context, context.eq(late_word)),
            # The output register is loaded whenever it is free; its value is valid only while `rsp_valid` is 1.
            If(self.rsp_ready | ~self.rsp_valid, self.rsp_output.eq(Mux(late, late_output, early_output))),
            If(self.rsp_ready, self.rsp_valid.eq(0)),
            If(late | (accept & ~is_late), self.rsp_valid.eq(1)),
        ]


def _big_endian(value):
    """Return an expression with its bytes reversed, to convert between memory order and a big-endian integer."""
    return Cat(*reversed([value[i : i + 8] for i in range(0, len(value), 8)]))


def _columns(value) -> list:
    """Split an expression into 32-bit columns; return them in a list."""
    return [value[i : i + 32] for i in range(0, len(value), 32)]
