# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the firmware on Zephyr for `make zephyr`, and finds the tree and tools that it needs.

The tree is the one that ZEPHYR_BASE names, or the workspace that `make zephyr-setup` made in `build/zephyr`. Zephyr's
scripts run in the Python environment that `make zephyr-setup` made, or with ZEPHYR_PYTHON.
"""

import os
import shutil
import subprocess
from pathlib import Path

from firmware.codegen import devicetree
from gateware.flow import tethered

REPOSITORY = Path(__file__).resolve().parents[2]
MODULE = REPOSITORY / "firmware" / "zephyr"
APPLICATION = MODULE / "app"
WORKSPACE = REPOSITORY / "build" / "zephyr"
ENVIRONMENT_PYTHON = WORKSPACE / "venv" / "bin" / "python"

BOARDS = MODULE / "boards" / "cipherlane"
# Releases before 3.7 use the older hardware model and look for boards here.
_OLD_BOARD_ROOT = MODULE / "hwmv1"
_HARDWARE_MODEL_2_SINCE = (3, 7)
# The SoC's core has no atomic instructions, but Zephyr 3.1 assumes them without these options. Newer compilers require
# the extensions for CSRs and fences to be named.
ARCH = "-march=rv32im_zicsr_zifencei"
CROSS_COMPILE = "riscv64-unknown-elf-"
# If a release has two interfaces of ztest, this file declares them. Our suites use the newer one.
_ZTEST_KCONFIG = "subsys/testsuite/ztest/Kconfig"
# Releases before this one use another variable to name a module.
_EXTRA_MODULES_SINCE = (3, 4)
_BUILD_TIMEOUT_S = 1800


class ZephyrError(RuntimeError):
    """There is no Zephyr tree, or it could not be compiled."""


def find_base() -> Path | None:
    """Returns Zephyr's source tree, or None."""
    named = os.environ.get("ZEPHYR_BASE")
    base = Path(named) if named else WORKSPACE / "zephyr"
    return base.resolve() if (base / "VERSION").is_file() and (base / "kernel").is_dir() else None


def require_base() -> Path:
    """Zephyr's source tree.

    Raises
    ------
    ZephyrError
        There is none; the message says what to do.
    """
    base = find_base()
    if base is None:
        raise ZephyrError("no Zephyr tree: set ZEPHYR_BASE to one (3.1 or newer), or run `make zephyr-setup`")
    return base


def version(base: Path) -> tuple[int, int, int]:
    """Returns the release of a tree, for instance (3, 7, 0)."""
    fields = dict(line.split("=", 1) for line in (base / "VERSION").read_text().splitlines() if "=" in line)
    values = {name.strip(): value.strip() for name, value in fields.items()}
    return int(values["VERSION_MAJOR"]), int(values["VERSION_MINOR"]), int(values["PATCHLEVEL"])


def _python() -> Path:
    named = os.environ.get("ZEPHYR_PYTHON")
    python = Path(named) if named else ENVIRONMENT_PYTHON
    check = [str(python), "-c", "import elftools, packaging, pykwalify, yaml"]
    if shutil.which(str(python)) is None or subprocess.run(check, capture_output=True).returncode:
        raise ZephyrError(
            f"{python} lacks the Python packages of firmware/zephyr/requirements.txt: run `make zephyr-setup`, "
            "or name a Python that has them in ZEPHYR_PYTHON"
        )
    return python


def environment(base: Path) -> dict[str, str]:
    """Returns the environment for Zephyr's scripts: tree, Python, compiler.

    Raises
    ------
    ZephyrError
        The Python packages or the compiler are missing.
    """
    # Zephyr's build runs the first Python on the PATH, so this project's Python comes first.
    path = f"{_python().parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "ZEPHYR_BASE": str(base), "PATH": path}
    if "ZEPHYR_TOOLCHAIN_VARIANT" not in surroundings and "ZEPHYR_SDK_INSTALL_DIR" not in surroundings:
        compiler = shutil.which(f"{CROSS_COMPILE}gcc")
        if compiler is None:
            raise ZephyrError(f"{CROSS_COMPILE}gcc is missing: run `make setup`, or set ZEPHYR_SDK_INSTALL_DIR")
        surroundings["ZEPHYR_TOOLCHAIN_VARIANT"] = "cross-compile"
        surroundings["CROSS_COMPILE"] = compiler.removesuffix("gcc")
        surroundings["ZEPHYR_TOOLCHAIN_SUPPORTS_THREAD_LOCAL_STORAGE"] = "y"
    return surroundings


