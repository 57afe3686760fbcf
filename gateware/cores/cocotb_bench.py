# SPDX-License-Identifier: BSD-2-Clause
"""Writes the cocotb test bench of a core. The test bench drives AXI4-Stream ports with the package cocotbext-axi.

It has the same steps as the test bench in Verilog. Sources and sinks pause at random, with a fixed seed.
"""

from .ports import Design, Phase, Stream

_TEMPLATE = '''# {name}: its checks in cocotb 1.9.
# {spdx}
#
# Generated with the core. Run it by itself, in Icarus or in Verilator:
#     pip install cocotb==1.9.2{extra}
#     python test_{name}.py icarus

import random
import sys
from itertools import groupby
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
{imports}
# For each stream: its name, True if it is an input of the core, the prefix of its ports, True if it is an AXI4-Stream,
# and its fields with their ports.
STREAMS = [
{streams}
]
# For each step: a description, the levels of inputs, the items to send, the items to expect, the condition (output,
# mask, value) to wait for, and the accesses to registers.
STEPS = [
{steps}
]
CONTROLS = {controls}


class Plain:
    """A stream with valid and ready."""

    def __init__(self, dut, taken, prefix, fields):
        self.clock = dut.{clock}
        self.rng = random.Random(prefix)
        self.valid, self.ready = getattr(dut, prefix + "_valid"), getattr(dut, prefix + "_ready")
        self.fields = {{name: getattr(dut, port) for name, port in fields.items()}}
        for signal in [self.valid, *self.fields.values()] if taken else [self.ready]:
            signal.value = 0

    async def send(self, items):
        for item in items:
            while self.rng.random() < 0.3:
                await RisingEdge(self.clock)
            for name, signal in self.fields.items():
                signal.value = item.get(name, 0)
            self.valid.value = 1
            await RisingEdge(self.clock)
            while not self.ready.value:
                await RisingEdge(self.clock)
            self.valid.value = 0

    async def receive(self, items):
        for item in items:
            while True:
                self.ready.value = int(self.rng.random() < 0.7)
                await RisingEdge(self.clock)
                if self.valid.value and self.ready.value:
                    break
            found = {{name: int(signal.value) for name, signal in self.fields.items()}}
            assert found == {{name: item.get(name, 0) for name in self.fields}}, found
        self.ready.value = 0
{axi}{bus}

@cocotb.test()
async def checks(dut):
    for name in CONTROLS:
        getattr(dut, name).value = 0
    streams = {{}}
    for name, taken, prefix, axi, fields in STREAMS:
        streams[name] = {choice}(dut, taken, prefix, fields)
{make_bus}    dut.{reset}.value = 1
    cocotb.start_soon(Clock(dut.{clock}, 10, units="ns").start())
    for _ in range(4):
        await RisingEdge(dut.{clock})
    dut.{reset}.value = 0
    await RisingEdge(dut.{clock})
    for text, levels, sends, expects, until, accesses in STEPS:
        dut._log.info(text)
        for name, value in levels.items():
            getattr(dut, name).value = value
        await RisingEdge(dut.{clock})
        for kind, offset, *numbers in accesses:
            if kind == "fill":
                memory.write(16 * offset, numbers[0].to_bytes(16, "little"))
                continue
            if kind == "compare":
                assert bytes(memory.read(16 * offset, 16)) == numbers[0].to_bytes(16, "little")
                continue
            if kind == "write":
                await with_timeout(bus.write_dword(offset, numbers[0]), 200, "us")
                continue
            for _ in range(1000):
                if await with_timeout(bus.read_dword(offset), 200, "us") & numbers[0] == numbers[1]:
                    break
            else:
                assert False, f"register {{offset:#x}} never becomes {{numbers[1]:#x}}"
        tasks = [cocotb.start_soon(streams[name].send(items)) for name, items in sends.items()]
        tasks += [cocotb.start_soon(streams[name].receive(items)) for name, items in expects.items()]
        for task in tasks:
            await with_timeout(task.join(), 200, "us")
        for _ in range(20_000 if until else 0):
            await RisingEdge(dut.{clock})
            if int(getattr(dut, until[0]).value) & until[1] == until[2]:
                break
        else:
            assert not until, f"{{until[0]}} never becomes {{until[2]:#x}}"


if __name__ == "__main__":
    from cocotb.runner import get_runner

    folder = Path(__file__).resolve().parent
    tool = sys.argv[1] if len(sys.argv) > 1 else "icarus"
    runner = get_runner(tool)
    place = dict(build_dir=folder / f"cocotb_{{tool}}", hdl_toplevel="{name}")
    runner.build(verilog_sources=[folder / "{name}.v"], timescale=("1ns", "1ps"), always=True, **place)
    results = runner.test(test_module="test_{name}", test_dir=folder, results_xml="results.xml", **place)
    text = Path(results).read_text()
    sys.exit("<failure" in text or "<testcase" not in text)
'''

