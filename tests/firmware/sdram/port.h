/* What the core needs of the SoC, here of the modelled one. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Each question takes a cycle. */
uint32_t port_cycles(void *context);

/* Behind what was written: the module's faults show now. */
void port_dcache_flush(void);

#endif
