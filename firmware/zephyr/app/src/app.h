/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The functions of the record service that the links and the shell use.
 */
#ifndef APP_H
#define APP_H

#include <zephyr/devicetree.h>

#include "links/link.h"
#include "service/service.h"

#define APP_BOARD    DT_NODELABEL(cipherlane0)
#define APP_CLOCK_HZ DT_PROP(APP_BOARD, clock_frequency)
/* Largest number of data bytes in a record, and size in bytes of a buffer for any record. */
#define APP_MAX_DATA   CONFIG_RECORDS_MAX_DATA
#define APP_RECORD_MAX CL_SERVICE_RECORD_MAX(APP_MAX_DATA)
/*
 * Time after which an idle session is closed: 30 seconds. On a simulated board, this time is 1/8
 * second, because a simulated second takes minutes.
 */
#define APP_SESSION_IDLE_CYCLES                                                                    \
	(DT_PROP(APP_BOARD, simulated) ? APP_CLOCK_HZ / 8 : 30 * (uint64_t)APP_CLOCK_HZ)

/**
 * Description of the board. Threads need no lock to read this structure and to call its engines.
 */
extern const struct cl_platform app_platform;

/** Initialises the service. Returns 0, or the negative errno that cl_service_init returned. */
int app_init(void);

/**
 * Zeroizes the data that earlier records left in the UART's buffer, on the calling thread's stack
 * and in the data cache. The first call always zeroizes the data. A later call does so only if a
 * session with a key was closed, or a key was refused, since the previous call. Only the thread
 * that receives records from the UART is allowed to call this function.
 */
void app_erase(void);

/**
 * Handles one record, and writes the reply over it. Any thread can call this function.
 *
 * @param record room for CL_SERVICE_RECORD_MAX(max_data) bytes
 * @return number of bytes in the reply; 0 if there is no reply
 */
size_t app_handle(struct cl_link *link, uint8_t *record, size_t len);

/**
 * Locks the service and the benchmark's buffer for the calling thread. So a shell command waits
 * until the record in progress is handled, and a record waits until the shell command has ended.
 */
struct cl_service *app_lock(void);

/** Unlocks the service and the benchmark's buffer after app_lock(). */
void app_unlock(void);

#endif
