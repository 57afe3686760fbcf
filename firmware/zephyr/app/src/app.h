/**
 * @file
 * What the record service and the shell share.
 */
#ifndef APP_H
#define APP_H

#include "links/link.h"
#include "service/service.h"

/** The platform, for what needs no lock: its engines may be called by any thread. */
extern const struct cl_platform app_platform;

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
