/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of the random source. cl_zephyr_random_read returns raw noise words. For Zephyr's entropy
 * API, the driver computes bytes with full entropy from these noise words. Do not call the driver
 * from interrupt handlers, or before threads run.
 */
#define DT_DRV_COMPAT cipherlane_random

#include <zephyr/device.h>
#include <zephyr/drivers/entropy.h>
#include <zephyr/kernel.h>

#include <cipherlane/random.h>

#include "aes/engines.h"
#include "zeroize.h"

static const struct cl_random source = {
	.regs = (volatile uint32_t *)DT_INST_REG_ADDR(0),
};

/*
 * This lock allows only one thread at a time to read the source. Without the lock, a thread could
 * wait for a word that another thread then reads.
 */
static K_MUTEX_DEFINE(turn);

int cl_zephyr_random_read(uint32_t *words, size_t count)
{
	k_mutex_lock(&turn, K_FOREVER);
	const int status = cl_random_read(&source, words, count);

	k_mutex_unlock(&turn);
	return status;
}

#ifdef CONFIG_CIPHERLANE_ENTROPY
static int get_entropy(const struct device *device, uint8_t *buffer, uint16_t length)
{
	int status = 0;

	ARG_UNUSED(device);
	/*
	 * Unlock after each block, so that another thread waits for one block at most, and not for
	 * the whole request.
	 */
	for (size_t done = 0; done < length && status == 0; done += CL_BLOCK_BYTES) {
		k_mutex_lock(&turn, K_FOREVER);
		status = cl_random_condition(&source, &cl_engine_byte, buffer + done,
					     MIN(length - done, CL_BLOCK_BYTES));
		k_mutex_unlock(&turn);
	}
	if (status != 0) {
		cl_zeroize(buffer, length);
	}
	return status;
}

static DEVICE_API(entropy, api) = {
	.get_entropy = get_entropy,
};

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, CONFIG_ENTROPY_INIT_PRIORITY, &api);
#endif
