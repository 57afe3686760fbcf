/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The part of the crypto drivers that the device initialisation needs, if the crypto API is
 * compiled in.
 */
#ifndef CL_CRYPTO_DEVICES_H
#define CL_CRYPTO_DEVICES_H

#ifdef CONFIG_CIPHERLANE_CRYPTO

#include <zephyr/crypto/crypto.h>

extern const struct crypto_driver_api cl_vector_crypto;
extern const struct crypto_driver_api cl_accelerator_crypto;

/** Starts the thread that runs operations in the background. */
void cl_accelerator_crypto_init(void);

#else

static inline void cl_accelerator_crypto_init(void)
{
}

#endif

#endif
