/**
 * @file
 * What takes the data records of sessions from the network, ciphers them in CTR mode and answers
 * them, all by itself: firmware gives it keys and sessions, and asks what was done.
 */
#ifndef CL_SERVER_H
#define CL_SERVER_H

#include <stdint.h>

#include "engine/engine.h"

struct cl_window;

/** Whose records a server takes. */
struct cl_server_client {
	/** As records name the session and prove it. */
	uint32_t session;
	uint64_t token;
	/** As struct cl_link gives it; a network's. */
	uint64_t peer;
	/** Counter block of the stream's first block. */
	const uint8_t *iv;
	/** Bytes of the stream: no record may end behind it. */
	uint64_t length;
	/** Record n begins at byte offset n x record_bytes, a multiple of 16, and is no longer. */
	uint32_t record_bytes;
	/** Empty, or of a stream that is resumed; of the server's `window` records. */
	const struct cl_window *window;
};

/** What a server has done for a session. */
struct cl_server_work {
	uint64_t bytes;
	uint64_t blocks;
	uint32_t records;
};

struct cl_server {
	/** As in struct cl_engine: on the wire a server is one of the engines. */
	uint8_t code;
	const char *name;
	/** As cl_engine.set_key. */
	int (*set_key)(const struct cl_server *server, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits);
	/**
	 * Begins to take a session's records, under a key that is set; `finish` and then `clear`
	 * end it.
	 *
	 * @retval 0 done
	 * @retval -errno the hardware refused
	 */
	int (*serve)(const struct cl_server *server, const struct cl_engine_key *key,
		     const struct cl_server_client *client);
	/** What was done since `serve`. */
	void (*report)(const struct cl_server *server, const struct cl_engine_key *key,
		       struct cl_server_work *work);
	/**
	 * Ends what `serve` began, once the records under way are done; the key is set until
	 * `clear`.
	 *
	 * @param[out] window the records that came, `records` and all
	 * @retval 0 done
	 * @retval -errno no record is taken any longer, but which came is not known
	 */
	int (*finish)(const struct cl_server *server, const struct cl_engine_key *key,
		      struct cl_window *window);
	/** As cl_engine.clear. */
	void (*clear)(const struct cl_server *server, struct cl_engine_key *key);
	/** Records of a window, 1 to CL_WINDOW_MAX. */
	uint32_t window;
	/** Device context of this instance. */
	void *hw;
};

#endif
