/* SPDX-License-Identifier: BSD-2-Clause */
#include "accelerator/accel.h"

#include <errno.h>

#include "accelerator/accel_access.h"

/*
 * Time limits, as numbers of register reads. One read takes several clock cycles. The accelerator
 * takes 2 to 15 clock cycles per block, and more on a shared bus.
 */
#define POLLS_COMMAND 10000u
#define POLLS_RUN     100000u

#define RESULT_BITS 4u
#define RESULTS     (32u / RESULT_BITS)

static uint32_t status(const struct cl_accel *accel)
{
	return CL_ACCEL_READ(accel, CL_ACCEL_STATUS);
}

static void command(const struct cl_accel *accel, uint32_t mask)
{
	CL_ACCEL_WRITE(accel, CL_ACCEL_CONTROL, mask);
}

/** Waits until all of the given bits of the status register are 0. */
static int wait_for(const struct cl_accel *accel, uint32_t bits)
{
	for (uint32_t polls = POLLS_COMMAND; (status(accel) & bits) != 0; polls--) {
		if (polls == 0) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static int result(uint32_t error)
{
	switch (error) {
	case CL_ACCEL_STATUS_ERROR_NONE:
		return 0;
	case CL_ACCEL_STATUS_ERROR_NO_KEY:
	case CL_ACCEL_STATUS_ERROR_KEY_LENGTH:
	case CL_ACCEL_STATUS_ERROR_WIDTH:
	case CL_ACCEL_STATUS_ERROR_OVERLAP:
		return -EINVAL;
	case CL_ACCEL_STATUS_ERROR_BAD_ADDRESS:
		return -EFAULT;
	case CL_ACCEL_STATUS_ERROR_BUS_TIMEOUT:
		return -ETIMEDOUT;
	case CL_ACCEL_STATUS_ERROR_ABORTED:
		return -ECANCELED;
	case CL_ACCEL_STATUS_ERROR_TAG:
		return -EBADMSG;
	case CL_ACCEL_STATUS_ERROR_LENGTH:
		return -EMSGSIZE;
	default:
		return -EIO;
	}
}

static void flush(const struct cl_accel *accel)
{
	if (accel->dcache_flush != NULL) {
		accel->dcache_flush();
	}
}

int cl_accel_zeroize(const struct cl_accel *accel)
{
	command(accel, CL_ACCEL_CONTROL_ZEROIZE_MASK);
	return wait_for(accel, CL_ACCEL_STATUS_BUSY_MASK | CL_ACCEL_STATUS_KEY_BUSY_MASK);
}

int cl_accel_abort(const struct cl_accel *accel)
{
	command(accel, CL_ACCEL_CONTROL_ABORT_MASK);
	return wait_for(accel, CL_ACCEL_STATUS_BUSY_MASK);
}

int cl_accel_init(struct cl_accel *accel, volatile uint32_t *regs, void (*dcache_flush)(void))
{
	accel->regs = regs;
	accel->dcache_flush = dcache_flush;
	CL_ACCEL_WRITE(accel, CL_ACCEL_EV_ENABLE, 0);
	return cl_accel_zeroize(accel);
}

/**
 * Runs the command load_key or clear_key. The caller has written the command's arguments to the
 * registers.
 */
static int key_command(const struct cl_accel *accel, uint32_t mask)
{
	command(accel, mask);
	if ((status(accel) & CL_ACCEL_STATUS_REFUSED_MASK) != 0) {
		return -EBUSY;
	}
	if (wait_for(accel, CL_ACCEL_STATUS_KEY_BUSY_MASK) != 0) {
		(void)cl_accel_zeroize(accel);
		return -ETIMEDOUT;
	}
	return result((status(accel) & CL_ACCEL_STATUS_KEY_ERROR_MASK) >>
		      CL_ACCEL_STATUS_KEY_ERROR_SHIFT);
}

int cl_accel_set_key(const struct cl_accel *accel, unsigned int slot, const uint32_t *key,
		     unsigned int key_bits)
{
	uint32_t length;

	switch (key_bits) {
	case 128:
		length = CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_128;
		break;
	case 192:
		length = CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_192;
		break;
	case 256:
		length = CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_256;
		break;
	default:
		return -EINVAL;
	}
	if (slot >= CL_ACCEL_SLOTS) {
		return -EINVAL;
	}
	if ((status(accel) & CL_ACCEL_STATUS_KEY_BUSY_MASK) != 0) {
		return -EBUSY;
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_KEY_CONFIG,
		       length << CL_ACCEL_KEY_CONFIG_KEY_LENGTH_SHIFT |
			       slot << CL_ACCEL_KEY_CONFIG_SLOT_SHIFT);
	for (uint32_t i = 0; i < key_bits / 32; i++) {
		CL_ACCEL_WRITE(accel, CL_ACCEL_KEY0 + i * (CL_ACCEL_KEY1 - CL_ACCEL_KEY0), key[i]);
	}
	const int done = key_command(accel, CL_ACCEL_CONTROL_LOAD_KEY_MASK);

	if (done == -EBUSY) { /* The command was refused: zeroize the key in the key registers. */
		for (uint32_t i = 0; i < key_bits / 32; i++) {
			CL_ACCEL_WRITE(accel, CL_ACCEL_KEY0 + i * (CL_ACCEL_KEY1 - CL_ACCEL_KEY0),
				       0);
		}
	}
	if (done == 0 && (CL_ACCEL_READ(accel, CL_ACCEL_KEY_VALID) >> slot & 1u) == 0) {
		return -EIO;
	}
	return done;
}

int cl_accel_clear_key(const struct cl_accel *accel, unsigned int slot)
{
	if (slot >= CL_ACCEL_SLOTS) {
		return -EINVAL;
	}
	if ((status(accel) & CL_ACCEL_STATUS_KEY_BUSY_MASK) != 0) {
		return -EBUSY;
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_KEY_CONFIG, slot << CL_ACCEL_KEY_CONFIG_SLOT_SHIFT);
	return key_command(accel, CL_ACCEL_CONTROL_CLEAR_KEY_MASK);
}

/* This function is inlined, so that the code that runs for CTR occupies few cache lines. */
__attribute__((always_inline)) static inline int start(const struct cl_accel *accel,
						       uint16_t *number)
{
	*number = (uint16_t)CL_ACCEL_READ(accel, CL_ACCEL_SUBMITTED);
	CL_ACCEL_BARRIER();
	command(accel, CL_ACCEL_CONTROL_START_MASK);
	/* If the accelerator refuses the descriptor, the register SUBMITTED does not change. */
	return (uint16_t)CL_ACCEL_READ(accel, CL_ACCEL_SUBMITTED) == *number ? -EBUSY : 0;
}

int cl_accel_submit(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor,
		    uint16_t *number)
{
	const uintptr_t source = (uintptr_t)descriptor->in;
	const uintptr_t destination = (uintptr_t)descriptor->out;

	if (descriptor->slot >= CL_ACCEL_SLOTS ||
	    descriptor->width >= CL_ACCEL_OPTIONS_WIDTH_INVALID) {
		return -EINVAL;
	}
	if (source > UINT32_MAX || destination > UINT32_MAX) {
		return -EFAULT;
	}
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t word;

		__builtin_memcpy(&word, __builtin_assume_aligned(&descriptor->counter[4 * i], 4),
				 4);
		CL_ACCEL_WRITE(accel, CL_ACCEL_IV0 + i * (CL_ACCEL_IV1 - CL_ACCEL_IV0), word);
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_LO, (uint32_t)descriptor->index);
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_HI, (uint32_t)(descriptor->index >> 32));
	CL_ACCEL_WRITE(accel, CL_ACCEL_SOURCE, (uint32_t)source);
	CL_ACCEL_WRITE(accel, CL_ACCEL_DESTINATION, (uint32_t)destination);
	CL_ACCEL_WRITE(accel, CL_ACCEL_LENGTH, descriptor->length);
	CL_ACCEL_WRITE(accel, CL_ACCEL_OPTIONS,
		       (uint32_t)descriptor->slot << CL_ACCEL_OPTIONS_SLOT_SHIFT |
			       (uint32_t)descriptor->width << CL_ACCEL_OPTIONS_WIDTH_SHIFT |
			       (uint32_t)descriptor->in_bits << CL_ACCEL_OPTIONS_IN_BITS_SHIFT |
			       (uint32_t)descriptor->interrupt << CL_ACCEL_OPTIONS_INTERRUPT_SHIFT |
			       (uint32_t)descriptor->ordered << CL_ACCEL_OPTIONS_ORDERED_SHIFT);
	return start(accel, number);
}

