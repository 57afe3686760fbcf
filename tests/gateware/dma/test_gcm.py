# SPDX-License-Identifier: BSD-2-Clause
"""Test GCM messages as descriptors, from memory to memory, against `cryptography` and NIST's vectors."""

import random
from dataclasses import replace

import pytest

from gateware.dma.errors import Error
from gateware.dma.gcm_dispatch import MODE_DECRYPT, MODE_ENCRYPT, MODE_VERIFY
from tests.gateware.ctr.reference import T1
from tests.gateware.ctr.test_gcm import inverse, nist
from tests.gateware.dma.bench import ORIGIN, OUT, SIZE, SMALL, Descriptor
from tests.gateware.dma.gcm_bench import DEPTH, TAGS, GCMBench, Message, forged, placed
from tests.gateware.gcm.reference import encrypted, ghash, product, xor

IV = b"twelve bytes"
STRIDE = 199  # the test uses every 199th message of each NIST file


@pytest.fixture(scope="module")
def simulated():
    bench = GCMBench()
    yield bench
    bench.sim.close()


def wait(cycles: int):
    for _ in range(cycles):
        yield


def keys_of(bench, rng, count=4) -> list[bytes]:
    keys = [rng.randbytes(rng.choice([16, 24, 32])) for _ in range(count)]
    for slot, key in enumerate(keys):
        bench.load_key(key, slot)
    return keys


def test_one_message(bench):
    key = bytes(range(16))
    bench.load_key(key)
    message = Message(key, IV, b"header", b"some text of 25 bytes, yes")
    rng = random.Random(1)
    bench.carry_out(placed([message], rng))
    bench.carry_out(placed([message.to_open()], rng))


@pytest.mark.parametrize("which", ["aad", "text"])
def test_every_length_at_any_alignment_back_to_back(bench, which):
    """Process messages of all modes without a pause. `which` has each length from 0 to 70 bytes once."""
    rng = random.Random(which)
    keys = keys_of(bench, rng)
    lengths = rng.sample(range(71), 71)
    for first in range(0, 71, 12):
        messages = []
        for length in lengths[first : first + 12]:
            other = rng.choice([0, rng.randrange(71)])
            aad, text = (length, other) if which == "aad" else (other, length)
            slot, tag_length = rng.randrange(len(keys)), rng.choice(TAGS)
            iv = rng.randbytes(rng.choice([12, 12, 12, 8, 16, 17, 60]))
            message = Message(keys[slot], iv, rng.randbytes(aad), rng.randbytes(text), tag_length=tag_length, slot=slot)
            messages += [message, message.to_open(), message.to_open(MODE_VERIFY)]
        bench.carry_out(placed(rng.sample(messages, len(messages)), rng, in_place=0.3))


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_nist(bench, bits):
    """Encrypt and decrypt NIST's messages: with and without text (GMAC), and with all tag lengths."""
    rng = random.Random(bits)
    lengths = set()
    for direction in ("EncryptExtIV", "Decrypt"):
        for vector in nist(f"gcm{direction}{bits}.rsp")[::STRIDE]:
            key, iv, aad, ct, tag = (bytes.fromhex(vector[name]) for name in ("Key", "IV", "AAD", "CT", "Tag"))
            bench.load_key(key)
            message = Message(key, iv, aad, ct, MODE_DECRYPT, tag, len(tag))
            lengths.add((len(iv), len(tag), bool(ct)))
            if "FAIL" in vector:
                bench.carry_out(placed([replace(message, error=Error.TAG)], rng))
                continue
            plain = bytes.fromhex(vector["PT"])
            if len(iv) >= 8:  # `cryptography` supports only IVs of 8 bytes or more
                assert message.opened() == plain
                bench.carry_out(placed([message, replace(message, mode=MODE_ENCRYPT, text=plain)], rng))
            else:
                (m,) = placed([replace(message, mode=MODE_ENCRYPT, text=plain)], rng)
                for address, data in m.parts():
                    bench.memory.write(address, data)
                assert bench.transfer(m) == [Error.NONE]
                assert bench.memory.read(m.destination, len(ct)) == ct
                assert bench.memory.read(m.tag_address, len(tag)) == tag
    assert {iv for iv, *_ in lengths} >= {1, 12, 128} and {tag for _, tag, _ in lengths} == set(TAGS)


