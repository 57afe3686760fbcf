# SPDX-License-Identifier: BSD-2-Clause
"""Simulate Migen modules with Verilator. Python generators drive the simulation, as in Migen's own simulator.

A test bench is a generator. It acts like a synchronous process: ``value = yield signal`` reads the
signal before the coming clock edge, ``yield signal.eq(value)`` writes it after that edge, and a bare
``yield`` waits for the edge. Only the ports passed to `Simulation` can be read and written.
"""

import contextlib
import ctypes
import re
from collections.abc import Callable
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module, Signal
from migen.fhdl.structure import _Assign
from migen.genlib.record import Record

from tests.gateware import ecp5, mutation
from tests.gateware.verilated import compile_model

ROOT = Path(__file__).resolve().parents[2]
PORT = re.compile(r"^\s*(input|output)\s+(?:wire|reg)?\s*(?:signed\s+)?(?:\[(\d+):0\])?\s*(\w+),?\s*$", re.MULTILINE)

HARNESS = """
#include <stdint.h>
#include "Vtop.h"
#include "verilated.h"
struct Model { VerilatedContext context; Vtop top{&context}; };
static void write_inputs(Vtop *t, const uint32_t *b) { (void)t; (void)b; %(write)s }
static void read_outputs(Vtop *t, uint32_t *b) { (void)t; (void)b; %(read)s }
extern "C" {
void *model_create(void) { return new Model; }
void model_destroy(void *m) { delete static_cast<Model *>(m); }
void model_eval(void *m, const uint32_t *in, uint32_t *out) {
    Vtop *t = &static_cast<Model *>(m)->top;
    write_inputs(t, in); t->eval(); read_outputs(t, out);
}
void model_clock(void *m, const uint32_t *in, uint32_t *out) {
    Vtop *t = &static_cast<Model *>(m)->top;
    t->sys_clk = 1; t->eval();
    write_inputs(t, in); t->sys_clk = 0; t->eval(); read_outputs(t, out);
}
}
"""


class SimulationTimeout(AssertionError):
    """Raised if a test bench does not end within its maximum number of cycles."""


def flatten(ports) -> list[Signal]:
    """Return all signals in a nested structure of signals, records and lists."""
    if isinstance(ports, Signal):
        return [ports]
    if isinstance(ports, Record):
        return ports.flatten()
    return [signal for port in ports for signal in flatten(port)]


