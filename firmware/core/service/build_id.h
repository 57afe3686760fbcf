/**
 * @file
 * Which build this is, as record info says it.
 */
#ifndef CL_BUILD_ID_H
#define CL_BUILD_ID_H

#include <stdint.h>

/**
 * Digests of gateware and firmware, 8 bytes each. The compiler leaves a mark here; the build flow
 * puts the digests in its place in the linked image (gateware/flow/build_id.py).
 */
extern const uint8_t cl_build_id[16];

#endif