def test_forged_messages(bench):
    """If the IV, AAD, text or tag of a message was changed, the accelerator writes nothing. The unchanged messages
    still get the right results.
    """
    rng = random.Random(4)
    keys = keys_of(bench, rng, 3)
    before, count = bench.failures(), 0
    for _ in range(20):
        messages = [forged(keys, rng) for _ in range(18)]
        count += sum(m.error == Error.TAG for m in messages)
        bench.carry_out(placed(messages, rng, in_place=0.3))
    assert bench.failures() - before == count > 150


def test_every_bit_of_a_tag_counts_up_to_its_length(bench):
    key, rng = bytes(range(32)), random.Random(7)
    bench.load_key(key)
    for length in (4, 13):
        message = Message(key, IV, b"aad", b"text", tag_length=length)
        right = message.sealed()[1]
        tags = [xor(right, (1 << bit).to_bytes(length, "little")) for bit in range(8 * length)]
        for first in range(0, len(tags), 32):
            wrong = [message.to_open(tag=tag, error=Error.TAG) for tag in tags[first : first + 32]]
            bench.carry_out(placed([*wrong, message.to_open()], rng))


@pytest.mark.parametrize("start", [2**32 - 1, 2**32 - 2, 2**32 - 4])
def test_the_counter_wraps_at_32_bits(bench, start):
    """The low 32 bits of the counter wrap during a message. The upper 96 bits are all ones and must not change.

    The test computes an IV of 16 bytes for which GHASH gives this first counter block (J0).
    """
    key = bytes(range(16))
    bench.load_key(key)
    j0, subkey = b"\xff" * 12 + start.to_bytes(4, "big"), encrypted(key, bytes(16))
    length = (128).to_bytes(16, "big")
    iv = product(xor(product(j0, inverse(subkey)), length), inverse(subkey))
    assert ghash(subkey, iv + length) == j0
    message = Message(key, iv, b"aad", bytes(range(100)))
    bench.carry_out(placed([message, message.to_open()], random.Random(1)))


def test_key_changes_between_messages(bench):
    """After a slot gets a new key, the accelerator uses no value that it computed from the old key."""
    rng = random.Random(9)
    for _ in range(6):
        key = rng.randbytes(rng.choice([16, 32]))
        bench.load_key(rng.randbytes(16))
        if rng.random() < 0.5:
            bench.run(wait(rng.randrange(60)))
        bench.load_key(key)
        message = Message(key, rng.randbytes(12), rng.randbytes(20), rng.randbytes(40))
        bench.carry_out(placed([message, message.to_open()], rng))


def test_a_message_in_every_cycle_of_a_key_load(bench):
    """A message that starts during its key's load waits for the key and for the GHASH subkey."""
    rng = random.Random(5)
    for cycles in range(70):
        key = rng.randbytes(16)
        (message,) = placed([Message(key, rng.randbytes(12), b"aad", rng.randbytes(20))], rng)
        for address, data in message.parts():
            bench.memory.write(address, data)

        def life(key=key, message=message, cycles=cycles):
            yield from bench.set_descriptor(message)
            yield from bench.begin_key(key)
            yield from wait(cycles)
            number = yield from bench.read("submitted")
            yield from bench.command("start")
            assert (yield from bench.result(number)) == Error.NONE

        bench.run(life())
        for address, data in message.outputs():
            assert bench.memory.read(address, len(data)) == data


def test_counter_mode_between_messages(bench):
    """Mix GCM and counter-mode descriptors without a pause. A descriptor of one mode waits for earlier descriptors of
    the other mode.
    """
    rng = random.Random(11)
    key = rng.randbytes(16)
    bench.load_key(key)
    first = placed([Message(key, IV, b"aad", rng.randbytes(n)) for n in (40, 1, 0)], rng)
    place = ORIGIN + SIZE // 2
    for _ in range(4):
        order = [*first, *[Descriptor(place + 100 * n, OUT + 1000 + 100 * n, 90, T1 + n) for n in range(3)]]
        rng.shuffle(order)
        for m in order:
            for address, data in m.parts() if isinstance(m, Message) else [(m.source, rng.randbytes(90))]:
                bench.memory.write(address, data)
        assert bench.transfer(*order) == [Error.NONE] * len(order)
        for m in order:
            if isinstance(m, Message):
                outputs = m.outputs()
            else:
                outputs = [(m.destination, m.result(key, bench.memory.read(m.source, 90)))]
            for address, data in outputs:
                assert bench.memory.read(address, len(data)) == data