int cl_accel_start(const struct cl_accel *accel, uint16_t *number)
{
	return start(accel, number);
}

/** Returns true if the accelerator has finished descriptor @p number. */
static bool has_ended(const struct cl_accel *accel, uint16_t number)
{
	return (uint16_t)(CL_ACCEL_READ(accel, CL_ACCEL_COMPLETED) - number - 1u) < 0x8000u;
}

static int result_of(const struct cl_accel *accel, uint16_t number)
{
	const uint32_t results = CL_ACCEL_READ(accel, CL_ACCEL_RESULTS);

	return result(results >> RESULT_BITS * (number % RESULTS) & ((1u << RESULT_BITS) - 1));
}

int cl_accel_poll(const struct cl_accel *accel, uint16_t number)
{
	if (!has_ended(accel, number)) {
		return -EAGAIN;
	}
	flush(accel);
	CL_ACCEL_BARRIER();
	return result_of(accel, number);
}

__attribute__((always_inline)) static inline int
finish(const struct cl_accel *accel, uint16_t number, uint32_t length, bool uncached)
{
	/* Number of register reads before a time-out; it grows with `length` (bytes or bits). */
	uint32_t polls = POLLS_RUN;

	/*
	 * Flush the CPU's cache while the accelerator works. This is early enough: the CPU reads
	 * the output only after the accelerator has finished.
	 */
	if (!uncached) {
		flush(accel);
	}
	if (length < UINT32_MAX - POLLS_RUN) {
		polls += length;
	}
	while (!has_ended(accel, number)) {
		if (polls-- == 0) {
			(void)cl_accel_abort(accel);
			return -ETIMEDOUT;
		}
	}
	CL_ACCEL_BARRIER();
	return result_of(accel, number);
}

