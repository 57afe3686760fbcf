# SPDX-License-Identifier: BSD-2-Clause
"""Test the logic of the build commands: boards, caching, reports, and clear error messages if a file or tool is
missing.
"""

import contextlib
import functools
import itertools
import json
import os
import re
import select
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace

import pytest
from cipherlane.errors import SimulatedBoardError

from gateware import boards, targets
from gateware.aes.sub_bytes import IMPLEMENTATIONS
from gateware.extensions import configuration, features
from gateware.flow import __main__ as command
from gateware.flow import bitstream, cache, image, simulation, toolchain
from gateware.flow.firmware import REPOSITORY, FirmwareError, regions_of_firmware
from gateware.isa.cfu import CFUUnit
from gateware.isa.vector_unit import VectorAESUnit
from tests import waiting
from tests.waiting import HANG_S

PASSES = ("profiling", "profiled")
BOARDS = "butterstick, colorlight_i5, ecpix5, orangecrab, orangecrab_85f, sim, ulx3s, ulx3s_25f, versa_ecp5"


def gateware_flow(*arguments):
    command = [sys.executable, "-m", "gateware.flow", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=HANG_S)


NO_UART = "litex-boards names no UART pins, and keys or firmware come over the UART"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nosuchboard"], f"unknown board 'nosuchboard': choose one of {BOARDS}"),
        (["ecpix5_nothing"], f"unknown board 'ecpix5_nothing' (did you mean ecpix5?): choose one of {BOARDS}"),
        (["ULX3"], f"unknown board 'ULX3' (did you mean ulx3s?): choose one of {BOARDS}"),
        (["ulx3s_25f_sdram"], "unknown board 'ulx3s_25f_sdram': say BOARD=ulx3s_25f CONFIG=sdram"),
        (["ecpix5_eth_zephyr"], "unknown board 'ecpix5_eth_zephyr': say BOARD=ecpix5 CONFIG=eth_zephyr"),
        *(
            (
                [board, name],
                f"board {board} has no configuration {name!r} ({reason}): choose one of "
                f"{', '.join(boards.load(board).fits)}, or combine features as in eth+sdram (`make boards` lists them)",
            )
            for board, name, reason in (
                ("versa_ecp5", "defualt", "there is no feature 'defualt' (did you mean default?)"),
                ("ecpix5", "default+eth", "`default` has no features, so it does not combine"),
                ("ecpix5", "eth_macsec_required_x", "there is no feature 'x'"),
                (
                    "ecpix5",
                    "gcm+zephyr",
                    "`zephyr` does not combine with `gcm`: firmware/zephyr has no board with both",
                ),
                ("ulx3s", "comparators", "only the simulated board has `comparators`"),
                (
                    "butterstick",
                    "eth+loader",
                    NO_UART,
                ),
                ("versa_ecp5", "gcm", "its firmware takes about 52960 bytes, and the part has room for 49152"),
                ("ecpix5", "nothing", "there is no feature 'nothing'"),
                ("ecpix5", "sdram+eht", "there is no feature 'eht' (did you mean eth?)"),
                ("ecpix5", "eth+", "a name of a feature is empty"),
                ("ecpix5", "eth_" * 2000, "a name of a feature is empty"),
                ("ecpix5", "eth+macsec", "`macsec` does not combine with `eth`: `macsec` includes `eth`"),
                ("ecpix5", "zephyr+eth+sdram", "firmware/zephyr has no board cipherlane_ecpix5_eth_sdram"),
                ("ulx3s", "eth", "Cipherlane sets up no Ethernet on this board"),
                ("orangecrab", "sdram", "Cipherlane sets up no SDRAM on this board"),
                ("ulx3s", "sdram+zephyr", "firmware/zephyr has no board cipherlane_ulx3s_sdram"),
                (
                    "butterstick",
                    "default",
                    "litex-boards names no UART pins, so the configuration needs Ethernet",
                ),
                ("butterstick", "macsec", NO_UART),
                ("colorlight_i5", "gcm", "it takes about 26500 LUT4, and the part has 24288"),
                ("colorlight_i5", "loader", "it takes 60 block RAMs, and the part has 56"),
                ("versa_ecp5", "eth", "Cipherlane sets up no Ethernet on this board"),
            )
        ),
    ],
)
def test_unknown_target_is_named_with_the_choices(names, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["gateware.flow", *names])
    assert command.main() == 1
    assert capsys.readouterr() == ("", f"error: {message}\n")