_AXI = '''

class Axi:
    """An AXI4-Stream, driven by cocotbext-axi. Items up to one with `{last}` form a frame."""

    def __init__(self, dut, taken, prefix, fields):
        kind = AxiStreamSource if taken else AxiStreamSink
        self.fields, self.prefix = fields, prefix
        # Inputs with other names belong to the items, too. They keep their values while items with these values move.
        others = {{name: port for name, port in fields.items() if not port.startswith(prefix + "_")}}
        self.others = {{name: getattr(dut, port) for name, port in others.items()}}
        for signal in self.others.values() if taken else ():
            signal.value = 0
        self.end = kind(AxiStreamBus.from_prefix(dut, prefix), dut.{clock}, dut.{reset})
        rng = random.Random(prefix)
        self.end.set_pause_generator(iter(lambda: rng.random() < 0.3, None))

    def frames(self, items):
        """Return (data, keep, user) of each frame, one entry for each lane of tdata."""
        ports = {{port[len(self.prefix) + 1 :]: name for name, port in self.fields.items()}}
        lanes = len(self.end.bus.tdata) // 8
        found = [([], [], [])]
        for n, item in enumerate(items):
            data, keep, user = found[-1]
            data += list(item.get(ports["tdata"], 0).to_bytes(lanes, "little"))
            kept = item.get(ports["tkeep"], 0) if "tkeep" in ports else -1
            keep += [kept >> k & 1 for k in range(lanes)]
            user += [item.get(ports["tuser"], 0) if "tuser" in ports else 0] * lanes
            if ("tlast" not in ports or item.get(ports["tlast"], 0)) and n < len(items) - 1:
                found.append(([], [], []))
        return found

    async def send(self, items):
        for values, group in groupby(items, lambda item: [item.get(name, 0) for name in self.others]):
            for signal, value in zip(self.others.values(), values):
                signal.value = value
            for data, keep, user in self.frames(list(group)):
                await self.end.send(AxiStreamFrame(data, tkeep=keep, tuser=user))
            await self.end.wait()

    async def receive(self, items):
        for data, keep, user in self.frames(items):
            frame = await self.end.recv(compact=False)
            assert list(frame.tdata) == data, frame
            assert not hasattr(self.end.bus, "tkeep") or list(frame.tkeep) == keep, frame
            assert not hasattr(self.end.bus, "tuser") or list(frame.tuser) == user, frame
'''

_WISHBONE = '''

class Wishbone:
    """Accesses to registers, which are known by their offsets in bytes."""

    def __init__(self, dut):
        self.dut = dut
        self.rng = random.Random("wb")

    async def access(self, offset, write, value):
        dut = self.dut
        for _ in range(self.rng.randrange(4)):
            await RisingEdge(dut.{clock})
        dut.wb_adr.value, dut.wb_we.value, dut.wb_dat_w.value, dut.wb_sel.value = offset // 4, write, value, 15
        dut.wb_cyc.value = dut.wb_stb.value = 1
        await RisingEdge(dut.{clock})
        while not dut.wb_ack.value:
            await RisingEdge(dut.{clock})
        found = 0 if write else int(dut.wb_dat_r.value)
        dut.wb_cyc.value = dut.wb_stb.value = 0
        await RisingEdge(dut.{clock})
        return found

    async def write_dword(self, offset, value):
        await self.access(offset, 1, value)

    async def read_dword(self, offset):
        return await self.access(offset, 0, 0)
'''

