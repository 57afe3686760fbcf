# SPDX-License-Identifier: BSD-2-Clause
"""Test that the hardware does not depend on the build flow, and that lower network layers do not depend on higher
ones.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gateware import boards
from tests.gateware.support import ROOT
from tests.imports import cycle, graph, imported
from tests.waiting import HANG_S

# The folder of comparisons with other instruction sets, ciphers and papers. Its files are allowed to import from all
# other folders, but no file in another folder is allowed to refer to this folder.
LABORATORY = "lab"
_MODULES = "|".join(sorted(path.stem for path in (ROOT / LABORATORY).glob("[a-z]*"))) or "(?!)"
_NAME = re.compile(
    rf"(?<![\w.-]){LABORATORY}/\w|/ \"{LABORATORY}\"|`{LABORATORY}\b|(?:^|\s)(?:import|from|-m) {LABORATORY}\b"
    rf"|\b{LABORATORY}\.(?:{_MODULES})\b",
    re.M,
)
# The packages in `gateware` that build something or write files. No other package in `gateware` may import them.
BUILDERS = ("codegen", "cores", "flow")
# Layers of `gateware/net`, the lowest first. Each layer is allowed to import the layers before it.
NET_LAYERS = (
    ("gateware.net", "gateware.net.events", "gateware.net.event_counters", "gateware.net.layouts"),
    ("gateware.net.link", "gateware.net.macsec"),
    ("gateware.net.udp",),
    ("gateware.net.records",),
    ("gateware.net.ethernet",),
)


def _importers(folder, packages):
    """Return the Python files below a folder that import at least one of the given packages."""
    prefixes = tuple(f"{package}." for package in packages)
    files = (ROOT / folder).rglob("*.py")
    return {path.relative_to(ROOT) for path in files if any(f"{n}.".startswith(prefixes) for n in _imported(path))}


def _imported(path):
    return imported(path, ".".join(path.relative_to(ROOT).parent.parts))


def _layer(module):
    """Return the number of the layer of `gateware/net` that contains a module. If several names of layers are prefixes
    of the module's name, the longest prefix decides.
    """
    names = {name: number for number, layer in enumerate(NET_LAYERS) for name in layer}
    return names[max((name for name in names if f"{module}.".startswith(f"{name}.")), key=len)]


def _sources():
    """Yield the names of the repository's source files outside the folder `lab`. These are the files of programs,
    builds and tests, without pages and generated files.
    """
    kinds = {".py", ".c", ".h", ".cpp", ".v", ".S", ".ld", ".mk", ".toml", ".yml", ".yaml", ".cmake", ".txt", ".js"}
    others = {"build", LABORATORY}
    for place in sorted(ROOT.iterdir()):
        if place.name in others or place.name.startswith((".git", ".venv", ".pytest", ".ruff")):
            continue
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            name = path.relative_to(ROOT)
            of_build = path.name == "Makefile" or name.parts[0] == ".ci"
            if path.is_file() and "build" not in name.parts and (path.suffix in kinds or of_build):
                yield name


def test_nothing_outside_the_laboratory_names_it():
    found = {name for name in _sources() if _NAME.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))}
    assert found == {Path(__file__).relative_to(ROOT)}


@pytest.mark.parametrize(
    "text", ["import lab", "from lab.explore import flow", 'ROOT / "lab"', "-I lab/bench", "-m lab.bench"]
)
def test_names_of_the_laboratory_are_found(text):
    assert _NAME.search(text)
    assert not _NAME.search(text.replace("lab", "label"))


def test_dependencies_run_one_way():
    hardware = _importers("gateware", [f"gateware.{name}" for name in BUILDERS])
    assert {path.parts[1] for path in hardware} == set(BUILDERS)
    assert _importers("gateware/codegen", ["gateware.cores", "gateware.flow"]) == set()
    assert _importers("gateware/cores", ["gateware.codegen"])
    assert _importers("gateware/cores", ["gateware.flow"]) == set()
    assert list((ROOT / "firmware").rglob("*.py")) == [], "the firmware is C; what writes files for it is in gateware"


def test_only_the_build_flow_imports_the_host_tool():
    assert {path.parts[:2] for path in _importers("gateware", ["cipherlane"])} == {("gateware", "flow")}


def test_packages_of_the_gateware_import_each_other_relatively():
    """An installation calls this package `cipherlane_gateware`, so its files must not import the name `gateware`."""
    absolute = re.compile(r"^\s*(?:from|import) gateware\b", re.M)
    assert [path for path in (ROOT / "gateware").rglob("*.py") if absolute.search(path.read_text())] == []


def test_the_hardware_loads_without_the_host_tool():
    program = "import sys; sys.modules['cipherlane'] = None; import gateware.soc.soc, gateware.net, gateware.boards"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr


def test_the_shared_formats_import_nothing_of_the_project():
    ours = ("cipherlane", "gateware", "pictures", "tests", LABORATORY)
    assert _importers("host/cipherlane_base", ours) == set()


def test_boards_and_platforms_import_nothing_above_them():
    allowed = {
        "description.py": (),
        "configurations.py": (),
        "extensions.py": ("gateware.description", "gateware.configurations"),
        "platform": ("gateware.description", "gateware.configurations", "gateware.platform"),
        "boards": ("gateware.description", "gateware.extensions", "gateware.platform", "gateware.boards"),
    }
    for name, below in allowed.items():
        place = ROOT / "gateware" / name
        for path in place.rglob("*.py") if place.is_dir() else [place]:
            ours = [each for each in _imported(path) if each.startswith("gateware")]
            assert [each for each in ours if not f"{each}.".startswith(tuple(f"{each}." for each in below))] == [], path


def test_a_module_is_a_board_because_it_declares_one():
    assert "small" not in boards.names() and (ROOT / "gateware" / "boards" / "small.py").exists()
    assert {boards.load(name).name for name in boards.names()} == set(boards.names())


def _part(module):
    """Return the name of a module in the structure diagram: a subpackage of `gateware`, or its top-level package."""
    top, *rest = module.split(".")
    return ".".join(["gateware", *rest[:1]]) if top == "gateware" else top


def test_the_picture_of_the_structure_is_what_the_imports_are():
    folders = [ROOT / name for name in ("gateware", "pictures", "tests", LABORATORY)]
    imports = graph(*folders, ROOT / "host" / "cipherlane", ROOT / "host" / "cipherlane_base")
    page = (ROOT / "gateware" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = page.partition("## Structure")[2].split("```")[1].strip().splitlines()
    lines = [re.split(r" [·+] ", re.split(r" {2,}", line)[0]) for line in picture]
    level = {part: number for number, parts in enumerate(lines) for part in parts}
    together = [set(parts) for parts, line in zip(lines, picture, strict=True) if " + " in line]
    assert len(level) == sum(map(len, lines)), "each part is there once"
    assert set(level) - {LABORATORY} == {*map(_part, imports)} - {LABORATORY, "gateware"}
    for module, others in imports.items():
        for part in {*map(_part, others)} - {_part(module), "gateware"}:
            below = level[_part(module)] < level[part] or {part, _part(module)} in together
            assert below, f"{module} imports {part}"
    tool = {_part(module) for module, others in imports.items() if "cipherlane" in map(_part, others)}
    assert tool - {LABORATORY} == {"cipherlane", "gateware.flow", "tests"}


def test_no_circles():
    packages = [ROOT / name for name in ("gateware", "pictures", LABORATORY)]
    assert cycle(graph(*packages)) == []


def test_lower_layers_of_the_network_import_no_higher_ones():
    found = {
        (path.relative_to(ROOT), name)
        for path in (ROOT / "gateware" / "net").rglob("*.py")
        for name in _imported(path)
        if name.startswith("gateware.net.")
    }
    layers = {path: _layer(".".join(path.with_suffix("").parts).removesuffix(".__init__")) for path, _ in found}
    assert set(layers.values()) == set(range(len(NET_LAYERS)))
    assert {(path, name) for path, name in found if _layer(name) > layers[path]} == set()
