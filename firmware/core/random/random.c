#include "random/random.h"

#include <errno.h>

#include "zeroize.h"

/* A poll takes several cycles; the start-up test and a word take some 140000. */
#define POLLS 100000u

/* A test bench may put a simulated source behind these two. */
#ifndef CL_RANDOM_READ
#define CL_RANDOM_READ(random, offset) ((random)->regs[(offset) / sizeof(uint32_t)])
#define CL_RANDOM_WRITE(random, offset, value)                                                     \
	((random)->regs[(offset) / sizeof(uint32_t)] = (value))
#endif

static int read_word(const struct cl_random *random, uint32_t *word)
{
	for (uint32_t polls = POLLS; polls > 0; polls--) {
		const uint32_t status = CL_RANDOM_READ(random, CL_RANDOM_STATUS);

		if ((status & CL_RANDOM_STATUS_SIMULATED_MASK) != 0) {
			return -ENODEV;
		}
		if ((status & CL_RANDOM_STATUS_FAULT_MASK) != 0) {
			return -EIO;
		}
		if ((status & CL_RANDOM_STATUS_VALID_MASK) != 0) {
			*word = CL_RANDOM_READ(random, CL_RANDOM_DATA);
			return 0;
		}
	}
	return -ETIMEDOUT;
}

int cl_random_read(const struct cl_random *random, uint32_t *words, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++) {
		status = read_word(random, &words[i]);
	}
	/* A fault since the last look at it has made the last word 0. */
	if (status == 0 &&
	    (CL_RANDOM_READ(random, CL_RANDOM_STATUS) & CL_RANDOM_STATUS_FAULT_MASK) != 0) {
		status = -EIO;
	}
	if (status != 0) {
		cl_zeroize(words, count * sizeof(*words));
	}
	return status;
}

void cl_random_restart(const struct cl_random *random)
{
	CL_RANDOM_WRITE(random, CL_RANDOM_CONTROL, CL_RANDOM_CONTROL_RESTART_MASK);
}
