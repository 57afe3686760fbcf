/* Puts a simulated accelerator, reached through two functions, behind the driver and its engine. */
#include <stddef.h>
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_ACCEL_READ(accel, offset)         ((void)(accel), read_register(offset))
#define CL_ACCEL_WRITE(accel, offset, value) ((void)(accel), write_register(offset, value))

#include "accel.c"
#include "engine_accel.c"

#define KEYS 2

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

int shim_init(uintptr_t origin, size_t bytes, uint8_t *bounce_buffer, size_t bounce_bytes)
{
	flushes = 0;
	memset(keys, 0, sizeof(keys));
	device = (struct cl_accel_device){
		.dma_origin = origin,
		.dma_bytes = bytes,
		.bounce = bounce_buffer,
		.bounce_bytes = bounce_bytes,
	};
	engine = cl_engine_accel(&device);
	return cl_accel_init(&device.accel, NULL, count_flush);
}

unsigned int shim_flushes(void)
{
	return flushes;
}

int shim_set_key(unsigned int slot, const uint8_t *key, unsigned int key_bits)
{
	return engine.set_key(&engine, &keys[slot], key, key_bits);
}

int shim_ctr(unsigned int slot, const uint8_t *counter, const uint8_t *in, uint8_t *out, size_t len)
{
	return engine.ctr(&engine, &keys[slot], counter, in, out, len);
}

void shim_clear(unsigned int slot)
{
	engine.clear(&engine, &keys[slot]);
}

int shim_key_is_zero(unsigned int slot)
{
	const uint8_t *bytes = (const uint8_t *)&keys[slot];
	uint8_t any = 0;

	for (size_t i = 0; i < sizeof(keys[slot]); i++) {
		any |= bytes[i];
	}
	return any == 0;
}

void shim_set_counter(const uint8_t *counter)
{
	cl_accel_set_counter(&device.accel, counter);
}

int shim_run(uint64_t index, const uint8_t *in, uint8_t *out, size_t len)
{
	return cl_accel_ctr(&device.accel, index, in, out, len);
}
