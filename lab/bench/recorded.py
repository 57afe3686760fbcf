# SPDX-License-Identifier: BSD-2-Clause
"""Results of Crypto++, recorded in recorded.toml, for ciphers that the library `cryptography` lacks.

``python -m lab.bench.recorded`` writes that file again. It needs Debian's libcrypto++-dev (8.7.0), which nothing else
here needs.
"""

import base64
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lab.bench.board import BUILD, words

FILE = Path(__file__).with_name("recorded.toml")
NAMES = ("mars", "twofish")
# The benchmark's data are SIZE bytes, which a generator computes from SEED. The cipher encrypts these data in place,
# PASSES times.
SEED, SIZE, PASSES = 1, 2048, 4
# The number of encryptions in a chain, as in the file ECB_TBL of the Twofish submission. The first key and plaintext
# are zeros. Each further encryption uses the previous plaintext as the key, and the previous ciphertext as the
# plaintext.
STEPS = 49
Encrypt = Callable[[bytes, bytes], bytes]


def chain(encrypt: Encrypt) -> bytes:
    """Return the last ciphertext of a chain of `STEPS` encryptions by the function `encrypt`."""
    key = block = bytes(16)
    for _ in range(STEPS):
        key, block = block, encrypt(key, block)
    return block


def passes(encrypt: Encrypt) -> bytes:
    """Return the benchmark's data after `encrypt` has encrypted them `PASSES` times in place."""
    stream = words(SEED, 12 + SIZE // 4)
    data = stream[48:]
    for _ in range(PASSES):
        data = encrypt(stream[:16], data)
    return data


@cache
def load(name: str) -> tuple[bytes, bytes]:
    """Return the results of the functions `chain` and `passes` for the cipher `name`, as recorded from Crypto++."""
    entry = tomllib.loads(FILE.read_text(encoding="utf-8"))[name]
    return bytes.fromhex(entry["chain"]), base64.b64decode(entry["passes"])


def expected(name: str, size: int, passes: int, seed: int) -> bytes:
    """Return the first `size` bytes of the benchmark's data after Crypto++ encrypted the data.

    Raises
    ------
    ValueError
        These data were not recorded.
    """
    if (passes, seed) != (PASSES, SEED) or size > SIZE:
        raise ValueError(f"{name} is recorded for {PASSES} passes, seed {SEED} and at most {SIZE} bytes alone: ask so")
    return load(name)[1][:size]


def main() -> int:
    """Run the command; return the exit status."""
    program = BUILD / "cryptopp"
    BUILD.mkdir(parents=True, exist_ok=True)
    compiled = ["g++", "-O1", *sys.argv[1:], str(FILE.with_name("cryptopp.cc")), "-lcryptopp", "-o", str(program)]
    try:
        subprocess.run(compiled, check=True, timeout=300)
    except (OSError, subprocess.CalledProcessError):
        print("error: no program with Crypto++: apt install g++ libcrypto++-dev", file=sys.stderr)
        return 1
    lines = [
        "# Written by `python -m lab.bench.recorded`: see lab/bench/recorded.py. By Crypto++ 8.7.0 (Debian's",
        "# libcrypto++-dev 8.7.0+git220824-1).",
    ]
    for name in NAMES:

        def encrypt(key: bytes, data: bytes, name: str = name) -> bytes:
            return subprocess.run([program, name], input=key + data, capture_output=True, check=True, timeout=60).stdout

        text = textwrap.wrap(base64.b64encode(passes(encrypt)).decode(), 112)
        lines += ["", f"[{name}]", f'chain = "{chain(encrypt).hex()}"', 'passes = """', *text, '"""']
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
