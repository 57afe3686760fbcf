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
 * Limits for work that belongs to no session, while a peer other than the sender has a session.
 * Such work is limited to one CPU cycle in CL_STRANGERS_PART on average, and to CL_STRANGERS_MOST
 * cycles without a pause.
 */
#define CL_STRANGERS_PART 8u
#define CL_STRANGERS_MOST (1 << 18)
/**
 * Most CPU cycles that a session is allowed to use without a pause, if it shares the CPU with other
 * sessions. They are enough for a whole window of long records with an engine in plain C.
 */
#define CL_SESSION_MOST (1 << 21)

/**
 * A token bucket: the number of CPU cycles that one kind of work, or one session, is still allowed
 * to use.
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
 * Fills a budget: adds one cycle for each @p part cycles that have passed, up to a total of @p
 * most.
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
 * Spends the cycles of a piece of work. The cost can exceed the budget; at most @p most cycles are
 * subtracted.
 */
static inline void cl_budget_spend(struct cl_budget *budget, uint32_t cycles, int32_t most)
{
	if (budget->left > 0) {
		budget->left -= cycles < (uint32_t)most ? (int32_t)cycles : most;
	}
}

/**
 * Spends the cycles of work that was put off until now, such as zeroization after a record. These
 * cycles count even if the budget is exhausted, so the budget can become negative, down to -@p
 * most.
 */
static inline void cl_budget_owe(struct cl_budget *budget, uint32_t cycles, int32_t most)
{
	const uint32_t room = (uint32_t)(budget->left + most);

	budget->left -= (int32_t)(cycles < room ? cycles : room);
}

#endif
