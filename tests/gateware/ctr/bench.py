"""An accelerator in simulation, with a memory on its bus, driven through its registers as software does."""

import random

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from litex.soc.interconnect import csr_bus
from migen import Module

from gateware.aes.key_schedule import KEY_LENGTHS
from gateware.ctr.accelerator import CTRAccelerator
from tests.gateware.support import Simulation

ORIGIN = 0x4000_0000
SIZE = 0x4000
SMALL = (0x1000_0000, 0x100)
TIMEOUT_CYCLES = 100


def ctr(key: bytes, counter: int, data: bytes) -> bytes:
    """AES-CTR by `cryptography`, with the counter block as a number."""
    block = (counter % 2**128).to_bytes(16, "big")
    return Cipher(algorithms.AES(key), modes.CTR(block)).encryptor().update(data)


class MemoryModel:
    """A Wishbone slave: bytes, and how it answers.

    `latency` gives the cycles from `stb` to the answer, at least 1; `answer` maps an address (in bytes)
    to "ack", "err" or None for no answer at all.
    """

    def __init__(self, bus, regions):
        self.bus = bus
        self.contents = {origin: bytearray(size) for origin, size in regions}
        self.latency = lambda: 1
        self.answer = lambda address, we: "ack"
        self.log = []

    def place(self, address: int):
        for origin, data in self.contents.items():
            if origin <= address < origin + len(data):
                return data, address - origin
        raise AssertionError(f"access outside the memory at {address:#x}")

    def write(self, address: int, data: bytes):
        memory, offset = self.place(address)
        memory[offset : offset + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        memory, offset = self.place(address)
        return bytes(memory[offset : offset + size])

    def serve(self):
        bus = self.bus
        while True:
            yield [bus.ack.eq(0), bus.err.eq(0)]
            yield
            if not ((yield bus.cyc) and (yield bus.stb)):
                continue
            address, we, sel = 16 * (yield bus.adr), (yield bus.we), (yield bus.sel)
            answer = self.answer(address, we)
            if answer is None:
                while (yield bus.stb):
                    yield
                continue
            for _ in range(self.latency() - 1):
                yield
                assert (yield bus.stb), "an access was given up before its answer"
            self.log.append((we, address, sel))
            if answer == "err":
                yield bus.err.eq(1)
                yield
                continue
            memory, offset = self.place(address)
            if we:
                data = (yield bus.dat_w).to_bytes(16, "little")
                for lane in range(16):
                    if sel >> lane & 1:
                        memory[offset + lane] = data[lane]
            else:
                yield bus.dat_r.eq(int.from_bytes(memory[offset : offset + 16], "little"))
            yield bus.ack.eq(1)
            yield


class Bench:
    """The accelerator behind a CSR bank, as in an SoC."""

    def __init__(self, seed: int = 1):
        top = Module()
        top.submodules.dut = self.dut = CTRAccelerator(regions=[(ORIGIN, SIZE), SMALL], timeout_cycles=TIMEOUT_CYCLES)
        self.csr = csr_bus.Interface(data_width=32, address_width=14)
        csrs = self.dut.get_csrs()
        self.address = {csr.name: i for i, csr in enumerate(csrs)}
        top.submodules.bank = csr_bus.CSRBank(csrs, 0, self.csr)
        self.fields = {
            csr.name: {f.name: f for f in csr.fields.fields} for csr in csrs if getattr(csr, "fields", None) is not None
        }
        self.sim = Simulation(top, self.csr, self.dut.bus, self.dut.ev.irq)
        self.reset(seed)

    def reset(self, seed: int = 1):
        """Reset the accelerator, and put a new memory on its bus; ends when the accelerator is idle."""
        self.sim.reset()
        self.memory = MemoryModel(self.dut.bus, [(ORIGIN, SIZE), SMALL])
        self.background = [self.memory.serve()]
        self.rng = random.Random(seed)
        self.run(self.wait_idle())

    def run(self, *generators, max_cycles: int = 20000):
        self.sim.run(*generators, background=self.background, max_cycles=max_cycles)

    # Register accesses, for use with `yield from`.

    def write(self, name: str, value: int):
        yield [self.csr.adr.eq(self.address[name]), self.csr.dat_w.eq(value), self.csr.we.eq(1)]
        yield
        yield self.csr.we.eq(0)

    def read(self, name: str):
        yield [self.csr.adr.eq(self.address[name]), self.csr.re.eq(1)]
        yield
        yield self.csr.re.eq(0)
        yield
        return (yield self.csr.dat_r)

    def status(self):
        value = yield from self.read("status")
        return {n: value >> f.offset & (2**f.size - 1) for n, f in self.fields["status"].items()}

    def command(self, *names: str):
        yield from self.write("control", sum(1 << self.fields["control"][n].offset for n in names))
        yield
        yield

    def wait_idle(self):
        while (status := (yield from self.status()))["busy"]:
            pass
        return status

    def set_key(self, key: bytes):
        yield from self.write("config", KEY_LENGTHS[8 * len(key)])
        for i in range(len(key) // 4):
            yield from self.write(f"key{i}", int.from_bytes(key[4 * i : 4 * i + 4], "little"))
        yield from self.command("load_key")
        status = yield from self.wait_idle()
        assert (status["key_valid"], status["done"], status["error"]) == (1, 1, 0)

    def set_run(self, counter: int, index: int, source: int, destination: int, length: int):
        block = (counter % 2**128).to_bytes(16, "big")
        for i in range(4):
            yield from self.write(f"iv{i}", int.from_bytes(block[4 * i : 4 * i + 4], "little"))
        yield from self.write("index_lo", index % 2**32)
        yield from self.write("index_hi", index >> 32)
        yield from self.write("source", source)
        yield from self.write("destination", destination)
        yield from self.write("length", length)

    # Whole operations.

    def load_key(self, key: bytes):
        self.run(self.set_key(key))

    def transfer(self, counter, index, source, destination, length, max_cycles=20000):
        """One run; its status at the end and the cycles that the hardware counted."""
        results = []

        def bench():
            yield from self.set_run(counter, index, source, destination, length)
            yield from self.command("start")
            results.append((yield from self.wait_idle()))
            results.append((yield from self.read("cycles")))

        self.run(bench(), max_cycles=max_cycles)
        return tuple(results)
