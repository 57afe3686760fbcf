/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/codegen/sdram.py; do not edit. */
#ifndef CL_DFII_H
#define CL_DFII_H

/* Bits of LiteDRAM's dfii_control. */
#define CL_DFII_CONTROL_SEL 1u
#define CL_DFII_CONTROL_CKE 2u
#define CL_DFII_CONTROL_ODT 4u
#define CL_DFII_CONTROL_RESET_N 8u

/* Bits of LiteDRAM's dfii_pi<n>_command. */
#define CL_DFII_COMMAND_CS 1u
#define CL_DFII_COMMAND_WE 2u
#define CL_DFII_COMMAND_CAS 4u
#define CL_DFII_COMMAND_RAS 8u
#define CL_DFII_COMMAND_WRDATA 16u
#define CL_DFII_COMMAND_RDDATA 32u

#endif
