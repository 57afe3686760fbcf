/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the SoC that firmware/sdram needs, provided by the model. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the cycle counter, which advances by one with each call. */
uint32_t port_cycles(void *context);

/* Marks the end of a sequence of writes: from here on the module's faults take effect. */
void port_dcache_flush(void);

#endif
