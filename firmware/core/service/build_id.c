/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/build_id.h"

/*
 * This variable is in a separate file, so that the compiler cannot replace reads of it by the
 * placeholder.
 */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
