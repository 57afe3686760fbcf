/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the port that firmware/sdram calls. The model in this folder implements them. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the cycle counter. Each call advances the counter by one. */
uint32_t port_cycles(void *context);

/* The driver calls this function at the end of a sequence of writes to the SDRAM. The model then
 * applies the faults of the memory module. */
void port_dcache_flush(void);

#endif
