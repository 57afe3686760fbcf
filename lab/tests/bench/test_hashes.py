# SPDX-License-Identifier: BSD-2-Clause
"""Test the benchmark's hash functions: compare their C code, which runs on the host, with Python's hashlib."""

import hashlib
import random

import pytest

from lab.bench import hashes
from lab.tests.bench.test_ciphers import compiled


@pytest.mark.parametrize("name", hashes.HASHES)
def test_digest_takes_the_place_of_the_begin(name, tmp_path):
    """Check that a hash function replaces the first bytes of its data by the digest. The test program splits its input
    into two halves, and hashes each half in a separate call.
    """
    run = compiled(tmp_path / name, f"{name}.h", ("-DBENCH_PTLU=0",))
    for blocks in (1, 2, 31):
        halves = [random.Random(f"{blocks} {half}").randbytes(64 * blocks) for half in range(2)]
        digests = [hashlib.new(name, half).digest() for half in halves]
        wanted = [digest + half[len(digest) :] for digest, half in zip(digests, halves, strict=True)]
        assert run(bytes(16) + b"".join(halves)) == b"".join(wanted)


def test_what_the_board_is_to_answer():
    first = hashes.expected("sha1", "ecb", False, 128, 128, 1, 5)
    digest = hashlib.sha1(first).digest()
    assert hashes.expected("sha1", "ecb", False, 128, 128, 2, 5) == digest + first[20:]
    assert {family.engine for family in hashes.families()} == set(hashes.HASHES)
