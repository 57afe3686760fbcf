/* The parts of the SoC that the core needs, here from the model. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Each call takes one cycle. */
uint32_t port_cycles(void *context);

/* Marks the end of writing: from now on the module's faults have an effect. */
void port_dcache_flush(void);

#endif
