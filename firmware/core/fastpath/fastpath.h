/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The UDP fast path as a server (engine/server.h): it receives the data records of its sessions
 * from the network and answers them without firmware. Firmware writes keys, sessions and the
 * sessions' windows (streams/window.h), and reads windows and counters back.
 *
 * A row is the hardware's entry for one session. A session's row and its key slot have the same
 * number, which struct cl_engine_key stores. That structure does not contain the key itself. No
 * call waits longer than a fixed number of register accesses.
 */
#ifndef CL_FASTPATH_H
#define CL_FASTPATH_H

#include <stdint.h>

#include "cl_wire.h"
#include "engine/server.h"

/** Upper bound of the number of sessions (rows) that the hardware supports. */
#define CL_FASTPATH_ROWS_MAX 16u

/**
 * Largest number of bytes in a host's unanswered frames. At this limit, the host must wait for an
 * answer before it sends more frames to the fast path. The fast path itself delays no frame, so
 * unanswered frames are on the wire or in the host's queues.
 *
 * The limit is lower in simulation. There, LiteX's model of the wire leaves shorter gaps between
 * received frames than a real wire. A higher limit would let frames overflow the transmit buffer.
 */
#define CL_FASTPATH_RX_WINDOW(simulated) ((simulated) ? 12288u : 524288u)

struct cl_fastpath {
	/** Base address of the fast path's registers (cl_fastpath_regs.h). */
	volatile uint32_t *regs;
	/**
	 * For each row, the number of blocks per record in the session that uses the row now or
	 * used it last. The driver stores it because the hardware does not report it.
	 */
	uint8_t record_blocks[CL_FASTPATH_ROWS_MAX];
};

/** Zeroizes all keys and sessions. After a restart, the hardware's memories may still hold keys. */
void cl_fastpath_zeroize(const struct cl_fastpath *device);

/**
 * Returns the server `fastpath`. Its set_key returns -EBUSY when every row is in use, -ETIMEDOUT
 * when the hardware does not answer in time, and -EIO when the hardware does not report a valid
 * key.
 */
struct cl_server cl_fastpath_server(struct cl_fastpath *device);

/**
 * Sets those members of @p reply that are read from the hardware: the IP address and UDP port that
 * receive records, and the counters. The caller sets the remaining members.
 */
void cl_fastpath_describe(const struct cl_fastpath *device, struct cl_wire_fastpath_reply *reply);

#endif
