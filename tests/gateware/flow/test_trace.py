# SPDX-License-Identifier: BSD-2-Clause
"""Simulate a small model, and test that the waveform file contains exactly the requested cycles."""

import os
import struct
import subprocess

import pytest

from gateware.flow import simulation
from tests.waiting import HANG_S

MODEL = """
module sim(input sys_clk, output reg [31:0] counted);
    always @(posedge sys_clk) counted <= counted + 1;
    initial counted = 0;
endmodule
"""
# This program does the same as LiteX's main loop for simulations. The clock period is four picoseconds.
MAIN = """
#include "Vsim.h"
#include <csignal>
#include <cstdint>

extern "C" void litex_sim_init_cmdargs(int, char **);
extern "C" void litex_sim_init_tracer(void *, long, long);
extern "C" void litex_sim_eval(void *, uint64_t);
extern "C" int litex_sim_got_finish();

int main(int argc, char *argv[])
{
    litex_sim_init_cmdargs(argc, argv);
    auto *model = new Vsim;
    litex_sim_init_tracer(model, 0, -1);
    for (uint64_t time = 0; !litex_sim_got_finish(); time += 2) {
        model->sys_clk = time & 2 ? 1 : 0;
        litex_sim_eval(model, time);
        if (time == 4000)
            std::raise(SIGTERM);
    }
    return 0;
}
"""
HEADER, HIERARCHY, VALUES = 0, 6, 8  # types of FST blocks; a block consists of type (1 byte), length (8 bytes), data


def blocks_of(path):
    data, at, blocks = path.read_bytes(), 0, {}
    while at < len(data):
        size = struct.unpack_from(">Q", data, at + 1)[0]
        blocks.setdefault(data[at], data[at + 9 : at + 1 + size])
        at += 1 + size
    assert at == len(data), "the last block is whole"
    return blocks


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board") / "gateware"
    folder.mkdir()
    for name, text in (("sim.v", MODEL), ("main.cpp", MAIN)):
        (folder / name).write_text(text)
    verilator = [*simulation.VERILATOR, *simulation.TRACING, "sim.v", "main.cpp", str(simulation.SIMULATOR)]
    make = ["make", "-C", "obj_dir", "-f", "Vsim.mk", "-j2", "OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0", "Vsim"]
    for command in (verilator, make):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    return folder / "obj_dir" / "Vsim"


def run(program, limits=None):
    environment = {**os.environ, **({"CIPHERLANE_TRACE": limits} if limits else {})}
    return subprocess.run([program], cwd="/", env=environment, capture_output=True, text=True, timeout=HANG_S)


@pytest.mark.parametrize(("limits", "times"), [(None, (0, 4000)), ("100:200", (398, 796)), ("900:5000", (3598, 4000))])
def test_cycles_in_the_file(program, limits, times):
    assert run(program, limits).returncode == 0
    blocks = blocks_of(program.parents[2] / "trace.fst")
    assert struct.unpack_from(">QQ", blocks[HEADER]) == times, "the first and the last picosecond"
    assert b"counted" in blocks[HIERARCHY]
    assert blocks[VALUES]


@pytest.mark.parametrize("limits", [" ", "100", "200:100", "1:2:3", "a:b", "100:100"])
def test_refused_limits(program, limits):
    done = run(program, limits)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: CIPHERLANE_TRACE={limits}: ") and len(done.stderr.splitlines()) == 1
