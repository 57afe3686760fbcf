/* SPDX-License-Identifier: BSD-2-Clause */
/* Connect the driver to a simulated random source, through two functions that read and write
 * registers. */
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_RANDOM_READ(random, offset)         ((void)(random), read_register(offset))
#define CL_RANDOM_WRITE(random, offset, value) ((void)(random), write_register(offset, value))

#include "aes/engines.h"
#include "random/random.c"

static const struct cl_random source;

void shim_connect(uint32_t (*read)(uint32_t), void (*write)(uint32_t, uint32_t))
{
	read_register = read;
	write_register = write;
}

int shim_read(uint32_t *words, size_t count)
{
	return cl_random_read(&source, words, count);
}

/** Number of AES engine calls that succeed before one call fails. */
static unsigned int calls_to_go;

static int failing_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		       size_t len)
{
	return calls_to_go-- == 0 ? -EIO : cl_engine_byte.ctr(engine, key, counter, in, out, len);
}

int shim_condition(uint8_t *bytes, size_t count, unsigned int calls)
{
	struct cl_engine engine = cl_engine_byte;

	calls_to_go = calls;
	engine.ctr = failing_ctr;
	return cl_random_condition(&source, &engine, bytes, count);
}

void shim_restart(void)
{
	cl_random_restart(&source);
}
