# SPDX-License-Identifier: BSD-2-Clause
"""Test-bench generators that load keys through a key port of the CTR service."""

from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.support import flatten


def key_signals(keys) -> list:
    """Return the list of all signals of a `KeyPort`. A test passes this list to its simulation."""
    return flatten(vars(keys).values())


def settle(keys, most: int = 2000):
    """In a test bench, wait until no key command is under way. Return the number of cycles of this wait."""
    for cycle in range(most):
        if not (yield keys.busy):
            return cycle
        yield
    raise AssertionError("a key command does not end")


def write_key(keys, key: bytes):
    """Write the words of a key to the key port, in a test bench, without loading the key."""
    for n in range(len(key) // 4):
        yield [keys.index.eq(n), keys.word.eq(int.from_bytes(key[4 * n : 4 * n + 4], "little")), keys.write.eq(1)]
        yield
    yield keys.write.eq(0)


def begin_key(keys, key: bytes, slot: int = 0):
    """Start a key load from a test bench, without waiting for its end."""
    yield from settle(keys)
    yield from write_key(keys, key)
    yield [keys.length.eq(KEY_LENGTHS[8 * len(key)]), keys.slot.eq(slot), keys.load.eq(1)]
    yield
    yield keys.load.eq(0)
    yield


def load_key(keys, key: bytes, slot: int = 0):
    """Load a key into a slot, in a test bench, and wait until the key is usable."""
    yield from begin_key(keys, key, slot)
    yield from settle(keys)
    assert (yield keys.usable) >> slot & 1
