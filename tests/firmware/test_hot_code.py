# SPDX-License-Identifier: BSD-2-Clause
"""Test where the linker places functions that run often. They must not evict each other from the instruction cache."""

import re
import subprocess
from pathlib import Path

import pytest
from cipherlane.transport.simboard import ETHERNET_BOARD, UART_BOARD, find_board

from tests.firmware.core_peer import CORE
from tests.waiting import HANG_S

SCRIPT = CORE.parent / "baremetal" / "link.ld"
TOOLS = "riscv64-unknown-elf-"
# Line size in bytes, and number of lines, of the CPU's instruction cache, which is direct-mapped (VexRiscv `full`).
LINE, LINES = 32, 128
BOARDS = (UART_BOARD, ETHERNET_BOARD)
# Functions that run in a benchmark. `CALL` lists the functions that run with every engine. `WAYS` maps the name of an
# engine, such as `accelerator`, to the engine's own functions. Some engine names include the number of AES rounds, as
# in `ise-10`.
CALL = ("cl_bench_run", "port_cycles", "cl_ctr_counter")
WAYS = {"accelerator": ("accel_ctr", "cl_accel_run", "cl_accel_submit", "memcpy")}
for rounds in (10, 12, 14):
    WAYS[f"ise-{rounds}"] = ("begin", "ise_ctr", f"ise_{rounds}")
    WAYS[f"ise_fused-{rounds}"] = ("begin", "ise_fused_ctr", f"ise_fused_{rounds}")
    memory = (f"ise_vmem_{rounds}", "port_drain", "port_dcache_flush")
    WAYS[f"ise_vmem-{rounds}"] = ("begin", "ise_vmem_ctr", *memory)
# `STAYS` lists functions that must stay in the instruction cache from one record to the next. `TURNS` lists functions
# that must not evict a function in `STAYS`, but are allowed to evict each other.
STAYS = ("port_cycles", "cl_ctr_counter", "memcpy", "cl_sum", "ethernet_poll")
STAYS += ("cl_frame_carry_out", "cl_service_carry_out", "cl_handle_data")
TURNS = ("cl_session_data", "cl_window_judge", "cl_window_sum_from", "cl_link_udp_receive", "cl_sessions_tick")
TURNS += ("accel_ctr", "cl_accel_run", "cl_accel_submit", "cl_record_parse", "cl_window_accept", "cl_record_reply")
TURNS += ("cl_link_udp_answer", "cl_service_account", "cl_session_owned", "cl_session_touch", "cl_session_find")
TURNS += ("cl_frame_take", "memset")


def run(tool: str, *arguments: str | Path) -> str:
    return subprocess.run([TOOLS + tool, *arguments], capture_output=True, text=True, timeout=HANG_S, check=True).stdout


def firmware(board: str) -> Path:
    return find_board(board) / "firmware"


def functions(board: str) -> dict[str, tuple[int, int]]:
    """Map the name of each firmware function to its first address and its end address. Omit names that occur twice."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in run("nm", "--print-size", firmware(board) / "firmware.elf").splitlines():
        address, size, kind, name = (line.split() + [""])[:4]
        if kind in ("t", "T"):
            found.setdefault(name, []).append((int(address, 16), int(address, 16) + int(size, 16)))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def listed() -> list[str]:
    return re.findall(r"\*\(\.text\.([a-z][\w.]*)\)", SCRIPT.read_text().split("*(.text .text.*)")[0])


def lines(place: tuple[int, int]) -> range:
    """Return the numbers of the cache lines that a function occupies. Line 0 begins at address 0."""
    return range(place[0] // LINE, -(-place[1] // LINE))


def assert_apart(places: dict[str, tuple[int, int]], names, others=()):
    """Check that the functions in `names` do not evict each other, and that no function in `others` evicts any of
    the functions in `names`.
    """
    owners: dict[int, int] = {}
    for name in names:
        for line in lines(places[name]):
            assert owners.setdefault(line % LINES, line) == line, f"{name} evicts: order {SCRIPT} anew"
    for name in others:
        for line in lines(places[name]):
            assert owners.get(line % LINES, line) == line, f"{name} evicts: order {SCRIPT} anew"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_call_does_not_evict_itself(board, way):
    assert_apart(functions(board), (*CALL, *WAYS[way]))


def test_what_a_record_comes_back_to_stays_in_the_cache():
    assert_apart(functions(ETHERNET_BOARD), STAYS, TURNS)


def test_each_name_in_the_order_is_of_a_function_or_an_object():
    objects = [path for board in BOARDS for path in firmware(board).glob("*.o")]
    sections = set(re.findall(r" \.text\.(\S+)", run("objdump", "--section-headers", *objects)))
    assert [name for name in listed() if name not in sections] == []
    names = re.findall(r"\*(\w+\.c\.o)\(", SCRIPT.read_text())
    assert [name for name in names if not any(path.name.endswith(name) for path in objects)] == []
