/**
 * @file
 * Where records come from.
 */
#ifndef CL_LINK_H
#define CL_LINK_H

#include <stdint.h>

#include "cl_wire.h"

/** A link, zeroed by the port at power-on: a UART, or a network interface. */
struct cl_link {
	/**
	 * Who sent the record being handled: sessions belong to one peer. A UART has one, its
	 * number; on a network it is made of address and port, set before each record.
	 */
	uint64_t peer;
	/** What the link has seen since power-on, in the fields of record counters. */
	struct cl_wire_counters_reply counters;
};

#endif
