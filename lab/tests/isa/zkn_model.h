/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces the scalar AES instructions by a model, on the host. This header is included before
 * every source.
 */
#ifndef ZKN_MODEL_H
#define ZKN_MODEL_H

#include <stdint.h>

#define CL_ZKN(operation, select, rs1, rs2) model_zkn((select) << 5 | (operation), rs1, rs2)

/** Executes an instruction with FIPS-197's S-box and MixColumns (tests/firmware/units). @return rd
 */
uint32_t model_zkn(unsigned int funct7, uint32_t rs1, uint32_t rs2);

#endif
