# SPDX-License-Identifier: BSD-2-Clause
"""Generates the files of a core from its options, and writes them into a folder."""

import shutil
from pathlib import Path
from typing import Any

from cipherlane_base.version import __version__

from . import cocotb_bench, fusesoc, page, testbench, verilog, vhdl
from .kinds import Kind, figures

SPDX = "SPDX-License-Identifier: BSD-2-Clause"


def command(kind: Kind, values: dict[str, Any], name: str) -> str:
    """Return the command that generates a core, with every option."""
    texts = [f"{option.name}={option.format(values[option.name])}" for option in kind.options]
    return f"python -m {__package__} {kind.name} {' '.join(texts)} name={name}"


def files(kind: Kind, values: dict[str, Any], name: str) -> dict[str, str]:
    """Return a dictionary that maps the name of each file of a core to its text."""
    design = kind.create(values)
    made = command(kind, values, name)
    header = f"{name}: {kind.about}.\n{SPDX}\nVersion: Cipherlane {__version__}\n\nMade by: {made}"
    texts = {f"{name}.v": verilog.convert(design, name, header)}
    texts[f"{name}_tb.v"] = testbench.verilog(design, name, SPDX)
    texts[f"test_{name}.py"] = cocotb_bench.python(design, name, SPDX)
    texts[f"{name}_component.vhd"] = vhdl.component(design, name, SPDX)
    texts[f"{name}.core"] = fusesoc.core_file(name, kind.about, __version__, SPDX)
    texts[f"{name}_ecp5.v"] = fusesoc.harness(design, name, SPDX)
    if kind.files:
        texts |= kind.files(values)
    texts["README.md"] = page.markdown(
        kind,
        design,
        kind.text(values),
        name=name,
        version=__version__,
        command=made,
        figures=figures(kind, values),
        files=list(texts),
    )
    return texts


def write(folder: Path, texts: dict[str, str]) -> None:
    """Write the files into a folder. If the folder exists, delete its old content first."""
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
