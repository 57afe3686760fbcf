# SPDX-License-Identifier: BSD-2-Clause
"""Test the AES-GCM engine: NIST's vectors, random messages against `cryptography`, and cases in which hardware of other
projects had faults.
"""

import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from migen import Module

from gateware.ctr.client import Client
from gateware.ctr.gcm import BlockGCM
from gateware.ctr.service import create_service
from tests.gateware.ctr.keys import begin_key, key_signals, load_key, settle
from tests.gateware.gcm.reference import encrypted, ghash, product, xor
from tests.gateware.support import Simulation, receive, send

SLOTS = 4
DEPTH = 16
FIELDS = ("slot", "decrypt", "verify", "iv", "iv_length", "aad_length", "text_length", "tag_length")


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def chunks(data: bytes) -> list[bytes]:
    return [data[n : n + 16] for n in range(0, len(data), 16)]


@dataclass(frozen=True)
class Message:
    key: bytes
    iv: bytes
    aad: bytes = b""
    text: bytes = b""
    slot: int = 0
    tag: bytes | None = None  # if None, encrypt `text`; otherwise decrypt `text` and verify this tag
    tag_length: int = 16
    verify: bool = False  # if true, only verify the tag, and output no text

    @property
    def header(self) -> dict:
        iv = number(self.iv) if len(self.iv) == 12 else 2**96 - 1
        lengths = (len(self.iv), len(self.aad), len(self.text), self.tag_length)
        values = (self.slot, int(self.tag is not None), int(self.verify), iv, *lengths)
        return dict(zip(FIELDS, values, strict=True))

    @property
    def blocks(self) -> list[dict]:
        """Return the blocks that the engine reads for this message: IV (unless it has 12 bytes), AAD, text, and the tag
        if the engine decrypts. The unused bytes of a block are not zero.
        """
        parts = [b"" if len(self.iv) == 12 else self.iv, self.aad, self.text]
        blocks = [{"data": number(block.ljust(16, b"\xff"))} for part in parts for block in chunks(part)]
        return blocks if self.tag is None else [*blocks, {"data": number(self.tag.ljust(16, b"\xa5"))}]

    def sealed(self) -> tuple[bytes, bytes]:
        """Return the ciphertext and tag that `cryptography` computes. This library supports IVs of 8 to 128 bytes."""
        sealed = AESGCM(self.key).encrypt(self.iv, self.text, self.aad)
        return sealed[:-16], sealed[-16:][: self.tag_length]

    def to_open(self, **changes) -> "Message":
        """Encrypt this message; return a message that makes the engine decrypt the ciphertext. `changes` replaces
        fields of the returned message.
        """
        text, tag = self.sealed()
        values = {**vars(self), "text": text, "tag": tag} | changes
        return Message(**values)


@dataclass
class Outcome:
    text: bytes
    tag: bytes
    failed: bool
    error: bool


