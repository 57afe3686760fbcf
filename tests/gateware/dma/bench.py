# SPDX-License-Identifier: BSD-2-Clause
"""Simulates an accelerator with a memory on its bus. Tests access the accelerator's registers, as software does."""

import random
from dataclasses import dataclass

from litex.soc.interconnect import csr_bus
from migen import Module, Signal

from gateware.aes.cores import PIPELINED
from gateware.aes.standard import KEY_LENGTHS
from gateware.ctr.counter import WIDTH_128
from gateware.ctr.service import create_service
from gateware.dma.accelerator import CTRAccelerator, client
from gateware.dma.errors import Error
from gateware.dma.ledger import ENTRIES
from gateware.dma.registers import SLOTS
from tests.gateware.ctr.reference import ctr, only_bits
from tests.gateware.ctr.rival import CLIENT, Rival
from tests.gateware.support import Simulation

# Address of the memory. Driver tests map the memory into their own process at this address. The mapping does not
# overlap the heap, which ends below 0x5000_0000.
ORIGIN = 0x6000_0000
SIZE = 0x4000
SMALL = (0x1000_0000, 0x100)
OUT = ORIGIN + 0x2000
TIMEOUT_CYCLES = 100
BURST_BEATS = 4


@dataclass(frozen=True)
class Descriptor:
    """The register values that describe one message. `length` is in bytes, or in bits if `in_bits` is 1."""

    source: int = ORIGIN
    destination: int = OUT
    length: int = 0
    counter: int = 0
    index: int = 0
    slot: int = 0
    width: int = WIDTH_128
    in_bits: int = 0
    interrupt: int = 0
    ordered: int = 0

    @property
    def size(self) -> int:
        """Number of bytes to read from the source and to write to the destination."""
        return (self.length + 7) // 8 if self.in_bits else self.length

    def registers(self) -> dict[str, int]:
        """Return the value of each descriptor register, by name, except `options`."""
        block = (self.counter % 2**128).to_bytes(16, "big")
        words = {f"iv{i}": int.from_bytes(block[4 * i : 4 * i + 4], "little") for i in range(4)}
        return words | {
            "index_lo": self.index % 2**32,
            "index_hi": self.index >> 32,
            "source": self.source,
            "destination": self.destination,
            "length": self.length,
        }

    def options(self) -> dict[str, int]:
        """Return the value of each field of the register `options`, by name."""
        return {name: getattr(self, name) for name in ("slot", "width", "in_bits", "interrupt", "ordered")}

    def result(self, key: bytes, data: bytes) -> bytes:
        """Return the bytes that the accelerator must write to the destination."""
        output = ctr(key, self.counter, data, index=self.index, width=self.width)
        return only_bits(output, self.length) if self.in_bits else output


