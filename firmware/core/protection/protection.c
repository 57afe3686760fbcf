/* SPDX-License-Identifier: BSD-2-Clause */
#include "protection/protection.h"

#include "cl_macsec_regs.h"
#include "service/exchange.h"
#include "service/identity.h"
#include "zeroize.h"

static const struct cl_secy_policy off = {.validate = CL_SECY_DISABLED};
/**
 * Policy of a closed port. To close the port, firmware sets this policy and then removes all keys.
 * Without keys, no frame passes. Until the last key is removed, the SecY still transmits frames,
 * but encrypts all of them.
 */
static const struct cl_secy_policy closed = {
	.protect = true, .encrypt = true, .include_sci = true, .validate = CL_SECY_STRICT};

static struct cl_macsec *macsec_of(const struct cl_exchange *exchange)
{
	/* `handlers` is the first member of struct cl_macsec, so both have the same address. */
	return (struct cl_macsec *)exchange->platform->macsec;
}

/** Values of the field `state` in the reply to a record of type `macsec`. */
enum {
	OFF,
	STATIC,
	AGREEING,
	AGREED,
};

/**
 * Sets the fields of the reply that depend on MKA: state, cipher suite, keys in use, and counts.
 */
static void describe_agreement(const struct cl_mka *mka, struct cl_wire_macsec_reply *reply)
{
	const struct cl_mka_state state = cl_mka_state(mka);
	const struct cl_mka_counts *const counts = &state.counts;

	reply->state = state.phase == CL_MKA_SECURED ? AGREED : AGREEING;
	reply->suite =
		state.key_bits == 256 ? CL_WIRE_SUITE_GCM_AES_256 : CL_WIRE_SUITE_GCM_AES_128;
	reply->encrypt = mka->latest.encrypts;
	reply->an = state.an;
	reply->receives = mka->latest.receives ? 1u << mka->latest.an : 0;
	reply->receives |= mka->old.there ? 1u << mka->old.an : 0;
	memcpy(reply->peer_sci, state.peer_sci, sizeof(reply->peer_sci));
	reply->mkpdus = counts->accepted;
	reply->mkpdus_refused = counts->malformed + counts->strangers + counts->forged +
				counts->repeated + counts->flooded;
}

static uint16_t handle_state(struct cl_exchange *exchange)
{
	const struct cl_macsec *const macsec = macsec_of(exchange);
	const struct cl_secy *const secy = macsec->secy;
	struct cl_wire_macsec_reply reply = {
		.state = macsec->port == CL_MACSEC_OPEN ? OFF : STATIC,
		.suite = macsec->suite,
		.encrypt = macsec->policy.encrypt,
		.an = macsec->policy.transmit_an,
		.receives = macsec->policy.receive_ans,
	};

	memcpy(reply.sci, macsec->sci, sizeof(reply.sci));
	memcpy(reply.peer_sci, macsec->peer_sci, sizeof(reply.peer_sci));
	if (macsec->mka.started) {
		describe_agreement(&macsec->mka, &reply);
	}
	if (reply.state == STATIC || reply.state == AGREED) {
		const uint8_t an = reply.an;

		reply.next_pn = cl_secy_next_pn(secy, CL_SECY_TRANSMIT, an);
		reply.peer_next_pn = cl_secy_next_pn(secy, CL_SECY_RECEIVE, an);
	}
#define COUNT(field, name) reply.field = cl_secy_count(secy, CL_MACSEC_COUNTER_CODE_##name)
	COUNT(untagged_in, INPKTSUNTAGGED);
	COUNT(no_tag, INPKTSNOTAG);
	COUNT(bad_tag, INPKTSBADTAG);
	COUNT(no_sa, INPKTSNOSA);
	COUNT(no_sa_error, INPKTSNOSAERROR);
	COUNT(overrun, INPKTSOVERRUN);
	COUNT(unchecked, INPKTSUNCHECKED);
	COUNT(delayed, INPKTSDELAYED);
	COUNT(late, INPKTSLATE);
	COUNT(ok, INPKTSOK);
	COUNT(invalid, INPKTSINVALID);
	COUNT(not_valid, INPKTSNOTVALID);
	COUNT(in_errors, INERRORS);
	COUNT(untagged_out, OUTPKTSUNTAGGED);
	COUNT(protected, OUTPKTSPROTECTED);
	COUNT(encrypted, OUTPKTSENCRYPTED);
	COUNT(too_long, OUTPKTSTOOLONG);
	COUNT(too_short, OUTPKTSTOOSHORT);
	COUNT(stopped, OUTPKTSSTOPPED);
#undef COUNT
	cl_wire_put_macsec_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_MACSEC_REPLY_SIZE;
	return 0;
}

static void set_policy(struct cl_macsec *macsec, const struct cl_secy_policy *policy)
{
	macsec->policy = *policy;
	cl_secy_set_policy(macsec->secy, policy);
}

