/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the engine `snow3g` to the accelerator's driver on the host. */
#include "driver_shim.c"
#include "engine_snow3g.c"

/** Make the engine use SNOW 3G from now on. */
void shim_ciphers_snow3g(void)
{
	engine = cl_engine_snow3g(&device);
}
