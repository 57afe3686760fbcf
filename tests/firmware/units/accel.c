/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of the CTR accelerator (gateware/dma/README.md). The model's time advances with each read
 * of a register.
 */
#include <string.h>

#include "cl_accel_regs.h"
#include "model.h"

#define ERROR(name) CL_ACCEL_STATUS_ERROR_##name
#define BUSY        ((uint16_t)(accel->submitted - accel->completed))

static struct units_accel *const accel = &units.accel;

static void end(uint32_t error)
{
	const unsigned int place = 4 * (accel->completed % UNITS_ENTRIES);

	accel->results = (accel->results & ~(15u << place)) | error << place;
	accel->error = error;
	accel->completed++;
}

static void abort_all(void)
{
	while (BUSY != 0) {
		end(ERROR(ABORTED));
	}
	accel->beats = 0;
}

/**
 * Passes one block through the DMA's queues and the cipher core. Only the first `bytes` bytes of
 * the block are data.
 */
static void block(const struct units_descriptor *d, uint64_t index, const struct units_key *key,
		  uint32_t at, uint32_t bytes, uint8_t mask)
{
	const uint32_t beat = accel->beats++ % UNITS_FIFO;
	const uint32_t width = d->options >> CL_ACCEL_OPTIONS_WIDTH_SHIFT & 3;
	uint8_t *const out = (uint8_t *)(uintptr_t)(d->destination + at);

	memcpy(accel->read[beat], (const void *)(uintptr_t)(d->source + at), bytes);
	memcpy(accel->counter, d->counter, 16);
	units_add(accel->counter, d->index, 16u >> width);
	units_add(accel->counter, index, 16u >> width);
	units_encrypt(key, accel->counter, accel->keystream);
	memcpy(accel->written[beat], accel->read[beat], 16);
	units_xor(accel->written[beat], accel->keystream, 16);
	memcpy(out, accel->written[beat], bytes);
	out[bytes - 1] &= mask;
}

static bool allowed(uint32_t address, uint32_t bytes)
{
	return address - UNITS_ORIGIN <= UNITS_BYTES &&
	       bytes <= UNITS_BYTES - (address - UNITS_ORIGIN);
}

static uint32_t carry_out(const struct units_descriptor *d)
{
	const bool in_bits = (d->options & CL_ACCEL_OPTIONS_IN_BITS_MASK) != 0;
	const uint32_t slot = d->options & CL_ACCEL_OPTIONS_SLOT_MASK;
	const uint32_t bytes = in_bits ? d->length / 8 + (d->length % 8 != 0) : d->length;
	uint32_t error = ERROR(NONE);
	uint32_t carried = bytes;

	if (slot >= UNITS_SLOTS || (accel->valid >> slot & 1) == 0) {
		return ERROR(NO_KEY);
	}
	if ((d->options >> CL_ACCEL_OPTIONS_WIDTH_SHIFT & 3) == CL_ACCEL_OPTIONS_WIDTH_INVALID) {
		return ERROR(WIDTH);
	}
	if (!allowed(d->source, bytes) || !allowed(d->destination, bytes)) {
		return ERROR(BAD_ADDRESS);
	}
	if (d->destination > d->source && d->destination - d->source < bytes) {
		return ERROR(OVERLAP);
	}
	if (bytes > 0 && units_strikes(UNITS_DMA_BUS)) {
		error = ERROR(BUS_ERROR);
	} else if (bytes > 0 && units_strikes(UNITS_DMA_TIMEOUT)) {
		error = ERROR(BUS_TIMEOUT);
	}
	if (error != ERROR(NONE)) {
		carried = bytes / 2;
	}
	for (uint32_t at = 0; at < carried; at += 16) {
		const uint32_t part = carried - at < 16 ? carried - at : 16;
		const bool last = at + part == bytes && in_bits && d->length % 8 != 0;

		block(d, at / 16, &accel->key[slot], at, part,
		      last ? (uint8_t)(0xff00 >> d->length % 8) : 0xff);
	}
	return error;
}

static void tick(void)
{
	if (accel->polls > 0 && !accel->hangs && --accel->polls == 0) {
		accel->valid |= accel->coming;
		accel->coming = 0;
	}
	if (BUSY != 0) {
		struct units_descriptor *const d = &accel->entry[accel->completed % UNITS_ENTRIES];

		if (!d->hangs && --d->polls == 0) {
			end(carry_out(d));
		}
	}
}

/** Starts a command on a key slot. @p error is the error that the command will report. */
static void begin(uint32_t error)
{
	accel->polls = units_polls();
	accel->key_error = error;
	accel->hangs = units_strikes(UNITS_KEY_HANGS);
}

static void zeroize(void)
{
	abort_all();
	memset(accel->key, 0, sizeof(accel->key));
	memset(accel->key_word, 0, sizeof(accel->key_word));
	memset(accel->counter, 0, sizeof(accel->counter));
	memset(accel->keystream, 0, sizeof(accel->keystream));
	accel->valid = 0;
	accel->coming = 0;
	accel->hangs = false;
	accel->polls = units_polls();
	accel->key_error = ERROR(NONE);
}

