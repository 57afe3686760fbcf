/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the firmware's SecY driver to a simulated SecY. Two functions of the test read and write
 * the SecY's registers.
 */
#include <stdint.h>

static uint32_t (*read_register)(uint32_t offset);
static void (*write_register)(uint32_t offset, uint32_t value);

#define CL_SECY_READ(secy, offset)         ((void)(secy), read_register(offset))
#define CL_SECY_WRITE(secy, offset, value) ((void)(secy), write_register(offset, value))

#include "macsec/secy.c"

void shim_connect(uint32_t (*read)(uint32_t), void (*write)(uint32_t, uint32_t))
{
	read_register = read;
	write_register = write;
}
