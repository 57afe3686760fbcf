# SPDX-License-Identifier: BSD-2-Clause
"""Published examples for the test benches of generated cores, each with its source."""

from dataclasses import dataclass

# FIPS-197, appendix C: a key of each length, a block, and its ciphertext under each key.
PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
KEYS = {bits: bytes(range(bits // 8)) for bits in (128, 192, 256)}
CIPHERTEXTS = {
    128: bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"),
    192: bytes.fromhex("dda97ca4864cdfe06eaf70a0ec0d7191"),
    256: bytes.fromhex("8ea2b7ca516745bfeafc49904b496089"),
}

# SP 800-38A, F.1 and F.5: four blocks in ECB and CTR mode.
BLOCKS = [
    bytes.fromhex(text)
    for text in (
        "6bc1bee22e409f96e93d7e117393172a",
        "ae2d8a571e03ac9c9eb76fac45af8e51",
        "30c81c46a35ce411e5fbc1191a0a52ef",
        "f69f2445df4f9b17ad2b417be66c3710",
    )
]
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
BLOCK_KEYS = {
    128: bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    192: bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    256: bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
}
ECB = {
    128: "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf"
    " 43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4",
    192: "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef"
    " ef7afd2270e2e60adce0ba2face6444e 9a4b41ba738d6c72fb16691603c18e0e",
    256: "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870"
    " b6ed21b99ca6f4f9f153e7b1beafed1d 23304b7a39f9f3ff067d8d8f9e24ecc7",
}
CTR = {
    128: "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff"
    " 5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee",
    192: "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94"
    " 1e36b26bd1ebc670d1bd1d665620abf7 4f78a7f6d29809585a97daec58c6b050",
    256: "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5"
    " 2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6",
}

# BLOCKS encrypted by AES-GCM under the keys of 192 and 256 bits. OpenSSL computed these ciphertexts. The IV is the
# first 12 bytes of COUNTER.
SEALED = {
    192: bytes.fromhex(
        "b55ac9232f906138628574dbbc27225a4a4fa15a953dc975547ca3de1f75510accde3b70c8d49036ed7db4595e721c06"
        "cd9574564e037bb9c29a6f03791fa78a4a69666a719f12b4021a3fc996fb7f7f"
    ),
    256: bytes.fromhex(
        "b532a48be0eaa080e679a4947b16edab42abca8a2a7b908f85e7965d2cf4f5c037ae787bcd17057e29d7c7847069cd89"
        "e4ca007de01ad62fefa27a04e8cec7a5a7654dbf366369058c4aec1302925c5e"
    ),
}


@dataclass(frozen=True)
class GCMCase:
    """A test case of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B."""

    key: bytes
    iv: bytes
    aad: bytes
    plaintext: bytes
    ciphertext: bytes
    tag: bytes


_KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
_TEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)
_CIPHERTEXT = bytes.fromhex(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
)
_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
GCM_CASES = (
    GCMCase(bytes(16), bytes(12), b"", b"", b"", bytes.fromhex("58e2fccefa7e3061367f1d57a4e7455a")),  # 1
    GCMCase(  # 3
        _KEY,
        bytes.fromhex("cafebabefacedbaddecaf888"),
        b"",
        _TEXT,
        _CIPHERTEXT,
        bytes.fromhex("4d5c2af327cd64a62cf35abd2ba6fab4"),
    ),
    GCMCase(  # 4
        _KEY,
        bytes.fromhex("cafebabefacedbaddecaf888"),
        _AAD,
        _TEXT[:60],
        _CIPHERTEXT[:60],
        bytes.fromhex("5bc94fbc3221a5db94fae95ae7121a47"),
    ),
)
# The hash subkey H and the GHASH result of test case 4 of GCM.
GHASH_SUBKEY = bytes.fromhex("b83b533708bf535d0aa6e52980d53b78")
GHASH_RESULT = bytes.fromhex("698e57f70e6ecc7fd9463b7260a9ae5f")


def blocks(data: bytes) -> list[bytes]:
    """Divide data into blocks of 16 bytes. The last block is filled up with zeros."""
    return [data[n : n + 16].ljust(16, b"\0") for n in range(0, len(data), 16)]


def listed(text: str) -> list[bytes]:
    """Return the blocks of a text that lists them in hexadecimal, separated by spaces."""
    return [bytes.fromhex(block) for block in text.split()]


def number(data: bytes) -> int:
    """Return a block, or a word of a key, as the value of a port: byte i is in bits 8i+7 to 8i."""
    return int.from_bytes(data, "little")


def words(key: bytes) -> list[int]:
    """Return the 32-bit words of a key, first word first: the order in which a core expects them."""
    return [number(key[n : n + 4]) for n in range(0, len(key), 4)]