def _library_options(surroundings: dict[str, str]) -> list[str]:
    """Returns an option that names the folder of libgcc, which Debian's compiler does not find by itself.

    The compiler has a libgcc for rv32im. It does not use it if the architecture's name contains further extensions, as
    in releases after 3.1.
    """
    if "CROSS_COMPILE" not in surroundings:
        return []
    command = [f"{surroundings['CROSS_COMPILE']}gcc", "-march=rv32im", "-mabi=ilp32", "-print-libgcc-file-name"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    return [f"EXTRA_LDFLAGS=-L{Path(found).parent}"]


def _repeatably(surroundings: dict[str, str]) -> list[str]:
    """Returns a command prefix that makes builds repeatable: the same sources in the same folders make the same image.

    Zephyr 3.1's `gen_handles.py` writes sets of names and of objects into the image. Their order depends on Python's
    seed, on the start of its memory, and on the environment, which lies in that memory. If `setarch` is missing or
    forbidden, as in some containers, a few words of the image may differ from build to build.
    """
    kept = ("PATH", "HOME", "CROSS_COMPILE")
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
    """Returns the name of Zephyr's board for the target of that name: `cipherlane_sim` for `sim_zephyr`."""
    return f"cipherlane_{target.removesuffix('_zephyr')}"


def devicetree_of(target: str) -> Path:
    """Returns the path of the devicetree of a target's board; the repository contains it."""
    return BOARDS / f"{board_of(target)}.dts"


def require_devicetree(target: str, csr_json: Path) -> None:
    """Checks that the devicetree of a target's board matches its SoC, which LiteX describes in `csr_json`.

    Raises
    ------
    ZephyrError
        It does not match.
    """
    path = devicetree_of(target)
    if not path.is_file() or path.read_text() != devicetree.render(csr_json):
        raise ZephyrError(f"{path.relative_to(REPOSITORY)} does not match the SoC: run `make pages`")


def board_roots(base: Path) -> list[Path]:
    """Returns the folders of boards for CMake's BOARD_ROOT; only releases with the older hardware model need one."""
    return [] if version(base) >= _HARDWARE_MODEL_2_SINCE else [_OLD_BOARD_ROOT]


def variables(base: Path) -> list[str]:
    """Returns CMake's variables for an application with the module, each as `NAME=value`.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    """
    release = version(base)
    modules = "EXTRA_ZEPHYR_MODULES" if release >= _EXTRA_MODULES_SINCE else "ZEPHYR_EXTRA_MODULES"
    if not (base.parent / ".west").is_dir():
        modules = "ZEPHYR_MODULES"  # without a west workspace there is no list of modules to extend
    chosen = [f"EXTRA_CFLAGS={ARCH}", f"EXTRA_AFLAGS={ARCH}", *_library_options(environment(base))]
    chosen.append(f"{modules}={REPOSITORY}")  # `zephyr/module.yml` in this folder names everything else
    return chosen + [f"BOARD_ROOT={root}" for root in board_roots(base)]


def suite_variables(base: Path) -> list[str]:
    """Returns the variables that a test suite needs in addition to the result of `variables`."""
    return ["CONFIG_ZTEST_NEW_API=y"] if "config ZTEST_NEW_API" in (base / _ZTEST_KCONFIG).read_text() else []


def compile_application(source: Path, output: Path, target: str, more: tuple[str, ...] = ()) -> Path:
    """Compiles an application with the module.

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
    configure += [f"-D{variable}" for variable in (*variables(base), *more)]
    stamp, wanted = output / "configured.txt", "\n".join([str(base), *configure])
    if output.is_dir() and not (stamp.is_file() and stamp.read_text() == wanted):
        shutil.rmtree(output)  # otherwise CMake would keep the old tree, board and variables
    output.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)
    (output / "zephyr" / ".config").unlink(missing_ok=True)  # otherwise Kconfig would keep outdated defaults
    log, prefix = output / "build.log", _repeatably(surroundings)
    with log.open("wb") as stream:
        for command in (configure, ["ninja", "-C", str(output)]):
            whole = [*prefix, *command]
            if tethered.run(whole, _BUILD_TIMEOUT_S, stdout=stream, stderr=subprocess.STDOUT):
                release = ".".join(map(str, version(base)))
                raise ZephyrError(f"the firmware did not compile on Zephyr {release}: see {log}")
    return output / "zephyr" / "zephyr.bin"


def build_image(target: str, directory: Path) -> Path:
    """Compiles the record service for the SoC that `directory/csr.json` describes; returns `zephyr.bin`."""
    require_devicetree(target, directory / "csr.json")
    return compile_application(APPLICATION, directory / "zephyr", target)
