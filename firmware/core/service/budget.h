/**
 * @file
 * Budgets of the CPU's cycles: what is done for one peer is bounded while others have sessions.
 */
#ifndef CL_BUDGET_H
#define CL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/** While another peer has a session, work outside sessions may take one cycle in so many, and this
 * many in a row. */
#define CL_STRANGERS_PART 4u
#define CL_STRANGERS_MOST (1 << 18)
/** Most cycles in a row of a session that shares the CPU: a window of long records in C. */
#define CL_SESSION_MOST (1 << 21)

/** A token bucket of cycles. */
struct cl_budget {
	/** Cycle counter when it was last filled. */
	uint32_t filled_at;
	/** What may be spent; 0 or less: nothing. */
	int32_t left;
};

/**
 * Fills a budget: one cycle for each @p part that went by, up to @p most.
 *
 * @return true if there is something to spend
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

/** Spends what a piece of work took, which may be more than there is, up to @p most more. */
static inline void cl_budget_spend(struct cl_budget *budget, uint32_t cycles, int32_t most)
{
	if (budget->left > 0) {
		budget->left -= cycles < (uint32_t)most ? (int32_t)cycles : most;
	}
}

#endif
