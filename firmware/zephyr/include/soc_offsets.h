/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Required by CONFIG_RISCV_SOC_OFFSETS. It is empty because no assembler code of this SoC needs an
 * offset.
 */
#ifndef SOC_OFFSETS_H
#define SOC_OFFSETS_H

#define GEN_SOC_OFFSET_SYMS()

#endif
