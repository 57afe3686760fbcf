#include "ctr.h"

void cl_ctr_counter(uint8_t counter[CL_BLOCK_BYTES], const uint8_t iv[CL_BLOCK_BYTES],
		    uint64_t block)
{
	unsigned int sum = 0;

	for (int i = CL_BLOCK_BYTES - 1; i >= 0; i--) {
		sum = (sum >> 8) + iv[i] + (unsigned int)(block & 0xff);
		counter[i] = (uint8_t)sum;
		block >>= 8;
	}
}

void cl_ctr_xor_bytes(uint8_t *out, const uint8_t *in, const uint32_t keystream[4], size_t bytes)
{
	const uint8_t *const keystream_bytes = (const uint8_t *)keystream;

	for (size_t i = 0; i < bytes; i++) {
		out[i] = in[i] ^ keystream_bytes[i];
	}
}
