/**
 * @file
 * Interface of a server: hardware that takes the data records of sessions from the network, ciphers
 * them in CTR mode and answers them without firmware. Firmware sets the keys and sessions, and
 * reads how much was done.
 */
#ifndef CL_SERVER_H
#define CL_SERVER_H

#include <stdint.h>

#include "engine/engine.h"

struct cl_window;

/** The session whose records a server takes. */
struct cl_server_client {
	/** Number and token of the session, as in the headers of its records. */
	uint32_t session;
	uint64_t token;
	/** Peer as in struct cl_link; it must be a peer on a network. */
	uint64_t peer;
	/** Counter block of the first block in the stream. */
	const uint8_t *iv;
	/** Length of the stream in bytes: every record must end within it. */
	uint64_t length;
	/**
	 * Record n begins at byte offset n x record_bytes, and has at most record_bytes bytes. The
	 * value is a multiple of 16.
	 */
	uint32_t record_bytes;
	/**
	 * The window, of the server's `window` records: empty, or from the stream that is resumed.
	 */
	const struct cl_window *window;
};

/** The work that a server has done for a session. */
struct cl_server_work {
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
};

struct cl_server {
	/** As in struct cl_engine: in records a server is one of the engines. */
	uint8_t code;
	const char *name;
	/** Like cl_engine.set_key. */
	int (*set_key)(const struct cl_server *server, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits);
	/**
	 * Begins to take a session's records, under a key that is set. To end this, call `finish`
	 * and then `clear`.
	 *
	 * @retval 0 done
	 * @retval -errno the hardware refused
	 */
	int (*serve)(const struct cl_server *server, const struct cl_engine_key *key,
		     const struct cl_server_client *client);
	/** Reports the work done since `serve`. */
	void (*report)(const struct cl_server *server, const struct cl_engine_key *key,
		       struct cl_server_work *work);
	/**
	 * Stops taking records, and waits until the records in progress are done. The key stays set
	 * until `clear`.
	 *
	 * @param[out] window the records that came, with all members set, `records` included
	 * @retval 0 done
	 * @retval -errno no more records are taken, but it is unknown which ones came
	 */
	int (*finish)(const struct cl_server *server, const struct cl_engine_key *key,
		      struct cl_window *window);
	/** Like cl_engine.clear. */
	void (*clear)(const struct cl_server *server, struct cl_engine_key *key);
	/** Number of records in a window, 1 to CL_WINDOW_MAX. */
	uint32_t window;
	/** Device context of this instance. */
	void *hw;
};

#endif
