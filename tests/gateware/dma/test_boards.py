# SPDX-License-Identifier: BSD-2-Clause
"""Test the accelerator with the AES core of each board: results, key changes during operation, command durations.

The FPGA boards' cores take minutes to compile, so only `make netlist-units` tests them.
"""

import pytest

from gateware.dma.errors import Error
from tests.gateware.boards import ACCELERATORS, ACCELERATORS_SIMULATED, title
from tests.gateware.ctr.reference import KEYS, T1
from tests.gateware.dma.bench import ORIGIN, OUT, TIMEOUT_CYCLES, Bench, Descriptor
from tests.gateware.dma.test_accelerator import test_random_differential, test_sp_800_38a_f5
from tests.gateware.dma.test_commands import test_slot_without_a_key

__all__ = ["test_random_differential", "test_slot_without_a_key", "test_sp_800_38a_f5"]  # with this file's cores

# Maximum number of cycles for which each command keeps `key_busy` at 1, as stated in `gateware.dma.accelerator`.
BOUNDS = {"load_key": 70, "clear_key": 30, "zeroize": 160}
PIPELINED_BOUNDS = {"load_key": 170, "clear_key": 90, "zeroize": 230}


def pytest_generate_tests(metafunc):
    if "board_core" in metafunc.fixturenames:
        cores = ACCELERATORS if metafunc.config.getoption("--netlist") else ACCELERATORS_SIMULATED
        metafunc.parametrize("board_core", cores, ids=title, scope="module")


@pytest.fixture(scope="module")
def simulated(board_core):
    bench = Bench(**board_core)
    yield bench
    bench.sim.close()


def cycles_of(bench, signal: str):
    """Return the number of cycles until a signal of the bench is 0, counted from the current cycle."""
    cycles = 0
    while bench.peek(signal):
        cycles += 1
        yield
    return cycles


def command(bench, name: str):
    """Give a command, and wait until one cycle after the accelerator has accepted it."""
    yield from bench.write("control", 1 << bench.fields["control"][name].offset)
    yield
    yield


@pytest.mark.parametrize("name", ["load_key", "clear_key", "zeroize"])
def test_key_commands_end_in_bounded_time(bench, name):
    """Key commands end within `BOUNDS`, for several slots and all key lengths, while another slot is in use."""
    taken = []

    def life(slot, bits):
        yield from bench.set_key(KEYS[256], slot)
        yield from bench.set_key(KEYS[256], 7 - slot)
        yield from bench.submit(Descriptor(length=400, counter=T1, slot=7 - slot))
        yield from bench.write_fields("key_config", key_length=(bits - 128) // 64, slot=slot)
        yield from command(bench, name)
        taken.append((yield from cycles_of(bench, "key_busy")))
        yield from bench.wait_idle()

    for slot in (0, 3, 7):
        for bits in KEYS:
            bench.run(life(slot, bits))
    bound = (PIPELINED_BOUNDS if bench.pipelined else BOUNDS)[name]
    assert bound // 2 <= max(taken) <= bound, taken


@pytest.mark.parametrize("name", ["abort", "zeroize"])
def test_abort_and_zeroize_wait_for_one_access_at_most(bench, name):
    """The memory never answers. So the descriptor can end only after the current bus access has timed out."""
    bench.memory.answer = lambda address, we: None
    taken = []

    def life(n):
        yield from bench.set_key(KEYS[128])
        numbers = []
        for _ in range(2):
            numbers.append((yield from bench.submit(Descriptor(ORIGIN, OUT, 400, T1))))
        for _ in range(n):
            yield
        yield from command(bench, name)
        taken.append((yield from cycles_of(bench, "busy")))
        assert (yield from bench.result(numbers[-1])) == Error.ABORTED
        yield from bench.wait_idle()

    for n in range(0, 2 * TIMEOUT_CYCLES, 13):
        bench.run(life(n))
    assert TIMEOUT_CYCLES // 2 < max(taken) <= TIMEOUT_CYCLES + 4