def test_a_long_text_in_two_steps(bench):
    """The accelerator refuses to decrypt a text that is longer than its text buffer. Software then needs two
    descriptors. The first verifies the tag, and the second decrypts in counter mode.
    """
    key, rng = bytes(range(24)), random.Random(12)
    bench.load_key(key)
    message = Message(key, IV, b"aad", rng.randbytes(16 * 5 * DEPTH + 3))
    bench.carry_out(placed([message], rng))
    for length in (16 * DEPTH, 16 * DEPTH + 1):
        short = replace(message, text=message.text[:length])
        error = Error.NONE if length <= 16 * DEPTH else Error.LENGTH
        bench.carry_out(placed([short.to_open(error=error)], rng))
    (verify,) = placed([message.to_open(MODE_VERIFY)], rng)
    bench.carry_out([verify])
    decrypt = Descriptor(
        verify.source, verify.destination, len(message.text), int.from_bytes(IV + bytes(3) + b"\1"), 1, width=2
    )
    assert bench.transfer(decrypt) == [Error.NONE]
    assert bench.memory.read(verify.destination, len(message.text)) == message.text
    bench.carry_out(placed([message.to_open(MODE_VERIFY, tag=bytes(16), error=Error.TAG)], rng))


def test_refusals(bench):
    """The accelerator refuses an invalid message without memory access, and processes the valid messages before and
    after it.
    """
    key, rng = bytes(range(16)), random.Random(13)
    bench.load_key(key)
    good = Message(key, IV, b"aad", bytes(40))
    long_iv = replace(good, iv=bytes(range(20)))
    end = ORIGIN + SIZE
    cases = [
        (good, {"slot": 1}, Error.NO_KEY),
        (good, {"slot": 15}, Error.NO_KEY),
        *[(good, {"tag_length": n}, Error.LENGTH) for n in range(32) if n not in TAGS],
        (long_iv, {"iv1": 0}, Error.LENGTH),
        (long_iv, {"iv1": 12}, Error.LENGTH),
        (long_iv, {"iv0": end - 19}, Error.BAD_ADDRESS),
        (good, {"index_lo": end - 2}, Error.BAD_ADDRESS),
        (good, {"index_lo": ORIGIN - 1}, Error.BAD_ADDRESS),
        (good, {"index_hi": 2**32 - 1}, Error.BAD_ADDRESS),
        (good, {"source": end - 39}, Error.BAD_ADDRESS),
        (good, {"destination": end - 39}, Error.BAD_ADDRESS),
        (good, {"length": 2**32 - 1}, Error.BAD_ADDRESS),
        (good, {"iv3": end - 15}, Error.BAD_ADDRESS),
        (good, {"iv3": SMALL[0] + SMALL[1] - 8}, Error.BAD_ADDRESS),
        (good, {"source": ORIGIN + 100, "destination": ORIGIN + 101}, Error.OVERLAP),
    ]
    for message, changes, error in cases:
        for m in (message, message.to_open(), message.to_open(MODE_VERIFY)):
            if m.mode == MODE_VERIFY and ("destination" in changes):
                continue  # nothing is written
            too_long = changes.get("length") and m.mode == MODE_DECRYPT
            bad = replace(m, changes=changes, error=Error.LENGTH if too_long else error)
            bench.carry_out(placed([bad], rng))
            assert not bench.memory.log, f"{changes}: memory was accessed"
            bench.carry_out(placed([good, bad, good.to_open()], rng))


