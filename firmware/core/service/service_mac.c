/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/cbc_mac.h"
#include "engine/cmac.h"
#include "service/exchange.h"
#include "zeroize.h"

/**
 * Computes AES-CMAC (SP 800-38B, 6.2) of blocks that are already padded. The function overwrites
 * the last block: it XORs the subkey into it.
 */
static int cmac(const struct cl_engine *engine, const struct cl_wire_mac_request *request,
		uint8_t (*blocks)[CL_BLOCK_BYTES], size_t count, uint8_t mac[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[1][CL_BLOCK_BYTES];
	const int status = cl_cbc_mac(engine, request->key, 128, zeros, 1, mac);

	if (status != 0) {
		return status;
	}
	/* Derive the subkey: one doubling gives K1, two doublings give K2. */
	for (uint32_t n = 0; n < request->subkey; n++) {
		cl_cmac_double(mac);
	}
	for (size_t i = 0; i < CL_BLOCK_BYTES; i++) {
		blocks[count - 1][i] ^= mac[i];
	}
	return cl_cbc_mac(engine, request->key, 128, (const uint8_t(*)[CL_BLOCK_BYTES])blocks,
			  count, mac);
}

/** Checks the request and computes the message authentication code. */
static uint16_t compute(struct cl_exchange *exchange, struct cl_wire_mac_reply *reply)
{
	uint8_t *const data = exchange->data;
	const uint16_t length = exchange->header.length;
	const size_t blocks = (length - CL_WIRE_MAC_REQUEST_SIZE) / CL_BLOCK_BYTES;
	struct cl_wire_mac_request request;

	if (length < CL_WIRE_MAC_REQUEST_SIZE + CL_BLOCK_BYTES ||
	    length % CL_BLOCK_BYTES != CL_WIRE_MAC_REQUEST_SIZE % CL_BLOCK_BYTES) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_LENGTH,
					  CL_WIRE_MAC_REQUEST_SIZE + CL_BLOCK_BYTES);
	}
	const uint32_t named = cl_load_u32(data + CL_WIRE_MAC_REQUEST_ENGINE);
	const uint32_t subkey = cl_load_u32(data + CL_WIRE_MAC_REQUEST_SUBKEY);
	const struct cl_engine *const engine = cl_platform_engine(exchange->platform, named);

	/*
	 * Refuse a request that came over a network and selects an engine in plain C. Such an
	 * engine would take too long.
	 */
	if (engine == NULL || engine->known_answer != NULL ||
	    (exchange->link->network != NULL && named <= CL_WIRE_ENGINE_TABLE)) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, named);
	}
	if (subkey - 1 > 1) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, subkey);
	}
	const uint16_t code = cl_exchange_begin_long(exchange);

	if (code != 0) {
		return code;
	}
	cl_wire_get_mac_request(&request, data);
	const int status = cmac(engine, &request,
				(uint8_t(*)[CL_BLOCK_BYTES])(data + CL_WIRE_MAC_REQUEST_SIZE),
				blocks, reply->mac);

	cl_zeroize(&request, sizeof(request));
	return status == 0
		       ? 0
		       : cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
}

uint16_t cl_handle_mac(struct cl_exchange *exchange)
{
	struct cl_wire_mac_reply reply;
	const uint16_t code = compute(exchange, &reply);

	/* Zeroize the key even if the request is refused. */
	cl_zeroize(exchange->data, exchange->header.length);
	cl_platform_forget(exchange->platform);
	if (code == 0) {
		cl_wire_put_mac_reply(exchange->reply_data, &reply);
		exchange->reply_length = CL_WIRE_MAC_REPLY_SIZE;
	}
	return code;
}
