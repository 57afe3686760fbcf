# SPDX-License-Identifier: BSD-2-Clause
"""Test SNOW 3G and 128-EEA1 in simulation, against 3GPP's test sets."""

import random

import pytest

from lab.snow3g.eea1 import EEA1
from lab.snow3g.keystream import Snow3G
from lab.snow3g.published import KEYSTREAMS
from lab.snow3g.sboxes import S_Q_IMPLEMENTATIONS
from lab.tests.snow3g.vectors import MESSAGES
from tests.gateware.support import Simulation, receive, send


def job_of(key: str, iv: str) -> dict:
    """Return the words of a key (k0 to k3) and of an IV (iv0 to iv3), numbered as in TS 35.216."""
    return {f"{name}{n}": int(text[8 * n : 8 * n + 8], 16) for name, text in (("k", key), ("iv", iv)) for n in range(4)}


@pytest.fixture(scope="module", params=S_Q_IMPLEMENTATIONS)
def generator(request):
    dut = Snow3G(s_r={"table": "tower"}.get(request.param, request.param), s_q=request.param)
    with Simulation(dut, dut.sink, dut.source, dut.clear, dut.state) as sim:
        sim.dut = dut
        yield sim


def keystream(sim, key: str, iv: str, count: int) -> tuple[list[int], list[int]]:
    """Return the first words of a keystream. Also return, for each word, the number of cycles since the generator
    accepted the job (key and IV).
    """
    dut, z, times, begun = sim.dut, [], [], []

    def load():
        yield from send(dut.sink, [job_of(key, iv)])
        begun.append(sim.cycle)

    def take():
        while not begun:
            yield
        yield from receive(dut.source, count, z, field="z", times=(sim, times))

    sim.run(load(), take(), max_cycles=3000)
    return z, [time - begun[0] for time in times]


def test_keystreams(generator):
    """A new job (key and IV) ends the previous job. The first keystream word comes 34 cycles after the job starts."""
    for key, iv, words in KEYSTREAMS:
        z, times = keystream(generator, key, iv, max(words))
        assert {n: z[n - 1] for n in words} == words
        assert times == list(range(34, 34 + len(z)))


def test_a_keystream_is_erased(generator):
    dut = generator.dut
    key, iv, _ = KEYSTREAMS[0]
    for cycles in (3, 40):
        generator.run(send(dut.sink, [job_of(key, iv)]), max_cycles=50)
        generator.clock(cycles)
        assert all(generator.peek(word) for word in dut.state[:16])

        def clear():
            yield dut.clear.eq(1)
            yield
            assert not (yield dut.sink.ready)
            yield dut.clear.eq(0)
            yield

        generator.run(clear(), max_cycles=5)
        assert not any(generator.peek(word) for word in dut.state)
        generator.clock(50)
        assert not generator.peek(dut.source.valid)


@pytest.fixture(scope="module")
def eea1():
    dut = EEA1()
    with Simulation(dut, dut.job, dut.sink, dut.source, dut.clear, dut.generator.state) as sim:
        sim.dut = dut
        yield sim


def job_for(message, bits: int) -> dict:
    key = int.from_bytes(message.key, "little")
    return {
        "key": key,
        "count": message.count,
        "bearer": message.bearer,
        "direction": message.direction,
        "length": bits,
    }


def words_of(data: bytes) -> list[dict]:
    return [{"data": int.from_bytes(data[n : n + 4], "little")} for n in range(0, len(data), 4)]


def cut(data: bytes, bits: int) -> bytes:
    """Return the first `bits` bits of data, padded with zeros to a multiple of 32 bits."""
    value = int.from_bytes(data) >> (8 * len(data) - bits)
    return (value << (-bits % 32)).to_bytes((bits + 31) // 32 * 4)


def ciphered(sim, jobs: list, data: list[bytes], rng=None) -> list[bytes]:
    """Encrypt messages; return the results, one for each message. The signal `last` marks the end of a message."""
    dut, found, ends = sim.dut, [], []
    words = [word for message in data for word in words_of(message)]

    def take():
        while len(found) < len(words):
            yield dut.source.ready.eq(0 if rng and rng.random() < 0.5 else 1)
            yield
            if (yield dut.source.valid) and (yield dut.source.ready):
                found.append((yield dut.source.data))
                if (yield dut.source.last):
                    ends.append(len(found))
        yield dut.source.ready.eq(0)

    sim.run(send(dut.job, jobs), send(dut.sink, words, rng, 0.3 if rng else 0), take(), max_cycles=5000)
    starts = [0, *ends[:-1]]
    return [b"".join(w.to_bytes(4, "little") for w in found[a:b]) for a, b in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("seed", [None, 1])
def test_messages(eea1, seed):
    """Encrypt and decrypt 3GPP's messages. The core must ignore the input bits after the end of the message, and return
    zeros in their positions.
    """
    rng = random.Random(seed) if seed else None
    jobs = [job_for(message, message.bits) for message in MESSAGES]
    expected = [cut(message.ciphertext, message.bits) for message in MESSAGES]
    padded = [m.plaintext + b"\xff" * (-len(m.plaintext) % 4) for m in MESSAGES]
    assert ciphered(eea1, jobs, padded, rng) == expected
    assert ciphered(eea1, jobs, expected, rng) == [cut(message.plaintext, message.bits) for message in MESSAGES]


def test_each_length_of_a_last_word(eea1):
    message = MESSAGES[1]
    lengths = [*range(1, 34), 64]
    jobs = [{**job_for(message, bits)} for bits in lengths]
    data = [message.plaintext[: (bits + 31) // 32 * 4] for bits in lengths]
    assert ciphered(eea1, jobs, data) == [cut(message.ciphertext, bits) for bits in lengths]


def test_a_message_without_bits_has_no_words(eea1):
    message = MESSAGES[0]
    jobs = [job_for(message, 0), job_for(message, 0), job_for(message, 32)]
    assert ciphered(eea1, jobs, [message.plaintext[:4]]) == [message.ciphertext[:4]]


def test_what_is_left_of_a_key_after_a_message(eea1):
    message = MESSAGES[0]
    ciphered(eea1, [job_for(message, 64)], [message.plaintext[:8]])
    eea1.clock(2)
    assert not any(eea1.peek(word) for word in eea1.dut.generator.state)


def test_a_message_that_is_cleared_ends(eea1):
    dut, message = eea1.dut, MESSAGES[0]

    def clear():
        yield from send(dut.job, [job_for(message, 64)])
        yield dut.clear.eq(1)
        yield
        yield dut.clear.eq(0)
        yield

    eea1.run(clear(), max_cycles=10)
    assert not any(eea1.peek(word) for word in dut.generator.state)
    eea1.poke({dut.sink.valid: 1, dut.source.ready: 1})
    eea1.clock(60)
    assert not eea1.peek(dut.source.valid) and not eea1.peek(dut.sink.ready) and eea1.peek(dut.job.ready)
    eea1.poke({dut.sink.valid: 0, dut.source.ready: 0})
    eea1.clock()
    assert ciphered(eea1, [job_for(message, 32)], [message.plaintext[:4]]) == [message.ciphertext[:4]]
