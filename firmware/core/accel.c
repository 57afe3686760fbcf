#include "accel.h"

#include <errno.h>
#include <stdbool.h>

#include "cl_accel_regs.h"

/* A poll takes several cycles; a block takes 10 to 14, and more where the bus is shared. */
#define POLLS_COMMAND 10000u
#define POLLS_RUN     100000u

/* A test bench may put a simulated accelerator behind these two. */
#ifndef CL_ACCEL_READ
#define CL_ACCEL_READ(accel, offset)         ((accel)->regs[(offset) / sizeof(uint32_t)])
#define CL_ACCEL_WRITE(accel, offset, value) ((accel)->regs[(offset) / sizeof(uint32_t)] = (value))
#endif

/* Memory accesses of the program stay on their side of this point. */
#define BARRIER() __asm__ volatile("" : : : "memory")

static bool is_busy(const struct cl_accel *accel)
{
	return (CL_ACCEL_READ(accel, CL_ACCEL_STATUS) & CL_ACCEL_STATUS_BUSY_MASK) != 0;
}

static int wait_idle(const struct cl_accel *accel, uint32_t polls)
{
	while (is_busy(accel)) {
		if (polls-- == 0) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static int last_result(const struct cl_accel *accel)
{
	const uint32_t status = CL_ACCEL_READ(accel, CL_ACCEL_STATUS);

	switch ((status & CL_ACCEL_STATUS_ERROR_MASK) >> CL_ACCEL_STATUS_ERROR_SHIFT) {
	case CL_ACCEL_STATUS_ERROR_NONE:
		/* A command that was not taken leaves no error, but does not end either. */
		return (status & CL_ACCEL_STATUS_DONE_MASK) != 0 ? 0 : -EBUSY;
	case CL_ACCEL_STATUS_ERROR_NO_KEY:
	case CL_ACCEL_STATUS_ERROR_KEY_LENGTH:
	case CL_ACCEL_STATUS_ERROR_UNALIGNED:
	case CL_ACCEL_STATUS_ERROR_OVERLAP:
		return -EINVAL;
	case CL_ACCEL_STATUS_ERROR_BAD_ADDRESS:
		return -EFAULT;
	case CL_ACCEL_STATUS_ERROR_BUS_TIMEOUT:
		return -ETIMEDOUT;
	case CL_ACCEL_STATUS_ERROR_ABORTED:
		return -ECANCELED;
	default:
		return -EIO;
	}
}

int cl_accel_zeroize(const struct cl_accel *accel)
{
	CL_ACCEL_WRITE(accel, CL_ACCEL_CONTROL, CL_ACCEL_CONTROL_ZEROIZE_MASK);
	return wait_idle(accel, POLLS_COMMAND);
}

int cl_accel_init(struct cl_accel *accel, volatile uint32_t *regs, void (*dcache_flush)(void))
{
	accel->regs = regs;
	accel->dcache_flush = dcache_flush;
	CL_ACCEL_WRITE(accel, CL_ACCEL_EV_ENABLE, 0);
	return cl_accel_zeroize(accel);
}

int cl_accel_set_key(const struct cl_accel *accel, const uint32_t *key, unsigned int key_bits)
{
	uint32_t length;

	switch (key_bits) {
	case 128:
		length = CL_ACCEL_CONFIG_KEY_LENGTH_AES_128;
		break;
	case 192:
		length = CL_ACCEL_CONFIG_KEY_LENGTH_AES_192;
		break;
	case 256:
		length = CL_ACCEL_CONFIG_KEY_LENGTH_AES_256;
		break;
	default:
		return -EINVAL;
	}
	if (is_busy(accel)) {
		return -EBUSY;
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_CONFIG, length << CL_ACCEL_CONFIG_KEY_LENGTH_SHIFT);
	for (uint32_t i = 0; i < key_bits / 32; i++) {
		CL_ACCEL_WRITE(accel, CL_ACCEL_KEY0 + i * (CL_ACCEL_KEY1 - CL_ACCEL_KEY0), key[i]);
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_CONTROL, CL_ACCEL_CONTROL_LOAD_KEY_MASK);
	const int result = wait_idle(accel, POLLS_COMMAND);

	if (result != 0) {
		(void)cl_accel_zeroize(accel);
		return result;
	}
	if ((CL_ACCEL_READ(accel, CL_ACCEL_STATUS) & CL_ACCEL_STATUS_KEY_VALID_MASK) == 0) {
		return -EIO;
	}
	return last_result(accel);
}

void cl_accel_set_counter(const struct cl_accel *accel, const uint8_t counter[16])
{
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t word;

		__builtin_memcpy(&word, counter + sizeof(word) * i, sizeof(word));
		CL_ACCEL_WRITE(accel, CL_ACCEL_IV0 + i * (CL_ACCEL_IV1 - CL_ACCEL_IV0), word);
	}
}

int cl_accel_ctr(const struct cl_accel *accel, uint64_t index, const uint8_t *in, uint8_t *out,
		 size_t len)
{
	const uintptr_t source = (uintptr_t)in;
	const uintptr_t destination = (uintptr_t)out;

	if ((source | destination) % CL_ACCEL_ALIGNMENT != 0 || len > UINT32_MAX) {
		return -EINVAL;
	}
	if (source > UINT32_MAX || destination > UINT32_MAX) {
		return -EFAULT;
	}
	if (is_busy(accel)) {
		return -EBUSY;
	}
	BARRIER();
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_LO, (uint32_t)index);
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_HI, (uint32_t)(index >> 32));
	CL_ACCEL_WRITE(accel, CL_ACCEL_SOURCE, (uint32_t)source);
	CL_ACCEL_WRITE(accel, CL_ACCEL_DESTINATION, (uint32_t)destination);
	CL_ACCEL_WRITE(accel, CL_ACCEL_LENGTH, (uint32_t)len);
	CL_ACCEL_WRITE(accel, CL_ACCEL_CONTROL, CL_ACCEL_CONTROL_START_MASK);
	/* Nothing reads the destination before the run has ended, so no line of it can come back
	 * into the cache: the cache may be flushed while the accelerator works. */
	if (accel->dcache_flush != NULL) {
		accel->dcache_flush();
	}

	uint32_t polls = POLLS_RUN; /* and one a byte */

	if (len < UINT32_MAX - POLLS_RUN) {
		polls += (uint32_t)len;
	}
	int result = wait_idle(accel, polls);

	if (result != 0) {
		CL_ACCEL_WRITE(accel, CL_ACCEL_CONTROL, CL_ACCEL_CONTROL_ABORT_MASK);
		(void)wait_idle(accel, POLLS_COMMAND);
	} else {
		result = last_result(accel);
	}
	BARRIER();
	return result;
}
