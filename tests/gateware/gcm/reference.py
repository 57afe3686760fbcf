# SPDX-License-Identifier: BSD-2-Clause
"""Expected results for GHASH: computed bit by bit from the definition, and independently by `cryptography`."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def product(x: bytes, y: bytes) -> bytes:
    """Return the product of two blocks (SP 800-38D, algorithm 1). Bit 0 is the leftmost bit of byte 0."""
    z, v = 0, int.from_bytes(y, "big")
    for bit in f"{int.from_bytes(x, 'big'):0128b}":
        if bit == "1":
            z ^= v
        v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
    return z.to_bytes(16, "big")


def xor(a: bytes, b: bytes) -> bytes:
    """Return the XOR of two byte strings of equal length."""
    return bytes(i ^ j for i, j in zip(a, b, strict=True))


def ghash(subkey: bytes, data: bytes) -> bytes:
    """Return the GHASH of whole blocks (SP 800-38D, algorithm 2)."""
    y = bytes(16)
    for n in range(0, len(data), 16):
        y = product(xor(y, data[n : n + 16]), subkey)
    return y


def padded(data: bytes) -> bytes:
    """Return data, padded with zeros to a multiple of 16 bytes."""
    return data + bytes(-len(data) % 16)


def hashed(aad: bytes, text: bytes) -> bytes:
    """Return the blocks that GCM hashes for this AAD and this ciphertext."""
    return padded(aad) + padded(text) + (8 * len(aad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")


def encrypted(key: bytes, block: bytes) -> bytes:
    """Encrypt one block with AES."""
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def seal(key: bytes, iv: bytes, text: bytes, aad: bytes) -> tuple[bytes, bytes]:
    """Return the ciphertext and tag that `cryptography` computes with AES-GCM."""
    sealed = AESGCM(key).encrypt(iv, text, aad)
    return sealed[:-16], sealed[-16:]
