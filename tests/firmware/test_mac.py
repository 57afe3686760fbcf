# SPDX-License-Identifier: BSD-2-Clause
"""Test the record `mac`, with which the board computes an AES-CMAC. The tests cover 3GPP's test sets for 128-EIA2, all
message lengths, refused requests, and zeroizing.
"""

import random
import tomllib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_FAULTY, ENGINE_TABLE
from tests.firmware.test_service import KEY, MAX_DATA, host, left_on_stack, pieces, round_keys  # noqa: F401 (fixture)

SETS = tomllib.loads(Path(__file__).with_name("eia2.toml").read_text())["set"]
KEY_128 = KEY[:16]
MOST = (MAX_DATA - r.MAC_REQUEST.size) // 16 * 16  # maximum number of bytes of a message


def request(text, *, key=KEY_128, engine=ENGINE_TABLE, subkey=None, bits=None):
    """Return a request for the MAC of a text. The text is padded as in SP 800-38B, 6.2: if its last block is not whole,
    a bit 1 and zeros follow.
    """
    bits = 8 * len(text) if bits is None else bits
    digits = "".join(f"{byte:08b}" for byte in text)[:bits]
    needed = 1 if bits and bits % 128 == 0 else 2
    if needed == 2:
        digits += "1"
        digits += "0" * (-len(digits) % 128)
    data = bytes(int(digits[n : n + 8], 2) for n in range(0, len(digits), 8))
    return r.MAC_REQUEST.pack(engine, needed if subkey is None else subkey, key) + data


def cmac(key, text):
    mac = CMAC(algorithms.AES(key))
    mac.update(text)
    return mac.finalize()


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("given", SETS, ids=lambda given: str(given["length"]))
def test_published_sets(host, engine, given):  # noqa: F811
    head = (given["count"] << 32 | given["bearer"] << 27 | given["direction"] << 26).to_bytes(8)
    text, key = head + bytes.fromhex(given["message"]), bytes.fromhex(given["key"])
    data = request(text, bits=64 + given["length"], key=key, engine=engine)
    assert host.ask(r.MAC, data).data[:4].hex() == given["mac"]


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
def test_lengths(host, engine):  # noqa: F811
    """Compare the board's CMAC with the library's CMAC for every message length from 0 to the longest."""
    rng = random.Random(engine)
    for size in range(MOST + 1):
        text, key = rng.randbytes(size), rng.randbytes(16)
        data = request(text, key=key, engine=engine)
        reply = host.ask(r.MAC, data, in_place=rng.random() < 0.5, misalign=rng.randrange(4))
        assert reply.data == cmac(key, text), size


def test_subkeys_whose_highest_bit_is_either(host):  # noqa: F811
    """The two highest bits of E_K(0) decide how the two subkeys are computed. Test all four values of these bits."""
    seen = set()
    for n in range(64):
        key = bytes([n]) * 16
        first = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(bytes(16))[0] >> 6
        seen.add(first)
        assert [host.ask(r.MAC, request(bytes(size), key=key)).data for size in (16, 1)] == [
            cmac(key, bytes(size)) for size in (16, 1)
        ]
    assert seen == {0, 1, 2, 3}


def test_what_is_refused(host):  # noqa: F811
    for fields, expected in (
        ({"engine": 9}, (r.E_ENGINE, 9)),
        ({"engine": 1 << 31}, (r.E_ENGINE, 1 << 31)),
        ({"subkey": 0}, (r.E_VALUE, 0)),
        ({"subkey": 3}, (r.E_VALUE, 3)),
        ({"subkey": 2**32 - 1}, (r.E_VALUE, 2**32 - 1)),
    ):
        assert host.refused(r.MAC, request(bytes(10), **fields)) == expected
    least = r.MAC_REQUEST.size + 16
    for length in (0, 1, 15, 16, 23, 24, 39, 41, 48, 55):
        assert host.refused(r.MAC, request(bytes(40))[:length]) == (r.E_LENGTH, least)
    assert host.refused(r.MAC, request(bytes(MOST + 1))) == (r.E_LENGTH, MAX_DATA)


@pytest.mark.parametrize("what", ["set_key", "ctr"])
def test_a_fault_gives_no_mac(host, what):  # noqa: F811
    host.core.fault(**{what: -5})
    assert host.refused(r.MAC, request(bytes(40), engine=ENGINE_FAULTY)) == (r.E_HARDWARE, 5)


@pytest.mark.parametrize("fields", [{}, {"engine": 9}, {"subkey": 3}], ids=["done", "engine", "subkey"])
def test_nothing_is_left_of_key_and_message(host, fields):  # noqa: F811
    """After the record, neither its buffer nor the stack may contain the key, the round keys, the CMAC subkeys or
    intermediate values of the MAC.

    The port must be told to zeroize its caches.
    """
    text = random.Random(3).randbytes(80)
    record = r.record(r.MAC, request(text, **fields), token=1)
    host.core.forgotten()
    left = host.core.record_leaves(record)
    assert host.core.forgotten() == 1
    assert not [piece for piece in pieces(KEY_128 + text, 4) if piece in left]
    encrypt = Cipher(algorithms.AES(KEY_128), modes.ECB()).encryptor().update
    subkey = int.from_bytes(encrypt(bytes(16)))
    subkey = (subkey << 1 & (1 << 128) - 1 ^ (0x87 if subkey >> 127 else 0)).to_bytes(16)
    chain, secrets = bytes(16), [round_keys(host.core, KEY_128), subkey, text]
    for at in range(0, len(text), 16):
        total = bytes(a ^ b for a, b in zip(chain, text[at : at + 16], strict=True))
        if at == len(text) - 16:
            total = bytes(a ^ b for a, b in zip(total, subkey, strict=True))
        chain = encrypt(total)
        secrets += [total, chain]
    assert fields or host.ask(r.MAC, request(text)).data == chain
    host.core.record(record)
    # On the host, the block cipher in C keeps its state on the stack. So the stack may contain up to two copies of the
    # last result. On a board, this state is in registers.
    assert left_on_stack(host.core, *secrets[:-1]) == [] and host.core.left_on_stack(chain) <= 2
    assert [piece for piece in pieces(KEY_128, 8) if host.core.left_on_stack(piece)] == []
    assert not host.core.occurrences(KEY_128) and not host.core.occurrences(text[:16])