class MemoryModel:
    """A memory on the accelerator's Wishbone bus. The test sets the memory's wait cycles and errors.

    `latency` returns the cycles from `stb` to the answer, at least 1. `answer` maps an address in bytes to "ack",
    "err", or None for no answer at all.
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
    """The accelerator with a bank of CSR registers, as in an SoC; `options` are passed to `Simulation`.

    With `rival`, another client shares the core and requests blocks all the time. `create` makes the CTR service for
    a list of clients.
    """

    def __init__(self, options: dict | None = None, *, rival: bool = False, create=create_service, **parameters):
        top = Module()
        core = {name: parameters.pop(name) for name in ("datapath", "sbox", "engines") if name in parameters}
        clients = [client(parameters.pop("slots", SLOTS)), *([CLIENT] if rival else [])]
        top.submodules.service = service = create(clients, **core)
        if rival:
            top.submodules.rival = Rival(service.ports[1])
        regions = {"regions": [(ORIGIN, SIZE), SMALL], "timeout_cycles": TIMEOUT_CYCLES, "burst_beats": BURST_BEATS}
        top.submodules.dut = self.dut = CTRAccelerator(service=service.ports[0], **regions | parameters)
        self.pipelined = core.get("datapath") == PIPELINED
        self.csr = csr_bus.Interface(data_width=32, address_width=14)
        csrs = self.dut.get_csrs()
        self.address = {csr.name: i for i, csr in enumerate(csrs)}
        top.submodules.bank = csr_bus.CSRBank(csrs, 0, self.csr)
        self.fields = {
            csr.name: {f.name: f for f in csr.fields.fields} for csr in csrs if getattr(csr, "fields", None) is not None
        }
        # Give fixed names to the watched signals, so that every process generates the same Verilog.
        watched = {"service_idle": service.ports[0].idle, "irq": self.dut.ev.irq}
        watched |= {"service_gives": service.ports[0].keystream.valid, "key_busy": self.dut.status.fields.key_busy}
        watched |= {"busy": self.dut.status.fields.busy, "bus_cyc": self.dut.bus.cyc}
        self.watched = {name: Signal(len(signal), name=f"watched_{name}") for name, signal in watched.items()}
        top.comb += [self.watched[name].eq(signal) for name, signal in watched.items()]
        self.sim = Simulation(top, self.csr, *self.watched.values(), *self.add_memory(top), **options or {})
        self.reset()

    def add_memory(self, top: Module) -> list:
        """Connect the bus to a memory; return the interfaces that the test bench drives."""
        return [self.dut.bus]

    def reset(self, seed: int = 1):
        """Reset the accelerator, put a new memory on its bus, and wait until the accelerator is idle."""
        self.sim.reset()
        self.background = self.start_memory()
        self.rng = random.Random(seed)
        self.run(self.wait_idle())

    def start_memory(self) -> list:
        """Create a new memory; return the test benches that answer the accelerator's accesses to this memory."""
        self.memory = MemoryModel(self.dut.bus, [(ORIGIN, SIZE), SMALL])
        return [self.memory.serve()]

    def run(self, *generators, max_cycles: int = 20000):
        self.sim.run(*generators, background=self.background, max_cycles=max_cycles)

    def assert_empty(self):
        """Assert that no block is left in the CTR service and that the bus is idle."""
        assert [self.peek(name) for name in ("service_idle", "service_gives", "bus_cyc")] == [1, 0, 0]

    def peek(self, name: str) -> int:
        """Return the value of the signal with this name in the dictionary `watched`."""
        return self.sim.peek(self.watched[name])

    # Test-bench generators that access registers; call them with `yield from`.

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

    def write_fields(self, name: str, **values: int):
        fields = self.fields[name]
        yield from self.write(name, sum(value << fields[field].offset for field, value in values.items()))

    def status(self):
        value = yield from self.read("status")
        return {n: value >> f.offset & (2**f.size - 1) for n, f in self.fields["status"].items()}

    def command(self, *names: str):
        yield from self.write_fields("control", **dict.fromkeys(names, 1))
        yield
        yield

    def wait_idle(self):
        while (status := (yield from self.status()))["busy"] or status["key_busy"]:
            pass
        return status

    def write_key(self, key: bytes):
        for i in range(len(key) // 4):
            yield from self.write(f"key{i}", int.from_bytes(key[4 * i : 4 * i + 4], "little"))

    def begin_key(self, key: bytes, slot: int = 0):
        """Start a key load, without waiting for the end of the key schedule."""
        yield from self.write_fields("key_config", key_length=KEY_LENGTHS[8 * len(key)], slot=slot)
        yield from self.write_key(key)
        yield from self.command("load_key")
        assert (yield from self.status())["refused"] == 0

    def set_key(self, key: bytes, slot: int = 0):
        yield from self.begin_key(key, slot)
        while (status := (yield from self.status()))["key_busy"]:
            pass
        assert status["key_error"] == Error.NONE
        assert (yield from self.read("key_valid")) >> slot & 1

    def set_descriptor(self, descriptor: Descriptor):
        for name, value in descriptor.registers().items():
            yield from self.write(name, value)
        yield from self.write_fields("options", **descriptor.options())

    def submit(self, descriptor: Descriptor):
        """Submit a descriptor as soon as the accelerator's queue has room; return the descriptor's number."""
        while (yield from self.status())["full"]:
            pass
        number = yield from self.read("submitted")
        yield from self.set_descriptor(descriptor)
        yield from self.command("start")
        assert (yield from self.status())["refused"] == 0
        return number

    def result(self, number: int):
        """Wait until the descriptor with this number has ended; return its error code."""
        while ((yield from self.read("completed")) - number - 1) % 2**16 >= 2**15:
            pass
        return Error((yield from self.read("results")) >> 4 * (number % ENTRIES) & 0xF)

    # Whole operations.

    def load_key(self, key: bytes, slot: int = 0):
        self.run(self.set_key(key, slot))

    def transfer(self, *descriptors: Descriptor, max_cycles=20000) -> list[Error]:
        """Submit descriptors without a pause, and wait until all have ended. Return each descriptor's error code."""
        results = []

        def bench():
            numbers = []
            for descriptor in descriptors:
                numbers.append((yield from self.submit(descriptor)))
                if len(numbers) > ENTRIES:
                    results.append((yield from self.result(numbers[-1 - ENTRIES])))
            for number in numbers[len(results) :]:
                results.append((yield from self.result(number)))
            yield from self.wait_idle()

        self.run(bench(), max_cycles=max_cycles)
        return results
