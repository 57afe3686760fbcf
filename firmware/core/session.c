#include "session.h"

#include "ctr.h"
#include "engines.h"
#include "zeroize.h"

/** The session's place in the table is in the low bits of its number. */
#define PLACE_BITS 8
_Static_assert(CL_SESSIONS <= 1u << PLACE_BITS, "every place has a number");

/** One block of AES in plain C: CTR of zeros with the block as the counter. */
static void encrypt_block(const struct cl_engine_key *key, uint8_t block[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	uint8_t result[CL_BLOCK_BYTES];

	(void)cl_engine_table.ctr(&cl_engine_table, key, block, zeros, result, sizeof(result));
	memcpy(block, result, sizeof(result));
}

/** Fingerprint of key and initial counter block; the length of the key was checked. */
static uint64_t fingerprint(const struct cl_wire_open_request *request)
{
	struct cl_engine_key key = {0};
	uint8_t block[CL_BLOCK_BYTES] = {0};

	(void)cl_engine_table.set_key(&cl_engine_table, &key, request->key, request->key_bits);
	encrypt_block(&key, block);
	for (size_t i = 0; i < sizeof(block); i++) {
		block[i] ^= request->iv[i];
	}
	encrypt_block(&key, block);
	const uint64_t result = cl_load_u64(block);

	cl_engine_table.clear(&cl_engine_table, &key);
	cl_zeroize(block, sizeof(block));
	return result;
}

static bool was_used(const struct cl_sessions *sessions, uint64_t value)
{
	const uint32_t count = sessions->used_count < CL_USED ? sessions->used_count : CL_USED;

	for (uint32_t i = 0; i < count; i++) {
		if (sessions->used[i] == value) {
			return true;
		}
	}
	return false;
}

static void remember(struct cl_sessions *sessions, uint64_t value)
{
	if (was_used(sessions, value)) {
		return;
	}
	sessions->used[sessions->used_count % CL_USED] = value;
	/* Stays a full ring's count, whatever is added. */
	sessions->used_count++;
	if (sessions->used_count == 2 * CL_USED) {
		sessions->used_count = CL_USED;
	}
}

/** Checks the values of an open request. */
static uint16_t check(const struct cl_platform *platform,
		      const struct cl_wire_open_request *request, uint32_t *detail)
{
	if (request->key_bits != 128 && request->key_bits != 192 && request->key_bits != 256) {
		*detail = request->key_bits;
		return CL_WIRE_ERROR_KEY_BITS;
	}
	if (cl_platform_engine(platform, request->engine) == NULL) {
		*detail = request->engine;
		return CL_WIRE_ERROR_ENGINE;
	}
	if (request->direction > 1) {
		*detail = request->direction;
		return CL_WIRE_ERROR_VALUE;
	}
	if ((request->flags & ~CL_OPEN_RESUME) != 0) {
		*detail = request->flags;
		return CL_WIRE_ERROR_VALUE;
	}
	uint8_t padding = 0;

	for (size_t i = request->key_bits / 8; i < sizeof(request->key); i++) {
		padding |= request->key[i];
	}
	if (padding != 0) {
		*detail = 0; /* bytes beside a key stay here */
		return CL_WIRE_ERROR_VALUE;
	}
	return 0;
}

/** True if @p session was opened by this very request. */
static bool is_repeated(const struct cl_session *session, const struct cl_session_owner *owner,
			const struct cl_wire_open_request *request, uint64_t value)
{
	return session->engine != NULL && cl_session_owned(session, owner) &&
	       session->fingerprint == value && session->engine->code == request->engine &&
	       session->key.key_bits == request->key_bits &&
	       session->direction == request->direction && session->flags == request->flags &&
	       memcmp(session->iv, request->iv, sizeof(session->iv)) == 0;
}

/** Closes the session that was idle longest, if another peer's and idle long enough, or NULL. */
static struct cl_session *reclaim(struct cl_sessions *sessions, const struct cl_platform *platform,
				  const struct cl_session_owner *owner)
{
	uint32_t longest = platform->session_idle_cycles;
	struct cl_session *idle = NULL;

	for (size_t i = 0; longest != 0 && i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		cl_session_update(session, platform);
		const uint32_t unused = cl_platform_cycles(platform) - session->used_at;

		if (session->owner.peer != owner->peer && unused >= longest) {
			longest = unused;
			idle = session;
		}
	}
	if (idle != NULL) {
		cl_session_close(idle, platform);
	}
	return idle;
}

/** Fills a free session in, and lets its engine have the key. */
static int begin(struct cl_session *session, struct cl_sessions *sessions,
		 const struct cl_platform *platform, const struct cl_session_owner *owner,
		 const struct cl_wire_open_request *request, uint64_t value)
{
	const struct cl_engine *const engine = cl_platform_engine(platform, request->engine);
	const uint32_t start = cl_platform_cycles(platform);

	session->engine = engine;
	const int status = engine->set_key(engine, &session->key, request->key, request->key_bits);

	if (status != 0) {
		return status;
	}
	session->stat.key_cycles = cl_platform_cycles(platform) - start;
	memcpy(session->iv, request->iv, sizeof(session->iv));
	session->fingerprint = value;
	session->owner = *owner;
	session->flags = request->flags;
	session->direction = request->direction;
	session->used_at = start;
	sessions->opened++;
	session->id = sessions->opened << PLACE_BITS | (uint32_t)(session - sessions->session + 1);
	if (engine->serve == NULL) {
		return 0;
	}
	const struct cl_engine_client client = {
		.session = session->id,
		.token = owner->token,
		.peer = owner->peer,
		.iv = session->iv,
	};

	return engine->serve(engine, &session->key, &client);
}

uint16_t cl_session_open(struct cl_sessions *sessions, const struct cl_platform *platform,
			 const struct cl_session_owner *owner,
			 const struct cl_wire_open_request *request, struct cl_session **session,
			 uint32_t *detail)
{
	const uint16_t refused = check(platform, request, detail);

	if (refused != 0) {
		return refused;
	}
	const uint64_t value = fingerprint(request);
	const bool encrypts = request->direction == 0;
	struct cl_session *free = NULL;

	for (size_t i = CL_SESSIONS; i-- > 0;) {
		struct cl_session *const candidate = &sessions->session[i];

		if (is_repeated(candidate, owner, request, value)) {
			*session = candidate;
			return 0;
		}
		if (candidate->engine == NULL) {
			free = candidate;
		}
	}
	if (encrypts && (request->flags & CL_OPEN_RESUME) == 0 && was_used(sessions, value)) {
		*detail = 0;
		return CL_WIRE_ERROR_REUSED;
	}
	if (free == NULL) {
		free = reclaim(sessions, platform, owner);
	}
	if (free == NULL) {
		*detail = CL_SESSIONS;
		return CL_WIRE_ERROR_SESSIONS_FULL;
	}
	const int status = begin(free, sessions, platform, owner, request, value);

	if (status != 0) {
		cl_session_close(free, platform);
		*detail = (uint32_t)-status;
		return CL_WIRE_ERROR_HARDWARE;
	}
	if (encrypts) {
		remember(sessions, value);
	}
	*session = free;
	return 0;
}

struct cl_session *cl_session_find(struct cl_sessions *sessions, uint32_t id)
{
	const uint32_t place = (id & ((1u << PLACE_BITS) - 1)) - 1;

	if (place >= CL_SESSIONS) {
		return NULL;
	}
	struct cl_session *const session = &sessions->session[place];

	return session->engine != NULL && session->id == id ? session : NULL;
}

bool cl_session_owned(const struct cl_session *session, const struct cl_session_owner *owner)
{
	return ((session->owner.peer ^ owner->peer) | (session->owner.token ^ owner->token)) == 0;
}

int cl_session_data(struct cl_session *session, const struct cl_platform *platform, uint64_t offset,
		    const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t counter[CL_BLOCK_BYTES];

	cl_ctr_counter(counter, session->iv, offset / CL_BLOCK_BYTES);
	const uint32_t start = cl_platform_cycles(platform);
	const int status =
		session->engine->ctr(session->engine, &session->key, counter, in, out, len);
	const uint32_t cycles = cl_platform_cycles(platform) - start;

	session->used_at = start;
	if (status == 0) {
		session->stat.bytes += len;
		session->stat.blocks += (len + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
		session->stat.cycles += cycles;
		session->stat.records++;
	}
	return status;
}

void cl_session_update(struct cl_session *session, const struct cl_platform *platform)
{
	struct cl_engine_work work;

	if (session->engine == NULL || session->engine->report == NULL) {
		return;
	}
	session->engine->report(session->engine, &session->key, &work);
	if (work.records != session->stat.records) {
		session->used_at = cl_platform_cycles(platform);
	}
	session->stat.bytes = work.bytes;
	session->stat.blocks = work.blocks;
	session->stat.records = work.records;
}

void cl_session_close(struct cl_session *session, const struct cl_platform *platform)
{
	if (session->engine != NULL) {
		session->engine->clear(session->engine, &session->key);
	}
	cl_zeroize(session, sizeof(*session));
	cl_platform_forget(platform);
}

void cl_session_close_peer(struct cl_sessions *sessions, const struct cl_platform *platform,
			   uint64_t peer)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		if (session->engine != NULL && session->owner.peer == peer) {
			cl_session_close(session, platform);
		}
	}
}
