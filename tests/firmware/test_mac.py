"""128-EIA2 by the record `mac`: 3GPP's sets, any length against `cryptography`, what is refused, what is left."""

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
MOST = MAX_DATA - r.MAC_REQUEST.size  # bytes of a message


def head(count, bearer, direction):
    return (count << 32 | bearer << 27 | direction << 26).to_bytes(8)


def request(message, bits=None, *, key=KEY_128, engine=ENGINE_TABLE, count=7, bearer=3, direction=1, reserved=0):
    bits = 8 * len(message) if bits is None else bits
    return r.MAC_REQUEST.pack(count, bits, engine, bearer, direction, reserved, key) + message


def in_bits(key, data, bits):
    """AES-CMAC of a string of bits (SP 800-38B, 6.2), from the block cipher alone."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    subkey, times = int.from_bytes(cipher.update(bytes(16))), 2 if bits % 128 or not bits else 1
    for _ in range(times):
        subkey = subkey << 1 & (1 << 128) - 1 ^ (0x87 if subkey >> 127 else 0)
    whole = max(1, -(-bits // 128)) * 128
    value = int.from_bytes(data) >> (8 * len(data) - bits)
    value = (value << 1 | 1) << (whole - bits - 1) if bits != whole else value
    text = (value ^ subkey).to_bytes(whole // 8)
    chain = bytes(16)
    for at in range(0, len(text), 16):
        chain = cipher.update(bytes(a ^ b for a, b in zip(chain, text[at : at + 16], strict=True)))
    return chain


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
@pytest.mark.parametrize("given", SETS, ids=lambda given: str(given["length"]))
def test_published_sets(host, engine, given):  # noqa: F811
    """What is behind the last bit does not count."""
    message = bytearray.fromhex(given["message"])
    numbers = {name: given[name] for name in ("count", "bearer", "direction")}
    for behind in (0, (1 << -given["length"] % 8) - 1):
        message[-1] |= behind
        data = request(bytes(message), given["length"], key=bytes.fromhex(given["key"]), engine=engine, **numbers)
        assert host.ask(r.MAC, data, misalign=behind % 4).data.hex() == given["mac"]


@pytest.mark.parametrize("engine", [ENGINE_BYTE, ENGINE_TABLE])
def test_lengths(host, engine):  # noqa: F811
    """None, each around the ends of blocks, and the longest; whole bytes by the library's own CMAC."""
    rng = random.Random(engine)
    for bits in (*range(0, 70), *range(180, 200), *range(310, 330), 8 * MOST - 1, 8 * MOST):
        message, key = rng.randbytes((bits + 7) // 8), rng.randbytes(16)
        numbers = {"count": rng.getrandbits(32), "bearer": rng.randrange(32), "direction": rng.randrange(2)}
        reply = host.ask(r.MAC, request(message, bits, key=key, engine=engine, **numbers), in_place=rng.random() < 0.5)
        whole = head(**numbers) + message
        expected = in_bits(key, whole, 64 + bits)
        if bits % 8 == 0:
            mac = CMAC(algorithms.AES(key))
            mac.update(whole)
            assert expected == mac.finalize()
        assert reply.data == expected[:4], bits


def test_what_is_refused(host):  # noqa: F811
    data = bytes(10)
    for fields, expected in (
        ({"engine": 9}, (r.E_ENGINE, 9)),
        ({"bits": 81}, (r.E_VALUE, 81)),
        ({"bits": 72}, (r.E_VALUE, 72)),
        ({"bits": 2**32 - 1}, (r.E_VALUE, 2**32 - 1)),
        ({"bearer": 32}, (r.E_VALUE, 32)),
        ({"direction": 2}, (r.E_VALUE, 3)),
        ({"reserved": 1}, (r.E_VALUE, 3)),
    ):
        assert host.refused(r.MAC, request(data, **fields)) == expected
    assert host.refused(r.MAC, request(b"", 2**32 - 1)) == (r.E_VALUE, 2**32 - 1), "bytes of so many bits are 0"
    assert host.refused(r.MAC, request(data)[:27]) == (r.E_LENGTH, 28)
    assert host.refused(r.MAC) == (r.E_LENGTH, 28)
    assert host.refused(r.MAC, request(bytes(MOST + 1))) == (r.E_LENGTH, MAX_DATA)


@pytest.mark.parametrize("what", ["set_key", "ctr"])
def test_a_fault_gives_no_mac(host, what):  # noqa: F811
    host.core.fault(**{what: -5})
    assert host.refused(r.MAC, request(bytes(40), engine=ENGINE_FAULTY)) == (r.E_HARDWARE, 5)


@pytest.mark.parametrize("fields", [{}, {"engine": 9}, {"bits": 3}], ids=["done", "engine", "bits"])
def test_nothing_is_left_of_key_and_message(host, fields):  # noqa: F811
    """In the record's buffer and on the stack: of the key's schedule, the subkeys and the chain neither."""
    message = random.Random(3).randbytes(72)
    record = r.record(r.MAC, request(message, **fields), token=1)
    left = host.core.record_leaves(record)
    assert not [piece for piece in pieces(KEY_128 + message, 4) if piece in left]
    host.core.record(record)
    encrypt = Cipher(algorithms.AES(KEY_128), modes.ECB()).encryptor().update
    subkey = int.from_bytes(encrypt(bytes(16)))
    subkey = (subkey << 1 & (1 << 128) - 1 ^ (0x87 if subkey >> 127 else 0)).to_bytes(16)
    text, chain, secrets = head(7, 3, 1) + message, bytes(16), [round_keys(host.core, KEY_128), subkey, message]
    for at in range(0, len(text), 16):
        total = bytes(a ^ b for a, b in zip(chain, text[at : at + 16], strict=True))
        if at == len(text) - 16:
            total = bytes(a ^ b for a, b in zip(total, subkey, strict=True))
        chain = encrypt(total)
        secrets += [total, chain]
    assert fields or host.ask(r.MAC, request(message)).data == chain[:4]
    host.core.record(record)
    # The state of the cipher in C, which is in registers on the target, has its last result, in two turns' places.
    assert left_on_stack(host.core, *secrets[:-1]) == [] and host.core.left_on_stack(chain) <= 2
    assert [piece for piece in pieces(KEY_128, 8) if host.core.left_on_stack(piece)] == []
    assert not host.core.occurrences(KEY_128) and not host.core.occurrences(message[:16])
