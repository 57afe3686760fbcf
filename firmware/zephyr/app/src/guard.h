/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The watchdog: restarts the board when the record service hangs.
 */
#ifndef GUARD_H
#define GUARD_H

/**
 * Starts the watchdog. From then on, call guard_feed at least once every
 * CONFIG_RECORDS_WATCHDOG_MS.
 *
 * @retval 0 done
 * @retval -ENODEV the watchdog is not ready
 */
int guard_init(void);

/** Feeds the watchdog, to show that the record service still runs. */
void guard_feed(void);

#endif
