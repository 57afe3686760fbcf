# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the firmware on Zephyr for `make zephyr`, and finds the tree and tools that it needs.

The tree is the one that ZEPHYR_BASE names, or the workspace that `make zephyr-setup` made in `build/zephyr`. Zephyr's
scripts run in the Python environment that `make zephyr-setup` made, or with ZEPHYR_PYTHON. EXTRA_ZEPHYR_MODULES names
further modules, for instance mbedtls, for a tree that has no workspace.
"""

import os
import shutil
import subprocess
from pathlib import Path

from ..codegen import devicetree
from . import tethered

REPOSITORY = Path(__file__).resolve().parents[2]
MODULE = REPOSITORY / "firmware" / "zephyr"
APPLICATION = MODULE / "app"
WORKSPACE = REPOSITORY / "build" / "zephyr"
ENVIRONMENT_PYTHON = WORKSPACE / "venv" / "bin" / "python"

BOARDS = MODULE / "boards" / "cipherlane"
CROSS_COMPILE = "riscv64-unknown-elf-"
# The first Zephyr release with all interfaces that this project's Zephyr module uses.
_OLDEST = (4, 1)
# The folder in which a west workspace keeps its configuration.
_WORKSPACE_FOLDER = ".west"
_MODULES = "EXTRA_ZEPHYR_MODULES"
_BUILD_TIMEOUT_S = 1800


class ZephyrError(RuntimeError):
    """There is no suitable Zephyr tree, or the compilation failed."""


def find_base() -> Path | None:
    """Returns the folder of Zephyr's source tree, or None if there is none."""
    named = os.environ.get("ZEPHYR_BASE")
    base = Path(named) if named else WORKSPACE / "zephyr"
    return base.resolve() if (base / "VERSION").is_file() and (base / "kernel").is_dir() else None


def require_base() -> Path:
    """Returns the folder of Zephyr's source tree.

    Raises
    ------
    ZephyrError
        There is none, or it is too old; the message says what to do.
    """
    base = find_base()
    if base is None:
        raise ZephyrError("no Zephyr tree: set ZEPHYR_BASE to one (4.1 or newer), or run `make zephyr-setup`")
    if version(base) < _OLDEST:
        release = ".".join(map(str, version(base)))
        raise ZephyrError(f"{base} is Zephyr {release}: the module needs 4.1 or newer; run `make zephyr-setup`")
    return base


def version(base: Path) -> tuple[int, int, int]:
    """Returns the release of a Zephyr source tree, for instance (3, 7, 0)."""
    fields = dict(line.split("=", 1) for line in (base / "VERSION").read_text().splitlines() if "=" in line)
    values = {name.strip(): value.strip() for name, value in fields.items()}
    return int(values["VERSION_MAJOR"]), int(values["VERSION_MINOR"]), int(values["PATCHLEVEL"])


def _python() -> Path:
    named = os.environ.get("ZEPHYR_PYTHON")
    python = Path(named) if named else ENVIRONMENT_PYTHON
    check = [str(python), "-c", "import elftools, jsonschema, packaging, pykwalify, yaml"]
    if shutil.which(str(python)) is None or subprocess.run(check, capture_output=True).returncode:
        raise ZephyrError(
            f"{python} lacks the Python packages of firmware/zephyr/requirements.txt: run `make zephyr-setup`, "
            "or name a Python that has them in ZEPHYR_PYTHON"
        )
    return python


def modules() -> list[str]:
    """Returns the folders of Zephyr modules that EXTRA_ZEPHYR_MODULES lists, except the folder of this repository."""
    return [folder for folder in os.environ.get(_MODULES, "").split(";") if folder and Path(folder) != REPOSITORY]


def has_module(base: Path, name: str) -> bool:
    """Returns whether a Zephyr module of this name exists, in the workspace or in a folder of `modules()`."""
    folders = [*map(Path, modules()), *(base.parent / "modules").glob("*/*")]
    return any(folder.name == name and folder.is_dir() for folder in folders)


def environment(base: Path) -> dict[str, str]:
    """Returns environment variables that tell Zephyr's scripts which tree, modules, Python and compiler to use.

    Raises
    ------
    ZephyrError
        The Python packages or the compiler are missing.
    """
    # Zephyr's build runs the first Python on the PATH, so this project's Python comes first.
    path = f"{_python().parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "ZEPHYR_BASE": str(base), "PATH": path}
    if base != WORKSPACE / "zephyr":
        # Twister finds modules through EXTRA_ZEPHYR_MODULES. In a workspace, CMake also uses this variable. The list
        # includes this repository, because it is a Zephyr module (`zephyr/module.yml`).
        surroundings[_MODULES] = ";".join([str(REPOSITORY), *modules()])
        if not (base.parent / _WORKSPACE_FOLDER).is_dir():
            surroundings["ZEPHYR_MODULES"] = surroundings[_MODULES]  # outside a workspace, CMake reads ZEPHYR_MODULES
    if "ZEPHYR_TOOLCHAIN_VARIANT" not in surroundings and "ZEPHYR_SDK_INSTALL_DIR" not in surroundings:
        compiler = shutil.which(f"{CROSS_COMPILE}gcc")
        if compiler is None:
            raise ZephyrError(f"{CROSS_COMPILE}gcc is missing: run `make setup`, or set ZEPHYR_SDK_INSTALL_DIR")
        surroundings["ZEPHYR_TOOLCHAIN_VARIANT"] = "cross-compile"
        surroundings["CROSS_COMPILE"] = compiler.removesuffix("gcc")
        surroundings["ZEPHYR_TOOLCHAIN_SUPPORTS_THREAD_LOCAL_STORAGE"] = "y"
    return surroundings


