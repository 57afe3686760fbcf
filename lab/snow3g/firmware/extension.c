/* SPDX-License-Identifier: BSD-2-Clause */
#include "extension.h"

#include <generated/mem.h>
#include <generated/soc.h>

#include "engine_snow3g.h"
#include "port.h"

struct cl_engine extension_snow3g;

int extension_init(uint8_t *bounce, size_t bounce_bytes)
{
	static struct cl_accel_device device;

	device = (struct cl_accel_device){
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
		.bounce = bounce,
		.bounce_bytes = bounce_bytes,
	};
	extension_snow3g = cl_engine_snow3g(&device);
	return cl_engine_accel_init(&device, (volatile uint32_t *)CSR_SNOW3G_BASE,
				    port_dcache_flush);
}
