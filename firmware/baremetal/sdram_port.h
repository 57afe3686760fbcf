/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The definitions that firmware/sdram needs from the SoC. LiteX's headers provide the registers,
 * the memory's address and the size of the L2 cache; port.h provides the cycle counter and the
 * function that invalidates the data cache.
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