def _repeatably(surroundings: dict[str, str]) -> list[str]:
    """Returns a command prefix that makes builds repeatable: the same sources in the same folders make the same image.

    Zephyr's scripts may write sets of names into the image. Their order depends on Python's seed, on the start of its
    memory, and on the environment, which lies in that memory. If `setarch` is missing or forbidden, as in some
    containers, a few words of the image may differ from build to build.
    """
    kept = ("PATH", "HOME", "CROSS_COMPILE", _MODULES)
    fixed = [
        f"{name}={value}"
        for name, value in surroundings.items()
        if name in kept or name.startswith("ZEPHYR_") or name.endswith("_TOOLCHAIN_PATH")
    ]
    addresses = ["setarch", "--addr-no-randomize"]
    if shutil.which(addresses[0]) is None or subprocess.run([*addresses, "true"], capture_output=True).returncode:
        addresses = []
    return ["env", "-i", *sorted(fixed), "PYTHONHASHSEED=0", *addresses]


def board_of(target: str) -> str:
    """Returns the name of Zephyr's board for a target, for example `cipherlane_sim` for the target `sim_zephyr`."""
    return f"cipherlane_{target.removesuffix('_zephyr')}"


def devicetree_of(target: str) -> Path:
    """Returns the path of the devicetree for a target's board, a file in this repository."""
    return BOARDS / f"{board_of(target)}.dts"


def require_devicetree(target: str, csr_json: Path) -> None:
    """Checks that the devicetree of a target's board matches the SoC that LiteX describes in `csr_json`.

    Raises
    ------
    ZephyrError
        It does not match.
    """
    path = devicetree_of(target)
    if not path.is_file() or path.read_text() != devicetree.render(csr_json):
        raise ZephyrError(f"{path.relative_to(REPOSITORY)} does not match the SoC: run `make pages`")


def compile_application(source: Path, output: Path, target: str, more: tuple[str, ...] = ()) -> Path:
    """Compiles a Zephyr application with this project's Zephyr module.

    Parameters
    ----------
    source : Path
        Folder of the application.
    output : Path
        Build folder; the log of the build is `build.log` in it.
    target : str
        Name of the target that provides the board.
    more : tuple[str, ...]
        Further variables of CMake, each as `NAME=value`.

    Returns
    -------
    Path
        The image: `zephyr.bin`, next to `zephyr.elf`.

    Raises
    ------
    ZephyrError
        No tree, no Python packages, or the build failed; the message names the remedy or the log.
    """
    base = require_base()
    surroundings = environment(base)
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            raise ZephyrError(f"{tool} is missing: run `make zephyr-setup`")
    configure = ["cmake", "-GNinja", "-S", str(source), "-B", str(output), f"-DBOARD={board_of(target)}"]
    configure += [f"-D{variable}" for variable in more]
    stamp, wanted = output / "configured.txt", "\n".join([str(base), *modules(), *configure])
    if output.is_dir() and not (stamp.is_file() and stamp.read_text() == wanted):
        shutil.rmtree(output)  # removed, because CMake would keep the tree, board and variables of the earlier build
    output.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)
    (output / "zephyr" / ".config").unlink(missing_ok=True)  # else Kconfig would keep the earlier build's defaults
    log, prefix = output / "build.log", _repeatably(surroundings)
    with log.open("wb") as stream:
        for command in (configure, ["ninja", "-C", str(output)]):
            whole = [*prefix, *command]
            if tethered.run(whole, _BUILD_TIMEOUT_S, stdout=stream, stderr=subprocess.STDOUT):
                release = ".".join(map(str, version(base)))
                raise ZephyrError(f"the firmware did not compile on Zephyr {release}: see {log}")
    return output / "zephyr" / "zephyr.bin"


def build_image(target: str, directory: Path) -> Path:
    """Compiles the firmware on Zephyr for the SoC in `directory/csr.json`; returns the path of `zephyr.bin`."""
    require_devicetree(target, directory / "csr.json")
    return compile_application(APPLICATION, directory / "zephyr", target)
