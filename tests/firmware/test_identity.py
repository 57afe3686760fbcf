# SPDX-License-Identifier: BSD-2-Clause
"""Test three functions. The first computes the number that identifies a key, the second makes a ticket, and the third
draws a counter block. Their results must be right, and they must leave no secrets on the stack.

Each is called by itself, so that no later call overwrites what it left.
"""

import errno
import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware.test_service import MAX_DATA, left_on_stack, pieces, round_keys

BLOCK = random.Random(1).randbytes(16)
SESSION = 0x00ABCD03
FIRST_WORD = 0xA5C31000
WORDS = b"".join((FIRST_WORD + n).to_bytes(4, "little") for n in range(32))
NO_KEY = bytes(16)


@pytest.fixture
def board(core):
    """Return the core, started as on a real board. On a simulated board, the core would not use the random source."""
    assert core.start(max_data=MAX_DATA, step=10, kind=0, random=True) == 0
    core.random(word=FIRST_WORD)
    return core


def chain(key, message):
    """Compute a CBC-MAC; return the input and the output of each block cipher call, in order."""
    encrypt, out, seen = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update, bytes(16), []
    for at in range(0, len(message), 16):
        into = bytes(a ^ b for a, b in zip(out, message[at : at + 16], strict=True))
        out = encrypt(into)
        seen += [into, out]
    return seen


def messages(key):
    """Return a dictionary that maps each operation to three values: the key of the operation's CBC-MAC, the message,
    and how many bytes of the CBC-MAC the operation returns.
    """
    return {
        "key": (key, bytes([1]).ljust(32, b"\0"), 8),
        "ticket": (key, struct.pack("<BI", 2, SESSION).ljust(16, b"\0") + BLOCK, 8),
        "draw": (NO_KEY, bytes([3]).ljust(16, b"\0") + WORDS + BLOCK, 12),
    }


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("what", ["key", "ticket", "draw"])
def test_nothing_is_left_on_the_stack(board, what, key_bytes):
    """After each operation, the stack must not contain the key, round keys, intermediate values of the CBC-MAC, or the
    random words. The final CBC-MAC may occur there at most twice.

    The cipher in C keeps its last block in its state, in two places that rounds use in turn.
    """
    key = random.Random(key_bytes).randbytes(key_bytes)
    of_mac, message, given = messages(key)[what]
    status, result = board.identity(what, key, BLOCK, SESSION)
    # `chain` returns all inputs and outputs of the block cipher. The first input is not secret, so the test ignores it.
    # The last output is the CBC-MAC, `mac`. `before` contains the inputs and outputs between these two.
    _, *before, mac = chain(of_mac, message)
    assert (status, result) == (0, mac[:given].ljust(16, b"\0"))
    assert [piece for piece in pieces(key, 8) if board.left_on_stack(piece)] == []
    assert left_on_stack(board, round_keys(board, of_mac)[len(of_mac) :], *before) == []
    assert board.left_on_stack(mac) <= 2
    assert [piece for piece in pieces(WORDS, 4) if board.left_on_stack(piece)] == []


def test_nothing_is_left_of_words_of_a_source_that_failed(board):
    board.random(status=-errno.EIO, word=FIRST_WORD)
    assert board.identity("draw", NO_KEY, BLOCK) == (-errno.EIO, bytes(16))
    assert [piece for piece in pieces(WORDS, 4) if board.left_on_stack(piece)] == []
