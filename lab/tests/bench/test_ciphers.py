# SPDX-License-Identifier: BSD-2-Clause
"""Test the benchmark's ciphers other than AES: run their C code on the host, and compare its results with published
vectors and a library.
"""

import random
import struct
import subprocess
from functools import partial
from itertools import combinations

import pytest

from gateware.flow.firmware import REPOSITORY
from lab.bench import ciphers, hashes, recorded
from lab.bench.board import SOURCES, BenchBoard, words
from lab.results.tables import other_ciphers

PROGRAMS = {family.name: family for family in [*ciphers.families(), *hashes.families()]}
BY_LIBRARY = [name for name, cipher in ciphers.CIPHERS.items() if cipher.encryptor]
RECORDED = [name for name, cipher in ciphers.CIPHERS.items() if cipher.record]

# The vectors come from these sources. DES: the worked example in textbooks. RC4: RFC 6229. Blowfish: Eric Young's set
# of variable keys. MARS and Twofish: the known answers (ECB_TBL) that their authors submitted to the AES competition.
PUBLISHED = {
    "des": ("133457799bbcdff1" + "00" * 8, "0123456789abcdef", "85e813540f0ab405"),
    "rc4": ("0102030405060708090a0b0c0d0e0f10", "00" * 16, "9ac7cc9a609d1ef7b2932899cde41b97"),
    "blowfish": ("f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210", "93142887ee3be15c"),
    "mars": (
        "cb14a1776abbc1cdafe7243def2cea02",
        "f94512a9b42d034ec4792204d708a69b",
        "225da2cb64b73f79069f21a5e3cb8522",
    ),
    "twofish": (
        "bca724a54533c6987e14aa827952f921",
        "6b459286f3ffd28d49f15b1581b08e42",
        "5d9d4eeffa9151575524f115815a12e0",
    ),
}


def compiled(program, header, defines=()):
    """Compile a header of lab/bench/firmware/ciphers for the host. Return a function that takes the key and the data,
    and returns the encrypted data.
    """
    command = ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    command += ["-fno-sanitize-recover", *defines, f'-DBENCH_CIPHER="ciphers/{header}"']
    command += [f"-I{path}" for path in (SOURCES, ciphers.GENERATED, REPOSITORY / "firmware" / "core")]
    source = REPOSITORY / "lab" / "bench" / "cipher_peer.c"
    subprocess.run([*command, str(source), "-o", str(program)], check=True, timeout=120)

    def run(given):
        """Run the program with the input `given`, and return its output. Store three counts in `run.counted`: `ptlu`
        lookups, `ptlu` instructions and table writes.
        """
        result = subprocess.run([program], input=given, capture_output=True, check=True, timeout=60)
        run.counted = tuple(map(int, result.stderr.split()))
        return result.stdout

    return run


@pytest.fixture(scope="module", params=ciphers.LOOKUPS)
def lookups(request):
    """Return the way in which the ciphers look up table entries: plain C reads them from memory, or a software model
    of the instruction `ptlu` returns them.
    """
    return request.param


@pytest.fixture(scope="module")
def programs(lookups, tmp_path_factory):
    """Compile each cipher of `ciphers.CIPHERS` for the host. Return a dict of functions that encrypt."""
    folder = tmp_path_factory.mktemp("ciphers")
    ciphers.write_headers()
    by = f"-DBENCH_PTLU={ciphers.LOOKUPS[lookups]}"
    return {name: compiled(folder / name, of.header, (by, *of.defines)) for name, of in ciphers.CIPHERS.items()}


@pytest.fixture
def encrypt(programs):
    """Return a function that encrypts data. Its arguments are a cipher's name, the key and the data."""
    return lambda name, key, data: programs[name](key + data)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vectors(encrypt, name):
    key, plaintext, ciphertext = map(bytes.fromhex, PUBLISHED[name])
    assert encrypt(name, key, plaintext.ljust(16, b"\0"))[: len(ciphertext)] == ciphertext
    if name in BY_LIBRARY:
        assert ciphers.CIPHERS[name].encryptor(key).update(plaintext) == ciphertext, "the oracle too"


