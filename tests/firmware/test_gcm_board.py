# SPDX-License-Identifier: BSD-2-Clause
"""Test GCM with the vector unit's engines on the simulated board: results against `cryptography` and NIST's vectors,
and speed.
"""

import random
import struct
from pathlib import Path

import pytest
from cipherlane.transport.simboard import SimulatedBoard
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware.flow.firmware import REPOSITORY
from tests import rom
from tests.gateware.ctr.test_gcm import STRIDE, nist
from tests.waiting import HANG_S

pytestmark = pytest.mark.simboard

ENGINES = ("ise", "ise_fused", "ise_vmem")
CTR, ENCRYPT, DECRYPT = range(3)
LARGE = 16384
# The most cycles per block that GCM is allowed to take in addition to CTR.
MORE = {"ise": 8, "ise_fused": 8, "ise_vmem": 4.5}
EBADMSG = 77  # picolibc's number


class GCMBoard:
    """A context manager that runs a simulated board with the program `gcm_board.c` in its ROM."""

    def __init__(self):
        build = rom.build(REPOSITORY / "build" / "tests" / "gcm_board", Path(__file__).with_name("gcm_board.c"))
        self._board = SimulatedBoard(build)
        self._board.start()
        self._port = rom.open_uart(self._board, timeout=HANG_S)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._port.close()
        self._board.stop()

    def run(
        self, engine, mode, key, nonce, aad=b"", text=b"", tag=bytes(16), *, misalign=0, length=None
    ) -> tuple[int, int, bytes, bytes]:
        """Run one message on the board; return status, cycles, tag and text. If `length` is given, the text is `length`
        bytes that the board's buffer already contains, and the UART transfers no text.
        """
        head = (ENGINES.index(engine), mode, 8 * len(key), misalign, len(aad), len(text) if length is None else length)
        self._port.write(struct.pack("<7I", *head, len(text)) + key + bytes(32 - len(key)) + nonce + tag)
        self._port.write(aad + bytes(-len(aad) % 4) + text + bytes(-len(text) % 4))
        size = 24 + (len(text) + 3) // 4 * 4
        answer = self._port.read(size)
        assert len(answer) == size, "the board did not answer"
        return (*struct.unpack_from("<iI", answer), answer[8:24], answer[24 : 24 + len(text)])


@pytest.fixture(scope="module")
def board():
    with GCMBoard() as board:
        yield board


@pytest.mark.parametrize("engine", ENGINES)
def test_lengths(board, engine):
    rng = random.Random(engine)
    for length in (*range(71), 512, 576, 700, 1024):
        key, nonce = rng.randbytes(rng.choice((16, 24, 32))), rng.randbytes(12)
        text, aad = rng.randbytes(length), rng.randbytes(length % 23)
        sealed = AESGCM(key).encrypt(nonce, text, aad)
        places = {"misalign": rng.choice((0, 0, 1, 4))}
        status, _, tag, found = board.run(engine, ENCRYPT, key, nonce, aad, text, **places)
        assert (status, found, tag) == (0, sealed[:-16], sealed[-16:]), f"{length} bytes, {places}"
        status, _, _, found = board.run(engine, DECRYPT, key, nonce, aad, sealed[:-16], tag, **places)
        assert (status, found) == (0, text), f"{length} bytes, {places}"
        wrong = bytes([tag[0] ^ 1]) + tag[1:]
        status, _, _, found = board.run(engine, DECRYPT, key, nonce, aad, sealed[:-16], wrong, **places)
        assert (status, found) == (-EBADMSG, sealed[:-16])


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_nist(board, bits):
    count = 0
    for vector in (nist(f"gcmEncryptExtIV{bits}.rsp") + nist(f"gcmDecrypt{bits}.rsp"))[:: STRIDE // 4]:
        key, nonce, aad, text, tag = (bytes.fromhex(vector[name]) for name in ("Key", "IV", "AAD", "CT", "Tag"))
        if len(nonce) != 12 or len(tag) != 16:
            continue
        engine = ENGINES[count % 3]
        count += 1
        status, _, _, found = board.run(engine, DECRYPT, key, nonce, aad, text, tag)
        assert status == (-EBADMSG if "FAIL" in vector else 0)
        if status == 0:
            assert found == bytes.fromhex(vector["PT"])
            assert board.run(engine, ENCRYPT, key, nonce, aad, found)[2:] == (tag, text)
    assert count > 5


def cycles_a_block(board, engine, mode, key_bytes) -> float:
    """Return the cycles per block of a large message, without the fixed cycles that each message costs."""
    key, nonce = bytes(range(key_bytes)), bytes(12)
    cycles = [board.run(engine, mode, key, nonce, length=length)[1] for length in (LARGE // 4, LARGE)]
    return (cycles[1] - cycles[0]) / (LARGE * 3 / 4 / 16)


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("engine", ENGINES)
def test_cycles(board, engine, key_bytes):
    """GHASH runs at the same time as the AES rounds, so GCM is allowed to take only a few more cycles per block than
    CTR.
    """
    ctr, gcm = (cycles_a_block(board, engine, mode, key_bytes) for mode in (CTR, ENCRYPT))
    print(f"{engine}, {8 * key_bytes} bits: CTR {ctr:.2f}, GCM {gcm:.2f} cycles a block")
    assert gcm <= ctr + MORE[engine]
    if engine == "ise_vmem" and key_bytes == 16:
        assert gcm <= 16