static bool slot_used(uint32_t slot)
{
	for (uint16_t n = accel->completed; n != accel->submitted; n++) {
		if ((accel->entry[n % UNITS_ENTRIES].options & CL_ACCEL_OPTIONS_SLOT_MASK) ==
		    slot) {
			return true;
		}
	}
	return false;
}

/** Starts the command load_key or clear_key. @return true if the accelerator accepts it. */
static bool key_command(bool load)
{
	const uint32_t slot = accel->key_config >> CL_ACCEL_KEY_CONFIG_SLOT_SHIFT & 15;
	const uint32_t length = accel->key_config & CL_ACCEL_KEY_CONFIG_KEY_LENGTH_MASK;

	if (accel->polls > 0 || slot_used(slot) || units_strikes(UNITS_KEY_REFUSED)) {
		return false;
	}
	begin(ERROR(NONE));
	if (slot >= UNITS_SLOTS) {
		accel->key_error = ERROR(NO_KEY);
	} else if (load && length > CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_256) {
		accel->key_error = ERROR(KEY_LENGTH);
	} else {
		accel->valid &= ~(1u << slot);
		memset(&accel->key[slot], 0, sizeof(accel->key[slot]));
		if (load && !units_strikes(UNITS_KEY_INVALID)) {
			units_expand(&accel->key[slot], (const uint8_t *)accel->key_word,
				     16 + 8 * length);
			accel->coming = 1u << slot;
		}
	}
	if (load) {
		memset(accel->key_word, 0, sizeof(accel->key_word));
	}
	return true;
}

static bool submit(void)
{
	struct units_descriptor *const d = &accel->entry[accel->submitted % UNITS_ENTRIES];

	if (BUSY == UNITS_ENTRIES) {
		return false;
	}
	*d = (struct units_descriptor){
		.index = (uint64_t)accel->index[1] << 32 | accel->index[0],
		.source = accel->source,
		.destination = accel->destination,
		.length = accel->length,
		.options = accel->options,
		.polls = units_polls(),
		.hangs = units_strikes(UNITS_DMA_HANGS),
	};
	memcpy(d->counter, accel->iv, 16);
	accel->submitted++;
	units_stale = true;
	return true;
}

static void control(uint32_t commands)
{
	bool taken = true;

	if ((commands & CL_ACCEL_CONTROL_ZEROIZE_MASK) != 0) {
		zeroize();
	} else if ((commands & CL_ACCEL_CONTROL_ABORT_MASK) != 0) {
		taken = BUSY != 0;
		abort_all();
	} else if ((commands & CL_ACCEL_CONTROL_LOAD_KEY_MASK) != 0) {
		taken = key_command(true);
	} else if ((commands & CL_ACCEL_CONTROL_CLEAR_KEY_MASK) != 0) {
		taken = key_command(false);
	} else if ((commands & CL_ACCEL_CONTROL_START_MASK) != 0) {
		taken = submit();
	}
	accel->refused = !taken;
}

uint32_t units_accel_read(uint32_t offset)
{
	tick();
	switch (offset) {
	case CL_ACCEL_STATUS:
		return (BUSY != 0) << CL_ACCEL_STATUS_BUSY_SHIFT |
		       (accel->polls > 0) << CL_ACCEL_STATUS_KEY_BUSY_SHIFT |
		       (BUSY == UNITS_ENTRIES) << CL_ACCEL_STATUS_FULL_SHIFT |
		       accel->refused << CL_ACCEL_STATUS_REFUSED_SHIFT |
		       accel->error << CL_ACCEL_STATUS_ERROR_SHIFT |
		       accel->key_error << CL_ACCEL_STATUS_KEY_ERROR_SHIFT;
	case CL_ACCEL_KEY_VALID:
		return accel->valid;
	case CL_ACCEL_SUBMITTED:
		return accel->submitted;
	case CL_ACCEL_COMPLETED:
		return accel->completed;
	case CL_ACCEL_RESULTS:
		return accel->results;
	default:
		units_die("an unexpected read of the accelerator");
	}
}

void units_accel_write(uint32_t offset, uint32_t value)
{
	if (offset >= CL_ACCEL_KEY0 && offset <= CL_ACCEL_KEY7) {
		if (accel->polls == 0) {
			accel->key_word[(offset - CL_ACCEL_KEY0) / 4] = value;
		}
		return;
	}
	if (offset >= CL_ACCEL_IV0 && offset <= CL_ACCEL_IV3) {
		accel->iv[(offset - CL_ACCEL_IV0) / 4] = value;
		return;
	}
	switch (offset) {
	case CL_ACCEL_CONTROL:
		control(value);
		break;
	case CL_ACCEL_KEY_CONFIG:
		accel->key_config = value;
		break;
	case CL_ACCEL_INDEX_LO:
		accel->index[0] = value;
		break;
	case CL_ACCEL_INDEX_HI:
		accel->index[1] = value;
		break;
	case CL_ACCEL_SOURCE:
		accel->source = value;
		break;
	case CL_ACCEL_DESTINATION:
		accel->destination = value;
		break;
	case CL_ACCEL_LENGTH:
		accel->length = value;
		break;
	case CL_ACCEL_OPTIONS:
		accel->options = value;
		break;
	case CL_ACCEL_EV_ENABLE:
		break;
	default:
		units_die("an unexpected write to the accelerator");
	}
}
