"""Where the linker puts what runs often: no two of its cache lines are in each other's place."""

import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from cipherlane.transport.simboard import ETHERNET_BOARD, UART_BOARD, find_board

from tests.firmware.core_peer import CORE

SCRIPT = CORE.parent / "baremetal" / "link.ld"
TOOLS = "riscv64-unknown-elf-"
# Of the core's instruction cache, which has one way (VexRiscv's configuration `full`).
LINE, LINES = 32, 128
BOARDS = (UART_BOARD, ETHERNET_BOARD)
# What every call runs through where it is measured, then each engine's way.
CALL = ("cl_bench_run", "port_cycles", "cl_ctr_counter")
WAYS = {"accelerator": ("accel_ctr", "cl_accel_run", "cl_accel_submit", "port_dcache_flush")}
for rounds in (10, 12, 14):
    WAYS[f"ise-{rounds}"] = ("begin", "ise_ctr", f"ise_{rounds}")
    WAYS[f"ise_fused-{rounds}"] = ("begin", "ise_fused_ctr", f"ise_fused_{rounds}")
    memory = (f"ise_vmem_{rounds}", "port_drain", "port_dcache_flush")
    WAYS[f"ise_vmem-{rounds}"] = ("begin", "ise_vmem_ctr", *memory)


def run(tool: str, *arguments: str | Path) -> str:
    return subprocess.run([TOOLS + tool, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def firmware(board: str) -> Path:
    return find_board(board) / "firmware"


def functions(board: str) -> dict[str, tuple[int, int]]:
    """First address and the one behind the last of each function that is there once."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in run("nm", "--print-size", firmware(board) / "firmware.elf").splitlines():
        address, size, kind, name = (line.split() + [""])[:4]
        if kind in ("t", "T"):
            found.setdefault(name, []).append((int(address, 16), int(address, 16) + int(size, 16)))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def listed() -> list[str]:
    return re.findall(r"\*\(\.text\.([a-z]\w*)\)", SCRIPT.read_text().split("*(.text .text.*)")[0])


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_call_does_not_evict_itself(board, way):
    places = functions(board)
    owners: dict[int, str] = {}
    for name in (*CALL, *WAYS[way]):
        first, end = places[name]
        for line in range(first // LINE, -(-end // LINE)):
            assert owners.setdefault(line % LINES, line) == line, f"{name} evicts: order {SCRIPT} anew"


def test_each_name_in_the_order_is_of_a_function_or_an_object():
    objects = [path for board in BOARDS for path in firmware(board).glob("*.o")]
    sections = set(re.findall(r" \.text\.(\S+)", run("objdump", "--section-headers", *objects)))
    assert [name for name in listed() if name not in sections] == []
    names = re.findall(r"\*(\w+\.c\.o)\(", SCRIPT.read_text())
    assert [name for name in names if not any(path.name.endswith(name) for path in objects)] == []


def test_a_record_runs_through_code_in_a_row():
    places = functions(ETHERNET_BOARD)
    row = listed()[listed().index("ethernet_poll") : listed().index("cl_bench_run")]
    for before, behind in pairwise(row):
        assert 0 <= places[behind][0] - places[before][1] < LINE, f"between {before} and {behind}"
