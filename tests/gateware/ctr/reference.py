# SPDX-License-Identifier: BSD-2-Clause
"""Computes the accelerator's expected results with AES-CTR from `cryptography`, and reads the 128-EEA2 test sets."""

import tomllib
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.ctr.counter import WIDTH_64, WIDTH_128, WIDTHS

# The CTR examples of SP 800-38A, F.5.1, F.5.3 and F.5.5: keys, first counter block (T1), plaintext, ciphertexts.
KEYS = {
    128: bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    192: bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    256: bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
}
T1 = 0xF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
SP_800_38A = {
    128: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    192: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
    "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    256: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
}


def counter_blocks(initial: int, index: int, width: int, count: int) -> list[int]:
    """Return `count` counter blocks as numbers. The first is `initial + index`. Only the low `WIDTHS[width]` bits
    change.
    """
    modulus = 2 ** WIDTHS[width]
    fixed = initial - initial % modulus
    return [fixed + (initial + index + n) % modulus for n in range(count)]


def ctr(key: bytes, counter: int, data: bytes, *, index: int = 0, width: int = WIDTH_128) -> bytes:
    """Encrypt with AES-CTR; `counter` is the initial counter block as a number."""
    blocks = counter_blocks(counter % 2**128, index, width, (len(data) + 15) // 16)
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    keystream = encryptor.update(b"".join(block.to_bytes(16, "big") for block in blocks))
    return bytes(a ^ b for a, b in zip(data, keystream, strict=False))


def only_bits(data: bytes, length: int) -> bytes:
    """Return the first `length` bits of data, padded with zero bits to a whole byte."""
    data = bytearray(data[: (length + 7) // 8])
    if length % 8:
        data[-1] &= 0xFF00 >> length % 8 & 0xFF
    return bytes(data)


def eea2_t1(count: int, bearer: int, direction: int) -> int:
    """Return the first counter block (T1) of a 128-EEA2 message (TS 33.401, B.1.3)."""
    return count << 96 | bearer << 91 | direction << 90


def eea2(key: bytes, count: int, bearer: int, direction: int, data: bytes, length: int) -> bytes:
    """Encrypt `length` bits with 128-EEA2."""
    return only_bits(ctr(key, eea2_t1(count, bearer, direction), data, width=WIDTH_64), length)


def eea2_sets() -> list[dict]:
    """Return the published test sets of 128-EEA2, with keys and texts converted from hexadecimal to `bytes`."""
    sets = tomllib.loads((Path(__file__).parent / "eea2.toml").read_text())["set"]
    return [{k: bytes.fromhex(v) if k in ("key", "plaintext", "ciphertext") else v for k, v in s.items()} for s in sets]
