# SPDX-License-Identifier: BSD-2-Clause
"""AES on bytes, written from FIPS-197 for the tests. It uses no code of the gateware.

A state is 16 bytes in the standard's order: byte ``r + 4*c`` is row r, column c. `test_fips197` compares this model
with the standard's example and an independent library.
"""


def _gf_multiply(a: int, b: int) -> int:
    result = 0
    for bit in range(8):
        if b >> bit & 1:
            term = a << bit
            for high in range(14, 7, -1):
                if term >> high & 1:
                    term ^= 0x11B << (high - 8)
            result ^= term
    return result


def _sbox_entry(x: int) -> int:
    inverse = next((y for y in range(256) if _gf_multiply(x, y) == 1), 0)
    rotated = inverse
    result = 0x63 ^ inverse
    for _ in range(4):
        rotated = (rotated << 1 | rotated >> 7) & 0xFF
        result ^= rotated
    return result


SBOX = bytes(_sbox_entry(x) for x in range(256))
INV_SBOX = bytes(SBOX.index(x) for x in range(256))


def sub_bytes(state: bytes) -> bytes:
    return bytes(SBOX[x] for x in state)


def inv_sub_bytes(state: bytes) -> bytes:
    return bytes(INV_SBOX[x] for x in state)


def shift_rows(state: bytes) -> bytes:
    return bytes(state[(4 * c + 5 * r) % 16 if r else 4 * c] for c in range(4) for r in range(4))


def inv_shift_rows(state: bytes) -> bytes:
    return bytes(state[(4 * (c - r) + r) % 16] for c in range(4) for r in range(4))


def _mix(state: bytes, row: tuple[int, ...]) -> bytes:
    out = []
    for c in range(4):
        for r in range(4):
            value = 0
            for i in range(4):
                value ^= _gf_multiply(row[(i - r) % 4], state[4 * c + i])
            out.append(value)
    return bytes(out)


def mix_columns(state: bytes) -> bytes:
    return _mix(state, (2, 3, 1, 1))


def inv_mix_columns(state: bytes) -> bytes:
    return _mix(state, (14, 11, 13, 9))


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def expand_key(key: bytes) -> list[bytes]:
    """Return the round keys for encryption, 16 bytes each (FIPS-197, 5.2)."""
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    length = len(words)
    rcon = 1
    while len(words) < 4 * (length + 7):
        word = words[-1]
        if len(words) % length == 0:
            word = xor(sub_bytes(word[1:] + word[:1]), bytes([rcon, 0, 0, 0]))
            rcon = _gf_multiply(rcon, 2)
        elif length > 6 and len(words) % length == 4:
            word = sub_bytes(word)
        words.append(xor(words[-length], word))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


def encrypt(key: bytes, block: bytes) -> bytes:
    """Encrypt a block (FIPS-197, 5.1)."""
    keys = expand_key(key)
    state = xor(block, keys[0])
    for round_key in keys[1:-1]:
        state = xor(mix_columns(shift_rows(sub_bytes(state))), round_key)
    return xor(shift_rows(sub_bytes(state)), keys[-1])
