# SPDX-License-Identifier: BSD-2-Clause
"""Test the gateware as users install it: the wheel of `cipherlane-gateware`, away from the checkout."""

import os
import re
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

import cipherlane_base.version
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gateware.dma.errors import Error
from gateware.flow.firmware import REPOSITORY
from tests.gateware.cores.foreign_run import image, simulate
from tests.gateware.cores.made import make, run
from tests.wheels import build

PAGE = REPOSITORY / "docs" / "howto" / "litex.md"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
# The package `flow` is not in the wheel: it builds bitstreams and drives boards, so it needs the whole checkout.
NOT_INSTALLED = "flow"
SOURCES = ("gateware", "pyproject.toml", "LICENSE")
IMPORTS = """
import importlib, pkgutil, sys
import cipherlane_gateware as package
names = [each.name for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
assert not {"cipherlane", "firmware", "gateware", "lab", "tests"} & set(sys.modules), sorted(sys.modules)
print(len(names))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Build the wheel from a copy of its sources; return a folder with its content."""
    folder = tmp_path_factory.mktemp("distribution")
    site = folder / "site"
    with zipfile.ZipFile(build(folder, *(REPOSITORY / name for name in SOURCES))) as archive:
        archive.extractall(site)
    return site


@pytest.fixture
def python(installed, tmp_path, monkeypatch):
    """Return a function that runs Python on the installed gateware in an empty folder, and returns the output."""
    monkeypatch.setenv("PYTHONPATH", str(installed))

    def run_python(*arguments):
        status, output = run([sys.executable, *map(str, arguments)], tmp_path)
        assert status == 0, output
        return output

    return run_python


def test_the_wheel_is_one_package_with_all_hardware(installed):
    assert sorted(os.listdir(installed)) == ["cipherlane_gateware", "cipherlane_gateware-0.1.0.dist-info"]
    sources = {path.relative_to(REPOSITORY / "gateware") for path in (REPOSITORY / "gateware").rglob("*.py")}
    found = {path.relative_to(installed / "cipherlane_gateware") for path in installed.rglob("*.py")}
    assert found == {path for path in sources if path.parts[0] != NOT_INSTALLED} and len(found) > 100
    (licence,) = installed.glob("*.dist-info/licenses/LICENSE")
    assert licence.read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


def test_its_version_and_what_it_needs_are_those_of_the_checkout():
    version = cipherlane_base.version.__version__
    assert PROJECT["version"] == version and f"cipherlane=={version}" in PROJECT["dependencies"]
    pinned = (REPOSITORY / "requirements.txt").read_text().splitlines()
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["boards"]]
    assert [each for each in needed if re.match("lite|migen|pythondata", each) and each not in pinned] == []


def test_every_module_loads_without_the_checkout(python):
    assert int(python("-c", IMPORTS)) > 100


def test_it_generates_the_same_cores(python, tmp_path):
    out = tmp_path / "out"
    python("-m", "cipherlane_gateware.cores", "aes", "datapath=32", "key_lengths=128", f"out={out}")
    folder, name = make(tmp_path / "ours", "aes", datapath="32", key_lengths="128")
    ours = {path.name: path.read_text() for path in folder.iterdir()}
    theirs = {path.name: path.read_text().replace("cipherlane_gateware", "gateware") for path in (out / name).iterdir()}
    assert theirs == ours and len(ours) > 5
    assert "\npython -m cipherlane_gateware.cores aes datapath=32 " in (out / name / "README.md").read_text()


@pytest.mark.parametrize("command", ["codegen", "codegen.wire"])
def test_it_writes_no_files_of_a_checkout(installed, tmp_path, command):
    words = [sys.executable, "-m", f"cipherlane_gateware.{command}"]
    status, output = run(["env", f"PYTHONPATH={installed}", *words], tmp_path)
    said = output.splitlines()[-1].partition("error: ")[2]
    assert (status, said) == (2, "this writes files of a checkout: run it there")
    assert not (installed / "firmware").exists()


def test_folders_next_to_it_are_no_extensions(python, installed):
    strange = installed / "strange"
    strange.mkdir()
    (strange / "extension.py").write_text("raise SystemExit('loaded')")
    try:
        assert python("-c", "from cipherlane_gateware.extensions import extensions; print(extensions())") == "()\n"
    finally:
        shutil.rmtree(strange)


