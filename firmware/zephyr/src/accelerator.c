/*
 * The core's engine on the CTR accelerator, which one thread at a time uses.
 */
#define DT_DRV_COMPAT cipherlane_ctr_accelerator

#include <zephyr/device.h>
#include <zephyr/kernel.h>

#include <cipherlane/engines.h>
#include <cipherlane/soc.h>

#include "cl_wire.h"
#include "crypto_devices.h"
#include "engine_accel.h"

#define BOUNCE_BYTES 512u

/** Where data pass that the DMA cannot take as they are. */
static uint8_t bounce[BOUNCE_BYTES] CL_SOC_IN_BUFFER;

static struct cl_accel_device accelerator = {
	.dma_origin = CL_SOC_BUFFER_BASE,
	.dma_bytes = CL_SOC_BUFFER_BYTES,
	.bounce = bounce,
	.bounce_bytes = BOUNCE_BYTES,
};

static K_MUTEX_DEFINE(turn);

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

const struct cl_engine cl_zephyr_accelerator = {
	.code = CL_WIRE_ENGINE_ACCELERATOR,
	.name = "accelerator",
	.set_key = set_key,
	.ctr = ctr,
	.clear = clear,
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
	cl_accelerator_crypto_init();
	return cl_accel_init(&accelerator.accel, (volatile uint32_t *)DT_INST_REG_ADDR(0),
			     cl_soc_dcache_flush);
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, 0, API);