class Bench:
    def __init__(self, **parameters):
        top = Module()
        top.submodules.service = service = create_service([Client(slots=SLOTS, count_bits=29)])
        top.submodules.engine = engine = self.engine = BlockGCM(port=service.ports[0], depth=DEPTH, **parameters)
        self.keys = keys = service.ports[0].keys
        ports = [engine.message, engine.sink, engine.source, engine.result, engine.flush, engine.failures]
        self.sim = Simulation(top, *ports, service.core.idle, *key_signals(keys))

    def load_key(self, key: bytes, slot: int = 0):
        self.sim.run(load_key(self.keys, key, slot), max_cycles=600)

    def run(self, messages, rng=None, idle=0.0, stall=0.0, times=None, cycles=None) -> list[Outcome]:
        """Process messages; check that decrypted text leaves only after the verdict on its message."""
        engine, found, text = self.engine, [], []

        def results():
            verdict = None  # the first cycle in which this message's result is valid
            while len(found) < len(messages):
                yield engine.result.ready.eq(0 if rng and rng.random() < stall else 1)
                yield
                if (yield engine.result.valid):
                    verdict = verdict or self.sim.cycle
                if (yield engine.result.valid) and (yield engine.result.ready):
                    tag = (yield engine.result.tag).to_bytes(16, "little")
                    found.append((tag, (yield engine.result.failed), (yield engine.result.error), verdict))
                    verdict = None
            yield engine.result.ready.eq(0)
            for _ in range(6 * DEPTH if stall else 2 * DEPTH + 10):  # enough cycles for all buffered text to leave
                yield
            assert not (yield engine.result.valid)

        def blocks():
            while True:
                yield engine.source.ready.eq(0 if rng and rng.random() < stall else 1)
                yield
                if (yield engine.source.valid) and (yield engine.source.ready):
                    data, mask = (yield engine.source.data), (yield engine.source.mask)
                    text.append((data, mask, (yield engine.source.final), self.sim.cycle))

        count = sum(len(m.blocks) for m in messages)
        self.sim.run(
            send(engine.message, [m.header for m in messages], rng, idle),
            send(engine.sink, [block for m in messages for block in m.blocks], rng, idle),
            results(),
            background=[blocks()],
            max_cycles=cycles or 600 + 400 * (count + 3 * len(messages)),
        )
        if times is not None:
            times += [cycle for *_, cycle in text]
        return self._outcomes(messages, found, text)

    @staticmethod
    def _outcomes(messages, found, text) -> list[Outcome]:
        outcomes, blocks = [], iter(text)
        for m, (tag, failed, error, verdict) in zip(messages, found, strict=True):
            released = b""
            if (m.tag is None and m.text) or (m.tag is not None and not m.verify and not failed and not error):
                for n, block in enumerate(chunks(m.text)):
                    data, mask, final, came = next(blocks)
                    assert mask == 2 ** len(block) - 1 and final == (n == len(chunks(m.text)) - 1)
                    assert m.tag is None or came > verdict, "plaintext before the verdict"
                    data = data.to_bytes(16, "little")
                    assert not any(data[len(block) :]), "keystream left through the bytes that do not count"
                    released += data[: len(block)]
            assert m.tag is not None or not any(tag[m.tag_length :])
            outcomes.append(Outcome(released, tag[: m.tag_length], bool(failed), bool(error)))
        assert next(blocks, None) is None, "more text left than belongs to the messages"
        return outcomes


@pytest.fixture(scope="module", params=[8, 4], ids=str)
def simulated(request):
    bench = Bench(cycles=request.param)
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.power_on()
    return simulated


def check(bench, messages: list[Message], **options) -> list[Outcome]:
    """Encrypt messages, decrypt the results, and compare both with `cryptography`."""
    sealed = bench.run(messages, **options)
    assert [(o.text, o.tag, o.failed, o.error) for o in sealed] == [(*m.sealed(), False, False) for m in messages]
    opened = bench.run([m.to_open() for m in messages], **options)
    assert [(o.text, o.failed, o.error) for o in opened] == [(m.text, False, False) for m in messages]
    return sealed


def test_one_message(bench):
    key = bytes(range(16))
    bench.load_key(key)
    check(bench, [Message(key, bytes(range(12)), b"header", b"some text of 25 bytes, yes")])


VECTORS = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "GCM"
# The tests use every 101st message of each NIST file; a file contains at least 2,500 messages.
STRIDE = 101


