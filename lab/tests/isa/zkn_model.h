/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces the scalar AES instructions by a model, so that the engine `zkn` runs on the host. The
 * build includes this header before every source (-include).
 */
#ifndef ZKN_MODEL_H
#define ZKN_MODEL_H

#include <stdint.h>

#define CL_ZKN(operation, select, rs1, rs2) model_zkn((select) << 5 | (operation), rs1, rs2)

/** Executes one scalar AES instruction. The S-box and MixColumns come from the model of FIPS-197 in
 *  tests/firmware/units. @return the value of register rd */
uint32_t model_zkn(unsigned int funct7, uint32_t rs1, uint32_t rs2);

#endif
