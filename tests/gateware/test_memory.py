# SPDX-License-Identifier: BSD-2-Clause
"""Test memories that the design declares free of read-write collisions. Simulations must show no collision, and
synthesis must use the declaration.
"""

import contextlib
import json
import logging
import os
import random
import subprocess
from itertools import pairwise

import pytest
from liteeth.common import eth_phy_description
from litex.gen.fhdl import verilog
from litex.soc.interconnect import stream
from migen import ClockDomain, Memory, Module, Signal, run_simulation

from gateware import targets
from gateware.aes.output_queue import OutputQueue
from gateware.ctr.keystream_queue import KeystreamQueue
from gateware.flow import toolchain
from gateware.memory import BLOCK_RAM, NO_RW_CHECK, BlockRAMFIFO, in_luts
from gateware.net.event_counters import EventCounters
from gateware.net.link.mac import SharedMAC
from gateware.net.link.packet_buffer import PacketBuffer
from gateware.net.records.session_table import SessionTable
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.support import ROOT, flatten


def declared(module: Module):
    """Return the memories in a module (not yet finalized) that are declared free of read-write collisions."""
    for special in module._fragment.specials:
        if isinstance(special, Memory) and NO_RW_CHECK in getattr(special, "attr", ()):
            yield special
    for _, submodule in module._submodules:
        yield from declared(submodule)


class Watched(Module):
    """Wraps a module that contains one memory. `collision` is high while the module reads the word that it writes in
    the same cycle, unless the module does not use the value it reads.
    """

    def __init__(self, dut: Module, in_vain: Signal | int = 0):
        self.submodules.dut = dut
        self.collision = Signal()
        (memory,) = declared(dut)
        (write,) = [port for port in memory.ports if port.we is not None]
        (read,) = [port for port in memory.ports if port.we is None]
        reads = 1 if read.re is None else read.re
        self.comb += self.collision.eq(write.we & reads & (write.adr == read.adr) & ~in_vain)


def watch(top: Watched, signals: list[Signal], cycles=1500) -> int:
    """Apply random inputs for `cycles` cycles; return the number of collisions."""
    rng = random.Random(1)
    collisions = []

    def process():
        for _ in range(cycles):
            yield [signal.eq(rng.getrandbits(len(signal))) for signal in signals]
            yield
            collisions.append((yield top.collision))

    run_simulation(top, process())
    return sum(collisions)


@pytest.mark.parametrize("paced", [False, True])
def test_fifo(paced):
    fifo = BlockRAMFIFO([("data", 8)], 4, paced=paced)
    in_vain = ~fifo.fifo.source.ready if paced else 0
    assert watch(Watched(fifo, in_vain), [fifo.sink.valid, fifo.sink.data, fifo.source.ready]) == 0


@pytest.mark.parametrize(("paced", "apart"), [(False, 1), (True, 4)])
def test_a_fifo_gives_each_word_once_and_in_its_order(paced, apart):
    """A FIFO in block RAM returns all words in order, while the reader sometimes waits.

    The paced FIFO asks its memory through a register, so words come every `apart` cycles.
    """
    fifo = BlockRAMFIFO([("data", 16)], 4, paced=paced)
    rng = random.Random(2)
    given, taken, cycles = [], [], []

    def process():
        for cycle in range(2000):
            word, eager = rng.getrandbits(16), rng.random() < 0.7
            yield [fifo.sink.valid.eq(rng.random() < 0.7), fifo.sink.data.eq(word), fifo.source.ready.eq(eager)]
            yield
            if (yield fifo.sink.valid) and (yield fifo.sink.ready):
                given.append(word)
            if (yield fifo.source.valid) and (yield fifo.source.ready):
                taken.append((yield fifo.source.data))
                cycles.append(cycle)

    run_simulation(fifo, process())
    assert len(taken) > 300 and taken == given[: len(taken)] and len(given) - len(taken) <= 6
    assert min(b - a for a, b in pairwise(cycles)) == apart


def test_packet_buffer():
    buffer = PacketBuffer(depth=4)
    signals = [*flatten(buffer.sink), buffer.commit, buffer.drop, buffer.source.ready]
    signals.remove(buffer.sink.ready)
    assert watch(Watched(buffer), signals) == 0


