/**
 * @file
 * The UDP fast path as a server: it takes the data records of its sessions from the network and
 * answers them without firmware. Firmware sets keys, sessions and their windows, reads the windows
 * back, and reads its counters.
 *
 * A key's slot and its session's row have the same number, kept in struct cl_engine_key. The key
 * itself is not kept here. No call waits longer than a fixed number of register accesses.
 */
#ifndef CL_FASTPATH_H
#define CL_FASTPATH_H

#include <stdint.h>

#include "cl_wire.h"
#include "engine/server.h"

/** Largest number of rows that the hardware can have. */
#define CL_FASTPATH_ROWS_MAX 16u

/**
 * Bytes of frames that a host keeps in flight through the fast path. The fast path delays none of
 * them: they are on the wire and in the host's queues. In simulation the limit is lower: LiteX's
 * model of a wire leaves shorter gaps between frames than the board does, so frames beyond the
 * transmit buffer's size would overflow it.
 */
#define CL_FASTPATH_RX_WINDOW(simulated) ((simulated) ? 12288u : 524288u)

struct cl_fastpath {
	/** Base of the registers of cl_fastpath_regs.h. */
	volatile uint32_t *regs;
	/**
	 * Blocks per record of the session that each row serves or served last. The hardware does
	 * not report it.
	 */
	uint8_t record_blocks[CL_FASTPATH_ROWS_MAX];
};

/** Zeroizes all keys and sessions. After a restart the hardware's memories may still hold some. */
void cl_fastpath_zeroize(const struct cl_fastpath *device);

/**
 * Returns the server `fastpath`. Its set_key returns -EBUSY when every row is in use, -ETIMEDOUT
 * when the hardware does not answer in time, and -EIO when it does not take the key.
 */
struct cl_server cl_fastpath_server(struct cl_fastpath *device);

/**
 * Fills in the address that receives records, and the counters. The port sets the other members.
 */
void cl_fastpath_describe(const struct cl_fastpath *device, struct cl_wire_fastpath_reply *reply);

#endif
