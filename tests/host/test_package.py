# SPDX-License-Identifier: BSD-2-Clause
"""Tests the package that `pip wheel ./host` builds: its files, its metadata, and its Python API."""

import io
import re
import sys
import zipfile
from contextlib import redirect_stdout
from pathlib import Path

import cipherlane
import pytest
from cipherlane import settings
from cipherlane.measuring.nullboard import NullBoard
from packaging.metadata import Metadata

from ..imports import cycle, graph
from ..wheels import build
from .served import Served

HOST = Path(__file__).parents[2] / "host"
# packages that only optional extras of the wheel need
OPTIONAL = {"cryptography", "argparse_manpage", "av", "starlette", "textual", "uvicorn"}
README = (HOST / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel with the installed build backend; return its files by name."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(build(folder, *HOST.iterdir())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_has_what_it_needs(wheel):
    sources = {str(path.relative_to(HOST)).replace("\\", "/") for path in HOST.glob("cipherlane*/**/*.py")}
    assert sources <= set(wheel)
    assert {"cipherlane/py.typed", "cipherlane_base/py.typed", "cipherlane_base/wire/wire.toml"} <= set(wheel)
    assert {f"cipherlane/live/page/{path.name}" for path in (HOST / "cipherlane/live/page").iterdir()} <= set(wheel)
    assert not [name for name in wheel if name.startswith("test")]
    (licence,) = [name for name in wheel if name.endswith("/LICENSE")]
    assert wheel[licence] == (HOST / "LICENSE").read_bytes() == (HOST.parent / "LICENSE").read_bytes()


def test_the_wheel_says_what_an_index_asks(wheel):
    (name,) = [name for name in wheel if name.endswith(".dist-info/METADATA")]
    # `from_email` also checks the metadata, and raises an exception if they are invalid
    metadata = Metadata.from_email(wheel[name])
    assert (metadata.name, str(metadata.version)) == ("cipherlane", cipherlane.__version__)
    assert metadata.license_expression == "BSD-2-Clause" and metadata.license_files == ["LICENSE"]
    assert metadata.description_content_type == "text/markdown" and metadata.description.strip() == README.strip()
    assert metadata.summary and metadata.project_urls and "Typing :: Typed" in metadata.classifiers
    assert {"live", "man", "top", "verify"} <= set(metadata.provides_extra)
    wanted = {requirement.name for requirement in metadata.requires_dist if not requirement.marker}
    imported = set()
    for name, content in wheel.items():
        if name.endswith(".py"):
            imported |= set(re.findall(rb"^\s*(?:import|from) ([a-z]\w*)", content, re.M))
    third = {each.decode() for each in imported} - set(sys.stdlib_module_names) - OPTIONAL - {"cipherlane_base"}
    assert third == {"platformdirs", "rich", "serial", "shtab"}
    assert wanted == {"platformdirs", "pyserial", "rich", "shtab"}


def test_every_name_of_the_api_is_documented():
    for name in cipherlane.__all__:
        assert getattr(cipherlane, name).__doc__, name
        assert f"`{name}" in README, name


def test_the_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", README, re.S)
    board = NullBoard(port=0)
    shown = io.StringIO()
    with Served(lambda: board.serve_once(0.05)), redirect_stdout(shown):
        exec(compile(example.replace("udp://127.0.0.1", board.url), "README.md", "exec"), {})
    board.close()
    first, second = shown.getvalue().splitlines()
    assert re.match(r"IV [0-9a-f]{32}: 33 bytes, [0-9.]+ cycles a block \(null\)", first)
    assert second.startswith("refused: ")


def test_every_setting_is_documented():
    for setting in settings.SETTINGS.values():
        row = re.search(rf"^\| `[^|]*{setting.option}` \| `{setting.variable}` \| `{setting.name}` \|", README, re.M)
        assert row, setting.name
    for variable in ("CIPHERLANE_KEY", "CIPHERLANE_CONFIG", "CIPHERLANE_SIM", "CIPHERLANE_SIM_ETH"):
        assert f"`{variable}`" in README
    used = set()
    for path in HOST.glob("cipherlane*/**/*.py"):
        used |= set(re.findall(r"CIPHERLANE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8")))
    assert {each for each in used if f"`{each}`" not in README} == set()


# The subpackages, called rooms, from the lowest to the highest. Each room is allowed to import only itself and lower
# rooms.
ROOMS = ("files", "protocol", "transport", "link", "measuring", "report", "live", "commands")
_ABOVE = {"cli", "start", "__main__"}  # these modules import `commands`, so no room may import them


def test_no_room_imports_a_higher_one():
    for module, others in graph(HOST / "cipherlane").items():
        room = module.split(".")[1] if module.count(".") else ""
        if room in ROOMS:
            rooms = {other.split(".")[1] for other in others if other.count(".")}
            assert rooms & {*ROOMS[ROOMS.index(room) + 1 :], *_ABOVE} == set(), module


def test_no_circles():
    imports = graph(HOST / "cipherlane", HOST / "cipherlane_base")
    assert "cipherlane.link.link" in imports["cipherlane.link.device"]
    assert cycle(imports) == []


@pytest.mark.parametrize(
    "text",
    [
        "from .low import x",
        "def f():\n    from made.low import x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import made.low",
        "from . import low",
    ],
)
def test_circles_are_found(tmp_path, text):
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "high.py").write_text(text)
    (folder / "low.py").write_text("import ast\n")
    assert graph(folder)["made.high"] == {"made.low"}
    assert cycle(graph(folder)) == []
    (folder / "low.py").write_text("from made.high import f\n")
    assert set(cycle(graph(folder))) == {"made.high", "made.low"}