def _accessor(name: str, width: int, offset: int, write: bool) -> str:
    if width <= 32:
        return f"t->{name} = b[{offset}];" if write else f"b[{offset}] = t->{name};"
    if width <= 64:
        if write:
            return f"t->{name} = ((uint64_t)b[{offset + 1}] << 32) | b[{offset}];"
        return f"b[{offset}] = (uint32_t)t->{name}; b[{offset + 1}] = (uint32_t)(t->{name} >> 32);"
    words = range((width + 31) // 32)
    one = "t->{n}[{i}] = b[{o}];" if write else "b[{o}] = t->{n}[{i}];"
    return " ".join(one.format(n=name, i=i, o=offset + i) for i in words)


class Simulation:
    """One simulated module in the clock domain `sys`.

    Parameters
    ----------
    dut : Module
        The module; it must not have been finalized.
    ports :
        Signals and records that the test benches read and write.
    prepare : function
        Takes the Verilog and the files that it reads, and returns the Verilog and files to simulate instead, with the
        same ports (`tests.gateware.ecp5.mapped`).
    interpreter : function
        Simulates instead of Verilator (`tests.gateware.ecp5.Interpreter`).
    """

    def __init__(self, dut: Module, *ports, prepare: Callable | None = None, interpreter: Callable | None = None):
        top = Module()
        top.submodules.dut = dut
        top.clock_domains.cd_sys = ClockDomain("sys")
        self.rst = top.cd_sys.rst
        signals = flatten(ports)
        output = convert(top, {*signals, top.cd_sys.clk, top.cd_sys.rst}, name="top")
        # The cache of compiled models uses the Verilog as its key. Remove all comments, because LiteX's banner contains
        # the date.
        verilog = re.sub(r"^//.*$", "", output.main_source, flags=re.MULTILINE)
        header = verilog[: verilog.index(");")]
        directions = {name: (kind, int(high or 0) + 1) for kind, high, name in PORT.findall(header)}
        self._places: dict[int, tuple[bool, int, int, int]] = {}
        sizes = {"input": 0, "output": 0}
        code = {"input": [], "output": []}
        places = {}
        for signal in sorted({id(s): s for s in [*signals, self.rst]}.values(), key=lambda s: s.duid):
            name = output.ns.get_name(signal)
            kind, width = directions[name]
            self._places[signal.duid] = (kind == "input", 4 * sizes[kind], 4 * ((width + 31) // 32), (1 << width) - 1)
            places[name] = self._places[signal.duid][:3]
            code[kind].append(_accessor(name, width, sizes[kind], kind == "input"))
            sizes[kind] += (width + 31) // 32
        self._inputs = bytearray(4 * sizes["input"] + 4)
        self._outputs = bytearray(4 * sizes["output"] + 4)
        self._folder = ROOT
        if interpreter:
            self._library = interpreter(verilog, output.data_files, places, self._inputs, self._outputs)
        else:
            harness = HARNESS % {"write": "\n".join(code["input"]), "read": "\n".join(code["output"])}
            text, data_files = prepare(verilog, output.data_files) if prepare else (verilog, output.data_files)
            library = compile_model(ecp5.with_cells(text), harness, data_files)
            self._folder = library.parent
            self._library = ctypes.CDLL(str(library))
            self._library.model_create.restype = ctypes.c_void_p
            for function in (self._library.model_eval, self._library.model_clock):
                function.argtypes = [ctypes.c_void_p] * 3
            self._library.model_destroy.argtypes = [ctypes.c_void_p]
        self._buffers = [(ctypes.c_char * len(b)).from_buffer(b) for b in (self._inputs, self._outputs)]
        self._addresses = [ctypes.addressof(b) for b in self._buffers]
        self._model = None
        self.cycle = 0
        self._signals = signals
        self.power_on()

    def power_on(self):
        """Restart the simulation, with all memories at their initial contents."""
        self.close()
        self._model = self._library.model_create()
        with contextlib.chdir(self._folder):  # the model reads the contents of its memories from files in this folder
            self.reset()

    def close(self):
        """Free the memory of the compiled model."""
        if self._model:
            self._library.model_destroy(self._model)
            self._model = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def clock(self, cycles: int = 1):
        """Simulate this number of clock cycles with unchanged inputs. This is faster than a test bench that waits."""
        for _ in range(cycles):
            self._library.model_clock(self._model, *self._addresses)
        self.cycle += cycles

    def poke(self, assignments: dict):
        """Set inputs after the next clock edge; `assignments` maps signals to values."""
        for signal, value in assignments.items():
            self._poke(signal, value)

    def _poke(self, signal, value: int):
        is_input, offset, size, mask = self._places[signal.duid]
        assert is_input, f"{signal} is an output of the module"
        self._inputs[offset : offset + size] = (value & mask).to_bytes(size, "little")

    def reset(self):
        """Set every input to its reset value, and reset the module for one cycle. Memories keep their contents."""
        for signal in self._signals:
            if self._places[signal.duid][0]:
                self._poke(signal, signal.reset.value)
        for value in (1, 0):
            self._poke(self.rst, value)
            self._library.model_clock(self._model, *self._addresses)

    def peek(self, signal) -> int:
        """Return the present value of a signal that is a port of the module."""
        is_input, offset, size, _ = self._places[signal.duid]
        return int.from_bytes((self._inputs if is_input else self._outputs)[offset : offset + size], "little")

    def _advance(self, generator, writes: list) -> bool:
        """Run one generator until it waits for the clock edge; return False if it has ended."""
        reply = None
        while True:
            try:
                request = generator.send(reply)
            except StopIteration:
                return False
            reply = None
            if request is None:
                return True
            if isinstance(request, Signal):
                reply = self.peek(request)
            else:
                for assign in request if isinstance(request, (list, tuple)) else [request]:
                    assert isinstance(assign, _Assign), f"a test bench cannot yield {assign!r}"
                    writes.append((assign.l, getattr(assign.r, "value", assign.r)))

    def run(self, *generators, background=(), max_cycles: int):
        """Run until every generator in `generators` has ended. Generators in `background` need not end; a later call
        can continue them.

        Raises
        ------
        SimulationTimeout
            The generators did not end within `max_cycles`.
        """
        mutation.simulated(self._folder)
        generators = list(generators)
        background = list(background)
        for _ in range(max_cycles):
            writes = []
            generators = [g for g in generators if self._advance(g, writes)]
            background = [g for g in background if self._advance(g, writes)]
            for signal, value in writes:
                self._poke(signal, int(value))
            self._library.model_clock(self._model, *self._addresses)
            self.cycle += 1
            if not generators:
                return
        raise SimulationTimeout(f"{len(generators)} test bench(es) still waiting after {max_cycles} cycles")


# Streams ---------------------------------------------------------------------------------------------


def send(endpoint, items, rng=None, idle: float = 0.0):
    """Send items, each a dictionary of payload values. In each cycle before an item, pause with probability `idle`."""
    for item in items:
        while rng and rng.random() < idle:
            yield
        for name, value in item.items():
            yield getattr(endpoint, name).eq(value)
        yield endpoint.valid.eq(1)
        yield
        while not (yield endpoint.ready):
            yield
        yield endpoint.valid.eq(0)


def receive(endpoint, count: int, received: list, *, field: str = "data", rng=None, stall: float = 0.0, times=None):
    """Receive `count` items into `received`. In each cycle, `ready` is 0 with probability `stall`.

    `times` is a simulation and a list. The cycle of each transfer is noted in the list.
    """
    while len(received) < count:
        yield endpoint.ready.eq(0 if rng and rng.random() < stall else 1)
        yield
        if (yield endpoint.valid) and (yield endpoint.ready):
            received.append((yield getattr(endpoint, field)))
            if times:
                times[1].append(times[0].cycle)
    yield endpoint.ready.eq(0)
