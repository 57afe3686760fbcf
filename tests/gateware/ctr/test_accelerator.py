"""The accelerator through its registers and its bus, against SP 800-38A and `cryptography`."""

import pytest

from gateware.ctr.errors import Error
from tests.gateware.ctr.bench import ORIGIN, Bench

KEYS = {
    128: bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    192: bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    256: bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
}
T1 = 0xF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
SP_800_38A = {  # F.5.1, F.5.3, F.5.5
    128: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    192: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
    "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    256: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
}
OUT = ORIGIN + 0x2000


@pytest.fixture
def bench():
    bench = Bench()
    yield bench
    bench.sim.close()


@pytest.mark.parametrize("key_bits", KEYS)
def test_sp_800_38a_f5(bench, key_bits):
    bench.load_key(KEYS[key_bits])
    bench.memory.write(ORIGIN, PLAIN)
    status, cycles = bench.transfer(T1, 0, ORIGIN, OUT, len(PLAIN))
    print(cycles)
    assert (status["done"], status["error"]) == (1, Error.NONE)
    assert bench.memory.read(OUT, len(PLAIN)).hex() == SP_800_38A[key_bits]