_MEMORY = '''

class Memory:
    """A memory of words of 128 bits at a Wishbone master."""

    def __init__(self, dut):
        self.data = bytearray({size})
        dut.{prefix}_ack.value = dut.{prefix}_err.value = dut.{prefix}_dat_r.value = 0
        cocotb.start_soon(self.serve(dut))

    def write(self, address, data):
        self.data[address : address + len(data)] = data

    def read(self, address, length):
        return self.data[address : address + length]

    async def serve(self, dut):
        rng = random.Random("memory")
        while True:
            await RisingEdge(dut.{clock})
            asked = dut.{prefix}_cyc.value == 1 and dut.{prefix}_stb.value == 1 and dut.{prefix}_ack.value == 0
            dut.{prefix}_ack.value = int(asked and rng.random() < 0.7)
            if asked:
                address = 16 * (int(dut.{prefix}_adr.value) - {first})
                if dut.{prefix}_we.value:
                    data = int(dut.{prefix}_dat_w.value).to_bytes(16, "little")
                    for lane in range(16):
                        if int(dut.{prefix}_sel.value) >> lane & 1:
                            self.data[address + lane] = data[lane]
                dut.{prefix}_dat_r.value = int.from_bytes(self.data[address : address + 16], "little")
'''


def python(design: Design, name: str, spdx: str) -> str:
    """Return the text of the cocotb test ``test_NAME.py``."""
    axi = any(stream.axi for stream in design.streams)
    driven = {stream.valid for stream in design.streams} | {stream.ready for stream in design.streams}
    driven |= {port.name for stream in design.streams for port in stream.fields.values()}
    registers = design.registers
    lite = registers is not None and registers.axi
    if lite:
        driven |= {port.name for port in design.ports if port.name.startswith(registers.prefix)}
    memory = design.memory
    if memory:
        driven |= {port.name for port in design.ports if port.name.startswith(memory.prefix)}
    names = ["AxiStreamBus", "AxiStreamFrame", "AxiStreamSink", "AxiStreamSource"] if axi else []
    names += ["AxiLiteBus", "AxiLiteMaster"] if lite else []
    names += ["AxiLiteRam"] if memory and memory.axi else []
    make_bus = ""
    if registers:
        end = f'AxiLiteBus.from_prefix(dut, "{registers.prefix}"), dut.{design.clock}, dut.{design.reset}'
        make_bus = f"    bus = AxiLiteMaster({end})\n" if lite else "    bus = Wishbone(dut)\n"
    model = ""
    if memory:
        size = 16 * memory.words
        end = f'AxiLiteBus.from_prefix(dut, "{memory.prefix}"), dut.{design.clock}, dut.{design.reset}, size={size}'
        make_bus += f"    memory = AxiLiteRam({end})\n" if memory.axi else "    memory = Memory(dut)\n"
        if not memory.axi:
            model = _MEMORY.format(size=size, prefix=memory.prefix, clock=design.clock, first=memory.origin // 16)
    last = next((key for stream in design.streams for key in stream.fields if key in ("last", "final")), "last")
    return _TEMPLATE.format(
        name=name,
        spdx=spdx,
        clock=design.clock,
        reset=design.reset,
        extra=" cocotbext-axi==0.1.28" if names else "",
        imports=f"from cocotbext.axi import {', '.join(sorted(names))}\n" if names else "",
        bus=(_WISHBONE.format(clock=design.clock) if registers and not lite else "") + model,
        make_bus=make_bus,
        axi=_AXI.format(clock=design.clock, reset=design.reset, last=last) if axi else "",
        choice="(Axi if axi else Plain)" if axi else "Plain",
        controls=[port.name for port in design.inputs() if port.name not in driven],
        streams="\n".join(f"    {_stream(stream)!r}," for stream in design.streams),
        steps="\n".join(f"    {_step(design, phase)!r}," for phase in design.phases),
    )


def _stream(stream: Stream) -> tuple:
    fields = {name: port.name for name, port in stream.fields.items()}
    return (stream.name, stream.direction == "in", stream.prefix, stream.axi, fields)


def _step(design: Design, phase: Phase) -> tuple:
    """Return a step of the test as a tuple. Omit the fields of an item that have no port in the item's stream."""
    fields = {stream.name: stream.fields for stream in design.streams}

    def kept(given: dict) -> dict:
        return {
            name: [{key: int(value) for key, value in item.items() if key in fields[name]} for item in items]
            for name, items in given.items()
        }

    return (phase.text, phase.levels, kept(phase.sends), kept(phase.expects), phase.until, phase.accesses)