def test_output_queue():
    """A pipeline feeds the output queue. For each block, the pipeline first reserves a row of the queue. Three cycles
    later, the pipeline writes the block into this row.
    """
    queue = OutputQueue(3)
    top = Watched(queue, in_vain=queue.control["stored"] == 0)
    start = Signal()
    pipeline = Signal(3)
    top.comb += [queue.reserve.eq(start & queue.room), queue.write.eq(pipeline[-1])]
    top.sync += pipeline.eq(queue.reserve | pipeline << 1)
    assert watch(top, [start, queue.source.ready]) == 0


@pytest.mark.parametrize("declare", [False, True])
def test_synthesis_adds_no_bypass(declare):
    """The FIFO must contain no registers except those for its pointers, its level, two valid bits and the last word."""
    width, depth = 34, 512  # with the bits `first` and `last`, a word fills the 36 bits of a block RAM
    fifo = BlockRAMFIFO([("data", width)], depth)
    if not declare:
        for memory in declared(fifo):
            memory.attr = set()
    cells = synthesise("fifo" if declare else "fifo_plain", fifo, flatten([fifo.sink, fifo.source]))
    assert cells["DP16KD"] == 1
    registers = 9 + 9 + 10 + 2 + width + 2
    assert (cells["TRELLIS_FF"] <= registers) == declare
    assert (cells["TRELLIS_FF"] > registers + width) == (not declare)


@pytest.mark.parametrize("lut_words", [0, 15, 16])
def test_a_fifo_of_few_words_is_in_block_ram_too_unless_they_are_few_enough(lut_words):
    fifo = BlockRAMFIFO([("data", 34)], 16)
    in_luts(fifo, lut_words)
    cells = synthesise(f"fifo_short_{lut_words}", fifo, flatten([fifo.sink, fifo.source]))
    assert cells.get("DP16KD", 0) == int(lut_words < 16)
    assert ("TRELLIS_DPR16X4" in cells) == (lut_words == 16)


def test_a_fit_leaves_memories_of_few_words_to_luts():
    target = targets.load("ecpix5", "eth_zephyr")
    logging.disable(logging.INFO)
    try:
        soc = CipherlaneSoC(target, firmware=[0])
    finally:
        logging.disable(logging.NOTSET)
    words = {memory.depth for memory in declared(soc) if BLOCK_RAM in memory.attr}
    assert 0 < target.fit.lut_words < min(words)


def test_the_mac_s_fifos_between_clocks_are_in_block_ram():
    phy = Module()
    phy.dw, phy.sink, phy.source = 8, *(stream.Endpoint(eth_phy_description(8)) for _ in range(2))
    mac = SharedMAC(phy=phy, mac_address=0x02_00_00_00_00_01, rx_slots=0, tx_slots=0)
    memories = list(declared(mac.core))
    assert len(memories) == 2 and all(BLOCK_RAM in memory.attr and memory.depth == 32 for memory in memories)


@pytest.mark.parametrize(
    ("module", "count"),
    [(KeystreamQueue(16), 1), (EventCounters(sources=3), 1), (SessionTable(rows=8), 4)],
    ids=["keystream", "events", "sessions"],
)
def test_what_is_read_a_cycle_late_is_in_block_ram(module, count):
    """These memories are declared as block RAM. Otherwise, synthesis would put such small memories into LUTs."""
    memories = list(declared(module))
    assert len(memories) == count and all(BLOCK_RAM in memory.attr for memory in memories)


def synthesise(name, module, ports):
    folder = ROOT / "build" / "tests" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.module = module
    with contextlib.chdir(folder), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        verilog.convert(top, {*ports, top.cd_sys.clk, top.cd_sys.rst}, name=name).write(f"{name}.v")
    script = f"read_verilog {name}.v; synth_ecp5 -top {name}; tee -q -o {name}.json stat -json"
    environment = toolchain.environment(ROOT / "build" / "tools")
    subprocess.run(["yosys", "-q", "-p", script], cwd=folder, env=environment, check=True, timeout=900)
    text = (folder / f"{name}.json").read_text()
    return json.loads(text[text.index("{") :])["design"]["num_cells_by_type"]
