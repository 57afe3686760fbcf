"""Loads keys into a core from a test bench."""

from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.support import send


def load_key(core, key: bytes, slot: int = 0):
    """Test bench that loads a key into a slot, and waits until it is expanded."""
    yield [core.key_length.eq(KEY_LENGTHS[8 * len(key)]), core.key_slot.eq(slot)]
    words = [{"word": int.from_bytes(key[i : i + 4], "little")} for i in range(0, len(key), 4)]
    yield from send(core.key, words)
    yield  # a key that the slot held is gone
    while not (yield core.key_valid) >> slot & 1:
        yield
