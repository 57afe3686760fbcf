"""Loads keys through a port of the service from a test bench."""

from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.support import flatten


def key_signals(keys) -> list:
    """The signals of a `KeyPort`, for a simulation."""
    return flatten(vars(keys).values())


def settle(keys, most: int = 2000):
    """Test bench that waits until no key command is under way; gives the cycles."""
    for cycle in range(most):
        if not (yield keys.busy):
            return cycle
        yield
    raise AssertionError("a key command does not end")


def write_key(keys, key: bytes):
    """Test bench that writes the words of a key."""
    for n in range(len(key) // 4):
        yield [keys.index.eq(n), keys.word.eq(int.from_bytes(key[4 * n : 4 * n + 4], "little")), keys.write.eq(1)]
        yield
    yield keys.write.eq(0)


def begin_key(keys, key: bytes, slot: int = 0):
    """Test bench that gives the command to load a key, and does not wait for it."""
    yield from settle(keys)
    yield from write_key(keys, key)
    yield [keys.length.eq(KEY_LENGTHS[8 * len(key)]), keys.slot.eq(slot), keys.load.eq(1)]
    yield
    yield keys.load.eq(0)
    yield


def load_key(keys, key: bytes, slot: int = 0):
    """Test bench that loads a key into a slot, and waits until it may be used."""
    yield from begin_key(keys, key, slot)
    yield from settle(keys)
    assert (yield keys.usable) >> slot & 1
