/**
 * @file
 * The record service, which links and shell know.
 */
#ifndef APP_H
#define APP_H

#include <zephyr/devicetree.h>

#include "links/link.h"
#include "service/service.h"

#define APP_BOARD    DT_NODELABEL(cipherlane0)
#define APP_CLOCK_HZ DT_PROP(APP_BOARD, clock_frequency)
/* Data bytes of the longest record, and bytes of it whole. */
#define APP_MAX_DATA   CONFIG_RECORDS_MAX_DATA
#define APP_RECORD_MAX CL_SERVICE_RECORD_MAX(APP_MAX_DATA)
/* Thirty seconds; a simulated second takes minutes: an eighth of one there. */
#define APP_SESSION_IDLE_CYCLES                                                                    \
	(DT_PROP(APP_BOARD, simulated) ? APP_CLOCK_HZ / 8 : 30 * (uint64_t)APP_CLOCK_HZ)

/** The platform, for what needs no lock: its engines may be called by any thread. */
extern const struct cl_platform app_platform;

/** Makes the service ready; a negative errno as cl_service_init. */
int app_init(void);

/** Erases what the calling thread's records have left, if a key was closed since the last call. */
void app_erase(void);

/**
 * Carries one record out, in place; any thread may.
 *
 * @param record room for CL_SERVICE_RECORD_MAX(max_data) bytes
 * @return bytes of the reply, as cl_service_handle
 */
size_t app_handle(struct cl_link *link, uint8_t *record, size_t len);

/**
 * Takes the service and the benchmark's buffer for the calling thread. While a record is handled,
 * the shell waits, and the other way round.
 */
struct cl_service *app_lock(void);

/** Gives them back. */
void app_unlock(void);

#endif
