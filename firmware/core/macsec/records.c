/* SPDX-License-Identifier: BSD-2-Clause */
#include "macsec/records.h"

#include "cl_macsec_regs.h"
#include "service/exchange.h"
#include "service/identity.h"
#include "zeroize.h"

static const struct cl_secy_policy off = {.validate = CL_SECY_DISABLED};

static struct cl_macsec *macsec_of(const struct cl_exchange *exchange)
{
	/* `handlers` is the first member of struct cl_macsec, so both have the same address. */
	return (struct cl_macsec *)exchange->platform->macsec;
}

static uint16_t handle_state(struct cl_exchange *exchange)
{
	const struct cl_macsec *const macsec = macsec_of(exchange);
	const struct cl_secy *const secy = macsec->secy;
	const uint8_t an = macsec->policy.transmit_an;
	struct cl_wire_macsec_reply reply = {
		.state = macsec->on,
		.suite = macsec->suite,
		.encrypt = macsec->policy.encrypt,
		.an = an,
		.receives = macsec->policy.receive_ans,
	};

	memcpy(reply.sci, macsec->sci, sizeof(reply.sci));
	memcpy(reply.peer_sci, macsec->peer_sci, sizeof(reply.peer_sci));
	if (macsec->on) {
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

/** Removes all associations and sets a policy under which all frames pass. */
static void turn_off(struct cl_macsec *macsec)
{
	for (uint8_t an = 0; an < CL_SECY_ASSOCIATIONS; an++) {
		cl_secy_remove(macsec->secy, CL_SECY_RECEIVE, an);
		cl_secy_remove(macsec->secy, CL_SECY_TRANSMIT, an);
	}
	macsec->policy = off;
	cl_secy_set_policy(macsec->secy, &macsec->policy);
	macsec->on = false;
}

/** Returns whether the board transmitted with this key before, and remembers it. */
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

/** Installs the two associations of a request that was checked. Returns 0 or -errno. */
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

/** Checks the fields of a request. */
static uint16_t check(struct cl_exchange *exchange, const struct cl_wire_protect_request *request)
{
	const uint32_t values[][2] = {
		{request->state, 1},          {request->suite, CL_WIRE_SUITE_GCM_AES_256},
		{request->encrypt, 1},        {request->an, CL_SECY_ASSOCIATIONS - 1},
		{request->replay_window, 64},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i][0] > values[i][1]) {
			return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, values[i][0]);
		}
	}
	return 0;
}

static uint16_t protect(struct cl_exchange *exchange, const struct cl_wire_protect_request *request)
{
	struct cl_macsec *const macsec = macsec_of(exchange);
	const uint16_t key_bits = request->suite == CL_WIRE_SUITE_GCM_AES_256 ? 256 : 128;
	uint64_t identity;

	if (request->state == 0) {
		turn_off(macsec);
		return 0;
	}
	const uint16_t refused = check(exchange, request);

	if (refused != 0) {
		return refused;
	}
	int status =
		cl_identity_key(exchange->platform, request->transmit_key, key_bits, &identity);

	if (status == 0 && repeats(macsec, identity)) {
		return CL_WIRE_ERROR_REUSED;
	}
	if (status == 0 && (!macsec->on || memcmp(macsec->peer_sci, request->peer_sci,
						  sizeof(macsec->peer_sci)) != 0)) {
		turn_off(macsec);
		memcpy(macsec->peer_sci, request->peer_sci, sizeof(macsec->peer_sci));
		status = cl_secy_set_sci(macsec->secy, macsec->sci, macsec->peer_sci);
	}
	if (status == 0) {
		status = install(macsec, request, key_bits);
	}
	if (status != 0) {
		turn_off(macsec);
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	macsec->on = true;
	macsec->suite = request->suite;
	macsec->policy = (struct cl_secy_policy){
		.protect = true,
		.encrypt = request->encrypt != 0,
		.include_sci = true,
		.transmit_an = request->an,
		.validate = CL_SECY_STRICT,
		.replay_protect = true,
		.replay_window = (uint8_t)request->replay_window,
		.receive_ans = macsec->policy.receive_ans | (uint8_t)(1u << request->an),
	};
	cl_secy_set_policy(macsec->secy, &macsec->policy);
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

void cl_macsec_init(struct cl_macsec *macsec, const struct cl_secy *secy, const uint8_t mac[6])
{
	memset(macsec, 0, sizeof(*macsec));
	macsec->handlers.state = handle_state;
	macsec->handlers.protect = handle_protect;
	macsec->secy = secy;
	memcpy(macsec->sci, mac, 6);
	macsec->sci[CL_SECY_SCI_BYTES - 1] = 1;
	macsec->policy = off;
	cl_secy_zeroize(secy);
}
