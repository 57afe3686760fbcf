/**
 * @file
 * What firmware/sdram needs of the SoC, by LiteX's headers: registers, the memory's place, the L2
 * cache's size; cycles and the data cache by port.h.
 */
#ifndef SDRAM_PORT_H
#define SDRAM_PORT_H

#include <generated/cl_sdram.h>
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <hw/common.h>

#include "port.h"

#endif
