#include "service/build_id.h"

/* Apart from who reads it: the compiler is not to know what is in it. */
const uint8_t cl_build_id[16] = {'c', 'i', 'p', 'h', 'e', 'r', 'l', 'a',
				 'n', 'e', ' ', 'b', 'u', 'i', 'l', 'd'};
