/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the engine `snow3g` to driver_shim.c, which runs the accelerator's driver on the host. */
#include "driver_shim.c"
#include "engine_snow3g.c"

/** Selects the engine `snow3g` for all later calls. */
void shim_ciphers_snow3g(void)
{
	engine = cl_engine_snow3g(&device);
}
