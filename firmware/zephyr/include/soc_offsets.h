/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * CONFIG_RISCV_SOC_OFFSETS requires this file. It is empty, because no assembler code of this SoC
 * needs the offset of a structure's field.
 */
#ifndef SOC_OFFSETS_H
#define SOC_OFFSETS_H

#define GEN_SOC_OFFSET_SYMS()

#endif