def test_each_board_is_a_file_and_each_feature_is_for_one():
    found = targets.load_all()
    assert sorted({target.board.name for target in found}) == boards.names()
    assert {name for target in found for name in target.configuration.features} == set(features())
    assert all(name == configuration(name).name for each in boards.names() for name in boards.load(each).fits)
    assert all(target.board.create_phy for target in found if target.configuration.ethernet)
    assert all(target.board.sdram for target in found if target.configuration.sdram_cache)
    named = {target.name: target.variables for target in found}
    assert len(named) == len(found)
    assert named["ecpix5"] == "BOARD=ecpix5" and named["ecpix5_eth_zephyr"] == "BOARD=ecpix5 CONFIG=eth_zephyr"


@pytest.mark.parametrize("name", ["sdram+eth", "eth+sdram", "eth_sdram", "sdram_eth", "eth+sdram+eth"])
def test_features_combine_in_any_order(name):
    target = targets.load("ecpix5", name)
    assert (target.name, target.title) == ("ecpix5_eth_sdram", "LambdaConcept ECPIX-5 (ECP5-85F), Ethernet, SDRAM")
    assert target.fit == replace(target.board.fits["eth"], clock_met=False)
    one, other = (targets.load("ecpix5", each).configuration for each in ("eth", "sdram"))
    assert target.configuration.ethernet == one.ethernet and target.configuration.sdram_cache == other.sdram_cache
    assert target.configuration.lut4 == one.lut4 + other.lut4
    assert target.configuration.rom_size == one.rom_size + 16 * 1024, "the firmware of both exceeds 64 KB"
    assert targets.load("sim", name).clock_met_by == ""


def accepted(board, count):
    """Return the targets of a board with each combination of `count` features that it accepts."""
    found = []
    for names in itertools.combinations(features(), count):
        with contextlib.suppress(targets.UnknownTargetError):
            found.append(targets.load(board, "+".join(names)))
    return found


@pytest.mark.parametrize("board", boards.names())
def test_the_hardware_of_each_feature_can_be_made(board):
    """For each feature that a board accepts, the settings name S-boxes that the core and the CPU's unit can have."""
    found = [*(targets.load(board, name) for name in boards.load(board).fits), *accepted(board, 1)]
    assert {target.fit.core_sbox for target in found} <= IMPLEMENTATIONS.keys()
    assert found and all(isinstance(unit_of(target), CFUUnit) for target in found)


@pytest.mark.parametrize("board", boards.names())
def test_a_pipelined_core_has_no_s_boxes_in_block_ram_whatever_it_is_combined_with(board):
    """In block RAM, its S-boxes would take more than a part has left."""
    found = [target for count in (1, 2) for target in accepted(board, count)]
    pipelined = [target for target in found if target.configuration.core_datapath == "pipelined"]
    assert all(target.fit.core_sbox == "tower_cut" for target in pipelined if not target.board.simulated)
    assert bool(pipelined) == (board in ("ecpix5", "orangecrab_85f", "sim", "ulx3s"))


def unit_of(target):
    """Return the unit on the CPU's CFU port of a target."""
    other = target.configuration.unit
    made = resolve_name(other) if other else functools.partial(VectorAESUnit, memory=(0, 64 * 1024))
    return made(sbox=target.fit.cfu_sbox)


@pytest.mark.parametrize("target", targets.load_all(), ids=lambda target: target.name)
def test_what_arithmetic_says_of_the_targets_that_are_built(target):
    """The obstacles that arithmetic finds never concern a target that place-and-route built."""
    by_hand = {"colorlight_i5_sdram", "ulx3s_25f_sdram"}  # not placed; the estimate of LUTs is above 95 % of the part
    assert bool(targets.obstacle(target)) == (target.name in by_hand)


