/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/isa/instructions.py; do not edit. */
/**
 * @file
 * Intrinsics of the vector AES unit: one macro for each instruction, which compiles to exactly that one.
 *
 * Register numbers are compile-time constants: s (v0 to v7), k (k0 to k15), l (last-round key: see
 * CL_ISA_LAST_K*), c (lane 0 to 3), h (half 0 or 1). The asm is volatile and touches no memory: the
 * compiler keeps the instructions in program order and schedules loads and stores between them freely.
 */
#ifndef CL_ISA_H
#define CL_ISA_H

#include <stdint.h>

#define CL_ISA_LAST_K0 0
#define CL_ISA_LAST_K10 1
#define CL_ISA_LAST_K12 2
#define CL_ISA_LAST_K14 3

/** v[s] = v[s] ^ k[k] */
#define CL_ISA_ROUND_XOR(k, s) \
	__asm__ volatile(".insn r 0x0b, 4, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((k) << 3) | (s)))

/** v[s] = ShiftRows(v[s]) */
#define CL_ISA_SHIFT_ROWS(s) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, zero, zero" : : [f] "i"(0x00 | (s)))

/** v[s] = InvShiftRows(v[s]) */
#define CL_ISA_SHIFT_ROWS_INV(s) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, zero, zero" : : [f] "i"(0x08 | (s)))

/** v[s] = MixColumns(SubBytes(v[s])) ^ k[k] */
#define CL_ISA_SBOX_MIX_XOR(k, s) \
	__asm__ volatile(".insn r 0x0b, 0, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((k) << 3) | (s)))

/** v[s] = InvMixColumns(InvSubBytes(v[s])) ^ k[k] */
#define CL_ISA_SBOX_MIX_XOR_INV(k, s) \
	__asm__ volatile(".insn r 0x0b, 1, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((k) << 3) | (s)))

/** v[s] = SubBytes(v[s]) ^ k[last(l)] */
#define CL_ISA_SBOX_XOR(l, s) \
	__asm__ volatile(".insn r 0x0b, 5, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((l) << 3) | (s)))

/** v[s] = InvSubBytes(v[s]) ^ k[last(l)] */
#define CL_ISA_SBOX_XOR_INV(l, s) \
	__asm__ volatile(".insn r 0x0b, 5, %[f], zero, zero, zero" : : [f] "i"(0x20 | ((l) << 3) | (s)))

/** v[s] = MixColumns(ShiftRows(SubBytes(v[s]))) ^ k[k] */
#define CL_ISA_ROUND_ENC(k, s) \
	__asm__ volatile(".insn r 0x0b, 2, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((k) << 3) | (s)))

/** v[s] = InvMixColumns(InvShiftRows(InvSubBytes(v[s]))) ^ k[k] */
#define CL_ISA_ROUND_DEC(k, s) \
	__asm__ volatile(".insn r 0x0b, 3, %[f], zero, zero, zero" : : [f] "i"(0x00 | ((k) << 3) | (s)))

/** v[s] = ShiftRows(SubBytes(v[s])) ^ k[last(l)] */
#define CL_ISA_LAST_ENC(l, s) \
	__asm__ volatile(".insn r 0x0b, 5, %[f], zero, zero, zero" : : [f] "i"(0x40 | ((l) << 3) | (s)))

/** v[s] = InvShiftRows(InvSubBytes(v[s])) ^ k[last(l)] */
#define CL_ISA_LAST_DEC(l, s) \
	__asm__ volatile(".insn r 0x0b, 5, %[f], zero, zero, zero" : : [f] "i"(0x60 | ((l) << 3) | (s)))

/** v[s].lane[2h] = rs1; v[s].lane[2h+1] = rs2 */
#define CL_ISA_MOVE_IN(h, s, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 6, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x00 | ((h) << 4) | (s)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** v[s].lane[2h] ^= rs1; v[s].lane[2h+1] ^= rs2 */
#define CL_ISA_MOVE_IN_XOR(h, s, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 6, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x20 | ((h) << 4) | (s)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** rd = v[s].lane[c] ^ rs1 */
#define CL_ISA_MOVE_OUT_XOR(c, s, rs1) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], zero" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x40 | ((c) << 3) | (s)), [a] "rJ"((uint32_t)(rs1))); cl_isa_rd_; })

/** v[s] = k15 + (rs2 << 32 | rs1) + s */
#define CL_ISA_COUNTER(s, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x10 | (s)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** v[s] = (k15 + (rs2 << 32 | rs1) + s) ^ k0 */
#define CL_ISA_COUNTER_XOR(s, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x18 | (s)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** v[s] = memory[rs1 + 16 s] */
#define CL_ISA_VLOAD(s, rs1) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], zero" : : [f] "i"(0x20 | (s)), [a] "rJ"((uint32_t)(rs1)))

/** v[s] ^= memory[rs1 + 16 s] */
#define CL_ISA_VLOAD_XOR(s, rs1) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], zero" : : [f] "i"(0x28 | (s)), [a] "rJ"((uint32_t)(rs1)))

/** memory[rs1 + 16 s] = v[s] */
#define CL_ISA_VSTORE(s, rs1) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], zero" : : [f] "i"(0x30 | (s)), [a] "rJ"((uint32_t)(rs1)))

/** memory[rs1 + rs2 + 16 s] = memory[rs1 + 16 s] ^ v[s], for s = 0 to 7 in this order, up to the first fault */
#define CL_ISA_VXOR_GROUP(rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x38), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** wait for loads and stores; rd = fault address (31:4) and code (3:0); clear it if rs1[0] */
#define CL_ISA_MEMORY_STATUS(rs1) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], zero" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x65), [a] "rJ"((uint32_t)(rs1))); cl_isa_rd_; })

/** k[kw].lane[2hw] = rs1; k[kw].lane[2hw+1] = rs2 */
#define CL_ISA_KEY_WRITE(hw, kw, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x40 | ((hw) << 4) | (kw)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** k[kw].lane[2hw] = InvMixColumns(rs1); k[kw].lane[2hw+1] = InvMixColumns(rs2) */
#define CL_ISA_KEY_WRITE_INV_MIX(hw, kw, rs1, rs2) \
	__asm__ volatile(".insn r 0x0b, 7, %[f], zero, %z[a], %z[b]" : : [f] "i"(0x60 | ((hw) << 4) | (kw)), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2)))

/** rd = k[rs1[5:2]].lane[rs1[1:0]] */
#define CL_ISA_KEY_READ(rs1) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], zero" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x60), [a] "rJ"((uint32_t)(rs1))); cl_isa_rd_; })

/** rd = SubWord(rs1) ^ rs2 */
#define CL_ISA_SUB_WORD(rs1, rs2) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], %z[b]" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x61), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2))); cl_isa_rd_; })

/** rd = SubWord(RotWord(rs1)) ^ rs2 */
#define CL_ISA_SUB_ROT_WORD(rs1, rs2) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], %z[b]" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x62), [a] "rJ"((uint32_t)(rs1)), [b] "rJ"((uint32_t)(rs2))); cl_isa_rd_; })

/** rd = context; context = rs1[2:0] */
#define CL_ISA_CONTEXT(rs1) \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], %z[a], zero" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x63), [a] "rJ"((uint32_t)(rs1))); cl_isa_rd_; })

/** rd = unit version << 16 | products << 8 | context */
#define CL_ISA_STATUS() \
	({ uint32_t cl_isa_rd_; __asm__ volatile(".insn r 0x0b, 6, %[f], %[d], zero, zero" : [d] "=r"(cl_isa_rd_) : [f] "i"(0x64)); cl_isa_rd_; })

/** v[rs1[6:4]] = (v[rs1[6:4]] ^ v[s]) * v[rs1[2:0]] */
#define CL_ISA_VGHSH(s, rs1) \
	__asm__ volatile(".insn r 0x0b, 6, %[f], zero, %z[a], zero" : : [f] "i"(0x08 | (s)), [a] "rJ"((uint32_t)(rs1)))

/** v[s] = v[s] * v[rs1[2:0]] */
#define CL_ISA_VGMUL(s, rs1) \
	__asm__ volatile(".insn r 0x0b, 6, %[f], zero, %z[a], zero" : : [f] "i"(0x18 | (s)), [a] "rJ"((uint32_t)(rs1)))

#endif
