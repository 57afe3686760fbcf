#include "service/build_id.h"

/*
 * In a file of its own, so that the compiler cannot replace reads of the value by this placeholder.
 */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