int cl_accel_run(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor)
{
	uint16_t number;
	const int refused = cl_accel_submit(accel, descriptor, &number);

	if (refused != 0) {
		return refused;
	}
	return finish(accel, number, descriptor->length, descriptor->uncached);
}

int cl_accel_finish(const struct cl_accel *accel, uint16_t number, uint32_t length, bool uncached)
{
	return finish(accel, number, length, uncached);
}

int cl_accel_ctr(const struct cl_accel *accel, unsigned int slot, const uint8_t counter[16],
		 uint64_t index, const uint8_t *in, uint8_t *out, size_t len)
{
	if (len > UINT32_MAX || slot >= CL_ACCEL_SLOTS) {
		return -EINVAL;
	}
	struct cl_accel_descriptor descriptor = {
		.in = in,
		.out = out,
		.length = (uint32_t)len,
		.slot = (uint8_t)slot,
		.width = CL_ACCEL_OPTIONS_WIDTH_128,
		.index = index,
	};

	__builtin_memcpy(descriptor.counter, counter, sizeof(descriptor.counter));
	return cl_accel_run(accel, &descriptor);
}

void cl_accel_eea2_counter(uint8_t counter[16], uint32_t count, unsigned int bearer,
			   unsigned int direction)
{
	for (unsigned int i = 0; i < 16; i++) {
		counter[i] = i < 4 ? (uint8_t)(count >> (24 - 8 * i)) : 0;
	}
	counter[4] = (uint8_t)((bearer & 31u) << 3 | (direction & 1u) << 2);
}

int cl_accel_eea2(const struct cl_accel *accel, unsigned int slot, uint32_t count,
		  unsigned int bearer, unsigned int direction, const uint8_t *in, uint8_t *out,
		  uint32_t bits)
{
	if (slot >= CL_ACCEL_SLOTS || bearer > 31 || direction > 1) {
		return -EINVAL;
	}
	struct cl_accel_descriptor descriptor = {
		.in = in,
		.out = out,
		.length = bits,
		.in_bits = true,
		.slot = (uint8_t)slot,
		.width = CL_ACCEL_OPTIONS_WIDTH_64,
	};

	cl_accel_eea2_counter(descriptor.counter, count, bearer, direction);
	return cl_accel_run(accel, &descriptor);
}
