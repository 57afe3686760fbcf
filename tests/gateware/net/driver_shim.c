/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the firmware's fast-path driver to a simulated fast path. Two functions of the test read
 * and write the fast path's registers.
 */
#include <stddef.h>
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_FASTPATH_READ(device, offset)         ((void)(device), read_register(offset))
#define CL_FASTPATH_WRITE(device, offset, value) ((void)(device), write_register(offset, value))

#include "fastpath/fastpath.c"

static struct cl_fastpath device;
static struct cl_engine_key key;

void shim_connect(uint32_t (*read)(uint32_t), void (*write)(uint32_t, uint32_t))
{
	read_register = read;
	write_register = write;
	device = (struct cl_fastpath){0};
	cl_zeroize(&key, sizeof(key));
}

int shim_set_key(const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct cl_server server = cl_fastpath_server(&device);

	return server.set_key(&server, &key, key_bytes, key_bits);
}

unsigned int shim_row(void)
{
	return key.slot;
}

int shim_serve(const struct cl_server_client *client)
{
	const struct cl_server server = cl_fastpath_server(&device);

	return server.serve(&server, &key, client);
}

int shim_finish(struct cl_window *window)
{
	const struct cl_server server = cl_fastpath_server(&device);

	return server.finish(&server, &key, window);
}

void shim_clear(void)
{
	const struct cl_server server = cl_fastpath_server(&device);

	server.clear(&server, &key);
}

void shim_describe(struct cl_wire_fastpath_reply *reply)
{
	cl_fastpath_describe(&device, reply);
}
