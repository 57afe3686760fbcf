# SPDX-License-Identifier: BSD-2-Clause
"""Test the files of generated cores: names, lint, reproducible bytes, and agreement between a core's files."""

import os
import re
import subprocess
import sys
from datetime import date

import pytest

from gateware.cores.keywords import KEYWORDS
from tests.gateware.cores.made import lint, make
from tests.gateware.support import ROOT
from tests.waiting import HANG_S

MEMBERS = {
    "aes": {"core": "aes"},
    "aes_axi": {"core": "aes", "datapath": 32, "sbox": "ecp5", "key_lengths": "128", "slots": 3, "bus": "axi-stream"},
    "ctr": {"core": "ctr", "datapath": 64, "sbox": "block_ram", "engines": 2, "slots": 2},
    "ghash": {"core": "ghash", "cycles": 16},
    "macsec": {"core": "macsec", "engines": 2, "rows": 128, "bus": "axi-stream"},
    "Cfu": {"core": "cfu"},
    "aes_lite": {"core": "aes", "datapath": 32, "bus": "axi-lite"},
}
DECLARATION = re.compile(
    r"^\s*(?:\(\*.*?\*\) *)?(?:input|output)?\s*\b(?:wire|reg|integer|function|module)\b"
    r"\s+(?:wire |reg )?(?:signed )?(?:\[\d+:0\] )?([A-Za-z_]\w*)",
    re.M,
)


@pytest.fixture(scope="module", params=MEMBERS)
def core(request, tmp_path_factory):
    return make(tmp_path_factory.mktemp("cores"), name=request.param, **MEMBERS[request.param])


def test_lint_has_no_warning(core):
    assert lint(*core) == ""


def test_waivers_state_their_reasons(core):
    folder, name = core
    waived = re.findall(r"lint_off \w+ \*/ *(.*)", (folder / f"{name}.v").read_text())
    assert waived and all(re.fullmatch(r"// \w.{20,}", reason) for reason in waived)


def test_no_name_is_a_keyword(core):
    folder, name = core
    names = DECLARATION.findall((folder / f"{name}.v").read_text())
    assert len(names) > 50 and {"clk", name} <= set(names)
    assert {each.lower() for each in names} & KEYWORDS == set()


def test_texts_have_licence_and_version_but_no_paths_and_dates(core):
    folder, name = core
    verilog = (folder / f"{name}.v").read_text()
    assert "// SPDX-License-Identifier: BSD-2-Clause\n// Version: Cipherlane " in verilog
    for path in folder.iterdir():
        text = path.read_text()
        assert str(ROOT) not in text and str(folder.parent) not in text and f"{date.today().year}-" not in text
        assert "SPDX-License-Identifier" in text or path.name == "README.md"


@pytest.mark.parametrize("sbox", ["ecp5", "tower"])
def test_all_s_boxes_are_instances_of_one_module(sbox, tmp_path):
    folder, name = make(tmp_path, "aes", datapath=32, sbox=sbox)
    text = (folder / f"{name}.v").read_text()
    assert re.findall(rf"^module ({name}\w*)", text, re.M) == [name, f"{name}_sbox"]
    assert len(re.findall(rf"^{name}_sbox u_sbox", text, re.M)) == 8


def test_vhdl_and_page_name_the_ports_of_the_module(core):
    folder, name = core
    verilog = (folder / f"{name}.v").read_text()
    header = verilog[verilog.index(f"module {name} (") : verilog.index(");")]
    ports = re.findall(r"^ *(input|output) +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+)", header, re.M)
    vhdl = (folder / f"{name}_component.vhd").read_text()
    declared = re.findall(r"^ +(\w+) : (in|out) +std_logic(?:_vector\((\d+) downto 0\))?;?$", vhdl, re.M)
    assert [(port, way + "put", high) for port, way, high in declared] == [(p, way, high) for way, high, p in ports]
    page = (folder / "README.md").read_text()
    assert all(f"| `{port}` | {way[:-3]} | {int(high or 0) + 1} |" in page for way, high, port in ports)


def test_the_same_options_give_the_same_bytes(tmp_path):
    folders = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        command = [sys.executable, "-m", "gateware.cores", "ctr", "datapath=32", "name=same", f"out={out}"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=HANG_S)
        folders.append(out / "same")
    # Generate the core a third time, in this process. This process may have generated other cores before.
    folders.append(make(tmp_path, "ctr", datapath=32, name="same")[0])
    first = {path.name: path.read_bytes() for path in folders[0].iterdir()}
    assert len(first) >= 6
    for folder in folders[1:]:
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
