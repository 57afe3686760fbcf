# SPDX-License-Identifier: BSD-2-Clause
"""Test the model of SDR SDRAM that other tests use: it stores written data and reports all forbidden commands."""

import pytest
from migen import run_simulation

from tests.gateware.soc.sdr_module import CODES, Pads, SdrModule

BITS, A10 = 16, 1 << 10
ROWS, COLUMNS, REFRESH_CYCLES = 8, 16, 40
PREPARED = [("precharge", A10), ("nop",), ("refresh",), *[("nop",)] * 2, ("refresh",), *[("nop",)] * 2]
READY = [*PREPARED, ("load_mode", 2 << 4), ("nop",)]
VALUE = 0x1234


def write(bank=0, column=3, auto=0, value=VALUE):
    return ("write", column | auto, bank, value)


def read(bank=0, column=3, auto=0):
    return ("read", column | auto, bank)


def activate(bank=0, row=5):
    return ("activate", row, bank)


def precharge(bank=0):
    return ("precharge", 0, bank)


def nop(count=1):
    return [("nop",)] * count


def see(commands, short=False, driven=None):
    """Send commands to the model, one per clock. For each command, return the value on the data bus just before the
    edge that samples the command.

    For a write this is the value written.
    """
    pads = Pads(12, BITS, short)
    module = SdrModule(pads, rows=ROWS, columns=COLUMNS, refresh_cycles=REFRESH_CYCLES)
    seen = []

    def drive():
        if not short:
            yield pads.cke.eq(1)
            yield pads.cs_n.eq(0)
        yield
        for name, *place in commands:
            address, bank, value = (*place, *(0, 0, 0)[len(place) :])
            code = CODES.get(name, 0b111)
            yield pads.ras_n.eq(code >> 2)
            yield pads.cas_n.eq(code >> 1 & 1)
            yield pads.we_n.eq(code & 1)
            yield pads.a.eq(address)
            yield pads.ba.eq(bank)
            yield pads.dq.driven.eq(value)
            yield pads.dq.drives.eq((2**BITS - 1 if name == "write" else 0) if driven is None else driven)
            if name == "off":
                yield pads.cke.eq(0)
            yield
            seen.append((yield pads.dq))

    run_simulation(module, {"sdr": drive()}, clocks={"sdr": 10, "sys": 10})
    return seen


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("latency", [2, 3])
def test_what_was_written_is_read_after_the_latency(short, latency):
    ready = [*PREPARED, ("load_mode", latency << 4), ("nop",)]
    commands = [*ready, activate(), write(), read(), *nop(4)]
    seen = see(commands, short)
    at = commands.index(read()) + latency
    assert [word == VALUE for word in seen[at - 1 : at + 2]] == [False, True, False]


def test_each_word_has_a_place_of_its_own():
    others = [activate(1), write(1, value=2), write(1, 4, value=3), precharge(1), precharge(), *nop(2)]
    others += [activate(0, 6), write(value=4), *nop(2)]
    reads = [precharge(), *nop(2), activate(1), activate(), read(), read(column=4), read(1), read(1, 4), *nop(2)]
    seen = see([*READY, activate(), write(value=1), *others, *reads])
    assert seen[-4:] == [1, 0, 2, 3]


@pytest.mark.parametrize(
    ("preparation", "works"),
    [
        (READY, True),
        (READY[1:], False),  # no precharge
        ([*READY[:2], *READY[5:]], False),  # one refresh
        (READY[:-2], False),  # no mode
        ([*PREPARED, ("load_mode", 2 << 4 | 1), ("nop",)], False),  # bursts of two
        ([*PREPARED, ("load_mode", 1 << 4), ("nop",)], False),
        ([*READY, ("off",)], False),
    ],
)
def test_it_is_to_be_made_ready(preparation, works):
    commands = [*preparation, activate(), write(), read(), *nop(4)]
    assert (see(commands)[commands.index(read()) + 2] == VALUE) == works


GOOD = [activate(), write(), *nop(2)]


@pytest.mark.parametrize(
    ("commands", "works"),
    [
        ([], True),
        ([precharge(), activate()], True),
        ([*nop(REFRESH_CYCLES - 10)], True),
        ([activate()], False),  # it is open
        ([write(1)], False),  # it is closed
        ([("refresh",)], False),
        ([("load_mode", 2 << 4), ("nop",)], False),
        ([precharge(), activate(), precharge(), activate()], False),  # tRAS
        ([precharge(), activate(), *nop(1), precharge(), activate()], True),
        # With auto-precharge, the bank begins to precharge one clock after the write.
        ([write(auto=A10), activate()], False),
        ([write(auto=A10), *nop(1), activate()], True),
        ([precharge(), ("refresh",), *nop(1), activate()], False),  # tRFC
        ([precharge(), ("refresh",), *nop(2), activate()], True),
        ([precharge(), ("load_mode", 2 << 4), activate()], False),  # tMRD
        ([precharge(), ("load_mode", 2 << 4), *nop(1), activate()], True),
        ([precharge(), ("refresh",), *nop(REFRESH_CYCLES - 4), activate()], True),
        ([precharge(), ("refresh",), *nop(REFRESH_CYCLES + 4), activate()], False),
    ],
)
def test_nothing_that_is_forbidden_is_forgiven(commands, works):
    commands = [*READY, *GOOD, *commands, read(), *nop(4)]
    assert (see(commands)[commands.index(read()) + 2] == VALUE) == works


def test_both_ends_of_the_bus_at_once():
    for between, works in ((3, True), (1, False)):
        commands = [*READY, *GOOD, read(), *nop(between), write(), read(column=3), *nop(2)]
        assert (see(commands)[-1] == VALUE) == works


@pytest.mark.parametrize("driven", [0, 0xFF])
def test_a_write_that_nobody_drives(driven):
    commands = [*READY, *GOOD, read(), *nop(4)]
    assert see(commands, driven=driven)[commands.index(read()) + 2] != VALUE