def test_firmware_behind_a_loader_is_linked_for_the_code_memory_behind_its_header():
    regions = "MEMORY {\n\trom : ORIGIN = 0x00000000, LENGTH = 0x00002000\n\tsram : ORIGIN = 0x1, LENGTH = 0x2\n"
    code = "\tcode : ORIGIN = 0x20000000, LENGTH = 0x00010000\n}\n"
    assert regions_of_firmware(regions + code) == (
        "MEMORY {\n\trom : ORIGIN = 0x20000020, LENGTH = 0x0000ffe0\n\tsram : ORIGIN = 0x1, LENGTH = 0x2\n}\n"
    )
    with pytest.raises(FirmwareError, match="contains no code memory"):
        regions_of_firmware(regions)


def test_waveforms_are_of_simulated_boards_alone():
    result = gateware_flow("ecpix5", "--trace")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: board ecpix5 has no waveforms: only simulated boards have\n"


def test_clock_of_a_simulated_board_is_that_of_the_same_hardware_or_says_that_it_is_not():
    """`clock_met_by` of a simulated board names a hardware target that met the simulated board's clock in
    place-and-route. The name is empty if no hardware target met this clock.
    """
    sim, hardware = boards.load("sim"), boards.load("ecpix5")
    for name in ("sys_clk_freq", "uart_baudrate", "uart_fifo_depth"):
        assert getattr(sim, name) == getattr(hardware, name), f"cycles depend on {name}"
    for name in sim.fits.keys() & hardware.fits.keys():
        assert targets.load("sim", name).sys_clk_freq == targets.load("ecpix5", name).sys_clk_freq
    simulated = [target for target in targets.load_all() if target.board.simulated]
    met = {target.name: target.clock_met_by for target in simulated}
    by = {"sim": "ecpix5"} | {f"sim_{name}": f"ecpix5_{name}" for name in ("eth", "eth_zephyr", "gcm", "macsec")}
    others = ("zephyr", "sdram", "loader", "sdram_zephyr", "macsec_required")
    assert met | by | dict.fromkeys((f"sim_{name}" for name in others), "") == met
    for target in simulated:
        clock = f"its clock, {target.sys_clk_freq / 1e6:g} MHz"
        by = f"{clock}, was met by place-and-route of {target.clock_met_by}"
        note = by if target.clock_met_by else f"no place-and-route has met {clock}"
        assert note in target.clock_note
        if target.clock_met_by:
            assert target.fit.product_cycles == hardware.fits[target.configuration.name].product_cycles


