# SPDX-License-Identifier: BSD-2-Clause
"""Test a generated `cfu` core in a standard LiteX SoC: a C program takes the same number of cycles for AES as in our
SoC.
"""

import re
import sys
from pathlib import Path

import pytest

from gateware import targets
from gateware.cores import vectors
from gateware.soc.soc import CipherlaneSoC
from tests.gateware.cores import foreign_soc
from tests.gateware.cores.foreign_run import COMMANDS, image, simulate
from tests.gateware.cores.made import make, run

HERE = Path(__file__).parent


def _image(folder: Path, cfu: Path, console: str) -> Path:
    return image(folder, "foreign_program.c", f"-DCONSOLE_ADDRESS={console}", "-I", str(cfu))


@pytest.mark.thorough  # compiles two whole SoCs
def test_a_program_in_litex_soc_answers_as_in_ours(tmp_path):
    cfu, name = make(tmp_path, "cfu")
    script = [sys.executable, str(HERE / "foreign_soc.py"), str(cfu / f"{name}.v"), str(tmp_path / "foreign")]
    status, output = run(script, tmp_path)
    assert status == 0, output
    console = re.search(r"^console (\S+)$", output, re.M)[1]
    image = _image(tmp_path, cfu, console)
    status, output = run([*script, str(image)], tmp_path)
    assert status == 0, output
    sources = re.search(r"^sources (.*)$", output, re.M)[1].split()
    assert str(cfu / f"{name}.v") in sources
    words = simulate(tmp_path / "foreign", sources, COMMANDS)
    assert words[:4] == vectors.words(vectors.CIPHERTEXTS[128])
    assert words[4:] == _ours(tmp_path, cfu)


def _ours(folder: Path, cfu: Path) -> list[int]:
    """Run the test program in our SoC. Return the cycles for a key schedule and the cycles for a block."""
    words = foreign_soc.words([])
    for out in (folder / "addresses", folder / "ours"):  # the first SoC is only built to learn the console's address
        soc = CipherlaneSoC(targets.load("sim", "default"), words)
        soc.console = foreign_soc.Console()
        sources, console = foreign_soc.write(soc, out)
        words = foreign_soc.words([_image(folder, cfu, hex(console))])
    printed = simulate(folder / "ours", sources, COMMANDS)
    assert printed[:4] == vectors.words(vectors.CIPHERTEXTS[128])
    return printed[4:]
