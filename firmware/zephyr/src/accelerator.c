/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the CTR accelerator's engine in firmware/core usable for Zephyr's threads. A lock makes
 * threads take turns.
 */
#define DT_DRV_COMPAT cipherlane_ctr_accelerator

#include <errno.h>
#include <string.h>

#include <zephyr/device.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/sys_io.h>

#include <cipherlane/engines.h>
#include <cipherlane/soc.h>

#include "cl_wire.h"
#include "crypto_devices.h"
#include "accelerator/engine_accel.h"

#define BOUNCE_BYTES 512u
/*
 * The time limit of an accelerator operation is TIMEOUT_MS, plus 1 ms for each BYTES_PER_MS bytes.
 * An operation takes about a thousandth of this time.
 */
#define TIMEOUT_MS   100u
#define BYTES_PER_MS 1000u

#define MAC DT_NODELABEL(ethernet0)
#if DT_NODE_EXISTS(MAC)
BUILD_ASSERT(DT_REG_ADDR_BY_NAME(MAC, tx_slots) ==
		     DT_REG_ADDR_BY_NAME(MAC, rx_slots) + DT_REG_SIZE_BY_NAME(MAC, rx_slots),
	     "the MAC's slots are one memory");
#endif

/** Buffer to which the CPU copies data that the DMA cannot access. */
static uint8_t bounce[BOUNCE_BYTES] CL_SOC_IN_BUFFER;

static struct cl_accel_device accelerator = {
	.dma_origin = CL_SOC_BUFFER_BASE,
	.dma_bytes = CL_SOC_BUFFER_BYTES,
#if DT_NODE_EXISTS(MAC)
	.uncached_origin = DT_REG_ADDR_BY_NAME(MAC, rx_slots),
	.uncached_bytes = DT_REG_SIZE_BY_NAME(MAC, rx_slots) + DT_REG_SIZE_BY_NAME(MAC, tx_slots),
#endif
	.bounce = bounce,
	.bounce_bytes = BOUNCE_BYTES,
};

static K_MUTEX_DEFINE(turn);
/** The interrupt gives it. */
static K_SEM_DEFINE(ended, 0, 1);

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct cl_engine inner = cl_engine_accel(engine->hw);

	(void)k_mutex_lock(&turn, K_FOREVER);
	const int result = inner.set_key(&inner, key, key_bytes, key_bits);

	(void)k_mutex_unlock(&turn);
	return result;
}

static int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	const struct cl_engine inner = cl_engine_accel(engine->hw);

	(void)k_mutex_lock(&turn, K_FOREVER);
	const int result = inner.ctr(&inner, key, counter, in, out, len);

	(void)k_mutex_unlock(&turn);
	return result;
}

static void clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	const struct cl_engine inner = cl_engine_accel(engine->hw);

	(void)k_mutex_lock(&turn, K_FOREVER);
	inner.clear(&inner, key);
	(void)k_mutex_unlock(&turn);
}

/**
 * Starts one operation and sleeps until its interrupt. @p in and @p out must be in memory that the
 * DMA can access.
 */
static int run(const struct cl_engine_key *key, const uint8_t counter[CL_BLOCK_BYTES],
	       const uint8_t *in, uint8_t *out, size_t len)
{
	struct cl_accel_descriptor descriptor = {
		.in = in,
		.out = out,
		.length = len,
		.interrupt = true,
		.width = CL_ACCEL_OPTIONS_WIDTH_128,
	};
	uint16_t number;
	int result = cl_engine_accel_check_key(&accelerator, key);

	if (result != 0) {
		return result;
	}
	descriptor.slot = key->slot;
	memcpy(descriptor.counter, counter, sizeof(descriptor.counter));
	k_sem_reset(&ended);
	result = cl_accel_submit(&accelerator.accel, &descriptor, &number);
	if (result != 0) {
		return result;
	}
	if (k_sem_take(&ended, K_MSEC(TIMEOUT_MS + len / BYTES_PER_MS)) != 0) {
		(void)cl_accel_abort(&accelerator.accel);
		return -ETIMEDOUT;
	}
	return cl_accel_poll(&accelerator.accel, number);
}

int cl_accelerator_ctr_asleep(const struct cl_engine_key *key,
			      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in,
			      uint8_t *out, size_t len)
{
	if (key->key_bits == 0 || !cl_engine_accel_reaches(&accelerator, in, len) ||
	    !cl_engine_accel_reaches(&accelerator, out, len)) {
		return ctr(&cl_zephyr_accelerator, key, counter, in, out, len);
	}
	(void)k_mutex_lock(&turn, K_FOREVER);
	const int result = run(key, counter, in, out, len);

	(void)k_mutex_unlock(&turn);
	return result;
}

static void isr(const void *unused)
{
	ARG_UNUSED(unused);
	sys_write32(CL_ACCEL_EV_PENDING_DONE_MASK, DT_INST_REG_ADDR(0) + CL_ACCEL_EV_PENDING);
	k_sem_give(&ended);
}

const struct cl_engine cl_zephyr_accelerator = {
	.code = CL_WIRE_ENGINE_ACCELERATOR,
	.name = "accelerator",
	.set_key = set_key,
	.ctr = ctr,
	.clear = clear,
	.hasher = IS_ENABLED(CONFIG_CIPHERLANE_CONTEXTS) &&
				  IS_ENABLED(CONFIG_CIPHERLANE_VECTOR_PRODUCTS)
			  ? &cl_zephyr_hasher
			  : NULL,
	.anywhere = true,
	.hw = &accelerator,
};

#ifdef CONFIG_CIPHERLANE_CRYPTO
#define API &cl_accelerator_crypto
#else
#define API NULL
#endif

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	const int result = cl_engine_accel_init(
		&accelerator, (volatile uint32_t *)DT_INST_REG_ADDR(0), cl_soc_dcache_flush);

	if (result != 0) {
		return result;
	}
	IRQ_CONNECT(DT_INST_IRQN(0), DT_INST_IRQ(0, priority), isr, NULL, 0);
	irq_enable(DT_INST_IRQN(0));
	sys_write32(CL_ACCEL_EV_ENABLE_DONE_MASK, DT_INST_REG_ADDR(0) + CL_ACCEL_EV_ENABLE);
	cl_accelerator_crypto_init();
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, 0, API);
