"""The CTR engine as a stream: published vectors, lengths, backpressure, masks, back-to-back messages."""

import random
import re
from pathlib import Path

import cryptography_vectors
import pytest

from gateware.aes.key_schedule import KEY_LENGTHS
from gateware.ctr.engine import CTREngine
from tests.gateware.ctr.bench import ctr
from tests.gateware.support import Simulation, receive, send


class Bench:
    def __init__(self):
        engine = self.engine = CTREngine()
        core = engine.core
        message = (engine.start, engine.initial, engine.index, engine.count, engine.enable, engine.flush)
        key = (core.key, core.key_length, core.key_valid, core.busy)
        self.sim = Simulation(engine, engine.sink, engine.source, *message, *key)

    def load_key(self, key: bytes):
        core = self.engine.core

        def bench():
            yield core.key_length.eq(KEY_LENGTHS[8 * len(key)])
            words = [{"word": int.from_bytes(key[i : i + 4], "little")} for i in range(0, len(key), 4)]
            yield from send(core.key, words)
            yield
            while not (yield core.key_valid):
                yield

        self.sim.run(bench(), max_cycles=200)

    def message(self, counter: int, index: int, data: bytes, rng=None, idle=0.0, stall=0.0) -> bytes:
        engine = self.engine
        blocks = [data[i : i + 16] for i in range(0, len(data), 16)]
        filler = b"\xff" * 16  # what lies in memory behind the data
        items = [
            {
                "data": int.from_bytes((block + filler)[:16], "little"),
                "mask": 2 ** len(block) - 1,
                "last": int(n == len(blocks) - 1),
            }
            for n, block in enumerate(blocks)
        ]

        def start():
            initial = int.from_bytes((counter % 2**128).to_bytes(16, "big"), "little")
            yield [engine.initial.eq(initial), engine.index.eq(index), engine.count.eq(len(blocks))]
            yield [engine.start.eq(1), engine.enable.eq(1)]
            yield
            yield [engine.start.eq(0), engine.enable.eq(0)]

        received = []
        self.sim.run(
            start(),
            send(engine.sink, items, rng, idle),
            receive(engine.source, len(blocks), received, rng=rng, stall=stall),
            max_cycles=100 + 400 * len(blocks),
        )
        result = b"".join(value.to_bytes(16, "little") for value in received)
        assert not any(result[len(data) :]), "keystream left through the bytes that do not count"
        return result[: len(data)]


@pytest.fixture(scope="module")
def simulated():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.fixture
def bench(simulated):
    simulated.sim.reset()
    return simulated


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_rfc_3686_vectors(bench, key_bits):
    path = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "CTR" / f"aes-{key_bits}-ctr.txt"
    pattern = r"KEY = (\w+)\s+IV = (\w+)\s+PLAINTEXT = (\w+)\s+CIPHERTEXT = (\w+)"
    vectors = re.findall(pattern, path.read_text())
    assert len(vectors) >= 3
    for key, iv, plain, cipher in vectors:
        bench.load_key(bytes.fromhex(key))
        assert bench.message(int(iv, 16), 0, bytes.fromhex(plain)) == bytes.fromhex(cipher)


@pytest.mark.parametrize("stall", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("idle", [0.0, 0.5, 0.95])
def test_messages_back_to_back(bench, idle, stall):
    """Lengths of all residues, without a pause and without a new key between the messages."""
    rng = random.Random(f"engine {idle} {stall}")
    key = rng.randbytes(rng.choice([16, 24, 32]))
    bench.load_key(key)
    for length in [0, *range(1, 34), 0, 160]:
        counter, index, data = rng.getrandbits(128), rng.getrandbits(64), rng.randbytes(length)
        assert bench.message(counter, index, data, rng, idle, stall) == ctr(key, counter + index, data)
        assert not bench.sim.peek(bench.engine.core.busy), "keystream is left over"


@pytest.mark.parametrize("wrap", [32, 64, 128])
def test_counter_wraps(bench, wrap):
    key = bytes(range(16))
    bench.load_key(key)
    data = bytes(80)
    assert bench.message(2**wrap - 2, 0, data) == ctr(key, 2**wrap - 2, data)
    assert bench.message(2**wrap - 10, 8, data) == ctr(key, 2**wrap - 2, data)


@pytest.mark.parametrize("when", range(1, 45, 2))
def test_flush_in_mid_message(bench, when):
    engine, key = bench.engine, bytes(range(24))
    bench.load_key(key)

    def interrupted():
        yield [engine.start.eq(1), engine.enable.eq(1), engine.count.eq(1000), engine.initial.eq(123)]
        yield [engine.sink.valid.eq(1), engine.source.ready.eq(1), engine.sink.mask.eq(0xFFFF)]
        yield
        yield [engine.start.eq(0), engine.enable.eq(0)]
        for _ in range(when):
            yield
        yield [engine.sink.valid.eq(0), engine.source.ready.eq(0), engine.flush.eq(1)]
        yield
        yield engine.flush.eq(0)
        yield

    bench.sim.run(interrupted(), max_cycles=80)
    assert not bench.sim.peek(engine.core.busy)
    data = bytes(range(40))
    assert bench.message(99, 0, data) == ctr(key, 99, data)
