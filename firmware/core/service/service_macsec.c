/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes records about MACsec to the handlers of the board's SecY. This code has a file of its own,
 * because the bare-metal linker script link.ld places code by the names of object files.
 */
#include "service/exchange.h"

uint16_t cl_handle_macsec(struct cl_exchange *exchange)
{
	const struct cl_macsec_handlers *const macsec = exchange->platform->macsec;
	const uint8_t type = exchange->header.type;

	return macsec != NULL ? macsec->handle[type - CL_WIRE_TYPE_MACSEC](exchange)
			      : cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, type);
}
