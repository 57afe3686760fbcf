# SPDX-License-Identifier: BSD-2-Clause
"""Test the benchmark's public-key arithmetic: compare its C code, which runs on the host, with Python's integers."""

import json
import random
import subprocess
from itertools import combinations_with_replacement

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from gateware.flow.firmware import REPOSITORY
from lab.bench import public_keys
from lab.bench.board import SOURCES, BenchBoard
from lab.bench.public_keys import BITS, NUMBER_BYTES
from lab.results.tables.public_keys import HALVES, MEASURED, MULTIPLICATIONS, OPERATIONS
from lab.tests.bench.test_ciphers import compiled
from lab.tests.bench.test_styles import instructions

PROGRAMS = {family.name: family for family in public_keys.families()}
R = 1 << BITS
TOP = R >> 1 | 1
# MULTIPLICATION contains the opcode and funct7 of all multiplication instructions in RV32M. MUL and MULHU are the
# values of funct3 that select the instructions with these names.
MULTIPLICATION, MUL, MULHU = 0x0200_0033, 0, 3


def _numbers(*numbers):
    return b"".join(number.to_bytes(NUMBER_BYTES, "little") for number in numbers)


@pytest.fixture(scope="module", params=HALVES)
def programs(request, tmp_path_factory):
    """Compile each operation for the host, for one of the two kinds of multiplier. Return a dict of functions."""
    folder = tmp_path_factory.mktemp("public_keys")
    defines = {name: public_keys.defines(name, request.param) for name in OPERATIONS}
    return {name: compiled(folder / name, "public_key.h", ("-DBENCH_PTLU=0", *defines[name])) for name in OPERATIONS}


@pytest.fixture
def agrees(programs):
    """Return a function that compares results of the C code with results of Python's integers. The function takes an
    operation and two lists of operands, and applies the operation to each list.
    """

    def compare(operation, first, second):
        given = [_numbers(*first), _numbers(*second)]
        wanted = [public_keys.worked(operation, half) for half in given]
        assert programs[operation](bytes(16) + b"".join(given)) == b"".join(wanted)

    return compare


@pytest.mark.parametrize("operation", ["product", "multiply"])
def test_edges(agrees, operation):
    """Test operands that are edge cases: 0, 1, numbers next to the modulus, numbers with all bits set, and numbers with
    half of the bits set. The moduli are the smallest possible one and two large ones.
    """
    for modulus in (TOP, R - (1 << 992) - 1, R - 1):
        edges = [0, 1, modulus - 1, modulus, modulus + 1 & R - 1, R - (1 << 512), (1 << 512) - 1, R - 1]
        for a, b in combinations_with_replacement(edges, 2):
            before = () if operation == "product" else (modulus,)
            agrees(operation, (*before, a, b), (*before, b, a))


@pytest.mark.parametrize(("operation", "numbers"), [("product", 2), ("multiply", 2), ("multiply", 16)])
def test_random_numbers(agrees, operation, numbers):
    """Test random operands and a random modulus. The code under test sets the highest and lowest bit of the modulus."""
    rng = random.Random(f"{operation} {numbers}")
    for _ in range(20):
        agrees(operation, *([rng.getrandbits(BITS) for _ in range(numbers)] for _ in range(2)))


def test_powers(agrees):
    """Test exponentiation. Exponents and bases are edge cases or random values."""
    rng = random.Random(2)
    modulus, x, e = (rng.getrandbits(BITS) for _ in range(3))
    agrees("power", (modulus, x, e), (e, modulus, x))
    for edge in (0, 1, 2, R - 1, 1 << BITS - 1):
        agrees("power", (modulus, x, edge), (modulus, edge, e))
        agrees("power", (edge, x, e), (R - 1, edge, edge))


