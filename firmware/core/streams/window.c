/* SPDX-License-Identifier: BSD-2-Clause */
#include "streams/window.h"

#include <stdbool.h>

#include "cl_wire.h"
#include "zeroize.h"

/** Number of words that one iteration of the loop adds to the sum. */
#define TURN 8u

void cl_window_init(struct cl_window *window, uint32_t records)
{
	memset(window, 0, sizeof(*window));
	window->records = records;
}

/** Adds the data's last one to three bytes to the sum, if the length is not a multiple of 4. */
static uint64_t add_rest(uint32_t a, uint32_t b, const uint8_t *data, size_t len)
{
	if (len > 0) {
		for (size_t i = 0; i < len; i++) {
			a += (uint32_t)data[i] << (8 * i);
		}
		b += a;
	}
	return (uint64_t)b << 32 | a;
}

uint64_t cl_window_sum(const uint8_t *data, size_t len)
{
	uint32_t a = (uint32_t)len;
	uint32_t b = 0;

	if (((uintptr_t)data & 3) == 0) {
		for (; len >= TURN * sizeof(uint32_t); len -= TURN * sizeof(uint32_t)) {
			uint32_t words[TURN];

			__builtin_memcpy(words, __builtin_assume_aligned(data, 4), sizeof(words));
#pragma GCC unroll 8
			for (unsigned int i = 0; i < TURN; i++) {
				a += words[i];
				b += a;
			}
			data += sizeof(words);
		}
	}
	for (; len >= sizeof(uint32_t); len -= sizeof(uint32_t)) {
		a += cl_load_u32(data);
		b += a;
		data += sizeof(uint32_t);
	}
	return add_rest(a, b, data, len);
}

uint64_t cl_window_sum_from(uint32_t a, uint32_t b, const uint8_t *data, size_t len)
{
	const uint32_t words = (uint32_t)(len / sizeof(uint32_t));

	return add_rest(a + (uint32_t)len, b + words * (uint32_t)len,
			data + words * sizeof(uint32_t), len % sizeof(uint32_t));
}

static uint32_t place_of(const struct cl_window *window, uint64_t record)
{
	return (uint32_t)record & (window->records - 1);
}

static bool came(const struct cl_window *window, uint64_t record)
{
	return (window->seen >> place_of(window, record) & 1) != 0;
}

enum cl_window_verdict cl_window_judge(const struct cl_window *window, uint64_t record,
				       uint64_t sum)
{
	const uint64_t ahead = record - window->first;

	if (record < window->first || ahead >= UINT64_C(2) * window->records) {
		return CL_WINDOW_OUTSIDE;
	}
	if (ahead >= window->records || !came(window, record)) {
		return CL_WINDOW_NEW;
	}
	return window->sum[place_of(window, record)] == sum ? CL_WINDOW_AGAIN : CL_WINDOW_OTHER;
}

/**
 * Moves the window forward until it begins at record @p first. The entries of the records that
 * leave the window are reused for the records that enter it.
 */
static void advance(struct cl_window *window, uint64_t first)
{
	for (; window->first < first; window->first++) {
		window->seen &= ~(UINT64_C(1) << place_of(window, window->first));
	}
}

void cl_window_accept(struct cl_window *window, uint64_t record, uint64_t sum)
{
	const uint32_t place = place_of(window, record);

	if (record - window->first >= window->records) {
		advance(window, record - window->records + 1);
	}
	window->seen |= UINT64_C(1) << place;
	window->sum[place] = sum;
}

uint64_t cl_window_end(const struct cl_window *window)
{
	uint64_t end = window->first + window->records;

	while (end > window->first && !came(window, end - 1)) {
		end--;
	}
	return end;
}

void cl_window_resize(struct cl_window *window, uint32_t records)
{
	const uint64_t end = cl_window_end(window);
	struct cl_window old = *window;

	if (end - old.first > records) {
		advance(&old, end - records);
	}
	cl_window_init(window, records);
	window->first = old.first;
	for (uint64_t record = old.first; record < end; record++) {
		if (came(&old, record)) {
			cl_window_accept(window, record, old.sum[place_of(&old, record)]);
		}
	}
	cl_zeroize(&old, sizeof(old));
}