@pytest.mark.parametrize("name", BY_LIBRARY)
def test_agrees_with_the_library(encrypt, name):
    rng = random.Random(1)
    for pieces in (1, 7, 64):
        key, data = rng.randbytes(16), rng.randbytes(16 * pieces)
        assert encrypt(name, key, data) == ciphers.CIPHERS[name].encryptor(key).update(data)


@pytest.mark.parametrize("name", RECORDED)
def test_agrees_with_what_another_implementation_gave(encrypt, name):
    """Compare our ciphers with two recorded results of Crypto++. One is the last ciphertext of a chain of 49
    encryptions; the other is the benchmark's data after encryption.
    """
    one = partial(encrypt, name)
    chain, passes = recorded.load(ciphers.CIPHERS[name].record)
    assert recorded.chain(one) == chain
    assert recorded.passes(one) == passes


def test_records_hold_what_was_published():
    """Check that the recorded result of the chain is the last ciphertext in Twofish's published file ECB_TBL. Check
    that a request for results that were not recorded raises an error.
    """
    assert recorded.load("twofish")[0].hex() == PUBLISHED["twofish"][2]
    assert len(recorded.expected("mars", 2048, 4, 1)) == 2048
    for asked in ((2064, 4, 1), (16, 3, 1), (16, 4, 2)):
        with pytest.raises(ValueError, match="at most 2048 bytes alone: ask so"):
            recorded.expected("mars", *asked)


@pytest.mark.parametrize("name", ciphers.CIPHERS)
def test_lookups_are_those_of_the_page(lookups, programs, name):
    """Check the number of table lookups for one block. MARS has a table S of 512 words. For an index into the whole
    table, plain C makes one lookup, but `ptlu` makes two: one in each half of S.
    """
    pieces, run = 8, programs[name]
    (page,) = (cipher for cipher in other_ciphers.CIPHERS if cipher.name == name)
    run(bytes(16 + 16 * pieces))
    counted = [each * page.bits / (128 * pieces) for each in run.counted]
    both = 16 if name == "mars" else 0
    assert counted == ([page.lookups + both, page.instructions, page.writes] if lookups == "ptlu" else [0, 0, 0])


def test_what_the_board_is_to_answer():
    stream = words(5, 12 + 8)
    cipher = ciphers.CIPHERS["rc4"].encryptor(stream[:16])
    first = cipher.update(stream[48:])
    assert ciphers.expected("rc4", "ecb", False, 128, 32, 1, 5) == first
    assert ciphers.expected("rc4", "ecb", False, 128, 32, 2, 5) == cipher.update(first), "the stream goes on"


# Marked as slow, because the test builds another simulated board. Other tests check the same C code on the host.
@pytest.mark.simboard
@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_board(name):
    ciphers.write_headers()
    with BenchBoard(PROGRAMS[name]) as board:
        board.measure("ecb", size=256, passes=recorded.PASSES)


def test_digits_of_pi():
    """Compare words of Blowfish's tables with published values: the first of P, and the first and the last of S."""
    found = ciphers.pi_words(ciphers.PI_WORDS)
    assert (found[0], found[18], found[-1]) == (0x243F6A88, 0xD1310BA6, 0x3AC372E6)


def test_words_of_mars():
    """Compare words of MARS's table S with published values. Check the authors' statement that any two words in the
    same half of S differ in at least three bytes.
    """
    found = ciphers.mars_words()
    assert (len(found), found[0]) == (512, 0x09D0C479)
    assert found[265:269] == [0xA4A8D57B, 0x5B5D193B, 0xC8A8309B, 0x73F9A978], "B of the key schedule, as published"
    for table in (found[:256], found[256:]):
        assert all(struct.pack("<I", x ^ y).count(0) <= 1 for x, y in combinations(table, 2))


def test_every_cipher_has_a_program_with_the_instructions_and_one_without():
    programs = ciphers.families()
    assert {(family.engine, family.style) for family in programs} == {
        (name, lookups) for name in ciphers.CIPHERS for lookups in ("c", "ptlu")
    }
    assert {family.configuration for family in programs} == {"comparators"}, "both on one core"
