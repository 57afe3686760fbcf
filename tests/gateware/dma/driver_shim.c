/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the firmware's accelerator driver and engine to a simulated accelerator. Two functions
 * of the test read and write the accelerator's registers.
 */
#include <stddef.h>
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_ACCEL_READ(accel, offset)         ((void)(accel), read_register(offset))
#define CL_ACCEL_WRITE(accel, offset, value) ((void)(accel), write_register(offset, value))

#include "accelerator/accel.c"
#include "accelerator/engine_accel.c"
#include "accelerator/accel_gcm.c"
#include "accelerator/engine_accel_gcm.c"

#define KEYS 10

static struct cl_accel_device device;
static struct cl_engine engine;
static struct cl_engine_key keys[KEYS];
static unsigned int flushes;

static void count_flush(void)
{
	flushes++;
}

void shim_connect(uint32_t (*read)(uint32_t), void (*write)(uint32_t, uint32_t))
{
	read_register = read;
	write_register = write;
}

static bool has_gcm;

/** Makes the next call of shim_init set up an accelerator with GCM. */
void shim_has_gcm(void)
{
	has_gcm = true;
}

int shim_init(uintptr_t origin, size_t bytes, uint8_t *bounce_buffer, size_t bounce_bytes)
{
	memset(keys, 0, sizeof(keys));
	device = (struct cl_accel_device){
		.dma_origin = origin,
		.dma_bytes = bytes,
		.bounce = bounce_buffer,
		.bounce_bytes = bounce_bytes,
	};
	engine = has_gcm ? cl_engine_accel_gcm(&device) : cl_engine_accel(&device);
	const int status = cl_engine_accel_init(&device, NULL, count_flush);

	flushes = 0;
	return status;
}

int shim_known_answer(unsigned int number)
{
	return engine.known_answer(&engine, number);
}

/**
 * Tells the driver that part of the DMA's memory is uncached: from address @p origin to the end.
 */
void shim_uncache(uintptr_t origin)
{
	device.uncached_origin = origin;
	device.uncached_bytes = device.dma_origin + device.dma_bytes - origin;
	device.dma_bytes = origin - device.dma_origin;
}

unsigned int shim_flushes(void)
{
	return flushes;
}

/* The functions below call the engine. Argument n selects one of the key structures in `keys`. */

int shim_set_key(unsigned int n, const uint8_t *key, unsigned int key_bits)
{
	return engine.set_key(&engine, &keys[n], key, key_bits);
}

int shim_ctr(unsigned int n, const uint8_t *counter, const uint8_t *in, uint8_t *out, size_t len)
{
	return engine.ctr(&engine, &keys[n], counter, in, out, len);
}

void shim_clear(unsigned int n)
{
	engine.clear(&engine, &keys[n]);
}

int shim_key_is_zero(unsigned int n)
{
	const uint8_t *bytes = (const uint8_t *)&keys[n];
	uint8_t any = 0;

	for (size_t i = 0; i < sizeof(keys[n]); i++) {
		any |= bytes[i];
	}
	return any == 0;
}

/* Returns 1 if the engine's key structure n contains any aligned 32-bit word of the cipher key. */
int shim_holds(unsigned int n, const uint8_t *key, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)&keys[n];

	for (size_t part = 0; part + 4 <= size; part += 4) {
		for (size_t i = 0; i + 4 <= sizeof(keys[n]); i++) {
			if (memcmp(bytes + i, key + part, 4) == 0) {
				return 1;
			}
		}
	}
	return 0;
}

/* The functions below call the driver directly. Argument slot is a key slot of the hardware. */

int shim_load(unsigned int slot, const uint8_t *key, unsigned int key_bits)
{
	uint32_t words[8] = {0};

	memcpy(words, key, key_bits <= 256 ? key_bits / 8 : 0);
	return cl_accel_set_key(&device.accel, slot, words, key_bits);
}

int shim_clear_slot(unsigned int slot)
{
	return cl_accel_clear_key(&device.accel, slot);
}

int shim_run(unsigned int slot, const uint8_t *counter, uint64_t index, const uint8_t *in,
	     uint8_t *out, size_t len)
{
	return cl_accel_ctr(&device.accel, slot, counter, index, in, out, len);
}

int shim_eea2(unsigned int slot, uint32_t count, unsigned int bearer, unsigned int direction,
	      const uint8_t *in, uint8_t *out, uint32_t bits)
{
	return cl_accel_eea2(&device.accel, slot, count, bearer, direction, in, out, bits);
}

/* Submits a descriptor; returns the descriptor's number, or a negative errno. */
int shim_submit(unsigned int slot, unsigned int width, const uint8_t *counter, const uint8_t *in,
		uint8_t *out, uint32_t length, int ordered)
{
	struct cl_accel_descriptor descriptor = {
		.in = in,
		.out = out,
		.length = length,
		.ordered = ordered != 0,
		.slot = (uint8_t)slot,
		.width = (uint8_t)width,
	};
	uint16_t number;

	memcpy(descriptor.counter, counter, sizeof(descriptor.counter));
	const int status = cl_accel_submit(&device.accel, &descriptor, &number);

	return status != 0 ? status : number;
}

int shim_poll(unsigned int number)
{
	return cl_accel_poll(&device.accel, (uint16_t)number);
}

int shim_abort(void)
{
	return cl_accel_abort(&device.accel);
}

int shim_gcm(unsigned int n, int decrypt, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
	     const uint8_t *in, uint8_t *out, size_t len, uint8_t *tag)
{
	const struct cl_gcm_message message = {
		.nonce = nonce,
		.aad = aad,
		.aad_len = aad_len,
		.in = in,
		.out = out,
		.len = len,
		.tag = tag,
		.decrypt = decrypt != 0,
	};

	return engine.gcm(&engine, &keys[n], &message);
}

int shim_gcm_run(unsigned int slot, unsigned int mode, const uint8_t *iv, uint32_t iv_length,
		 const uint8_t *aad, uint32_t aad_length, const uint8_t *in, uint8_t *out,
		 uint32_t length, uint8_t *tag, unsigned int tag_length)
{
	const struct cl_accel_gcm message = {
		.mode = (uint8_t)mode,
		.slot = (uint8_t)slot,
		.tag_length = (uint8_t)tag_length,
		.iv = iv,
		.iv_length = iv_length,
		.aad = aad,
		.aad_length = aad_length,
		.in = in,
		.out = out,
		.length = length,
		.tag = tag,
	};

	return cl_accel_gcm_run(&device.accel, &message);
}
