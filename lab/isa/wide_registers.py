# SPDX-License-Identifier: BSD-2-Clause
"""A unit's registers of 64 or 128 bits. Instructions on the CFU port move data between these registers and the CPU's
registers.

Units with other authors' wider instructions share this: registers v0 to v7, and round-key registers k0 to k15, or k0 to
k31 with 64 bits. A register consists of lanes of 32 bits, the first in the low bits; a half is two lanes. Encodings are
ours. With funct3 = 7:

========= ========= =======================================================
move      funct7    meaning
========= ========= =======================================================
move_in   00-hddd   v[d].half[h] = rs1, rs2
key_write 01hkkkk   k[k].half[h] = rs1, rs2; of 64 bits 01kkkkk
move_out  10ccddd   rd = v[d].lane[c]
========= ========= =======================================================

With registers of 64 bits, h and the high bit of c are ignored. ``11-----`` and the other values of funct3 are free for
the unit: ``d`` in bits 2:0 and ``s`` in 5:3; or ``d`` in the lowest bits and ``k`` in the four or five bits above.
Undefined function ids answer 0 and change nothing.

Latency and throughput: one instruction a cycle, and the next one can use its result. The registers are zero after
configuration; a reset does not clear them.
"""

from migen import Array, Cat, If, Memory, Mux, Signal, log2_int

from gateware.aes.transforms import masked
from gateware.isa.cfu import OneCycleUnit
from gateware.memory import without_collisions

REGISTERS = 8
MOVE = 7
MOVE_IN, KEY_WRITE, MOVE_OUT, OWN = range(4)


class WideRegistersUnit(OneCycleUnit):
    """Base class of the units with wide registers. Executes the instructions that move data between these registers and
    the CPU's registers, through the streams of `CFUUnit`. Subclasses add further instructions.

    Parameters
    ----------
    width : int
        Bits of a register: 64 or 128.

    Attributes
    ----------
    target, source, key : Signal(width), out
        v[d], v[s] and k[k] of the instruction that is accepted.
    writes, writes_key : Signal(), in
        The unit's own instruction writes v[d]; or k[k], with k in the lowest bits of funct7.
    early : Signal(width), in
        The part of its result that is known in the cycle that accepts it.
    held : Signal(width), out
        That value, or the value of a move, one cycle later.
    result : Signal(width), in
        The value to write then. After a move it must be `held`; the unit knows only its own instructions.
    target_has_key : Signal(), in
        The instruction has the form with ``k``, so ``d`` has few bits.
    """

    def __init__(self, width: int):
        if width not in (64, 128):
            raise ValueError(f"registers are of 64 or 128 bits, not {width}")
        OneCycleUnit.__init__(self)
        self.key_registers = keys = 16 * 128 // width
        self.target, self.source, self.key = (Signal(width, name=name) for name in ("target", "source", "key"))
        self.writes, self.writes_key = Signal(), Signal()
        self.early, self.held, self.result = (Signal(width, name=name) for name in ("early", "held", "result"))
        self.target_has_key = Signal()

        # # #

        rs1, rs2 = self.cmd_inputs
        self.funct3, self.funct7 = funct3, funct7 = self.cmd_function_id[:3], self.cmd_function_id[3:]
        key_bits, is_move = log2_int(keys), Signal()
        operation, low_key = funct7[5:], Signal()
        is_in, is_key_write, is_out = Signal(), Signal(), Signal()
        self.comb += [
            is_move.eq(funct3 == MOVE),
            is_in.eq(is_move & (operation == MOVE_IN)),
            is_key_write.eq(is_move & (operation == KEY_WRITE)),
            is_out.eq(is_move & (operation == MOVE_OUT)),
            low_key.eq(is_key_write | self.writes_key),
        ]

        # An instruction can read a register in the cycle in which the previous instruction writes the register. Then
        # use the result of the previous instruction instead of the old word in memory.
        self._registers = Memory(width, REGISTERS, init=[0] * REGISTERS, name="registers")
        self._keys = Memory(width, keys, init=[0] * keys, name="keys")
        self._written, self._write_register, self._write_key = Signal(max=keys), Signal(), Signal()
        self.target_number, self.key_number = Signal(3), Signal(key_bits)
        self.comb += [
            self.target_number.eq(Mux(self.target_has_key, funct7[: 7 - key_bits], funct7[:3])),
            self.key_number.eq(Mux(low_key, funct7[:key_bits], funct7[7 - key_bits :])),
            self.target.eq(self._read(self._registers, self.target_number, self._write_register)),
            self.source.eq(self._read(self._registers, funct7[3:6], self._write_register)),
            self.key.eq(self.read_key(self.key_number)),
        ]
        for memory, enable in ((self._registers, self._write_register), (self._keys, self._write_key)):
            port = without_collisions(memory).get_port(write_capable=True)
            self.specials += memory, port
            self.comb += [port.adr.eq(self._written), port.dat_w.eq(self.result), port.we.eq(enable)]

        # Moves.
        old, moved, lane = Signal(width), Signal(width), Signal(32)
        self.comb += [old.eq(Mux(is_key_write, self.key, self.target)), moved.eq(Cat(rs1, rs2))]
        if width == 128:
            high = Mux(is_key_write, funct7[4], funct7[3])
            self.comb += If(high, moved.eq(Cat(old[:64], rs1, rs2))).Else(moved.eq(Cat(rs1, rs2, old[64:])))
        self.comb += self.rsp_output.eq(lane)
        lanes = Array([self.target[i : i + 32] for i in range(0, width, 32)])
        self.sync += [
            self._write_register.eq(self.accept & (is_in | self.writes)),
            self._write_key.eq(self.accept & (is_key_write | self.writes_key)),
            If(
                self.accept,
                self._written.eq(Mux(low_key, self.key_number, self.target_number)),
                self.held.eq(Mux(is_move, moved, self.early)),
                lane.eq(masked(is_out, lanes[funct7[3 : 3 + log2_int(len(lanes))]])),
            ),
        ]

    def _read(self, memory: Memory, number, is_written):
        port = memory.get_port(async_read=True)
        self.specials += port
        self.comb += port.adr.eq(number)
        return Mux(is_written & (self._written == number), self.result, port.dat_r)

    def read_key(self, number):
        """Add a read port to the memory of round keys. Return the value of key register `number`. If the previous
        instruction writes this register in the same cycle, return the new value.
        """
        return self._read(self._keys, number, self._write_key)
