/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets the record service control the UDP fast path. A lock lets only one thread at a time access
 * the hardware. At its start, this driver zeroizes the keys and sessions in the hardware.
 */
#define DT_DRV_COMPAT cipherlane_fast_path

#include <zephyr/device.h>
#include <zephyr/kernel.h>

#include <cipherlane/fast_path.h>

#include "links/link_udp.h"
#include "streams/window.h"

#define SIMULATED DT_PROP(DT_NODELABEL(cipherlane0), simulated)

static struct cl_fastpath fast_path = {.regs = (volatile uint32_t *)DT_INST_REG_ADDR(0)};
static K_MUTEX_DEFINE(turn);

static struct cl_server take_turn(const struct cl_server *server)
{
	(void)k_mutex_lock(&turn, K_FOREVER);
	return cl_fastpath_server(server->hw);
}

static void end_turn(void)
{
	(void)k_mutex_unlock(&turn);
}

static int set_key(const struct cl_server *server, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct cl_server inner = take_turn(server);
	const int result = inner.set_key(&inner, key, key_bytes, key_bits);

	end_turn();
	return result;
}

static int serve(const struct cl_server *server, const struct cl_engine_key *key,
		 const struct cl_server_client *client)
{
	const struct cl_server inner = take_turn(server);
	const int result = inner.serve(&inner, key, client);

	end_turn();
	return result;
}

static void report(const struct cl_server *server, const struct cl_engine_key *key,
		   struct cl_server_work *work)
{
	const struct cl_server inner = take_turn(server);

	inner.report(&inner, key, work);
	end_turn();
}

static int finish(const struct cl_server *server, const struct cl_engine_key *key,
		  struct cl_window *window)
{
	const struct cl_server inner = take_turn(server);
	const int result = inner.finish(&inner, key, window);

	end_turn();
	return result;
}

static void clear(const struct cl_server *server, struct cl_engine_key *key)
{
	const struct cl_server inner = take_turn(server);

	inner.clear(&inner, key);
	end_turn();
}

const struct cl_server cl_zephyr_fast_path = {
	.code = CL_WIRE_ENGINE_FASTPATH,
	.name = "fastpath",
	.set_key = set_key,
	.serve = serve,
	.report = report,
	.finish = finish,
	.clear = clear,
	.window = CL_WINDOW_MAX,
	.hw = &fast_path,
};

void cl_zephyr_fast_path_describe(const struct cl_link *link, struct cl_wire_fastpath_reply *reply)
{
	ARG_UNUSED(link);
	(void)k_mutex_lock(&turn, K_FOREVER);
	reply->max_data = CL_LINK_UDP_MAX_DATA;
	reply->rx_window = CL_FASTPATH_RX_WINDOW(SIMULATED);
	cl_fastpath_describe(&fast_path, reply);
	end_turn();
}

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	cl_fastpath_zeroize(&fast_path);
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEVICE,
		      NULL);
