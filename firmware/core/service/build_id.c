/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/build_id.h"

/*
 * The build flow replaces this placeholder in the linked image. The placeholder is in a separate
 * file, so that the compiler cannot copy its value into other functions.
 */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
