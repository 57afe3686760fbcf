/* ECB and CBC in plain C, in the style that suits a small instruction cache: two rounds a turn. */
#include "aes.h"
#include "c_modes.h"
#include "modes.h"

int cl_modes_c_set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		       unsigned int key_bits, bool decrypt)
{
	const int result = cl_aes_expand_key(key, key_bytes, key_bits);

	(void)hw;
	if (result == 0 && decrypt) {
		cl_aes_invert_key(key);
	}
	return result;
}

#define INSTANCE(name, run, ...)                                                                   \
	static int name(void *hw, const struct cl_engine_key *key, uint32_t chain[4],              \
			const uint32_t *in, uint32_t *out, size_t blocks)                          \
	{                                                                                          \
		const struct cl_c_cipher cipher = {__VA_ARGS__};                                   \
                                                                                                   \
		(void)hw;                                                                          \
		(void)chain;                                                                       \
		run;                                                                               \
		return 0;                                                                          \
	}

#define ECB cl_c_ecb(cipher, key, in, out, blocks)
#define CBC cl_c_cbc(cipher, key, chain, in, out, blocks)

/* The number of rounds is the key's: one function serves all key lengths. */
#define THRICE(name)                                                                               \
	{                                                                                          \
		name, name, name                                                                   \
	}

#define MODES(engine, by)                                                                          \
	INSTANCE(engine##_ecb_encrypt, ECB, by, false, CL_C_SWAP, 0)                               \
	INSTANCE(engine##_ecb_decrypt, ECB, by, true, CL_C_SWAP, 0)                                \
	INSTANCE(engine##_cbc_encrypt, CBC, by, false, CL_C_SWAP, 0)                               \
	INSTANCE(engine##_cbc_decrypt, CBC, by, true, CL_C_SWAP, 0)                                \
	const struct cl_modes cl_modes_##engine = {                                                \
		.name = #engine,                                                                   \
		.set_key = cl_modes_c_set_key,                                                     \
		.ecb = {THRICE(engine##_ecb_encrypt), THRICE(engine##_ecb_decrypt)},               \
		.cbc = {THRICE(engine##_cbc_encrypt), THRICE(engine##_cbc_decrypt)},               \
	};

MODES(byte, CL_C_BYTES)
MODES(table, CL_C_TABLES)
