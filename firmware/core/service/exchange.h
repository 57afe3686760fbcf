/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The state of the record being handled, and the handler functions for all record types.
 */
#ifndef CL_EXCHANGE_H
#define CL_EXCHANGE_H

#include "service/service.h"

/** The record that the service processes now, and its reply. */
struct cl_exchange {
	struct cl_service *service;
	const struct cl_platform *platform;
	struct cl_link *link;
	struct cl_wire_header header;
	struct cl_session_owner owner;
	/**
	 * The session that the record's header names. NULL if the header names no open session of
	 * the sender, or if this type of record needs no session.
	 */
	struct cl_session *session;
	/**
	 * The record's data, and the buffer for the reply's data. The two pointers are equal if the
	 * reply overwrites the record.
	 */
	uint8_t *data;
	uint8_t *reply_data;
	/** Size of the reply's buffer in bytes. */
	size_t reply_room;
	/** Number of data bytes in the reply. */
	uint16_t reply_length;
	/** The field `detail` of an error reply: a number that explains the error code further. */
	uint32_t detail;
};

static inline uint16_t cl_exchange_refuse(struct cl_exchange *exchange, uint16_t code,
					  uint32_t detail)
{
	exchange->detail = detail;
	return code;
}

/** Returns the largest number of data bytes in a record over this link. */
static inline uint16_t cl_exchange_max_data(const struct cl_exchange *exchange)
{
	return exchange->link->max_data != 0 ? exchange->link->max_data
					     : exchange->platform->max_data;
}

/**
 * Returns the server that sessions of this link can use, or NULL if there is none. A server is
 * hardware that answers records without firmware, such as the fast path.
 */
static inline const struct cl_server *cl_exchange_server(const struct cl_exchange *exchange)
{
	return exchange->link->fast_path != NULL ? exchange->platform->server : NULL;
}

/**
 * Returns a bit mask: bit N is set if sessions of this link can use the engine or server that has
 * the code N.
 */
static inline uint32_t cl_exchange_engines(const struct cl_exchange *exchange)
{
	const struct cl_server *const server = cl_exchange_server(exchange);
	const uint32_t served = server != NULL ? UINT32_C(1) << server->code : 0;

	return exchange->service->engines | served;
}

/**
 * A handler returns this value, instead of an error code, if the record must be dropped without a
 * reply.
 */
#define CL_EXCHANGE_DROP UINT16_MAX

/**
 * Decides whether a long request, for example a benchmark, is allowed now. The handler of a long
 * request calls this function first. The function refuses the request while a peer other than the
 * sender has a session.
 *
 * On a network, the function drops the request if, since the last long request, every check for a
 * received frame has found one. So under constant load, the service processes only one long
 * request, and a request to open a session waits for at most one long request.
 *
 * @return 0, CL_WIRE_ERROR_BUSY or CL_EXCHANGE_DROP
 */
uint16_t cl_exchange_begin_long(struct cl_exchange *exchange);

/**
 * Function that processes records of one type. Returns 0, CL_EXCHANGE_DROP, or an error code
 * CL_WIRE_ERROR_*; with an error code it also sets `detail`.
 */
typedef uint16_t cl_handler(struct cl_exchange *exchange);

/** Handlers of the record types that concern a session (service_session.c). */
cl_handler cl_handle_open;
cl_handler cl_handle_data;
cl_handler cl_handle_data_last;
cl_handler cl_handle_close;
cl_handler cl_handle_stat;
cl_handler cl_handle_reset;

/** Handlers of the record types that concern the board (service_board.c). */
cl_handler cl_handle_info;
cl_handler cl_handle_bench;
cl_handler cl_handle_selftest;
cl_handler cl_handle_counters;
cl_handler cl_handle_network;
cl_handler cl_handle_fastpath;

/** Handler of all records about MACsec (service_macsec.c). */
cl_handler cl_handle_macsec;

/**
 * Handler of records of type `mac`: computes message authentication codes for LTE (service_mac.c).
 */
cl_handler cl_handle_mac;

#endif
