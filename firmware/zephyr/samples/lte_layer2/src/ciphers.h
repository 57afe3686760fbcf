/**
 * @file
 * The ways to decipher 128-EEA2 on Zephyr.
 */
#ifndef CIPHERS_H
#define CIPHERS_H

#include "engine/engine.h"

/**
 * How many ciphers there are. Hosts refer to them by number: NULL for 128-EEA0; byte, table, ise,
 * ise_fused, ise_vmem, accelerator; the accelerator with the thread asleep until its interrupt;
 * sessions of Zephyr's crypto API on vector_aes0 and on ctr_accelerator0.
 */
#define CIPHERS 10u

/** Returns the cipher with this number, which must be less than CIPHERS. */
const struct cl_engine *cipher(unsigned int number);

#endif
