"""The other ciphers that look up tables: their C on the host, against published vectors and the library."""

import random
import subprocess

import pytest

from gateware.flow.firmware import REPOSITORY
from tests.bench import ciphers, hashes
from tests.bench.board import SOURCES, BenchBoard, words

PROGRAMS = {family.name: family for family, _ in [*ciphers.plan(), *hashes.plan()]}

# DES: the worked example of text books; RC4: RFC 6229; Blowfish: Eric Young's set of variable keys.
PUBLISHED = {
    "des": ("133457799bbcdff1" + "00" * 8, "0123456789abcdef", "85e813540f0ab405"),
    "rc4": ("0102030405060708090a0b0c0d0e0f10", "00" * 16, "9ac7cc9a609d1ef7b2932899cde41b97"),
    "blowfish": ("f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210", "93142887ee3be15c"),
}


def compiled(program, header, defines=()):
    """A header of firmware/bench/ciphers on the host: key and data to what its C makes of them."""
    command = ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    command += ["-fno-sanitize-recover", *defines, f'-DBENCH_CIPHER="ciphers/{header}"']
    command += [f"-I{path}" for path in (SOURCES, ciphers.GENERATED, REPOSITORY / "firmware" / "core")]
    source = REPOSITORY / "tests" / "bench" / "cipher_peer.c"
    subprocess.run([*command, str(source), "-o", str(program)], check=True, timeout=120)
    return lambda given: subprocess.run([program], input=given, capture_output=True, check=True, timeout=60).stdout


@pytest.fixture(scope="module")
def encrypt(tmp_path_factory):
    """Key and data of one of `ciphers.CIPHERS` to what its C makes of them."""
    folder = tmp_path_factory.mktemp("ciphers")
    ciphers.plan()  # writes the digits of pi
    programs = {name: compiled(folder / name, of.header, of.defines) for name, of in ciphers.CIPHERS.items()}
    return lambda name, key, data: programs[name](key + data)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vectors(encrypt, name):
    key, plaintext, ciphertext = map(bytes.fromhex, PUBLISHED[name])
    assert encrypt(name, key, plaintext.ljust(16, b"\0"))[: len(ciphertext)] == ciphertext
    assert ciphers.CIPHERS[name].encryptor(key).update(plaintext) == ciphertext, "the oracle too"


@pytest.mark.parametrize("name", ciphers.CIPHERS)
def test_agrees_with_the_library(encrypt, name):
    rng = random.Random(1)
    for pieces in (1, 7, 64):
        key, data = rng.randbytes(16), rng.randbytes(16 * pieces)
        assert encrypt(name, key, data) == ciphers.CIPHERS[name].encryptor(key).update(data)


def test_what_the_board_is_to_answer():
    stream = words(5, 12 + 8)
    cipher = ciphers.CIPHERS["rc4"].encryptor(stream[:16])
    first = cipher.update(stream[48:])
    assert ciphers.expected("rc4", "ecb", False, 128, 32, 1, 5) == first
    assert ciphers.expected("rc4", "ecb", False, 128, 32, 2, 5) == cipher.update(first), "the stream goes on"


# Slow, as it builds another simulated board; the same C is compared on the host.
@pytest.mark.simboard
@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_board(name):
    with BenchBoard(PROGRAMS[name]) as board:
        board.measure("ecb", size=256, passes=2)


def test_digits_of_pi():
    """The first words of P and the last of S, as published with Blowfish."""
    found = ciphers.pi_words(ciphers.PI_WORDS)
    assert (found[0], found[18], found[-1]) == (0x243F6A88, 0xD1310BA6, 0x3AC372E6)


def test_every_cipher_has_a_program_with_the_instructions_and_one_without():
    programs = [family for family, _ in ciphers.plan()]
    assert {(family.engine, family.style) for family in programs} == {
        (name, lookups) for name in ciphers.CIPHERS for lookups in ("c", "ptlu")
    }
    assert {family.configuration for family in programs} == {"comparators"}, "both on one core"
