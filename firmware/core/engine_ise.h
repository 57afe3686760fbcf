/**
 * @file
 * Engine on the vector AES unit (target only): the paper's instructions, two a round.
 */
#ifndef CL_ENGINE_ISE_H
#define CL_ENGINE_ISE_H

#include <stdint.h>

#include "engine.h"

/** Which key the unit's registers hold; one for each hardware context in use. */
struct cl_ise_device {
	/** Generation of the key in the registers, 0 when there is none. */
	uint32_t loaded;
	/** Last generation given out. */
	uint32_t generation;
};

/** The engine `ise` on the context that @p device describes; the unit must be enabled. */
struct cl_engine cl_engine_ise(struct cl_ise_device *device);

#endif
