// SPDX-License-Identifier: BSD-2-Clause
/*
 * ECB encryption by Crypto++, for lab/bench/recorded.py: argument 1 is the cipher, 16 bytes of
 * key and whole blocks come from standard input.
 */
#include <cstdio>
#include <cstring>

#include <cryptopp/mars.h>
#include <cryptopp/twofish.h>

template <class Cipher> static int encrypt(const unsigned char *key)
{
	const typename Cipher::Encryption cipher(key, 16);
	unsigned char block[16];

	while (fread(block, sizeof(block), 1, stdin) == 1) {
		cipher.ProcessBlock(block);
		fwrite(block, sizeof(block), 1, stdout);
	}
	return 0;
}

int main(int count, char **arguments)
{
	unsigned char key[16];

	if (count != 2 || fread(key, sizeof(key), 1, stdin) != 1) {
		return 1;
	}
	if (strcmp(arguments[1], "mars") == 0) {
		return encrypt<CryptoPP::MARS>(key);
	}
	return strcmp(arguments[1], "twofish") == 0 ? encrypt<CryptoPP::Twofish>(key) : 1;
}
