# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the accelerator with descriptors of GCM messages, and checks its results with `cryptography`."""

import random
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware.dma.errors import Error
from gateware.dma.gcm_dispatch import MODE_DECRYPT, MODE_ENCRYPT, MODE_VERIFY
from tests.gateware.dma.bench import ORIGIN, SIZE, Bench

DEPTH = 16  # size of the text buffer in blocks; text stays there until its tag is verified
TAGS = (4, 8, 12, 13, 14, 15, 16)


@dataclass(frozen=True)
class Message:
    """A GCM message, with the address of each of its parts. `text` and `tag` are inputs of the accelerator, not its
    results.
    """

    key: bytes
    iv: bytes
    aad: bytes = b""
    text: bytes = b""
    mode: int = MODE_ENCRYPT
    tag: bytes = b""
    tag_length: int = 16
    slot: int = 0
    error: Error = Error.NONE  # the expected result
    source: int = 0
    destination: int = 0
    aad_address: int = 0
    tag_address: int = 0
    iv_address: int = 0
    changes: dict = field(default_factory=dict)  # maps a register or option to the wrong value to write
    ordered: int = 0
    interrupt: int = 0

    @property
    def hash_iv(self) -> bool:
        return len(self.iv) != 12

    def registers(self) -> dict[str, int]:
        """Return the value of each descriptor register, by name, except `options`."""
        words = [int.from_bytes(self.iv[4 * n : 4 * n + 4], "little") for n in range(3)]
        if self.hash_iv:
            words = [self.iv_address, len(self.iv), 0xFFFFFFFF]
        values = {f"iv{n}": word for n, word in enumerate([*words, self.tag_address])}
        values |= {"index_lo": self.aad_address, "index_hi": len(self.aad)}
        values |= {"source": self.source, "destination": self.destination, "length": len(self.text)}
        return values | {name: value for name, value in self.changes.items() if name in values}

    def options(self) -> dict[str, int]:
        """Return the value of each field of `options`. Fields that GCM must ignore also get a value, to test this."""
        values = {"slot": self.slot, "width": 3, "in_bits": 1, "interrupt": self.interrupt, "ordered": self.ordered}
        values |= {"mode": self.mode, "hash_iv": int(self.hash_iv), "tag_length": self.tag_length}
        return values | {name: value for name, value in self.changes.items() if name in values}

    def sealed(self) -> tuple[bytes, bytes]:
        """Return the ciphertext and tag that encryption of this message must produce."""
        sealed = AESGCM(self.key).encrypt(self.iv, self.text, self.aad)
        return sealed[:-16], sealed[-16:][: self.tag_length]

    def opened(self) -> bytes | None:
        """Return the plaintext of this encrypted message, or None if the message's tag is wrong. The tag can be
        truncated.
        """
        plain = AESGCM(self.key).encrypt(self.iv, self.text, b"")[: len(self.text)]  # decrypts: same keystream
        again = replace(self, text=plain, mode=MODE_ENCRYPT).sealed()
        return plain if again == (self.text, self.tag) else None

    def to_open(self, mode: int = MODE_DECRYPT, **changes) -> "Message":
        """Encrypt the message. Return it as a message to decrypt or verify, with the fields in `changes` replaced."""
        text, tag = self.sealed()
        return replace(self, **{"mode": mode, "text": text, "tag": tag} | changes)

    def parts(self) -> list[tuple[int, bytes]]:
        """Return (address, data) of each part that the accelerator reads."""
        parts = [(self.iv_address, self.iv)] if self.hash_iv else []
        parts += [(self.aad_address, self.aad), (self.source, self.text)]
        return parts if self.mode == MODE_ENCRYPT else [*parts, (self.tag_address, self.tag)]

    def outputs(self) -> list[tuple[int, bytes]]:
        """Return (address, data) of each part that the accelerator must write."""
        if self.error or self.mode == MODE_VERIFY:
            return []
        if self.mode == MODE_DECRYPT:
            plain = self.opened()
            assert plain is not None, "the test expects no error, but the tag is wrong"
            return [(self.destination, plain)]
        text, tag = self.sealed()
        return [(self.destination, text), (self.tag_address, tag)]


def forged(keys: list[bytes], rng: random.Random) -> Message:
    """Return a message to decrypt or verify. Most of these messages are forged: one bit is changed, or one byte is
    added. The message's field `error` is the expected error code.
    """
    slot, length = rng.randrange(len(keys)), rng.choice([0, 1, 15, 16, 31, 200])
    iv, tag_length = rng.randbytes(rng.choice([12, 12, 20])), rng.choice(TAGS)
    message = Message(keys[slot], iv, rng.randbytes(rng.randrange(30)), rng.randbytes(length), tag_length=tag_length)
    message = replace(message, slot=slot).to_open(rng.choice([MODE_DECRYPT, MODE_DECRYPT, MODE_VERIFY]))
    name = rng.choice(["iv", "tag", "aad", "text", "longer", None, None, None])
    if name == "longer":
        return replace(message, aad=message.aad + b"\0", error=Error.TAG)
    value = bytearray(getattr(message, name) if name else b"")
    if not value:
        return message
    value[rng.randrange(len(value))] ^= 1 << rng.randrange(8)
    return replace(message, **{name: bytes(value)}, error=Error.TAG)


def placed(messages: list[Message], rng: random.Random, gap: int = 20, in_place: float = 0.0) -> list[Message]:
    """Return copies of the messages with a random address for each part. Parts do not overlap, and may be unaligned."""
    address = ORIGIN + rng.randrange(16)
    result = []
    for m in messages:
        places = {}
        buffers = {"aad_address": m.aad, "source": m.text, "tag_address": bytes(m.tag_length), "iv_address": m.iv}
        for name, buffer in rng.sample(sorted(buffers.items()), 4):
            places[name] = address
            address += len(buffer) + rng.randrange(gap)
        places["destination"] = address
        if rng.random() < in_place:
            places["destination"] = places["source"]
        else:
            address += len(m.text) + rng.randrange(gap)
        result.append(replace(m, **places))
    assert address < ORIGIN + SIZE, "the messages need more memory than there is"
    return result


class GCMBench(Bench):
    """The simulated accelerator with GCM."""

    def __init__(self, options: dict | None = None, **parameters):
        super().__init__(options, **{"gcm_cycles": 8, "gcm_depth": DEPTH} | parameters)

    def carry_out(self, messages: list, max_cycles: int = 60000) -> None:
        """Process messages to which `placed` gave addresses; check their results and the whole memory.

        No message may read data that an earlier message writes.
        """
        memory = self.memory.contents[ORIGIN]
        memory[:] = self.rng.randbytes(len(memory))
        for m in messages:
            for address, data in m.parts():
                self.memory.write(address, data)
        expected = bytearray(memory)
        for m in messages:
            for address, data in m.outputs():
                expected[address - ORIGIN : address - ORIGIN + len(data)] = data
        self.memory.log.clear()
        assert self.transfer(*messages, max_cycles=max_cycles) == [m.error for m in messages]
        wrong = [n for n in range(len(memory)) if memory[n] != expected[n]]
        assert not wrong, f"{len(wrong)} bytes differ, the first at {ORIGIN + wrong[0]:#x}"
        self.assert_empty()

    def failures(self) -> int:
        """Return the accelerator's counter of messages with a wrong tag."""
        found = []

        def read():
            found.append((yield from self.status())["failures"])

        self.run(read())
        return found[0]
