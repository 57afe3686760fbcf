"""The iterative core against FIPS-197, SP 800-38A, NIST's known answers and `cryptography`."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.aes.iterative import IterativeCore
from gateware.aes.key_schedule import KEY_LENGTHS
from tests.gateware.support import Simulation, receive, send

ROUNDS = {128: 10, 192: 12, 256: 14}
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}


def ecb(key: bytes, blocks: list[bytes]) -> list[bytes]:
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return [encryptor.update(block) for block in blocks]


def items(blocks):
    return [{"data": int.from_bytes(block, "little")} for block in blocks]


def words(key: bytes):
    return [{"word": int.from_bytes(key[i : i + 4], "little")} for i in range(0, len(key), 4)]


class Bench:
    def __init__(self):
        core = self.core = IterativeCore()
        self.sim = Simulation(
            core, core.sink, core.source, core.key, core.key_length, core.key_valid, core.busy, core.flush, core.clear
        )

    def load_key(self, key: bytes, rng=None, idle=0.0):
        def bench():
            yield self.core.key_length.eq(KEY_LENGTHS[8 * len(key)])
            yield from send(self.core.key, words(key), rng, idle)
            yield
            while not (yield self.core.key_valid):
                yield

        start = self.sim.cycle
        self.sim.run(bench(), max_cycles=400)
        return self.sim.cycle - start

    def encrypt(self, blocks, rng=None, idle=0.0, stall=0.0, times=None):
        received = []
        self.sim.run(
            send(self.core.sink, items(blocks), rng, idle),
            receive(
                self.core.source, len(blocks), received, rng=rng, stall=stall, times=times and (self.sim, times[0])
            ),
            max_cycles=200 + 200 * len(blocks),
        )
        return [value.to_bytes(16, "little") for value in received]


@pytest.fixture
def bench():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.mark.parametrize("key_bits", ROUNDS)
def test_fips_197_appendix_c(bench, key_bits):
    bench.load_key(bytes(range(key_bits // 8)))
    assert bench.encrypt([PLAIN]) == [bytes.fromhex(FIPS_197[key_bits])]
