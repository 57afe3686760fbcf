# SPDX-License-Identifier: BSD-2-Clause
"""Test that the firmware's core compiles for the board's CPU, needs no library except the compiler's own (libgcc), and
includes only portable headers.
"""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.firmware.core_peer import BUILD, CORE, portable_sources, write_wire_header

PREFIX = "riscv64-unknown-elf-"
# The core may call these functions although there is no C library, because GCC generates calls to them. The core may
# also call functions of libgcc, whose names begin with two underscores.
ALLOWED = {"memcpy", "memset", "memcmp", "memmove"}
# Limit for the code size of all portable sources together, in bytes. The ROM has 64 KB. A board's firmware contains
# only a part of this code. For example, it omits ECB and CBC (14 KB) if they are not used.
ROM_BYTES = 52 * 1024
# Limit for the code of key agreement (MKA) and AES-CMAC, compiled for size, in bytes.
AGREEMENT_BYTES = 10 * 1024


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def linked(name, sources, *options):
    """Compile sources and link them into one relocatable object; return its path."""
    assert shutil.which(f"{PREFIX}gcc"), "riscv64-unknown-elf-gcc is missing: apt install gcc-riscv64-unknown-elf"
    folder = BUILD / "target"
    write_wire_header(folder)
    # The build of the C library (picolibc) generates `picolibc.h`. The C headers that the core includes need nothing
    # from `picolibc.h`, so an empty file is enough.
    (folder / "picolibc.h").write_text("")
    library = Path(importlib.util.find_spec("pythondata_software_picolibc").origin).parent
    flags = ["-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-ffreestanding", "-std=c11", *options]
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
    includes = [f"-I{CORE}", f"-I{folder}", "-isystem", folder, "-isystem", library / "data/newlib/libc/include"]
    output = folder / name
    run(f"{PREFIX}gcc", *flags, *warnings, *includes, "-nostdlib", "-r", *sources, "-o", output)
    return output


@pytest.fixture(scope="module")
def image():
    return linked("core.o", portable_sources(), "-O2")


def test_key_agreement_is_small_and_needs_only_a_secy():
    sources = [*sorted(CORE.glob("mka/*.c")), CORE / "engine" / "cmac.c"]
    image = linked("mka.o", sources, "-Os", "-msave-restore")
    undefined = {line.split()[-1] for line in run(f"{PREFIX}nm", "-u", image).splitlines() if line.strip()}
    assert {name for name in undefined if not name.startswith(("__", "cl_secy_"))} <= ALLOWED
    text, data, bss = map(int, run(f"{PREFIX}size", image).splitlines()[1].split()[:3])
    assert text <= AGREEMENT_BYTES
    assert data + bss == 0


def test_needs_no_library(image):
    undefined = {line.split()[-1] for line in run(f"{PREFIX}nm", "-u", image).splitlines() if line.strip()}
    assert {name for name in undefined if not name.startswith("__")} <= ALLOWED


def test_has_no_mutable_globals(image):
    symbols = [line.split() for line in run(f"{PREFIX}nm", image).splitlines()]
    assert [symbol for symbol in symbols if symbol[-2] in "bBcCdDsS"] == []


def test_public_names_have_the_prefix(image):
    symbols = [line.split() for line in run(f"{PREFIX}nm", "--defined-only", "-g", image).splitlines()]
    assert symbols
    assert [symbol[-1] for symbol in symbols if not symbol[-1].startswith("cl_")] == []


def test_fits_its_share_of_the_rom(image):
    text, data, bss = map(int, run(f"{PREFIX}size", image).splitlines()[1].split()[:3])
    assert text + data <= ROM_BYTES
    assert data + bss == 0


def test_portable_sources_include_only_portable_headers():
    allowed = {"stdint.h", "stddef.h", "stdbool.h", "string.h", "errno.h"}
    for path in portable_sources():
        used = set(re.findall(r"#include <(.+)>", path.read_text()))
        assert used <= allowed, path
