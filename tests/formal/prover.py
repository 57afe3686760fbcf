# SPDX-License-Identifier: BSD-2-Clause
"""Run Yosys' SAT solver on Verilog with assertions: combinational proofs, bounded proofs and k-induction."""

import hashlib
import re
import subprocess
from functools import partial
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Module, Signal

from gateware.flow import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "formal"  # this folder is not in /tmp, because YoWASP's Yosys cannot read /tmp
TIMEOUT_S = 900


class ProofError(RuntimeError):
    """Raised when Yosys can neither prove nor refute the assertions."""


def to_verilog(module: Module, name: str, ports: dict[str, Signal], *, clocked: bool = False) -> str:
    """Return a module's Verilog. `ports` maps the name of each port to the module's signal. A clocked module also gets
    the ports `sys_clk` and `sys_rst`.

    A wrapper sets the names, because the names that the generator chooses depend on the rest of the design.
    """
    top = Module()
    top.submodules.part = module
    if clocked:
        top.clock_domains.cd_sys = ClockDomain("sys")
        ports = {**ports, "sys_clk": top.cd_sys.clk, "sys_rst": top.cd_sys.rst}
    output = convert(top, set(ports.values()), name=f"{name}_generated")
    text = re.sub(r'\$readmemh\("(.*)", (\w+)\);', partial(_contents, output.data_files), output.main_source)
    actual = {port: output.ns.get_name(signal) for port, signal in ports.items()}
    header = text[: text.index(");")]
    declarations, connections = [], []
    for port, signal in ports.items():
        line = next(line for line in header.splitlines() if line.rstrip(", ").endswith(f" {actual[port]}"))
        declarations.append(f"{line.split()[0]} [{len(signal) - 1}:0] {port}")
        connections.append(f".{actual[port]}({port})")
    wrapper = f"module {name}({', '.join(declarations)});\n{name}_generated it({', '.join(connections)});\nendmodule\n"
    return f"{text}\n{wrapper}"


def _contents(files: dict[str, str], match: re.Match) -> str:
    """Return the initial contents of a memory as Verilog assignments."""
    values = files[match[1]].split()
    return " ".join(f"{match[2]}[{n}] = {4 * len(value)}'h{value};" for n, value in enumerate(values))


def holds(
    verilog: str,
    prepare: list[str] = (),
    *,
    solve: str,
    defines: list[str] = (),
    zeros: tuple[str, int, int] | None = None,
) -> bool:
    """Return whether the assertions of module `proof` hold. With `zeros`, also prove that the wire named in `zeros` is
    always zero.

    Parameters
    ----------
    verilog : str
        All sources, with module `proof` on top.
    prepare : list of str
        Yosys commands between `proc` and flattening.
    solve : str
        Options of Yosys' `sat` command, for instance ``-tempinduct``.
    defines : list of str
        Verilog macros.
    zeros : tuple of str, int and int
        Name and width of a wire that must be zero, and how many of its bits to prove at a time. MixColumns needs few
        bits, because the solver does not know exclusive-or.

    Raises
    ------
    ProofError
        The sources do not compile, or the time limit is reached.
    """
    key = hashlib.sha256("\0".join([verilog, *prepare, solve, *defines]).encode()).hexdigest()[:16]
    folder = BUILD / key
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "proof.sv").write_text(verilog)
    script = "\n".join(
        [
            f"read_verilog -formal {' '.join('-D' + name for name in defines)} proof.sv",
            "read_verilog -nooverwrite +/ecp5/cells_sim.v",
            "hierarchy -check -top proof",
            "proc -norom",
            *prepare,
            "flatten",
            "opt -full",
            "memory -nomap",
            "opt_clean",
            "chformal -lower",
            "async2sync",
            "dffunmap",
            "setattr -unset init t:$anyseq",
            "opt -full",
            f"sat -verify -prove-asserts -set-assumes {solve}",
            *(f"sat -verify -set-assumes {solve} -prove {bits} 0" for bits in _slices(zeros)),
        ]
    )
    (folder / "proof.ys").write_text(script + "\n")
    environment = toolchain.environment(ROOT / "build" / "tools")
    command = ["yosys", "-q", "-l", "proof.log", "proof.ys"]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ProofError(f"no result in {TIMEOUT_S} s: see {folder}/proof.log") from error
    log = (folder / "proof.log").read_text()
    if done.returncode == 0:
        return True
    if "proof did fail" in log or "FAIL!" in log or "model found" in log:
        return False
    raise ProofError(f"Yosys failed: see {folder}/proof.log: {(done.stdout + done.stderr)[-800:]}")


def _slices(zeros: tuple[str, int, int] | None) -> list[str]:
    if zeros is None:
        return []
    name, width, group = zeros
    return [f"{name}[{low + group - 1}:{low}]" for low in range(0, width, group)]