def test_addresses_of_empty_parts_do_not_count(bench):
    key, rng = bytes(range(16)), random.Random(14)
    bench.load_key(key)
    for message in (Message(key, IV), Message(key, IV, b"aad"), Message(key, IV, b"", b"text")):
        for m in (message, message.to_open(), message.to_open(MODE_VERIFY)):
            changes = {} if m.aad else {"index_lo": 0xFFFFFFFF}
            changes |= {} if m.text else {"source": 3, "destination": 4}
            bench.carry_out(placed([replace(m, changes=changes)], rng))


def test_nothing_is_written_before_the_tag_is_read(bench):
    key, rng = bytes(range(16)), random.Random(15)
    bench.load_key(key)
    for length in (1, 40, 16 * DEPTH):
        (m,) = placed([Message(key, IV, b"aad", rng.randbytes(length)).to_open()], rng)
        bench.carry_out([m])
        kinds = [we for we, *_ in bench.memory.log]
        assert kinds == sorted(kinds), "a write came before the last read"
        assert bench.memory.log[kinds.index(1) - 1][1] == (m.tag_address + 15) & ~15


@pytest.mark.parametrize("answer", ["err", None])
def test_bus_errors(bench, answer):
    """A bus error ends only the message in which it occurs. If a read fails, decryption writes no text, and encryption
    writes no tag.
    """
    key, rng = bytes(range(16)), random.Random(16)
    bench.load_key(key)
    good = Message(key, IV, b"additional data", bytes(range(50)))
    for m in (good, good.to_open(), good.to_open(MODE_VERIFY), replace(good, iv=bytes(range(30))).to_open()):
        first, m, last = placed([good, m, good.to_open()], rng)
        bench.carry_out([first, m, last])
        reads = len([a for we, a, _ in bench.memory.log if not we])
        once = [a for we, a, _ in bench.memory.log]
        spans = [(address, len(data)) for address, data in [*m.parts(), *m.outputs()]]
        mine = [a for a in dict.fromkeys(once) if any(p - 15 <= a < p + n for p, n in spans)]
        theirs = [(p, len(d)) for other in (first, last) for p, d in [*other.parts(), *other.outputs()]]
        mine = [a for a in mine if not any(p - 15 <= a < p + n for p, n in theirs)]
        assert reads and len(mine) > 3
        for bad in mine:
            bench.memory.answer = lambda address, we, bad=bad: answer if address == bad else "ack"
            before = bytes(bench.memory.contents[ORIGIN])
            for x in (first, m, last):
                bench.memory.write(x.destination, b"\xee" * len(x.text))
                bench.memory.write(x.tag_address, b"\xee" * 16)
            for x in (first, m, last):
                for p, d in x.parts():
                    bench.memory.write(p, d)
            results = bench.transfer(first, m, last)
            expected = Error.BUS_ERROR if answer else Error.BUS_TIMEOUT
            assert results == [Error.NONE, expected, Error.NONE]
            read_failed = any(p - 15 <= bad < p + len(d) for p, d in m.parts())
            if m.mode != MODE_ENCRYPT and read_failed:
                assert bench.memory.read(m.destination, len(m.text)) == b"\xee" * len(m.text)
            if m.mode == MODE_ENCRYPT and read_failed:
                assert bench.memory.read(m.tag_address, 16) == b"\xee" * 16
                text = bench.memory.read(m.destination, len(m.text))
                pairs = zip(text, m.sealed()[0], strict=True)
                assert all(a in (0, 0xEE, b) for a, b in pairs), "keystream left with data that were not read"
            for x in (first, last):
                for p, d in x.outputs():
                    assert bench.memory.read(p, len(d)) == d
            bench.memory.contents[ORIGIN][:] = before
            bench.memory.answer = lambda address, we: "ack"
            bench.assert_empty()


def test_an_error_after_a_message_that_reads_nothing(bench):
    """A message without data needs no memory reads, so its read phase ends at once. At that time, an earlier message
    can still wait for its tag. Each message must get its own result.
    """
    key, rng = bytes(range(16)), random.Random(19)
    bench.load_key(key)
    empty, good = Message(key, IV), Message(key, IV, b"aad")
    long = Message(key, IV, b"", bytes(200))  # this message keeps the core busy while the DMA reads the next ones
    bad = replace(good, error=Error.BUS_ERROR)
    order = placed([long, empty, bad, empty, empty, good, good.to_open()], rng, gap=60)
    address = order[2].aad_address & ~15
    bench.memory.answer = lambda at, we: "err" if at == address else "ack"
    for m in order:
        for place, data in m.parts():
            bench.memory.write(place, data)
    assert bench.transfer(*order) == [m.error for m in order]
    bench.memory.answer = lambda at, we: "ack"
    bench.carry_out(placed([empty, good, good.to_open()], rng))


