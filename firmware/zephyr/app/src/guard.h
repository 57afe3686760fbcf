/**
 * @file
 * The watchdog: restarts the board when the record service hangs.
 */
#ifndef GUARD_H
#define GUARD_H

/**
 * Starts the watchdog. From here on guard_feed must be called more often than once in
 * CONFIG_RECORDS_WATCHDOG_MS.
 *
 * @retval 0 done
 * @retval -ENODEV the watchdog is not ready
 */
int guard_init(void);

/** Says that the record service is well. */
void guard_feed(void);

#endif
