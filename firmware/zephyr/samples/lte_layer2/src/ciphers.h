/**
 * @file
 * What 128-EEA2 can be deciphered with on Zephyr.
 */
#ifndef CIPHERS_H
#define CIPHERS_H

#include "engine/engine.h"

/**
 * The ciphers by number, as hosts count them: NULL for 128-EEA0; byte, table, ise, ise_fused,
 * ise_vmem, accelerator; the accelerator with the thread asleep until its interrupt; sessions of
 * Zephyr's crypto API on vector_aes0 and on ctr_accelerator0.
 */
#define CIPHERS 10u

/** The cipher of that number, below CIPHERS. */
const struct cl_engine *cipher(unsigned int number);

#endif
