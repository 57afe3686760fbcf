# SPDX-License-Identifier: BSD-2-Clause
"""Compute SNOW 3G word by word, as TS 35.216 describes it (4.1 to 4.5). Tests use this module as a reference for
messages that are longer than 3GPP's test messages.
"""

from functools import cache

from gateware.aes.field import SBOX
from lab.snow3g.standard import S_Q, mulx, mulx_pow

MASK = 0xFFFFFFFF


def _s(word: int, box, c: int) -> int:
    """Compute the function S1 or S2 of SNOW 3G (TS 35.216, 3.3.1 and 3.3.2): apply an S-box to each of the four bytes,
    then MixColumns to the word.
    """
    w = [box[byte] for byte in word.to_bytes(4)]
    rows = []
    for n in range(4):
        a, b, d, e = w[n], w[n - 1], w[n - 2], w[n - 3]
        rows.append(mulx(a, c) ^ mulx(b, c) ^ b ^ d ^ e)
    return int.from_bytes(rows)


@cache
def _alpha(c: int, exponents: tuple[int, ...]) -> int:
    return int.from_bytes(mulx_pow(c, i, 0xA9) for i in exponents)


def keystream(key: bytes, iv: bytes, words: int) -> bytes:
    """Return the keystream words z1, z2 and so on. The key is k0 || k1 || k2 || k3, and the IV is IV0 || IV1 || IV2 ||
    IV3; 3GPP's test sets use this order.
    """
    return _run(key, iv, words)[0]


def _run(key: bytes, iv: bytes, words: int) -> tuple[bytes, list[int]]:
    """Return the keystream, and the generator's final state: s0 to s15, then R1 to R3."""
    k = [int.from_bytes(key[4 * n : 4 * n + 4]) for n in range(4)]
    v = [int.from_bytes(iv[4 * n : 4 * n + 4]) for n in range(4)]
    ones = [word ^ MASK for word in k]
    s = [*ones, *k, ones[0], ones[1] ^ v[3], ones[2] ^ v[2], ones[3], k[0] ^ v[1], k[1], k[2], k[3] ^ v[0]]
    r1 = r2 = r3 = 0
    out = []
    for clock in range(33 + words):
        f = (s[15] + r1 & MASK) ^ r2
        if clock >= 33:
            out.append(f ^ s[0])
        r1, r2, r3 = r2 + (r3 ^ s[5]) & MASK, _s(r1, SBOX, 0x1B), _s(r2, S_Q, 0x69)
        feedback = (s[0] << 8 & MASK) ^ _alpha(s[0] >> 24, (23, 245, 48, 239)) ^ s[2]
        feedback ^= s[11] >> 8 ^ _alpha(s[11] & 0xFF, (16, 39, 6, 64))
        s = [*s[1:], feedback ^ (f if clock < 32 else 0)]
    return b"".join(word.to_bytes(4) for word in out), [*s, r1, r2, r3]


def eea1_of(key: bytes, count: int, bearer: int, direction: int, words: int) -> tuple[bytes, list[int]]:
    """Return the keystream of 128-EEA1 (TS 33.401, B.1.2), and the generator's final state."""
    half = bytes([bearer << 3 | direction << 2, 0, 0, 0]) + count.to_bytes(4)
    # In 128-EEA1, the first word of the key is k3.
    reversed_key = key[12:] + key[8:12] + key[4:8] + key[:4]
    return _run(reversed_key, half + half, words)


def eea1(key: bytes, count: int, bearer: int, direction: int, data: bytes) -> bytes:
    """Encrypt or decrypt a message of whole bytes with 128-EEA1."""
    stream, _ = eea1_of(key, count, bearer, direction, -(-len(data) // 4))
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))
