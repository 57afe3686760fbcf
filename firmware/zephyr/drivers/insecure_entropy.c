/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of Zephyr's entropy API for simulated boards, which have no source of noise. It returns a
 * fixed sequence of numbers that depends only on the seed in the devicetree (SplitMix64: Steele,
 * Lea and Flood 2014). Everyone can compute this sequence, so no key made from it is secret. The
 * driver prints a warning at each start. For a real board, it does not compile.
 */
#define DT_DRV_COMPAT cipherlane_insecure_entropy

#include <zephyr/device.h>
#include <zephyr/drivers/entropy.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

BUILD_ASSERT(DT_PROP(DT_NODELABEL(cipherlane0), simulated),
	     "a real board must use its random source");

static uint64_t state = DT_INST_PROP(0, seed);

static uint64_t next(void)
{
	const unsigned int key = irq_lock();

	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t word = state;

	irq_unlock(key);
	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

static int get_entropy(const struct device *device, uint8_t *buffer, uint16_t length)
{
	uint64_t word = 0;

	ARG_UNUSED(device);
	for (size_t i = 0; i < length; i++) {
		word = i % sizeof(word) == 0 ? next() : word >> 8;
		buffer[i] = (uint8_t)word;
	}
	return 0;
}

static int get_entropy_isr(const struct device *device, uint8_t *buffer, uint16_t length,
			   uint32_t flags)
{
	ARG_UNUSED(flags);
	(void)get_entropy(device, buffer, length);
	return length;
}

static DEVICE_API(entropy, api) = {
	.get_entropy = get_entropy,
	.get_entropy_isr = get_entropy_isr,
};

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	printk("WARNING: insecure entropy: every start of this simulated board draws the same "
	       "numbers, and no key made from them is secret\n");
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, CONFIG_ENTROPY_INIT_PRIORITY, &api);