def test_a_refused_message_before_a_forged_one(bench):
    """A forged message follows a refused message. The accelerator can know the verdict on the forged message before it
    has reported the result of the refused message. Each message must still get its own result.
    """
    key, rng = bytes(range(16)), random.Random(20)
    bench.load_key(key)
    good, empty = Message(key, IV, b"aad", bytes(16)), Message(key, IV)
    refused = replace(empty, tag_length=5, error=Error.LENGTH)
    wrong = empty.to_open(tag=bytes(16), error=Error.TAG)
    writing = placed([good, refused, wrong, empty.to_open()], rng)
    kinds = []

    def answer(address, we):
        kinds.append(we)
        return "ack"

    bench.memory.answer = answer
    bench.memory.latency = lambda: 90 if kinds[-1] else 1  # writes are slow but within the bus timeout of 100 cycles
    bench.carry_out(writing)
    bench.memory.answer, bench.memory.latency = lambda address, we: "ack", lambda: 1


@pytest.mark.parametrize("wait_cycles", [1, 7])
def test_a_slow_bus(bench, wait_cycles):
    rng = random.Random(wait_cycles)
    keys = keys_of(bench, rng)
    bench.memory.latency = lambda: rng.randrange(1, 2 * wait_cycles + 1)
    slots = [rng.randrange(4) for _ in range(8)]
    messages = [Message(keys[s], rng.randbytes(12), rng.randbytes(30), rng.randbytes(100), slot=s) for s in slots]
    bench.carry_out(placed([x for m in messages for x in (m, m.to_open())], rng))


def test_time_does_not_depend_on_data_or_verdict(bench):
    """A verification takes the same number of cycles for right and for wrong tags. A failed decryption takes the same
    number of cycles for every wrong tag.
    """
    key, rng = bytes(range(16)), random.Random(17)
    bench.load_key(key)
    cycles = {MODE_VERIFY: set(), MODE_DECRYPT: set()}
    bench.carry_out(placed([Message(key, IV)], rng))  # GHASH's tables are filled here, so later messages need not wait
    for n in range(12):
        message = Message(key, rng.randbytes(12), rng.randbytes(30), rng.randbytes(60))
        right = message.to_open(MODE_VERIFY)
        tag = (right.tag, bytes(16), right.tag[:-1] + bytes([right.tag[-1] ^ 1]))[n % 3]
        for m in (replace(right, tag=tag), replace(right, mode=MODE_DECRYPT, tag=tag)):
            if m.mode == MODE_DECRYPT and n % 3 == 0:
                continue
            m = replace(m, error=Error.NONE if n % 3 == 0 else Error.TAG)
            m = replace(m, source=ORIGIN, aad_address=OUT, tag_address=OUT + 64, destination=OUT + 256)
            bench.carry_out([m])
            found = []

            def read(found=found):
                found.append((yield from bench.read("cycles")))

            bench.run(read())
            cycles[m.mode].add(found[0])
    assert {len(each) for each in cycles.values()} == {1}


def test_the_subkey_is_not_readable(bench):
    """After the accelerator has used a GHASH subkey, no readable register contains four bytes of it in a row."""
    key, rng = bytes(range(16)), random.Random(18)
    bench.load_key(key)
    message = Message(key, IV, b"aad", b"text")
    bench.carry_out(placed([message, message.to_open(), message.to_open(tag=bytes(16), error=Error.TAG)], rng))
    subkey = encrypted(key, bytes(16))
    words = {int.from_bytes(subkey[n : n + 4], order) for n in range(13) for order in ("big", "little")}
    values = []

    def read():
        for name in bench.address:
            values.append((yield from bench.read(name)))

    bench.run(read())
    assert len(values) > 25 and not words & set(values)
