/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Declares the drivers' functions that are needed where the crypto devices are defined. These
 * declarations are only used if the image contains Zephyr's crypto API.
 */
#ifndef CL_CRYPTO_DEVICES_H
#define CL_CRYPTO_DEVICES_H

#ifdef CONFIG_CIPHERLANE_CRYPTO

#include <zephyr/crypto/crypto.h>

extern const struct crypto_driver_api cl_vector_crypto;
extern const struct crypto_driver_api cl_accelerator_crypto;

/** Starts the thread that runs the accelerator's operations in the background. */
void cl_accelerator_crypto_init(void);

#else

static inline void cl_accelerator_crypto_init(void)
{
}

#endif

#endif
