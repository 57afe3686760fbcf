# SPDX-License-Identifier: BSD-2-Clause
"""Test the firmware's SDRAM driver with models of PHYs and memory modules: the commands to the module, levelling, and
the detection of faults.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from litedram.common import PhySettings
from litedram.init import get_sdram_phy_init_sequence
from litedram.modules import MT41K256M16, MT48LC16M16

from gateware.codegen import sdram
from tests.firmware.core_peer import BUILD, FLAGS
from tests.waiting import HANG_S

HERE = Path(__file__).with_name("sdram")
FIRMWARE = HERE.parents[2] / "firmware"
CLOCK_HZ = 75e6
SIZE, CACHE = 1 << 22, 8192
PHASE_BYTES = 32
OFFSETS = {"COMMAND": 0, "ISSUE": 4, "ADDRESS": 8, "BANK": 12, "WRDATA": 16, "RDDATA": 24}
REGISTERS = {"COMMAND": "COMMAND", "COMMAND_ISSUE": "ISSUE", "ADDRESS": "ADDRESS", "BADDRESS": "BANK"}
REGISTERS |= {"WRDATA": "WRDATA", "RDDATA": "RDDATA"}
WRITES = ("dly_sel", "rdly_dq_rst", "rdly_dq_inc", "rdly_dq_bitslip_rst", "rdly_dq_bitslip", "burstdet_clr")
ENXIO, EIO, EFAULT = -6, -5, -14
GOOD = "1:2:5,3:0:3"
# LiteDRAM's settings of three PHYs at the clock CLOCK_HZ: ECP5DDRPHY with 16 data lines, and GENSDRPHY with 16 and 32.
DDR3 = PhySettings("ECP5DDRPHY", "DDR3", 16, 64, 2, 0, 1, 6, 13, 3, cwl=5, read_leveling=True, bitslips=4, delays=8)
SDR, SDR_32 = (PhySettings("GENSDRPHY", "SDR", bits, bits, 1, 0, 0, 2, 3, 0) for bits in (16, 32))
TIMING = {"DDR3": MT41K256M16(CLOCK_HZ, "1:2").timing_settings, "SDR": MT48LC16M16(CLOCK_HZ, "1:1").timing_settings}
NO_LANES = ",".join(["0:0:0"] * 4)


@dataclass
class Outcome:
    """The output of the model program: the commands to the memory module with their cycles, the delay setting of each
    group of lines, and the result of `sdram_init`.
    """

    steps: list[tuple[int, ...]]
    lanes: list[tuple[int, ...]]
    cycles: int
    status: int
    offset: int
    bits: int
    left: int
    name: str


def write_headers(folder, phy, cache=CACHE):
    """Write the headers that describe the modelled SoC. In a real build, LiteX and the code generator write them."""
    headers = {
        "generated/cl_sdram.h": sdram.render(sdram.describe(phy, TIMING[phy.memtype], CLOCK_HZ)),
        "generated/mem.h": f"#include <stdint.h>\nuintptr_t model_memory(void);\n"
        f"#define MAIN_RAM_BASE model_memory()\n#define MAIN_RAM_SIZE {SIZE:#x}u\n",
        "generated/soc.h": f"#define CONFIG_L2_SIZE {cache}u\n",
        "generated/csr.h": "\n".join(
            [
                "#include <stdint.h>",
                *(["#define CSR_DDRPHY_BASE 0x1000"] if phy.read_leveling else []),
                f"#define MODEL_PHASE_BYTES {PHASE_BYTES}u",
                *(f"#define MODEL_{name} {offset}u" for name, offset in OFFSETS.items()),
                *(f"#define CSR_SDRAM_DFII_PI0_{name}_ADDR {OFFSETS[at]}ul" for name, at in REGISTERS.items()),
                *([f"#define CSR_SDRAM_DFII_PI1_COMMAND_ADDR {PHASE_BYTES}ul"] if phy.nphases > 1 else []),
                *(f"void ddrphy_{name}_write(uint32_t value);" for name in WRITES),
                "void sdram_dfii_control_write(uint32_t value);",
                "uint32_t ddrphy_burstdet_seen_read(void);",
                "",
            ]
        ),
        "hw/common.h": "#include <stdint.h>\nvoid csr_write_simple(uint32_t value, unsigned long address);\n"
        "uint32_t csr_read_simple(unsigned long address);\n",
    }
    for name, text in headers.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    # Copy this header, because it includes port.h. In the header's original folder, the compiler would find the real
    # port.h instead of the test's port.h.
    shutil.copy(FIRMWARE / "baremetal" / "sdram_port.h", folder)


def compile_driver(phy, name):
    """Compile the driver and the model for a PHY; return the path of the program."""
    folder = BUILD / "sdram" / name
    write_headers(folder, phy)
    output = folder / "model"
    sources = [FIRMWARE / "sdram" / "sdram.c", HERE / "model.c"]
    command = [
        "gcc",
        *FLAGS,
        f"-I{folder}",
        f"-I{HERE}",
        *(f"-I{FIRMWARE / name}" for name in ("sdram", "generated")),
        *map(str, sources),
        "-o",
        str(output),
    ]
    subprocess.run(command, check=True, timeout=120)
    return output


@pytest.fixture(scope="module")
def program():
    return compile_driver(DDR3, "ddr3")


@pytest.fixture(scope="module", params=[SDR, SDR_32], ids=["16 lines", "32 lines"])
def sdr_program(request):
    return compile_driver(request.param, f"sdr_{request.param.databits}")


def run(program, lanes, fault="none", argument=0) -> Outcome:
    lines = subprocess.run(
        [program, lanes, fault, str(argument)], capture_output=True, text=True, check=True, timeout=HANG_S
    ).stdout.splitlines()
    words = [line.split() for line in lines]
    assert not [line for line in lines if line.startswith("refused")]
    end = words[-1]
    return Outcome(
        [tuple(map(int, line[1:])) for line in words if line[0] == "step"],
        [tuple(int(word) for word in line[1:] if word != "set") for line in words if line[0] == "lane"],
        *(int(end[i]) for i in (1, 3, 5, 7, 9)),
        " ".join(end[11:]),
    )


def wanted_steps(phy):
    """Return two lists that LiteDRAM prescribes for a PHY. The first contains the steps that initialise the memory
    module. The second contains the number of cycles to wait after each step.
    """
    sequence, _ = get_sdram_phy_init_sequence(phy, TIMING[phy.memtype])
    codes = {
        f"DFII_{kind}_{name}": value for kind in ("CONTROL", "COMMAND") for name, value in getattr(sdram, kind).items()
    }
    steps = [
        (int("COMMAND" in bits), sum(codes[name] for name in bits.split("|")), address, bank)
        for _, address, bank, bits, _ in sequence
    ]
    return steps, [cycles for *_, cycles in sequence]


def test_module_gets_the_sequence_of_litedram_in_time(program):
    found = run(program, GOOD)
    wanted, waits = wanted_steps(DDR3)
    assert [step[1:] for step in found.steps] == [(0, 0, 0, 0), *wanted, (0, 1, 0, 0)]
    at = [step[0] for step in found.steps]
    assert at[1] - at[0] >= 200e-6 * CLOCK_HZ, "in reset (JESD79-3F, 3.3.1)"
    assert at[2] - at[1] >= 500e-6 * CLOCK_HZ, "from there to CKE"
    for cycles, before, behind in zip(waits, at[1:], at[2:], strict=False):
        assert behind - before >= cycles
    assert at[-1] - at[-2] >= 256, "512 of the memory's clocks of calibration"


def test_sdr_module_gets_the_sequence_of_litedram_in_time(sdr_program):
    """The driver must send these commands to initialise an SDR module: precharge, load mode, precharge, two refreshes,
    load mode. The PHY of SDR modules needs no levelling.
    """
    found = run(sdr_program, NO_LANES)
    wanted, waits = wanted_steps(SDR)
    assert [step[1:] for step in found.steps] == [(0, 0, 0, 0), *wanted, (0, 1, 0, 0)]
    assert wanted[-1] == (1, 15, 2 << 4, 0), "CL 2, bursts of one"
    at = [step[0] for step in found.steps]
    assert at[2] - at[0] >= 200e-6 * CLOCK_HZ, "before the first command"
    for cycles, before, behind in zip(waits, at[1:], at[2:], strict=False):
        assert behind - before >= max(cycles, 2), "tRP, tMRD"
    refreshes = [cycle for cycle, *step in found.steps if step[:2] == [1, 13]]
    assert refreshes[1] - refreshes[0] >= 70e-9 * CLOCK_HZ, "tRFC"
    assert (found.status, found.name, found.left) == (0, "SDR", 0)


@pytest.mark.parametrize(
    ("fault", "argument", "status"),
    [("stuck", 0, EIO), ("stuck", 16380, EIO), ("small", 13, EIO), ("small", 20, EFAULT)],
)
def test_faults_of_an_sdr_module(sdr_program, fault, argument, status):
    found = run(sdr_program, NO_LANES, fault, argument)
    assert found.status == status and found.name.startswith("SDRAM: ")


@pytest.mark.parametrize(
    ("lanes", "chosen"),
    [
        (GOOD, [(1, 3, 4), (3, 1, 4)]),
        ("0:0:7,2:7:7", [(0, 3, 8), (2, 7, 1)]),
        ("3:6:7,0:0:2", [(3, 6, 2), (0, 1, 3)]),
    ],
)
def test_the_middle_of_what_works_is_chosen(program, lanes, chosen):
    found = run(program, lanes)
    assert found.status == 0 and found.name == "DDR3"
    assert [lane[:3] for lane in found.lanes] == chosen
    assert [lane[3:] for lane in found.lanes] == [lane[:2] for lane in chosen], "what the PHY has in the end"
    assert found.left == 0, "bytes that are not zero where data will lie"


@pytest.mark.parametrize(
    ("lanes", "fault", "argument"), [("1:2:5,0:9:9", "none", 0), ("4:0:7,1:0:7", "none", 0), (GOOD, "bursts", 1)]
)
def test_lines_that_no_setting_reads(program, lanes, fault, argument):
    found = run(program, lanes, fault, argument)
    assert (found.status, found.name) == (ENXIO, "SDRAM: no reads")
    assert found.cycles < 10e-3 * CLOCK_HZ, "bounded"


@pytest.mark.parametrize("offset", [0, 4, 8192, 16380])
def test_a_stuck_bit(program, offset):
    found = run(program, GOOD, "stuck", offset)
    assert (found.status, found.offset, found.bits) == (EIO, offset, 0x20)
    assert found.name == "SDRAM: bad data"


@pytest.mark.parametrize("line", [12, 13, 14, 15, 18, 21])
def test_a_module_smaller_than_was_said(program, line):
    found = run(program, GOOD, "small", line)
    assert found.status == (EIO if 1 << line < 2 * CACHE else EFAULT)
    assert found.name != "DDR3"


def test_a_step_that_is_none():
    with pytest.raises(ValueError, match="DFII_OTHER"):
        sdram._code("DFII_OTHER_A|DFII_COMMAND_CS")


@pytest.mark.parametrize("cache", [8192, 64])
def test_what_was_zeroized_is_written_back(tmp_path, cache):
    """To write back the L2 cache, the driver reads words from the SDRAM, so that the L2 cache replaces all its lines.
    This must also work if the CPU's data cache already contains some of these words.
    """
    write_headers(tmp_path, SDR, cache)
    include = [f"-I{path}" for path in (tmp_path, HERE, FIRMWARE / "sdram", FIRMWARE / "generated")]
    flags = ["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *include, "-c"]
    objects = [tmp_path / "sdram.o", tmp_path / "main.o"]
    subprocess.run([*flags, "-fsanitize=thread", FIRMWARE / "sdram/sdram.c", "-o", objects[0]], check=True, timeout=120)
    subprocess.run([*flags, HERE / "write_back.c", "-o", objects[1]], check=True, timeout=120)
    subprocess.run(["gcc", *objects, "-o", tmp_path / "program"], check=True, timeout=120)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "0\n"
