/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/build_id.h"

/*
 * The build flow replaces this placeholder in the linked image. It is in a separate file, so that
 * the compiler cannot use its value in other functions.
 */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
