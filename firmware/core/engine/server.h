/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Interface of a server: hardware that receives the data records of sessions from the network,
 * encrypts or decrypts the data in CTR mode, and answers without firmware. Firmware sets the keys
 * and sessions, and reads how much data the server has processed.
 */
#ifndef CL_SERVER_H
#define CL_SERVER_H

#include <stdint.h>

#include "engine/engine.h"

struct cl_window;

/** Describes a session to the server that processes the session's records. */
struct cl_server_client {
	/** The session's number and token, which the headers of the session's records contain. */
	uint32_t session;
	uint64_t token;
	/**
	 * The host that owns the session, in the format of `peer` in struct cl_link. It must be a
	 * host on a network.
	 */
	uint64_t peer;
	/** Counter block of the first block of the stream. */
	const uint8_t *iv;
	/** Length of the stream in bytes. Every record must end at or before this length. */
	uint64_t length;
	/**
	 * Largest number of bytes in a record, a multiple of 16. Record n begins at byte offset n x
	 * record_bytes of the stream.
	 */
	uint32_t record_bytes;
	/**
	 * The session's window (streams/window.h). It tells which records of the stream have
	 * arrived. A new stream has an empty window. The window of a resumed stream already
	 * contains the records of earlier sessions. The window's size in records is in the member
	 * `window` of struct cl_server.
	 */
	const struct cl_window *window;
};

/** How much data a server has processed for a session. */
struct cl_server_work {
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
};

struct cl_server {
	/**
	 * Code and name of the server, as in struct cl_engine. A host selects a server by its code,
	 * as it selects an engine.
	 */
	uint8_t code;
	const char *name;
	/** Like cl_engine.set_key. */
	int (*set_key)(const struct cl_server *server, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits);
	/**
	 * Begins to process the records of a session, with a key from `set_key`. To stop the
	 * processing, call `finish` and then `clear`.
	 *
	 * @retval 0 done
	 * @retval -errno the hardware refused
	 */
	int (*serve)(const struct cl_server *server, const struct cl_engine_key *key,
		     const struct cl_server_client *client);
	/**
	 * Writes to @p work the numbers of records, bytes and blocks that the server has processed
	 * since `serve`.
	 */
	void (*report)(const struct cl_server *server, const struct cl_engine_key *key,
		       struct cl_server_work *work);
	/**
	 * Stops accepting records, and waits until the records in progress are done. The key stays
	 * set until `clear`.
	 *
	 * @param[out] window the session's window, which tells which records arrived; the function
	 *                    sets all members, including `records`
	 * @retval 0 done
	 * @retval -errno no more records are accepted, but it is unknown which records arrived
	 */
	int (*finish)(const struct cl_server *server, const struct cl_engine_key *key,
		      struct cl_window *window);
	/** Like cl_engine.clear. */
	void (*clear)(const struct cl_server *server, struct cl_engine_key *key);
	/** Size of each session's window in records, 1 to CL_WINDOW_MAX. */
	uint32_t window;
	/** Device context of this instance. */
	void *hw;
};

#endif