def nist(name: str) -> list[dict[str, str]]:
    """Return the messages of a NIST file, each as a dictionary that maps a field's name to the field's text."""
    text = (VECTORS / name).read_text()
    return [dict(re.findall(r"^(\w+)(?: = (\w*))?", part, re.MULTILINE)) for part in text.split("Count = ")[1:]]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_nist(bench, bits):
    """Encrypt and decrypt NIST's messages: with and without text (GMAC), all tag lengths, IVs of 1 to 128 bytes."""
    lengths = set()
    for direction in ("EncryptExtIV", "Decrypt"):
        found = nist(f"gcm{direction}{bits}.rsp")
        assert len(found) > 20 * STRIDE
        for vector in found[::STRIDE]:
            key, iv, aad, ct, tag = (bytes.fromhex(vector[name]) for name in ("Key", "IV", "AAD", "CT", "Tag"))
            text = None if "FAIL" in vector else bytes.fromhex(vector["PT"])
            bench.load_key(key)
            lengths.add((len(iv), len(tag), bool(ct)))
            if direction == "Decrypt":
                opened = bench.run([Message(key, iv, aad, ct, tag=tag, tag_length=len(tag))])[0]
                assert opened.failed == (text is None) and opened.text == (text or b"") and not opened.error
            else:
                sealed = bench.run([Message(key, iv, aad, text, tag_length=len(tag))])[0]
                assert (sealed.text, sealed.tag, sealed.failed, sealed.error) == (ct, tag, False, False)
    assert {iv for iv, *_ in lengths} >= {1, 12, 128} and {tag for _, tag, _ in lengths} == {4, 8, 12, 13, 14, 15, 16}