def test_a_signature_is_a_power(programs):
    """Compare an exponentiation with an RSA signature of the library `cryptography`. A seeded random generator supplies
    the primes of the key.
    """
    rng = random.Random(3)
    p, q = _prime(rng), _prime(rng)
    d, public = pow(65537, -1, (p - 1) * (q - 1)), rsa.RSAPublicNumbers(65537, p * q)
    of_primes = (rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q))
    key = rsa.RSAPrivateNumbers(p, q, d, *of_primes, public).private_key()
    signature = int.from_bytes(key.sign(b"Cipherlane", padding.PKCS1v15(), hashes.SHA256()), "big")
    padded = pow(signature, 65537, public.n)
    given = _numbers(public.n, padded, d)
    assert programs["power"](bytes(16) + 2 * given) == 2 * _numbers(public.n, signature, d)


def _prime(rng):
    """Return a prime with half the bits of a modulus. The product of two such primes has its highest bit set."""
    while True:
        p = rng.getrandbits(BITS // 2) | 3 << BITS // 2 - 2 | 1
        if all(pow(base, p - 1, p) == 1 for base in (2, 3, 5, 7)):
            return p


def test_multiplications_of_a_power_are_those_of_the_page(tmp_path):
    """Check that an exponentiation takes exactly `MULTIPLICATIONS` multiplications. Test two exponents: 0, and the
    number with all bits set.

    The compiler's instrumentation counts the function calls.
    """
    defines = ("--coverage", "-DBENCH_PTLU=0", *public_keys.defines("power", "both"))
    run = compiled(tmp_path / "power", "public_key.h", defines)
    run(bytes(16) + _numbers(5, 3, 0, 5, 3, R - 1))
    (counts,) = tmp_path.glob("*.gcda")
    command = ["gcov", "--json-format", "--stdout", str(counts)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60).stdout
    functions = [function for file in json.loads(found)["files"] for function in file["functions"]]
    (calls,) = [each["execution_count"] for each in functions if each["name"] == "public_multiply"]
    assert calls == 2 * MULTIPLICATIONS


def test_what_the_board_is_to_answer():
    first = public_keys.expected("product", "ecb", False, 128, 256, 1, 5)
    assert public_keys.expected("product", "ecb", False, 128, 256, 2, 5) == public_keys.worked("product", first)
    assert public_keys.worked("product", _numbers(R - 1, R - 1)) == _numbers(1, R - 2)
    assert public_keys.worked("multiply", _numbers(0, TOP + 2)) == _numbers(0, 2), "reduced"
    assert public_keys.worked("multiply", _numbers(0, 3, R - TOP)) == _numbers(0, 3, R - TOP), (
        "the modulus has both bits set"
    )
    assert public_keys.worked("power", _numbers(0, 2, BITS)) == _numbers(0, R - TOP, BITS)
    assert {(family.engine, family.style) for family in PROGRAMS.values()} == set(MEASURED)


@pytest.mark.parametrize("halves", HALVES)
@pytest.mark.parametrize("operation", ["product", "multiply"])
def test_the_high_half_is_asked_of_the_multiplier_that_gives_it_alone(tmp_path, operation, halves):
    """Check the multiplications in the machine code for the board. Programs may use MULHU, which returns the high half
    of a product, only if the multiplier returns both halves.
    """
    command = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-std=gnu11", "-O2"]
    command += ["--specs=picolibc.specs", "-DBENCH_PTLU=0", *public_keys.defines(operation, halves)]
    command += ['-DBENCH_CIPHER="ciphers/public_key.h"', f"-I{SOURCES}"]
    source = REPOSITORY / "lab" / "bench" / "cipher_peer.c"
    subprocess.run([*command, "-c", str(source), "-o", str(tmp_path / "peer.o")], check=True, timeout=60)
    code = instructions(tmp_path / "peer.o", public_keys.FUNCTIONS[operation])
    products = {word >> 12 & 7 for word in code if word & 0xFE00_007F == MULTIPLICATION}
    assert products == ({MUL, MULHU} if halves == "both" else {MUL})


# Marked as slow, because the test builds another simulated board. Other tests check the same C code on the host. This
# test omits exponentiation, because it takes too long. `make bench-papers` runs exponentiation on the board.
@pytest.mark.simboard
@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in PROGRAMS if "power" not in name])
def test_on_the_board(name):
    with BenchBoard(PROGRAMS[name]) as board:
        for numbers in (2, 16) if board.family.engine == "multiply" else (2,):
            board.measure("ecb", size=numbers * NUMBER_BYTES, passes=3)
