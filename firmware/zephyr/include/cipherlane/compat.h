/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Differences between the Zephyr releases that the module builds on: 3.1, 3.7 LTS, 4.x.
 */
#ifndef CIPHERLANE_COMPAT_H
#define CIPHERLANE_COMPAT_H

#include <zephyr/arch/cpu.h>
#include <zephyr/kernel.h>

#if __has_include(<zephyr/version.h>)
#include <zephyr/version.h>
#else
#include <version.h>
#endif

/* Renamed in 3.3. */
#ifndef RISCV_IRQ_MEXT
#define RISCV_IRQ_MEXT RISCV_MACHINE_EXT_IRQ
#endif

/** Parameters of a function that SYS_INIT calls. Since Zephyr 3.4 it has none. */
#if KERNEL_VERSION_NUMBER >= ZEPHYR_VERSION(3, 4, 0)
#define CL_SYS_INIT_ARGUMENT void
#else
#define CL_SYS_INIT_ARGUMENT const struct device *unused __maybe_unused
#endif

/**
 * Type of the structure that saves the registers of an interrupted thread. Zephyr 3.7 has renamed
 * it.
 */
#if KERNEL_VERSION_NUMBER >= ZEPHYR_VERSION(3, 7, 0)
typedef struct arch_esf cl_arch_esf;
#else
typedef z_arch_esf_t cl_arch_esf;
#endif

#endif
