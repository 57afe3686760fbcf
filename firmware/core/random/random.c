/* SPDX-License-Identifier: BSD-2-Clause */
#include "random/random.h"

#include <errno.h>
#include <string.h>

#include "engine/cbc_mac.h"
#include "zeroize.h"

/*
 * Number of register reads before a wait times out. One read takes several cycles. The source takes
 * about 140000 cycles for its start-up test and the first word.
 */
#define POLLS 100000u

/*
 * A test bench can define CL_RANDOM_READ and CL_RANDOM_WRITE itself, to access a simulated source.
 */
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
	/*
	 * After a fault, the source returns 0 instead of a random word. So check for a fault after
	 * the last word has been read, and discard all words after a fault.
	 */
	if (status == 0 &&
	    (CL_RANDOM_READ(random, CL_RANDOM_STATUS) & CL_RANDOM_STATUS_FAULT_MASK) != 0) {
		status = -EIO;
	}
	if (status != 0) {
		cl_zeroize(words, count * sizeof(*words));
	}
	return status;
}

int cl_random_condition(const struct cl_random *random, const struct cl_engine *engine,
			uint8_t *bytes, size_t count)
{
	static const uint8_t key[CL_BLOCK_BYTES];
	uint32_t words[2 * CL_RANDOM_WORDS_128] = {0};
	uint8_t blocks[sizeof(words) / CL_BLOCK_BYTES][CL_BLOCK_BYTES] = {0};
	uint8_t mac[CL_BLOCK_BYTES] = {0};
	int status = 0;

	for (size_t done = 0; done < count && status == 0; done += CL_BLOCK_BYTES) {
		const size_t some = count - done < CL_BLOCK_BYTES ? count - done : CL_BLOCK_BYTES;

		status = cl_random_read(random, words, sizeof(words) / sizeof(words[0]));
		if (status == 0) {
			memcpy(blocks, words, sizeof(words));
			status = cl_cbc_mac(engine, key, 8 * sizeof(key),
					    (const uint8_t(*)[CL_BLOCK_BYTES])blocks,
					    sizeof(blocks) / sizeof(blocks[0]), mac);
		}
		if (status == 0) {
			memcpy(bytes + done, mac, some);
		}
	}
	if (status != 0) {
		cl_zeroize(bytes, count);
	}
	cl_zeroize(words, sizeof(words));
	cl_zeroize(blocks, sizeof(blocks));
	cl_zeroize(mac, sizeof(mac));
	return status;
}

void cl_random_restart(const struct cl_random *random)
{
	CL_RANDOM_WRITE(random, CL_RANDOM_CONTROL, CL_RANDOM_CONTROL_RESTART_MASK);
}
