/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The engines and drivers that can decipher 128-EEA2 on Zephyr.
 */
#ifndef CIPHERS_H
#define CIPHERS_H

#include "engine/engine.h"

/**
 * Number of ciphers. A request selects a cipher by its number. 0: no ciphering (128-EEA0). 1 to 6:
 * the engines byte, table, ise, ise_fused, ise_vmem and accelerator. 7: also the accelerator, but
 * the thread sleeps until the accelerator's interrupt. 8 and 9: sessions of Zephyr's crypto API on
 * the devices vector_aes0 and ctr_accelerator0.
 */
#define CIPHERS 10u

/**
 * Returns the cipher with the given number, which must be less than CIPHERS. Returns NULL for 0.
 */
const struct cl_engine *cipher(unsigned int number);

#endif
