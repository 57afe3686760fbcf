# SPDX-License-Identifier: BSD-2-Clause
"""Measures how much of its memory port's capacity the DMA uses: ``make bench-dma``.

The accelerator encrypts from one half of a `BufferMemory` to the other. The port carries 16 bytes a cycle, and a block
needs a read and a write, so the limit is 2 cycles a block. The command prints cycles a block and the share of the limit
for each core, and writes ``build/results/dma.json``. AES-GCM is measured with 16 bytes of additional data, in messages
that follow each other without a pause.
"""

import os
from dataclasses import asdict, dataclass, replace

from cipherlane_base.figures import write
from litex.soc.interconnect import wishbone
from migen import Module
from rich.console import Console
from rich.table import Table

from gateware.dma.errors import Error
from gateware.flow import toolchain
from gateware.soc.buffer import BufferMemory
from tests.gateware.dma.bench import ORIGIN, Bench, Descriptor
from tests.gateware.dma.gcm_bench import Message
from tests.gateware.support import ROOT

PORT_CYCLES = 2  # port cycles per block: one for the DMA's read, one for its write
BUFFER = 32 * 1024
BURST_BEATS = 32
T1 = 0x00112233445566778899AABBCCDDEEFF


class BufferBench(Bench):
    """The accelerator at the wide port of a buffer memory. Another bus master, `other`, uses the same port."""

    def __init__(self, **parameters):
        super().__init__(regions=[(ORIGIN, BUFFER)], **parameters)

    def add_memory(self, top: Module) -> list:
        top.submodules.buffer = buffer = BufferMemory(size=BUFFER)
        self.narrow = buffer.narrow
        self.other = wishbone.Interface(data_width=128, address_width=32, addressing="word")
        top.submodules.arbiter = wishbone.Arbiter([self.other, self.dut.bus], buffer.wide)
        return [self.narrow, self.other]

    def start_memory(self) -> list:
        return []

    def write_memory(self, address: int, data: bytes):
        """Write data through the memory's narrow port, which acknowledges a write in the same cycle."""
        bus = self.narrow
        yield [bus.cyc.eq(1), bus.stb.eq(1), bus.we.eq(1), bus.sel.eq(0xF)]
        for i in range(0, len(data), 4):
            yield [bus.adr.eq((address - ORIGIN + i) // 4), bus.dat_w.eq(int.from_bytes(data[i : i + 4], "little"))]
            yield
        yield [bus.cyc.eq(0), bus.stb.eq(0), bus.we.eq(0)]
        yield

    def read_memory(self, address: int, size: int, data: bytearray):
        bus = self.narrow
        for i in range(0, size, 4):
            yield [bus.cyc.eq(1), bus.stb.eq(1), bus.adr.eq((address - ORIGIN + i) // 4)]
            yield
            while not (yield bus.ack):
                yield
            data += (yield bus.dat_r).to_bytes(4, "little")
            yield [bus.cyc.eq(0), bus.stb.eq(0)]
            yield

    def encrypt(self, key: bytes, descriptors, *others, size: int) -> int:
        """Execute descriptors and check their results; return the cycles that the hardware counted."""
        self.load_key(key)
        data = self.rng.randbytes(size)
        self.run(self.write_memory(ORIGIN, data), max_cycles=size)
        cycles = self.cycles_of(descriptors, *others, max_cycles=40 * size)
        for descriptor in descriptors:
            offset = descriptor.source - ORIGIN
            expected = descriptor.result(key, data[offset : offset + descriptor.length])
            assert self.contents(descriptor.destination, descriptor.length) == expected
        self.assert_empty()
        return cycles

    def cycles_of(self, descriptors, *others, max_cycles: int) -> int:
        """Execute descriptors without a pause; return the cycles that the hardware counted."""
        cycles = []

        def life():
            numbers = []
            for descriptor in descriptors:
                numbers.append((yield from self.submit(descriptor)))
            for number in numbers:
                assert (yield from self.result(number)) == Error.NONE
            cycles.append((yield from self.read("cycles")))

        self.run(life(), *others, max_cycles=max_cycles)
        return cycles[0]

    def contents(self, address: int, size: int) -> bytes:
        """Return `size` bytes of the memory, read through its narrow port."""
        result = bytearray()
        base = address - address % 4
        self.run(self.read_memory(base, address + size - base, result), max_cycles=10 * (size + 4))
        return bytes(result)[address - base :][:size]


@dataclass(frozen=True)
class Figure:
    """The result of one measurement. `bytes` is the total size of all `messages`."""

    datapath: int | str
    key_bits: int
    burst_beats: int
    offset_source: int
    offset_destination: int
    bytes: int
    cycles: int
    mode: str = "ctr"
    direction: str = "encrypt"
    messages: int = 1

    @property
    def cycles_per_block(self) -> float:
        return self.cycles / (self.bytes / 16)

    @property
    def port_ratio(self) -> float:
        return PORT_CYCLES / self.cycles_per_block


def measure(bench: BufferBench, datapath, key_bits: int, size: int, source: int = 0, destination: int = 0) -> Figure:
    """Measure the encryption of `size` bytes in CTR mode. The DMA reads from offset `source` in the buffer's first
    half. It writes to offset `destination` in the second half. Check the result.
    """
    descriptor = Descriptor(ORIGIN + source, ORIGIN + BUFFER // 2 + destination, size, T1)
    cycles = bench.encrypt(bytes(range(key_bits // 8)), [descriptor], size=BUFFER // 2)
    return Figure(datapath, key_bits, bench.dut.burst_beats, source, destination, size, cycles)


def measure_gcm(bench: BufferBench, key_bits: int, size: int, messages: int, *, decrypt: bool = False) -> Figure:
    """Measure GCM with messages of `size` bytes (a multiple of 16). The DMA reads the messages from the buffer's first
    half, and writes the results to the second half. Check the results.
    """
    key, step = bytes(range(key_bits // 8)), size + 48
    bench.load_key(key)
    found = []
    for n in range(messages):
        message = Message(key, n.to_bytes(12, "big"), bench.rng.randbytes(16), bench.rng.randbytes(size))
        read, written = ORIGIN + n * step, ORIGIN + BUFFER // 2 + n * step
        tag_address = (read + 16 if decrypt else written) + size
        message = message.to_open() if decrypt else message
        found.append(replace(message, aad_address=read, source=read + 16, destination=written, tag_address=tag_address))
        for address, data in found[-1].parts():
            bench.run(bench.write_memory(address, data), max_cycles=len(data) + 10)
    cycles = bench.cycles_of(found, max_cycles=40 * size * messages)
    for message in found:
        for address, data in message.outputs():
            assert bench.contents(address, len(data)) == data
    direction = "decrypt" if decrypt else "encrypt"
    return Figure(128, key_bits, bench.dut.burst_beats, 0, 0, size * messages, cycles, "gcm", direction, messages)


def main() -> None:
    """Measure all cores and modes, print a table, and write the file of results."""
    size = BUFFER // 2 - 32
    figures = []
    for datapath in ("pipelined", 128):
        bench = BufferBench(datapath=datapath, burst_beats=BURST_BEATS)
        for key_bits in (128, 256):
            figures.append(measure(bench, datapath, key_bits, size))
        figures.append(measure(bench, datapath, 128, size, 5, 11))
        bench.sim.close()
    bench = BufferBench(gcm_cycles=8, burst_beats=BURST_BEATS)
    for key_bits in (128, 192, 256):
        figures.append(measure_gcm(bench, key_bits, 8192, 1))
        figures.append(measure_gcm(bench, key_bits, 1024, 7))
        figures.append(measure_gcm(bench, key_bits, 1024, 7, decrypt=True))
    bench.sim.close()
    records = [
        asdict(f)
        | {"cycles_per_block": round(f.cycles_per_block, 3), "port_ratio": round(f.port_ratio, 3), "kind": "sim"}
        for f in figures
    ]
    write(
        ROOT / "build" / "results" / "dma.json",
        {"records": records},
        command="make bench-dma",
        board="none: the accelerator on a buffer memory",
        configuration={"burst_beats": BURST_BEATS},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION[:1]),
    )
    table = Table(*(name.replace("_", " ") for name in records[0]), title="DMA, memory to memory (sim)")
    for record in records:
        table.add_row(*map(str, record.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