@pytest.mark.parametrize("which", ["aad", "text"])
def test_every_length_back_to_back(bench, which):
    """Process messages without a pause. If `which` is "aad", the AAD takes every length from 0 to 70 bytes, and the
    text has a random length. If `which` is "text", the text takes every length, and the AAD has a random length.
    """
    rng = random.Random(which)
    keys = [rng.randbytes(rng.choice([16, 24, 32])) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    messages = []
    for length in rng.sample(range(71), 71):
        other = rng.choice([0, rng.randrange(71)])
        aad, text = (length, other) if which == "aad" else (other, length)
        slot = rng.randrange(SLOTS)
        iv = rng.randbytes(rng.choice([12, 12, 12, 8, 16, 17, 60]))
        tag_length = rng.choice([4, 8, 12, 13, 14, 15, 16])
        messages.append(Message(keys[slot], iv, rng.randbytes(aad), rng.randbytes(text), slot, tag_length=tag_length))
    check(bench, messages)


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.8), (0.8, 0.0), (0.6, 0.6)])
def test_pauses(bench, idle, stall):
    rng = random.Random(f"{idle} {stall}")
    keys = [rng.randbytes(16) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    slots = [rng.randrange(SLOTS) for _ in range(16)]
    messages = [
        Message(keys[slot], rng.randbytes(12), rng.randbytes(rng.randrange(40)), rng.randbytes(rng.randrange(80)), slot)
        for slot in slots
    ]
    check(bench, messages, rng=rng, idle=idle, stall=stall)


def test_forged_messages(bench):
    """If the IV, AAD, text or tag of a message was changed, the engine outputs no text. The engine still decrypts the
    unchanged messages.
    """
    rng = random.Random(3)
    key = rng.randbytes(16)
    bench.load_key(key)
    messages, good = [], []
    for n in range(60):
        text = rng.randbytes(rng.choice([0, 1, 15, 16, 31, 200]))
        message = Message(key, rng.randbytes(12), rng.randbytes(rng.randrange(30)), text)
        changes = {}
        name = rng.choice(["iv", "tag", "aad", "text", "aad_longer", "tag"])
        field = name.removesuffix("_longer")
        opened = message.to_open()
        value = bytearray(getattr(opened, field))
        if name == "aad_longer":
            changes[field] = bytes(value) + b"\0"
        elif n % 3 and value:
            value[rng.randrange(len(value))] ^= 1 << rng.randrange(8)
            changes[field] = bytes(value)
        messages.append(message.to_open(**changes))
        good.append(None if changes else message.text)
    outcomes = bench.run(messages)
    assert [None if o.failed else o.text for o in outcomes] == good
    assert bench.sim.peek(bench.engine.failures) == good.count(None) > 20
    assert not any(outcome.error for outcome in outcomes)


def test_messages_that_are_only_verified(bench):
    """A message that is only verified can be longer than the text buffer. The engine returns a verdict, but no text."""
    rng = random.Random(6)
    key = rng.randbytes(32)
    bench.load_key(key)
    messages = []
    for length in (0, 5, 16, 16 * DEPTH, 16 * DEPTH + 1, 16 * 3 * DEPTH + 7):
        message = Message(key, rng.randbytes(12), rng.randbytes(20), rng.randbytes(length))
        tag = message.sealed()[1]
        messages += [message.to_open(verify=True), message.to_open(verify=True, tag=xor(tag, b"\1" + bytes(15)))]
    outcomes = bench.run(messages)
    assert [(o.text, o.failed, o.error) for o in outcomes] == [(b"", bool(n % 2), False) for n in range(len(messages))]
    check(bench, [message] * 2 if length <= 16 * DEPTH else [Message(key, b"twelve bytes", b"", b"text")])


def test_blocks_that_could_not_be_read(bench):
    """If the DMA could not read a block of a message, the message ends with an error. Decryption then outputs no text.
    Encryption outputs zeros from the failed block on.
    """
    engine, key = bench.engine, bytes(range(16))
    bench.load_key(key)
    message = Message(key, b"twelve bytes", b"header", bytes(40))
    for m in (message, message.to_open()):
        for bad in range(len(m.blocks)):
            blocks = [block | {"failed": int(n == bad)} for n, block in enumerate(m.blocks)]
            results, left = [], []

            def watch(results=results, left=left):
                yield [engine.result.ready.eq(1), engine.source.ready.eq(1)]
                for _ in range(400):
                    yield
                    if (yield engine.result.valid):
                        results.append(((yield engine.result.error), (yield engine.result.tag)))
                    if (yield engine.source.valid):
                        left.append(((yield engine.source.data), (yield engine.source.mask)))
                yield [engine.result.ready.eq(0), engine.source.ready.eq(0)]

            bench.sim.run(watch(), send(engine.message, [m.header]), send(engine.sink, blocks), max_cycles=500)
            assert results == [(1, 0)]
            assert len(left) == (3 if m.tag is None else 0)
            assert all((not mask and not data) for data, mask in left[bad - 1 : bad] if bad)
            assert all(not data for data, _ in left[max(bad - 1, 0) :])
            bench.sim.poke({engine.sink.failed: 0})
    check(bench, [message])


def test_a_forged_message_before_good_ones_without_text(bench):
    """Messages without text get their verdicts while the hardware zeroizes the text of an earlier, forged message."""
    key = bytes(range(16))
    bench.load_key(key)
    forged = Message(key, b"twelve bytes", b"", b"\x5a" * (16 * DEPTH)).to_open(tag=bytes(16))
    empty = Message(key, b"another one!").to_open()
    outcomes = bench.run([forged, *[empty] * 4, forged, empty])
    assert [(o.text, o.failed) for o in outcomes] == [(b"", n in (0, 5)) for n in range(7)]


def test_every_bit_of_a_tag_counts_up_to_its_length(bench):
    key = bytes(range(32))
    bench.load_key(key)
    for length in (4, 12, 13, 16):
        message = Message(key, b"twelve bytes", b"aad", b"text", tag_length=length)
        tag = message.sealed()[1].ljust(16, b"\0")
        changed = [xor(tag, (1 << bit).to_bytes(16, "little")) for bit in range(128)]
        outcomes = bench.run([message.to_open(tag=value) for value in changed])
        assert [outcome.failed for outcome in outcomes] == [bit < 8 * length for bit in range(128)]


def inverse(block: bytes) -> bytes:
    """Return the inverse of an element of GCM's field GF(2^128): its power with the exponent 2^128 - 2."""
    result, power = None, block
    for _ in range(127):
        power = product(power, power)
        result = power if result is None else product(result, power)
    return result


@pytest.mark.parametrize("start", [2**32 - 1, 2**32 - 2, 2**32 - 4])
def test_the_counter_wraps_at_32_bits(bench, start):
    """The low 32 bits of the counter wrap during a message. The upper 96 bits are all ones and must not change.

    The test computes an IV of 16 bytes for which GHASH gives this first counter block (J0).
    """
    key = bytes(range(16))
    bench.load_key(key)
    subkey = encrypted(key, bytes(16))
    j0, back = b"\xff" * 12 + start.to_bytes(4, "big"), inverse(subkey)
    length = (128).to_bytes(16, "big")
    iv = product(xor(product(j0, back), length), back)
    assert ghash(subkey, iv + length) == j0
    check(bench, [Message(key, iv, b"aad", bytes(range(100)))])


def test_key_changes_between_messages(bench):
    """After a slot gets a new key, the engine uses no value that it computed from the old key."""
    rng = random.Random(9)
    for _ in range(6):
        key = rng.randbytes(rng.choice([16, 32]))
        bench.load_key(rng.randbytes(16))
        if rng.random() < 0.5:
            bench.sim.run(wait(rng.randrange(60)), max_cycles=100)
        bench.load_key(key)
        check(bench, [Message(key, rng.randbytes(12), rng.randbytes(20), rng.randbytes(40))])


def wait(cycles: int):
    for _ in range(cycles):
        yield


def test_errors(bench):
    """The engine refuses messages without key or IV, with a wrong tag length, or with text longer than the buffer."""
    key = bytes(range(16))
    bench.load_key(key, 1)
    iv, long = b"twelve bytes", bytes(16 * DEPTH + 1)
    good = Message(key, iv, b"aad", b"text", 1)
    bad = [
        Message(key, iv, b"aad", b"text", 0, tag=bytes(16)),
        Message(key, iv + iv, b"aad", b"text", 2, tag=bytes(16)),
        Message(key, iv, b"aad", b"text", 1, tag=good.sealed()[1], tag_length=3),
        Message(key, iv, b"aad", b"text", 1, tag=good.sealed()[1], tag_length=17),
        Message(key, iv, b"aad", long, 1, tag=bytes(16)),
        Message(key, b"", b"aad", b"text", 1, tag=bytes(16)),
    ]
    outcomes = bench.run([m for each in bad for m in (each, good, good.to_open())])
    for n in range(0, len(outcomes), 3):
        error, sealed, opened = outcomes[n : n + 3]
        assert (error.error, error.failed, error.text) == (True, False, b"")
        assert (sealed.text, sealed.tag) == good.sealed() and opened.text == good.text
    assert bench.sim.peek(bench.engine.failures) == 0
    sealed = bench.run([Message(key, iv, b"aad", b"text", 0)])[0]
    assert (sealed.error, sealed.text, sealed.tag) == (True, bytes(4), bytes(16))


def test_a_key_that_comes_too_late(bench):
    """A message that begins before its key is loaded ends with an error, and outputs zeros instead of its text."""
    engine, key = bench.engine, bytes(range(16))
    message = Message(key, b"twelve bytes", b"", bytes(range(96)))
    bench.sim.run(send(engine.message, [message.header]), wait(60), max_cycles=200)
    bench.load_key(key)
    found = []
    bench.sim.run(
        send(engine.sink, message.blocks), receive(engine.source, len(message.blocks), found), max_cycles=1000
    )
    assert found == [0] * 6
    bench.sim.run(until_result(engine), max_cycles=200)
    check(bench, [message])


def test_a_message_at_every_cycle_of_a_key_load(bench):
    """A message that starts during a key load either ends with an error, or uses the new key for text and tag."""
    rng, errors = random.Random(5), []
    for offset in range(100):
        key = rng.randbytes(16)
        message = Message(key, rng.randbytes(12), b"aad", rng.randbytes(20))
        bench.sim.run(begin_key(bench.keys, key), max_cycles=400)
        bench.sim.run(wait(offset), max_cycles=offset + 2)
        outcome = bench.run([message])[0]
        errors.append(outcome.error)
        assert outcome.error or (outcome.text, outcome.tag) == message.sealed()
        bench.sim.run(settle(bench.keys), max_cycles=400)
    assert errors[0] and not errors[-1]


def until_result(engine):
    yield engine.result.ready.eq(1)
    yield
    while not (yield engine.result.valid):
        yield
    assert (yield engine.result.error) and not (yield engine.result.tag)
    yield engine.result.ready.eq(0)
    yield


def test_longest_message(bench):
    """A message to decrypt is allowed to fill the whole text buffer; a message to encrypt can be longer than the
    buffer.
    """
    key = bytes(range(16))
    bench.load_key(key)
    check(bench, [Message(key, b"twelve bytes", b"", bytes(range(256)) * (DEPTH // 16)) for _ in range(3)])
    message = Message(key, b"twelve bytes", b"", bytes(16 * 3 * DEPTH))
    sealed = bench.run([message])[0]
    assert (sealed.text, sealed.tag) == message.sealed()


@pytest.mark.parametrize("pulse", ["flush", "zeroize"])
def test_flush_and_zeroize_in_mid_message(bench, pulse):
    """After `flush` or `zeroize` during a message, no block and no result comes out; later messages are right."""
    engine, rng = bench.engine, random.Random(pulse)
    key = rng.randbytes(16)
    bench.load_key(key)
    message = Message(key, rng.randbytes(12), rng.randbytes(20), rng.randbytes(70))
    for when in range(0, 220, 7):
        messages = [message.to_open(), Message(key, rng.randbytes(16), b"", b"text"), message]
        signal = engine.flush if pulse == "flush" else bench.keys.zeroize

        def interrupted(signal=signal):
            yield [signal.eq(1), engine.message.valid.eq(0), engine.sink.valid.eq(0)]
            yield
            yield signal.eq(0)
            yield
            yield from settle(bench.keys)
            yield from wait(DEPTH + 24)

        blocks = [block for m in messages for block in m.blocks]
        benches = [send(engine.message, [m.header for m in messages]), send(engine.sink, blocks)]
        bench.sim.run(wait(when), background=benches, max_cycles=when + 2)
        bench.sim.run(interrupted(), max_cycles=2000)
        assert not bench.sim.peek(engine.source.valid) and not bench.sim.peek(engine.result.valid)
        if pulse == "zeroize":
            assert bench.run([message])[0].error
            bench.load_key(key)
        check(bench, [message])


def test_cycles(bench):
    """With AES-128, the core encrypts a block every 10 cycles, even at the transition between two messages. The cycles
    do not depend on the data or the verdict.
    """
    key = bytes(range(16))
    bench.load_key(key)
    count = 8
    message = Message(key, b"twelve bytes", b"", bytes(16 * count))
    times = []
    bench.run([message] * 6, times=times)
    assert {b - a for a, b in itertools.pairwise(times[2:count])} == {10}
    # The core also encrypts one block for each message's tag.
    assert times[-1] - times[count - 1] == 5 * 10 * (count + 1)
    right, ends = message.to_open(), set()
    for tag in (right.tag, bytes(16), right.tag[:-1] + b"\0"):
        for text in (right.text, bytes(16 * count)):
            begun = bench.sim.cycle
            result_times = []

            def watch(result_times=result_times):
                while not (yield bench.engine.result.valid):
                    yield
                result_times.append(bench.sim.cycle)

            m = message.to_open(tag=tag, text=text)
            bench.sim.run(
                watch(), send(bench.engine.message, [m.header]), send(bench.engine.sink, m.blocks), max_cycles=400
            )
            ends.add(result_times[0] - begun)
            bench.sim.run(drain(bench.engine), max_cycles=200)
    assert len(ends) == 1


def drain(engine):
    yield [engine.result.ready.eq(1), engine.source.ready.eq(1)]
    yield from wait(60)
    yield [engine.result.ready.eq(0), engine.source.ready.eq(0)]
    yield
