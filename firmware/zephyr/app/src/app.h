/**
 * @file
 * The record service, as the links and the shell use it.
 */
#ifndef APP_H
#define APP_H

#include <zephyr/devicetree.h>

#include "links/link.h"
#include "service/service.h"

#define APP_BOARD    DT_NODELABEL(cipherlane0)
#define APP_CLOCK_HZ DT_PROP(APP_BOARD, clock_frequency)
/* Data bytes of the longest record, and bytes of that whole record. */
#define APP_MAX_DATA   CONFIG_RECORDS_MAX_DATA
#define APP_RECORD_MAX CL_SERVICE_RECORD_MAX(APP_MAX_DATA)
/*
 * Thirty seconds. On a simulated board an eighth of a second, because a simulated second takes
 * minutes.
 */
#define APP_SESSION_IDLE_CYCLES                                                                    \
	(DT_PROP(APP_BOARD, simulated) ? APP_CLOCK_HZ / 8 : 30 * (uint64_t)APP_CLOCK_HZ)

/** The platform, for callers that need no lock: any thread may call its engines. */
extern const struct cl_platform app_platform;

/** Initialises the service. Returns 0, or a negative errno from cl_service_init. */
int app_init(void);

/**
 * Zeroizes what the calling thread's records have left, if a key was closed since the last call.
 */
void app_erase(void);

/**
 * Handles one record in place. Any thread may call it.
 *
 * @param record room for CL_SERVICE_RECORD_MAX(max_data) bytes
 * @return bytes of the reply, as cl_service_handle
 */
size_t app_handle(struct cl_link *link, uint8_t *record, size_t len);

/**
 * Locks the service and the benchmark's buffer for the calling thread. The shell waits while a
 * record is handled, and records wait while the shell holds the lock.
 */
struct cl_service *app_lock(void);

/** Unlocks the service and the buffer. */
void app_unlock(void);

#endif