/** Stops MKA, closes the port for all frames, and removes all secure associations. */
static void close_port(struct cl_macsec *macsec)
{
	cl_mka_stop(&macsec->mka);
	set_policy(macsec, &closed);
	for (uint8_t an = 0; an < CL_SECY_ASSOCIATIONS; an++) {
		cl_secy_remove(macsec->secy, CL_SECY_RECEIVE, an);
		cl_secy_remove(macsec->secy, CL_SECY_TRANSMIT, an);
	}
	macsec->port = CL_MACSEC_CLOSED;
}

/** Lets all frames pass, unless the hardware requires MACsec. */
static void open_port(struct cl_macsec *macsec)
{
	if (!cl_secy_required(macsec->secy)) {
		set_policy(macsec, &off);
		macsec->port = CL_MACSEC_OPEN;
	}
}

/**
 * Returns true if a host has already asked the board to transmit with the key that @p identity
 * identifies. Otherwise stores @p identity and returns false.
 */
static bool repeats(struct cl_macsec *macsec, uint64_t identity)
{
	const uint32_t count =
		macsec->key_count < CL_MACSEC_KEYS ? macsec->key_count : CL_MACSEC_KEYS;

	for (uint32_t i = 0; i < count; i++) {
		if (macsec->keys[i] == identity) {
			return true;
		}
	}
	macsec->keys[macsec->key_count++ % CL_MACSEC_KEYS] = identity;
	return false;
}

/**
 * Installs the two secure associations that a request contains, one to receive and one to transmit.
 * The caller has checked the request. Returns 0 or -errno.
 */
static int install(struct cl_macsec *macsec, const struct cl_wire_protect_request *request,
		   uint16_t key_bits)
{
	const struct cl_secy *const secy = macsec->secy;
	struct cl_secy_sa sa = {
		.direction = CL_SECY_RECEIVE, .an = request->an, .key_bits = key_bits, .pn = 1};

	memcpy(sa.key, request->receive_key, sizeof(sa.key));
	int status = cl_secy_install(secy, &sa);

	if (status == 0) {
		memcpy(sa.key, request->transmit_key, sizeof(sa.key));
		sa.direction = CL_SECY_TRANSMIT;
		status = cl_secy_install(secy, &sa);
	}
	cl_zeroize(&sa, sizeof(sa));
	return status;
}

/**
 * Checks @p count pairs of a value and its maximum. Refuses the request if a value is greater than
 * its maximum.
 */
static uint16_t within(struct cl_exchange *exchange, const uint32_t (*values)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (values[i][0] > values[i][1]) {
			return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, values[i][0]);
		}
	}
	return 0;
}

/** Checks that each number in a request is within its limit. */
static uint16_t check(struct cl_exchange *exchange, const struct cl_wire_protect_request *request)
{
	const uint32_t values[][2] = {
		{request->state, 1},          {request->suite, CL_WIRE_SUITE_GCM_AES_256},
		{request->encrypt, 1},        {request->an, CL_SECY_ASSOCIATIONS - 1},
		{request->replay_window, 64},
	};

	return within(exchange, values, sizeof(values) / sizeof(values[0]));
}

static uint16_t protect(struct cl_exchange *exchange, const struct cl_wire_protect_request *request)
{
	struct cl_macsec *const macsec = macsec_of(exchange);
	const uint16_t key_bits = request->suite == CL_WIRE_SUITE_GCM_AES_256 ? 256 : 128;
	uint64_t identity;

	if (request->state == 0) {
		close_port(macsec);
		open_port(macsec);
		return 0;
	}
	const uint16_t refused = check(exchange, request);

	if (refused != 0) {
		return refused;
	}
	int status =
		cl_identity_key(exchange->platform, request->transmit_key, key_bits, &identity);

	if (status == 0 && repeats(macsec, identity)) {
		/*
		 * A host has already sent this key. If the request has the token of the request
		 * that installed the current keys, the host has repeated the request, because it
		 * received no reply. Report success in this case.
		 */
		return macsec->port == CL_MACSEC_PROTECTED &&
				       macsec->token == exchange->header.token
			       ? 0
			       : CL_WIRE_ERROR_REUSED;
	}
	if (status == 0 &&
	    (macsec->port != CL_MACSEC_PROTECTED ||
	     memcmp(macsec->peer_sci, request->peer_sci, sizeof(macsec->peer_sci)) != 0)) {
		close_port(macsec);
		memcpy(macsec->peer_sci, request->peer_sci, sizeof(macsec->peer_sci));
		status = cl_secy_set_sci(macsec->secy, macsec->sci, macsec->peer_sci);
	}
	if (status == 0) {
		status = install(macsec, request, key_bits);
	}
	macsec->suite = request->suite;
	if (status != 0) {
		close_port(macsec);
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	macsec->port = CL_MACSEC_PROTECTED;
	macsec->token = exchange->header.token;
	set_policy(macsec,
		   &(const struct cl_secy_policy){
			   .protect = true,
			   .encrypt = request->encrypt != 0,
			   .include_sci = true,
			   .transmit_an = request->an,
			   .validate = CL_SECY_STRICT,
			   .replay_protect = true,
			   .replay_window = (uint8_t)request->replay_window,
			   .receive_ans = macsec->policy.receive_ans | (uint8_t)(1u << request->an),
		   });
	return 0;
}

static uint16_t handle_protect(struct cl_exchange *exchange)
{
	struct cl_wire_protect_request request;
	uint16_t code;

	if (exchange->link->network != NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_PROTECT);
	}
	cl_wire_get_protect_request(&request, exchange->data);
	code = protect(exchange, &request);
	/* Zeroize the keys even if the request is refused. */
	cl_zeroize(&request, sizeof(request));
	cl_zeroize(exchange->data, exchange->header.length);
	cl_platform_forget(exchange->platform);
	exchange->reply_length = 0;
	return code;
}

