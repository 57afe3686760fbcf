"""The firmware on Zephyr: what of it `make zephyr` compiles, with which tree and tools.

The tree is the one that ZEPHYR_BASE names, or the workspace that `make zephyr-setup` made in `build/zephyr`. The
Python that Zephyr's scripts run in is the one of the environment that `make zephyr-setup` made, or ZEPHYR_PYTHON.
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
# Where releases before 3.7, of the older hardware model, look for them.
_OLD_BOARD_ROOT = MODULE / "hwmv1"
_HARDWARE_MODEL_2_SINCE = (3, 7)
# The SoC's core has no atomic instructions; without these options Zephyr 3.1 takes it to have them, and newer
# compilers want the instructions for CSRs and fences named.
ARCH = "-march=rv32im_zicsr_zifencei"
CROSS_COMPILE = "riscv64-unknown-elf-"
# Where a release that has two interfaces of ztest says so; the suites use the newer one.
_ZTEST_KCONFIG = "subsys/testsuite/ztest/Kconfig"
# The name of the variable for a module was another one before.
_EXTRA_MODULES_SINCE = (3, 4)
_BUILD_TIMEOUT_S = 1800


class ZephyrError(RuntimeError):
    """There is no Zephyr tree, or it could not be compiled."""


def find_base() -> Path | None:
    """Zephyr's source tree, or None."""
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
    """Release of a tree, for instance (3, 7, 0)."""
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
    """Environment for Zephyr's scripts: tree, Python, compiler.

    Raises
    ------
    ZephyrError
        The Python packages or the compiler are missing.
    """
    # Zephyr's build takes the first Python of the path.
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
    """Names the folder of libgcc, which Debian's compiler does not find by itself.

    It has one for rv32im, but takes a name with further extensions, as releases after 3.1 give it, for another.
    """
    if "CROSS_COMPILE" not in surroundings:
        return []
    command = [f"{surroundings['CROSS_COMPILE']}gcc", "-march=rv32im", "-mabi=ilp32", "-print-libgcc-file-name"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    return [f"EXTRA_LDFLAGS=-L{Path(found).parent}"]


def _repeatably(surroundings: dict[str, str]) -> list[str]:
    """What runs a build so that the same sources in the same folders give the same image.

    Zephyr 3.1's `gen_handles.py` writes sets of names and of objects into the image: their order comes from Python's
    seed, from where memory begins, and from what is in it before, the environment. Where there is no `setarch`, or it
    is forbidden as in some containers, a few words of the image may differ from build to build.
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
    """Name of Zephyr's board for the target of that name: `cipherlane_sim` for `sim_zephyr`."""
    return f"cipherlane_{target.removesuffix('_zephyr')}"


def devicetree_of(target: str) -> Path:
    """The devicetree of its board, which is kept in the repository."""
    return BOARDS / f"{board_of(target)}.dts"


def require_devicetree(target: str, csr_json: Path) -> None:
    """See that the devicetree of a target's board is that of its SoC, which LiteX describes in `csr_json`.

    Raises
    ------
    ZephyrError
        It is not.
    """
    path = devicetree_of(target)
    if not path.is_file() or path.read_text() != devicetree.render(csr_json):
        raise ZephyrError(f"{path.relative_to(REPOSITORY)} is not of the SoC as it is: run `make pages`")


def board_roots(base: Path) -> list[Path]:
    """Folders that the module's boards are in beside those that it names itself: for the older hardware model."""
    return [] if version(base) >= _HARDWARE_MODEL_2_SINCE else [_OLD_BOARD_ROOT]


def variables(base: Path) -> list[str]:
    """CMake's variables for an application with the module, each as `NAME=value`.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    """
    release = version(base)
    modules = "EXTRA_ZEPHYR_MODULES" if release >= _EXTRA_MODULES_SINCE else "ZEPHYR_EXTRA_MODULES"
    if not (base.parent / ".west").is_dir():
        modules = "ZEPHYR_MODULES"  # a tree without a workspace has no modules to which this one could be added
    chosen = [f"EXTRA_CFLAGS={ARCH}", f"EXTRA_AFLAGS={ARCH}", *_library_options(environment(base))]
    chosen.append(f"{modules}={REPOSITORY}")  # whose `zephyr/module.yml` names the rest
    return chosen + [f"BOARD_ROOT={root}" for root in board_roots(base)]


def suite_variables(base: Path) -> list[str]:
    """What a test suite needs beside `variables`."""
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
        Name of the target whose board it is for.
    more : tuple[str, ...]
        Further variables of CMake, each as `NAME=value`.

    Returns
    -------
    Path
        The image: `zephyr.bin`, beside `zephyr.elf`.

    Raises
    ------
    ZephyrError
        No tree, no Python packages, or the build failed; the message says what to do or names the log.
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
        shutil.rmtree(output)  # CMake would go on with the tree, the board and the variables of before
    output.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)
    (output / "zephyr" / ".config").unlink(missing_ok=True)  # Kconfig would keep defaults that are no longer
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
