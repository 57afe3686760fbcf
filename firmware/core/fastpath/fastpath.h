/**
 * @file
 * The UDP fast path as a server: it takes the data records of its sessions from the network and
 * answers them by itself; firmware gives it keys, sessions and their windows, takes the windows
 * back, and reads its counters.
 *
 * A key's slot and its session's row have one number, kept in struct cl_engine_key; of the key
 * itself nothing stays here. No call waits longer than a fixed number of register accesses.
 */
#ifndef CL_FASTPATH_H
#define CL_FASTPATH_H

#include <stdint.h>

#include "cl_wire.h"
#include "engine/server.h"

/** Most rows that the hardware can have. */
#define CL_FASTPATH_ROWS_MAX 16u

/**
 * Bytes of frames that a host keeps in flight through the fast path, which holds up none: they are
 * on the wire and in the host's queues. LiteX's model of a wire leaves a shorter gap than the
 * board's own between frames, so that more than the transmit buffer holds would overflow.
 */
#define CL_FASTPATH_RX_WINDOW(simulated) ((simulated) ? 12288u : 524288u)

struct cl_fastpath {
	/** Base of the registers of cl_fastpath_regs.h. */
	volatile uint32_t *regs;
	/** Of the session that a row serves or served last: the hardware does not tell. */
	uint8_t record_blocks[CL_FASTPATH_ROWS_MAX];
};

/** Zeroizes all keys and sessions: after a restart its memories may hold some. */
void cl_fastpath_zeroize(const struct cl_fastpath *device);

/**
 * The server `fastpath`. Its set_key returns -EBUSY when every row is taken, -ETIMEDOUT when the
 * hardware does not answer in time, and -EIO when it does not take the key.
 */
struct cl_server cl_fastpath_server(struct cl_fastpath *device);

/** Fills in the address that takes records, and the counters; the rest is the port's. */
void cl_fastpath_describe(const struct cl_fastpath *device, struct cl_wire_fastpath_reply *reply);

#endif