/** Starts MKA with the request's values, which the caller has checked. Returns 0 or -errno. */
static int start(struct cl_macsec *macsec, const struct cl_wire_agree_request *request)
{
	struct cl_mka_config *const config = &macsec->config;

	close_port(macsec);
	memcpy(config->mac, macsec->sci, sizeof(config->mac));
	config->secy = macsec->secy;
	config->cak_bits = request->cak_bits;
	memcpy(config->cak, request->cak, sizeof(config->cak));
	config->ckn_bytes = request->ckn_bytes;
	memcpy(config->ckn, request->ckn, sizeof(config->ckn));
	config->priority = request->priority;
	config->sak_bits = request->suite == CL_WIRE_SUITE_GCM_AES_256 ? 256 : 128;
	config->encrypt = request->encrypt != 0;
	config->include_sci = true;
	config->replay_protect = true;
	config->replay_window = (uint8_t)request->replay_window;
	const int status = cl_mka_start(&macsec->mka, config, macsec->now_ms);

	cl_zeroize(config->cak, sizeof(config->cak));
	return status;
}

static uint16_t agree(struct cl_exchange *exchange, const struct cl_wire_agree_request *request)
{
	const uint32_t values[][2] = {
		{request->suite, CL_WIRE_SUITE_GCM_AES_256},
		{request->encrypt, 1},
		{request->ckn_bytes - 1u, CL_MKPDU_CKN_MAX - 1},
		{request->replay_window, 64},
	};
	const uint16_t refused = within(exchange, values, sizeof(values) / sizeof(values[0]));

	if (refused != 0) {
		return refused;
	}
	if (request->cak_bits != 128 && request->cak_bits != 256) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_KEY_BITS, request->cak_bits);
	}
	const int status = start(macsec_of(exchange), request);

	if (status != 0) {
		close_port(macsec_of(exchange));
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	return 0;
}

static uint16_t handle_agree(struct cl_exchange *exchange)
{
	struct cl_wire_agree_request request;
	uint16_t code;

	if (exchange->link->network != NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_AGREE);
	}
	cl_wire_get_agree_request(&request, exchange->data);
	code = agree(exchange, &request);
	cl_zeroize(&request, sizeof(request));
	cl_zeroize(exchange->data, exchange->header.length);
	cl_platform_forget(exchange->platform);
	exchange->reply_length = 0;
	return code;
}

void cl_macsec_poll(struct cl_macsec *macsec, uint32_t now_ms)
{
	macsec->now_ms = now_ms;
	if (macsec->mka.started) {
		cl_mka_poll(&macsec->mka, now_ms);
	}
}

void cl_macsec_receive(struct cl_macsec *macsec, const uint8_t *frame, size_t size)
{
	if (macsec->mka.started) {
		cl_mka_receive(&macsec->mka, frame, size, macsec->now_ms);
	}
}

void cl_macsec_init(struct cl_macsec *macsec, const struct cl_secy *secy, const uint8_t mac[6])
{
	memset(macsec, 0, sizeof(*macsec));
	macsec->handlers.handle[CL_WIRE_TYPE_MACSEC - CL_WIRE_TYPE_MACSEC] = handle_state;
	macsec->handlers.handle[CL_WIRE_TYPE_PROTECT - CL_WIRE_TYPE_MACSEC] = handle_protect;
	macsec->handlers.handle[CL_WIRE_TYPE_AGREE - CL_WIRE_TYPE_MACSEC] = handle_agree;
	macsec->secy = secy;
	memcpy(macsec->sci, mac, 6);
	macsec->sci[CL_SECY_SCI_BYTES - 1] = 1;
	macsec->policy = closed;
	cl_secy_zeroize(secy);
	open_port(macsec);
}
