/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Budgets of CPU cycles. They limit the work for one peer while other peers have sessions.
 */
#ifndef CL_BUDGET_H
#define CL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Limits for the work of requests that belong to no session. They apply to a request only if some
 * peer has a session, other than the peer that sent the request. On average, such work gets one of
 * every CL_STRANGERS_PART CPU cycles. In one burst, it gets at most CL_STRANGERS_MOST cycles.
 */
#define CL_STRANGERS_PART 8u
#define CL_STRANGERS_MOST (1 << 18)
/**
 * Largest number of CPU cycles that a session is allowed to use in one burst, if it shares the CPU
 * with other sessions. This number is enough for a whole window of long records with an engine in
 * plain C.
 */
#define CL_SESSION_MOST (1 << 21)

/**
 * A token bucket for one session or for one kind of work. The tokens are the CPU cycles that this
 * session or work is still allowed to use.
 */
struct cl_budget {
	/** Value of the cycle counter when the budget was last filled. */
	uint32_t filled_at;
	/**
	 * Number of cycles that can be spent now. If it is 0 or negative, no cycles can be spent.
	 */
	int32_t left;
};

/**
 * Fills a budget: adds one cycle for every @p part clock cycles that have passed since the last
 * call. The budget does not grow beyond @p most cycles.
 *
 * @return true if there are cycles to spend
 */
static inline bool cl_budget_fill(struct cl_budget *budget, uint32_t now, uint32_t part,
				  int32_t most)
{
	const uint32_t earned = (now - budget->filled_at) / part;

	budget->filled_at = now;
	budget->left =
		earned < (uint32_t)(most - budget->left) ? budget->left + (int32_t)earned : most;
	return budget->left > 0;
}

/**
 * Subtracts from the budget the cycles that a piece of work took, but at most @p most cycles. The
 * budget can become negative. Does nothing if the budget is already 0 or negative.
 */
static inline void cl_budget_spend(struct cl_budget *budget, uint32_t cycles, int32_t most)
{
	if (budget->left > 0) {
		budget->left -= cycles < (uint32_t)most ? (int32_t)cycles : most;
	}
}

/**
 * Subtracts from the budget the cycles of postponed work, such as the zeroization after a record.
 * Unlike cl_budget_spend, this function also subtracts from a budget that is already 0 or negative.
 * The budget does not fall below -@p most.
 */
static inline void cl_budget_owe(struct cl_budget *budget, uint32_t cycles, int32_t most)
{
	const uint32_t room = (uint32_t)(budget->left + most);

	budget->left -= (int32_t)(cycles < room ? cycles : room);
}

#endif