@pytest.mark.parametrize("megahertz", [50, 75, 100, 125, 250])
def test_simulated_ethernet_has_125_mhz_beside_the_system_s_clock(megahertz):
    target = targets.load("sim", "eth")
    target = replace(target, fit=replace(target.fit, sys_clk_freq=megahertz * 1_000_000))
    modules = json.loads(simulation.Modules(target).get_json())
    step = modules[-1]["timebase"]
    clockers = [module for module in modules[:-1] if module["module"] == "clocker"]
    clocks = {json.dumps(module["interface"]): module["args"]["freq_hz"] for module in clockers}
    # Round each clock period down to whole picoseconds. LiteX's clock module for simulations does the same.
    system, gmii = (10**12 // clocks[name] for name in ('["sys_clk"]', '[{"name": "sys_clk", "index": 1}]'))
    assert system * megahertz == gmii * 125
    assert system % step == gmii % step == 0
    assert min(system, gmii) >= 2 * step


def test_digest_ignores_comments_and_sees_everything_else(tmp_path):
    path = tmp_path / "a.v"
    digests = set()
    for text in (
        "// 2026-01-01\n/* b, c\n*/module a;\n",
        "// 2026-02-02\n/* c,\n b\n*/module a;\n",
        "// /*\nmodule b;\n// */\n",
    ):
        path.write_text(text)
        digests.add(cache.digest([path]))
    assert len(digests) == 2


def test_stamp_is_current_only_after_it_was_set(tmp_path):
    stamp = cache.Stamp(tmp_path / "stamp", "1")
    assert not stamp.is_current()
    stamp.set()
    assert stamp.is_current()
    assert not cache.Stamp(tmp_path / "stamp", "2").is_current()
    stamp.clear()
    assert not stamp.is_current()


def test_what_is_kept_is_made_once_and_whole(tmp_path):
    made = []

    def make(folder):
        made.append(folder)
        (folder / "part").write_text("1")
        if len(made) == 1:
            raise simulation.SimulationError("fails")

    with pytest.raises(simulation.SimulationError):
        cache.made_once(tmp_path / "kept" / "key", make)
    assert list((tmp_path / "kept").iterdir()) == []
    for _ in range(2):
        folder = cache.made_once(tmp_path / "kept" / "key", make)
        assert (folder / "part").read_text() == "1"
        os.utime(folder, (0, 0))
    assert len(made) == 2
    assert cache.made_once(folder, make).stat().st_mtime > 0, "its last use"


def test_who_asks_while_it_is_made_waits_for_it(tmp_path):
    made, target = [], tmp_path / "kept" / "key"
    with ThreadPoolExecutor() as pool:

        def make(folder):
            made.append(folder)
            if len(made) == 1:
                others.extend(pool.submit(cache.made_once, target, make) for _ in range(3))
                waiting.until(lambda: locks_awaited(target.with_name("key.lock")) == 3)
            (folder / "part").write_text("1")

        others = []
        assert cache.made_once(target, make) == target
        assert [other.result(waiting.HANG_S) for other in others] == [target] * 3
    assert len(made) == 1 and [path.name for path in target.parent.iterdir()] == ["key"]


def locks_awaited(path):
    """Return how many processes wait for the lock on a file, according to /proc/locks."""
    waiters = [line for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
    return sum(line.split()[-3].endswith(f":{path.stat().st_ino}") for line in waiters)


def test_a_simulated_board_is_known_by_its_content_wherever_it_is_built(tmp_path):
    keys = []
    for name, text, flag in (("a", "1", "-O2"), ("another clone", "1", "-O2"), ("a", "2", "-O2"), ("a", "1", "-O3")):
        directory = tmp_path / name / "build" / "sim"
        directory.mkdir(parents=True, exist_ok=True)
        source = directory / "sim.v"
        source.write_text(f"// of {directory}\nSOURCE = {directory}/{text}\n")
        keys.append(simulation.key([["verilator", flag, str(source)]], [source], directory))
    assert keys[0] == keys[1] and len(set(keys)) == 3


def test_a_simulated_board_is_built_anew_only_when_its_sources_changed(tmp_path, monkeypatch, capsys):
    source, directory, built = tmp_path / "sources" / "a.py", tmp_path / "board", []
    program = directory / "gateware" / "Vsim"
    source.parent.mkdir()
    source.write_text("x = (\n    y\n    // 2\n)\n")

    def build(target, directory, traced):
        built.append(source.read_text())
        if "fails" in built[-1]:
            raise simulation.SimulationError("so it does")
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch()
        description = {"name": target.name, "gateware": "gateware", "executable": "Vsim"}
        (directory / "board.json").write_text(json.dumps(description))
        return directory / "board.json"

    def report(target, directory, results):
        (results / f"image-{target.name}.json").touch()
        return "used"

    monkeypatch.setattr(simulation, "build", build)
    for name, value in (("report_image", report), ("RESULTS", tmp_path), ("SOURCES", [str(source.parent)])):
        monkeypatch.setattr(command, name, value)

    def builds(configuration="default"):
        """Run the build command. Return (whether it built the simulated board again, its exit status)."""
        before = len(built)
        monkeypatch.setattr(sys, "argv", ["gateware.flow", "sim", configuration, "--output", str(directory)])
        status = command.main()
        return len(built) > before, status

    assert [builds(), builds()] == [(True, 0), (False, 0)]
    assert capsys.readouterr().out.count("simulated board ready") == 2
    assert builds("loader") == (True, 0) and builds() == (True, 0), "another configuration in the same place"
    source.write_text(source.read_text().replace("// 2", "// 3"))
    assert [builds(), builds()] == [(True, 0), (False, 0)]
    for missing in (program, tmp_path / "image-sim.json", directory / "board.json"):
        missing.unlink()
        assert [builds(), builds()] == [(True, 0), (False, 0)]
    good = source.read_text()
    source.write_text("fails")
    assert [builds(), builds()] == [(True, 1), (True, 1)]
    source.write_text(good)
    assert [builds(), builds()] == [(True, 0), (False, 0)], "what a failure leaves is not whole"
    assert [builds("zephyr"), builds("zephyr")] == [(True, 0), (True, 0)], "Zephyr's tree may have changed"


def test_report_takes_clocks_and_resources_from_place_and_route(tmp_path):
    report = {
        "fmax": {
            "$glbnet$VexRiscv.cache.clk": {"achieved": 81.5, "constraint": 75.0},
            "$glbnet$clk100$TRELLIS_IO_IN": {"achieved": 300.0, "constraint": 100.0},
        },
        "utilization": {"TRELLIS_COMB": {"used": 100, "available": 1000}, "DP16KD": {"used": 7, "available": 9}},
    }
    (tmp_path / "ecpix5-report.json").write_text(json.dumps(report))
    (tmp_path / "ecpix5.build_id").write_text("0001020304050607-08090a0b0c0d0e0f\n")
    module = {"cells": {"VexRiscv.pc_LUT4_Z": {"type": "LUT4", "connections": {"Z": [2]}}}}
    result = bitstream._report(targets.load("ecpix5"), tmp_path, module)
    assert result["shares"] == {"cpu": {"lut4": 1, "ff": 0, "bram": 0, "dsp": 0}}
    assert result["clocks"] == [
        {"name": "sys", "required_mhz": 75.0, "achieved_mhz": 81.5},
        {"name": "clk100", "required_mhz": 100.0, "achieved_mhz": 300.0},
    ]
    assert (result["lut4"], result["ff"], result["bram"], result["dsp"]) == (100, 0, 7, 0)
    assert (result["kind"], result["build_id"]) == ("est", "0001020304050607-08090a0b0c0d0e0f")


@pytest.mark.parametrize(
    ("port", "required", "inverters", "message"),
    [
        ("clk100", 100.0, 3, None),
        ("eth_rx_clk", 75.0, 3, "constrains eth_rx_clk, which the netlist does not contain"),
        ("clk100", 12.0, 3, "clock sys was not timed for its frequency"),
        ("clk100", 100.0, 5, "5 cells are in combinational loops instead of the 3"),
        ("clk100", 100.0, 0, "0 cells are in combinational loops instead of the 3"),
    ],
)
def test_constraints_are_checked_against_the_netlist(tmp_path, port, required, inverters, message):
    """The build must report an error in three cases: a port constraint names a net that is not a port, place-and-route
    timed a clock for a wrong frequency, or combinational loops contain more or fewer cells than the ring oscillators.
    """
    directions = {"A": "input", "Z": "output"}
    cells = {
        str(n): {
            "type": "LUT4",
            "port_directions": directions,
            "connections": {"A": [2 + n], "Z": [2 + (n + 1) % inverters]},
        }
        for n in range(inverters)
    }
    module = {"ports": {"clk100": {}}, "netnames": {"clk100": {}, "eth_rx_clk": {}}, "cells": cells}
    (tmp_path / "ecpix5.lpf").write_text(f'FREQUENCY PORT "{port}" 100.0 MHz;\n')
    noise = SimpleNamespace(cells=3)
    soc = SimpleNamespace(target=targets.load("ecpix5"), random=SimpleNamespace(noise=noise))
    clocks = [{"name": "sys", "required_mhz": required, "achieved_mhz": 80.0}]
    with nullcontext() if message is None else pytest.raises(bitstream.BitstreamError, match=message):
        bitstream._check_constraints(soc, tmp_path, module, clocks)


def test_failure_names_the_clock_that_missed(tmp_path):
    log = tmp_path / "build.log"
    log.write_text("Info: fine\nERROR: Max frequency for clock 'sys_clk': 70.00 MHz (FAIL at 75.00 MHz)\nInfo: end\n")
    assert "70.00 MHz (FAIL at 75.00 MHz)" in toolchain.failure(log)
    assert str(log) in toolchain.failure(log)


def test_exit_status_of_a_tool(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        assert toolchain.run(["true"], tmp_path, dict(os.environ), log) == 0
        assert toolchain.run(["false"], tmp_path, dict(os.environ), log) == 1


def test_a_build_without_end_is_stopped_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "LIMIT_S", 1)
    reader, writer = os.pipe()
    with open(reader, "rb") as ours, open(writer, "wb") as theirs:
        assert toolchain.run(["bash", "-c", "sleep 3600 & wait"], tmp_path, dict(os.environ), theirs) is None
        theirs.close()
        # The read end of the pipe reports end-of-file only after all processes that hold the write end have ended.
        assert select.select([ours], [], [], 300)[0] and ours.read() == b""


def test_tools_are_found_under_their_usual_names(tmp_path):
    environment = toolchain.environment(tmp_path)
    found = toolchain.versions(environment)
    assert set(found) == set(toolchain.TOOLS)
    assert "Yosys" in found["yosys"]
    verilator, compiler = toolchain.versions(os.environ, toolchain.SIMULATION).values()
    assert re.match(r"Verilator \d", verilator) and re.search(r"gcc.* \d+\.\d+", compiler)


def test_image_says_what_each_memory_holds(tmp_path):
    source, elf, description = (tmp_path / name for name in ("main.c", "main.elf", "csr.json"))
    source.write_text(
        "const char text[256] = {1}; int data[4] = {1}; int zeros[100]; void _start(void) { zeros[0]++; }"
    )
    link = ["-nostdlib", "-Wl,-Ttext=0", "-Wl,-Tdata=0x10000000", "-Wl,-Tbss=0x10000100", "-Wl,--build-id=none"]
    command = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-msmall-data-limit=0", *link]
    subprocess.run([*command, "-o", elf, source], check=True, timeout=HANG_S)
    memories = {"rom": {"base": 0, "size": 0x10000}, "sram": {"base": 0x1000_0000, "size": 0x1000}}
    description.write_text(json.dumps({"memories": memories}))
    sections = subprocess.run(["riscv64-unknown-elf-size", elf], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, sections.splitlines()[1].split()[:3])
    assert (data, bss) == (16, 400)
    assert image.usage(elf, description) == {"rom": text + data, "sram": data + bss}


@pytest.mark.parametrize("trained", [True, False])
def test_the_model_is_compiled_again_by_the_profile_of_a_run_or_without(tmp_path, capsys, trained):
    def train():
        assert (built / "Vsim").read_text().strip() == PASSES[0], "runs before it has what the profile is for"
        if not trained:
            raise SimulatedBoardError("no network namespace")

    built = tmp_path / "obj_dir"
    sources = "obj_dir/Vsim.cpp obj_dir/Vsim__Slow.cpp"
    objects = "for f in Vsim Vsim__Slow sim_init simulator; do [ -e obj_dir/$f.o ] || echo {0} > obj_dir/$f.o; done"
    compiler = [["sh", "-c", f"{objects.format(pass_)}; cp obj_dir/Vsim.o obj_dir/Vsim"] for pass_ in PASSES]
    commands = [["true"], ["sh", "-c", f"mkdir obj_dir; touch {sources}"], *compiler]
    simulation.compile_model(commands, tmp_path, tmp_path / "log", train)
    made = {path.name: path.read_text().strip() for path in built.glob("*.o")}
    assert made.pop("Vsim__Slow.o") == PASSES[0], "compiled once: it does not run long"
    assert made == dict.fromkeys(("Vsim.o", "sim_init.o", "simulator.o"), PASSES[1])
    assert (built / "Vsim").read_text().strip() == PASSES[1]
    assert ("without a profile" in capsys.readouterr().out) != trained
