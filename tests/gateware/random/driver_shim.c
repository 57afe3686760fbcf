/* Puts a simulated random source, reached through two functions, behind the driver. */
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_RANDOM_READ(random, offset)         ((void)(random), read_register(offset))
#define CL_RANDOM_WRITE(random, offset, value) ((void)(random), write_register(offset, value))

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

void shim_restart(void)
{
	cl_random_restart(&source);
}
