/**
 * @file
 * Engine on the scalar AES unit (target only): the ratified instructions of RISC-V Zkne, as a peer
 * to compare the vector unit with.
 */
#ifndef CL_ENGINE_ZKN_H
#define CL_ENGINE_ZKN_H

#include "engine.h"

/** The engine `zkn`; the SoC must have the scalar unit (gateware/isa/zkn.py) on its CFU port. */
extern const struct cl_engine cl_engine_zkn;

#endif