def test_the_example_of_the_page_is_a_soc_with_the_accelerator(python, tmp_path):
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(example.splitlines()) <= 20
    (tmp_path / "soc.py").write_text(example)
    python("soc.py")
    registers = (tmp_path / "build" / "csr.csv").read_text()
    assert {f"csr_register,aes_{name}," for name in ("control", "key0", "iv0", "results")} <= {
        line[: line.index(",0x") + 1] for line in registers.splitlines() if line.startswith("csr_register,")
    }
    verilog = (tmp_path / "build" / "gateware" / "lattice_ecp5_evn.v").read_text()
    assert "aes_service" in verilog


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("['main_rom']", "regions is ['main_rom']; give a list of some of rom, main_ram"),
        ("[]", "regions is []; give a list of some of rom, main_ram"),
        ("'main_ram'", "regions is 'main_ram'; give a list of some of rom, main_ram"),
        ("['main_ram'], slots=17", "slots is 17; give 1 to 16"),
        ("['main_ram'], slots=1, gcm_cycles=16", "slots is 1; with GCM, give 2 to 16"),
        ("['main_ram'], datapath=33", "datapath is 33; give one of 32, 64, 128, pipelined"),
    ],
)
def test_wrong_arguments_are_refused(python, arguments, says):
    program = (
        "from types import SimpleNamespace as Any\n"
        "from cipherlane_gateware.integration import add_accelerator\n"
        "try:\n"
        f"    add_accelerator(Any(bus=Any(regions=dict(rom=0, main_ram=0))), {arguments})\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    assert python("-c", program) == f"{says}\n"


def test_it_uses_the_bus_of_other_dmas(python):
    """If an SoC has a separate DMA bus, the accelerator is a bus master only there. The SoC is not simulated."""
    program = (
        "from litex.build.sim import SimPlatform\n"
        "from litex.soc.integration.soc import SoCBusHandler\n"
        "from litex.soc.integration.soc_core import SoCCore\n"
        "from cipherlane_gateware.integration import add_accelerator\n"
        "soc = SoCCore(SimPlatform('SIM', []), 1_000_000, cpu_type=None, integrated_sram_size=0x1000,\n"
        "              with_uart=False, ident='')\n"
        "soc.dma_bus = SoCBusHandler(name='Dma')\n"
        "add_accelerator(soc, ['sram'], datapath=32)\n"
        "print(*soc.dma_bus.masters, '-', *soc.bus.masters)\n"
    )
    assert python("-c", program).splitlines()[-1].split() == ["aes", "-"]


@pytest.mark.thorough  # this test is slow, because it compiles a whole SoC in a minute
def test_a_program_in_a_litex_soc_encrypts(python, tmp_path):
    """The DMA accesses the SoC's memory through LiteX's bus, at addresses that are not multiples of 4. The last message
    has wrong additional data, so its tag does not match, and the DMA writes no output for this message.
    """
    script = Path(__file__).parent / "accelerator_soc.py"
    python(script, tmp_path / "soc")
    program = image(tmp_path, "accelerator_program.c", "-I", str(tmp_path / "soc"))
    sources = re.search(r"^sources (.*)$", python(script, tmp_path / "soc", program), re.M)[1].split()
    key_valid, *rest = simulate(tmp_path / "soc", sources)
    results, words = rest[:3], rest[3:]
    assert (key_valid, results) == (1 << 5, [Error.NONE, Error.NONE, Error.TAG])
    key = b"".join((0x01020304 * n).to_bytes(4, "little") for n in range(1, 5))
    counter = b"".join((0xFFFFFFF0 | n).to_bytes(4, "little") for n in range(4))
    data = bytes((7 * n + 3) & 0xFF for n in range(61))
    by_ctr = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)
    by_gcm = AESGCM(key).encrypt(counter[:12], data, data[:20])
    expected = bytearray(b"\x5a" * 0x100)
    for place, part in ((0x07, by_ctr), (0x55, by_gcm[:61]), (0x99, by_gcm[61:])):
        expected[place : place + len(part)] = part
    assert b"".join(word.to_bytes(4, "little") for word in words) == bytes(expected)
