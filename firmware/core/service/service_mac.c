#include "engine/eia2.h"
#include "service/exchange.h"
#include "zeroize.h"

/** Checks a request, and computes the MAC. */
static uint16_t compute(struct cl_exchange *exchange, const struct cl_wire_mac_request *request,
			const uint8_t *message, size_t len, uint8_t mac[CL_EIA2_BYTES])
{
	const struct cl_engine *const engine =
		cl_platform_engine(exchange->platform, request->engine);

	if (engine == NULL || engine->known_answer != NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, request->engine);
	}
	if (request->bits > 8 * len || (request->bits + 7) / 8 != len) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, request->bits);
	}
	if (request->bearer > 31 || request->direction > 1 || request->reserved != 0) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, request->bearer);
	}
	const struct cl_eia2_message described = {
		.count = request->count,
		.bearer = request->bearer,
		.direction = request->direction,
		.data = message,
		.bits = request->bits,
	};
	const int status = cl_eia2(engine, request->key, &described, mac);

	return status == 0
		       ? 0
		       : cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
}

uint16_t cl_handle_mac(struct cl_exchange *exchange)
{
	const size_t len = exchange->header.length;
	struct cl_wire_mac_request request;
	struct cl_wire_mac_reply reply;

	if (len < CL_WIRE_MAC_REQUEST_SIZE) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_LENGTH, CL_WIRE_MAC_REQUEST_SIZE);
	}
	cl_wire_get_mac_request(&request, exchange->data);
	const uint16_t code = compute(exchange, &request, exchange->data + CL_WIRE_MAC_REQUEST_SIZE,
				      len - CL_WIRE_MAC_REQUEST_SIZE, reply.mac);

	cl_zeroize(&request, sizeof(request));
	cl_zeroize(exchange->data, len);
	cl_platform_forget(exchange->platform);
	if (code != 0) {
		return code;
	}
	cl_wire_put_mac_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_MAC_REPLY_SIZE;
	return 0;
}
