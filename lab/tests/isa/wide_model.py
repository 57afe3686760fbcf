# SPDX-License-Identifier: BSD-2-Clause
"""Models of the units with registers of 64 and 128 bits. A model encodes each instruction, and computes the result that
the unit must return.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gateware.isa.cfu import CFUUnit
from lab.isa.lookup_tables import ENTRIES, TABLES
from lab.isa.wide_ptlu import ADD_KEY, EXCLUSIVE, PTLU, SHIFT
from lab.isa.wide_registers import MOVE
from lab.isa.zvkned import KF1, KF2, VAESDF, VAESDM, VAESEF, VAESEM, VAESKF, VAESZ, VMV
from tests.gateware.isa import fips197
from tests.gateware.isa.cfu import block_bytes, column_words, executing

SUBWORD_CODES = {4: 0, 2: 1, 1: 2}


def encode(funct3, funct7, rs1=0, rs2=0):
    return funct7 << 3 | funct3, rs1, rs2


def _with_half(value: bytes, h: int, first: int, second: int) -> bytes:
    return value[: 8 * h] + block_bytes([first, second]) + value[8 * h + 8 :]


@contextmanager
def checking(unit: CFUUnit, model: "WideModel") -> Iterator[Callable]:
    """Yield a function that executes on the unit all instructions that the model has recorded. The function checks that
    the unit gives the same answers as the model, and returns these answers.

    All registers start as 0. The argument of the function is the chance that the port does not take an answer in a
    cycle.
    """
    with executing(unit) as run:

        def check(stall=0.0):
            program, answers = model.taken()
            assert run(program, stall) == answers
            assert stall or run.cycles <= len(program) + 4, "one a cycle"
            return answers

        for d in range(8):
            model.put(d, bytes(model.bytes))
        for k in range(model.key_registers):
            model.put_key(k, bytes(model.bytes))
        yield check


class WideModel:
    """A model of a unit's registers, and of the instructions that move data between the CPU and these registers. The
    model appends each instruction to `program`, and the expected answer to `answers`.
    """

    def __init__(self, width: int):
        self.bytes = width // 8
        self.key_registers = 2048 // width
        self.v = [bytes(self.bytes)] * 8
        self.k = [bytes(self.bytes)] * self.key_registers
        self.program, self.answers = [], []

    def note(self, instruction, answer=0):
        self.program.append(instruction)
        self.answers.append(answer)

    def taken(self):
        """Return the instructions recorded since the last call, and their expected answers. Then empty both lists."""
        noted = self.program, self.answers
        self.program, self.answers = [], []
        return noted

    def move_in(self, d, h, first, second):
        self.v[d] = _with_half(self.v[d], h, first, second)
        self.note(encode(MOVE, h << 3 | d, first, second))

    def key_write(self, k, h, first, second):
        self.k[k] = _with_half(self.k[k], h, first, second)
        self.note(encode(MOVE, 1 << 5 | (h << 4 | k), first, second))

    def move_out(self, d, c):
        self.note(encode(MOVE, 2 << 5 | c << 3 | d, 5, 6), column_words(self.v[d])[c])

    def put(self, d, value):
        for h in range(self.bytes // 8):
            self.move_in(d, h, *column_words(value[8 * h : 8 * h + 8]))

    def put_key(self, k, value):
        for h in range(self.bytes // 8):
            self.key_write(k, h, *column_words(value[8 * h : 8 * h + 8]))

    def get(self, d):
        for c in range(self.bytes // 4):
            self.move_out(d, c)

    def look_at_all(self, add_key):
        """Record instructions that read all registers: first v0 to v7, then the key registers. No instruction reads a
        key register directly. Instead, `add_key` XORs the key register into one of v0 to v3, which is then read.
        """
        for d in range(8):
            self.get(d)
        for k in range(self.key_registers):
            add_key(k % 4, k)
            self.get(k % 4)


class PtluModel(WideModel):
    """A model of the table-lookup unit `lab.isa.wide_ptlu`. The model computes byte by byte."""

    def __init__(self, width: int):
        super().__init__(width)
        self.tables = [[bytes(self.bytes)] * ENTRIES for _ in range(TABLES)]

    def ptlu_write(self, table, index, lane, word):
        entry = self.tables[table][index]
        self.tables[table][index] = entry[: 4 * lane] + word.to_bytes(4, "little") + entry[4 * lane + 4 :]
        self.note(encode(MOVE, 3 << 5 | lane << 3 | table, 0xABCDEF00 | index, word))

    def ptlu(self, d, s, subword, table, offset, step):
        result = b""
        for i in range(min(4, self.bytes // subword)):
            entry = self.tables[table][self.v[s][(offset + i * step) % self.bytes]]
            result += entry[i * subword : (i + 1) * subword]
        self.v[d] = result.ljust(self.bytes, b"\0")
        self.note(encode(PTLU, s << 3 | d, SUBWORD_CODES[subword] << 11 | table << 8 | step << 4 | offset))

    def exclusive(self, d, s):
        self.v[d] = fips197.xor(self.v[d], self.v[s])
        self.note(encode(EXCLUSIVE, s << 3 | d))

    def shift_left(self, d, s):
        self.v[d] = bytes(4) + self.v[s][:-4]
        self.note(encode(PTLU, SHIFT | s << 3 | d))

    def shift_right(self, d, s):
        self.v[d] = self.v[s][4:] + bytes(4)
        self.note(encode(EXCLUSIVE, SHIFT | s << 3 | d))

    def add_key(self, d, k):
        self.v[d] = fips197.xor(self.v[d], self.k[k])
        self.note(encode(ADD_KEY, k << (3 if self.bytes == 16 else 2) | d))


class ZvknedModel(WideModel):
    """A model of the RISC-V extension Zvkned, with the steps and names of the standard's pseudo code."""

    def __init__(self):
        super().__init__(128)

    def _round(self, operation, d, k, value):
        self.v[d] = value
        self.note(encode(operation, k << 3 | d))

    def vaesem(self, d, k):
        state, rkey = self.v[d], self.k[k]
        sb = fips197.sub_bytes(state)
        sr = fips197.shift_rows(sb)
        mix = fips197.mix_columns(sr)
        self._round(VAESEM, d, k, fips197.xor(mix, rkey))

    def vaesef(self, d, k):
        state, rkey = self.v[d], self.k[k]
        sb = fips197.sub_bytes(state)
        sr = fips197.shift_rows(sb)
        self._round(VAESEF, d, k, fips197.xor(sr, rkey))

    def vaesdm(self, d, k):
        state, rkey = self.v[d], self.k[k]
        sr = fips197.inv_shift_rows(state)
        sb = fips197.inv_sub_bytes(sr)
        ark = fips197.xor(sb, rkey)
        self._round(VAESDM, d, k, fips197.inv_mix_columns(ark))

    def vaesdf(self, d, k):
        state, rkey = self.v[d], self.k[k]
        sr = fips197.inv_shift_rows(state)
        sb = fips197.inv_sub_bytes(sr)
        self._round(VAESDF, d, k, fips197.xor(sb, rkey))

    def vaesz(self, d, k):
        self._round(VAESZ, d, k, fips197.xor(self.v[d], self.k[k]))

    def vaeskf1(self, d, s, rnd):
        given = rnd
        if rnd > 10 or rnd == 0:
            rnd ^= 8
        current = [self.k[s][i : i + 4] for i in range(0, 16, 4)]
        w = [fips197.xor(self._sub_rot(current[3], rnd - 1), current[0])]
        for i in range(1, 4):
            w.append(fips197.xor(w[i - 1], current[i]))
        self.k[d] = b"".join(w)
        self.note(encode(VAESKF, KF1 << 4 | d, given << 4 | s))

    def vaeskf2(self, d, s, rnd):
        given = rnd
        if rnd < 2 or rnd > 14:
            rnd ^= 8
        current = [self.k[s][i : i + 4] for i in range(0, 16, 4)]
        before = [self.k[d][i : i + 4] for i in range(0, 16, 4)]
        if rnd & 1:
            w = [fips197.xor(fips197.sub_bytes(current[3]), before[0])]
        else:
            w = [fips197.xor(self._sub_rot(current[3], (rnd >> 1) - 1), before[0])]
        for i in range(1, 4):
            w.append(fips197.xor(w[i - 1], before[i]))
        self.k[d] = b"".join(w)
        self.note(encode(VAESKF, KF2 << 4 | d, given << 4 | s))

    def vmv(self, d, s):
        self.k[d] = self.k[s]
        self.note(encode(VAESKF, VMV << 4 | d, s))

    @staticmethod
    def _sub_rot(word: bytes, r: int) -> bytes:
        constant = 1
        for _ in range(r):
            constant = constant << 1 ^ (0x11B if constant & 0x80 else 0)
        return fips197.xor(fips197.sub_bytes(word[1:] + word[:1]), bytes([constant, 0, 0, 0]))
