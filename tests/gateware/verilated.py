# SPDX-License-Identifier: BSD-2-Clause
"""Compile Verilog and a C++ harness into a library with Verilator and g++. The result is cached by source text, tool
versions and flags.

Verilator's own library and headers are compiled once for all models. Code that runs once, at a model's start, is
compiled without optimization, and the rest with little, because most benches are short.
"""

import functools
import hashlib
import subprocess
from pathlib import Path

from gateware.flow import cache
from tests.gateware import mutation

TIMEOUT_S = 3600
LARGE = 2_000_000  # if the Verilog has more characters, g++ uses -O0, because -O1 would cost more time than it saves
VERILATOR = ["verilator", "--cc", "--top-module", "top", "--prefix", "Vtop", "-Wno-lint", "-Wno-COMBDLY", "-Wno-fatal"]
VERILATOR += ["--x-assign", "0", "--x-initial", "0", "-O3"]
GXX = ["g++", "-fPIC", "-w", "-faligned-new", "-fcf-protection=none"]
GXX += [f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TRACE", "TRACE_FST", "TRACE_VCD")]
LEVELS = FAST, ONCE = "-O1", "-O0"
LIBRARY = ("verilated.cpp", "verilated_threads.cpp")
HEADERS = '#include <algorithm>\n#include <vector>\n#include <stdint.h>\n#include "verilated.h"\n'


def compile_model(verilog: str, harness: str, data_files: dict[str, str]) -> Path:
    """Compile module `top` and the harness; return a folder with `model.so` and the files that the Verilog reads.

    Raises
    ------
    RuntimeError
        Verilator or g++ failed; the message includes theirs.
    """
    verilog = mutation.substitute(_place(verilog, harness, data_files).name, verilog, data_files)
    library = _library()

    def make(folder: Path) -> None:
        for name, content in {"top.v": verilog, "harness.cpp": harness, **data_files}.items():
            (folder / name).write_text(content)
        _run([*VERILATOR, "--Mdir", "model", "top.v"], folder)
        parts = {FAST: ["harness.cpp"], ONCE: []}
        for source in sorted((folder / "model").glob("*.cpp")):
            once = len(verilog) > LARGE or source.stem.endswith(("__Slow", "__Syms"))
            parts[ONCE if once else FAST].append(f"model/{source.name}")
        for level, sources in parts.items():
            (folder / f"part{level}.cpp").write_text("".join(f'#include "{source}"\n' for source in sources))
            headers = ["-I", str(library / f"headers{level}"), "-include", "headers.h"]
            _run([*GXX, level, *headers, *_includes(), "-Imodel", "-c", f"part{level}.cpp"], folder)
        objects = [*(f"part{level}.o" for level in parts), *map(str, sorted(library.glob("*.o")))]
        _run(["g++", "-shared", "-o", "model.so", *objects, "-pthread", "-latomic"], folder)
        for name in (*(f"part{level}.{end}" for level in parts for end in ("cpp", "o")),):
            (folder / name).unlink()
        for path in (folder / "model").iterdir():
            path.unlink()
        (folder / "model").rmdir()

    return cache.made_once(_place(verilog, harness, data_files), make) / "model.so"


@functools.cache
def _tools() -> str:
    """Return the versions of Verilator and g++, and the flags that this module passes to them."""
    versions = [_run([tool, "--version"]).splitlines()[0] for tool in ("verilator", "g++")]
    return "\0".join([*versions, *VERILATOR, *GXX, *LEVELS, str(LARGE), HEADERS])


def _place(verilog: str, harness: str, data_files: dict[str, str]) -> Path:
    """Return the folder that stores the compiled model of this Verilog."""
    return _folder(_tools(), verilog, harness, *(x for item in sorted(data_files.items()) for x in item))


def _folder(*texts: str) -> Path:
    return cache.FOLDER / "verilated" / hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


@functools.cache
def _includes() -> list[str]:
    root = Path(_run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip())
    return [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]


@functools.cache
def _library() -> Path:
    """Compile Verilator's library to objects, and precompile its headers for each level of optimization; return their
    folder.
    """

    def make(folder: Path) -> None:
        for source in LIBRARY:
            path = Path(_includes()[0].removeprefix("-I")) / source
            _run([*GXX, "-O1", *_includes(), "-c", str(path)], folder)
        for level in LEVELS:
            place = folder / f"headers{level}"
            place.mkdir()
            (place / "headers.h").write_text(HEADERS)
            _run([*GXX, level, *_includes(), "-x", "c++-header", "headers.h"], place)

    return cache.made_once(_folder("library", _tools()), make)


def _run(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed; see its messages:\n{done.stdout}\n{done.stderr}")
    return done.stdout
