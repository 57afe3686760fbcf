#include "service/build_id.h"

/* Kept in a file of its own, so that the compiler cannot use its value where it is read. */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
