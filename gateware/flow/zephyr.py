"""The firmware on Zephyr: what of it `make zephyr` compiles, with which tree and tools.

The tree is the one that ZEPHYR_BASE names, or the workspace that `make zephyr-setup` made in `build/zephyr`. The
Python that Zephyr's scripts run in is the one of the environment that `make zephyr-setup` made, or ZEPHYR_PYTHON.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from firmware.codegen import devicetree
from firmware.codegen.__main__ import write_if_changed

REPOSITORY = Path(__file__).resolve().parents[2]
MODULE = REPOSITORY / "firmware" / "zephyr"
APPLICATION = MODULE / "app"
WORKSPACE = REPOSITORY / "build" / "zephyr"
ENVIRONMENT_PYTHON = WORKSPACE / "venv" / "bin" / "python"

BOARD = "litex_vexriscv"
# The SoC's core has no atomic instructions; without these options Zephyr 3.1 takes it to have them, and newer
# compilers want the instructions for CSRs and fences named.
ARCH = "-march=rv32im_zicsr_zifencei"
CROSS_COMPILE = "riscv64-unknown-elf-"
# Where a release that has two interfaces of ztest says so; the suites use the newer one.
_ZTEST_KCONFIG = "subsys/testsuite/ztest/Kconfig"
# Where the board's nodes are described, in one release or another.
_DEVICETREES = ("dts/riscv/**/riscv32-litex-vexriscv.dtsi", "boards/*/litex_vexriscv/litex_vexriscv.dts")
# Where Zephyr's board turns on a driver for a node that this SoC has not.
_OLD_ETHERNET_KCONFIG = "drivers/ethernet/Kconfig.liteeth"
_EXTRA_CONFIGURATION_SINCE = (3, 4)
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


def describe(base: Path, directory: Path) -> None:
    """Writes the devicetree overlay `soc.overlay` and the Kconfig fragment `soc.conf` beside `csr.json`."""
    csr_json = directory / "csr.json"
    sources = [path.read_text() for pattern in _DEVICETREES for path in base.glob(pattern)]
    labels = {label for text in sources for label in re.findall(r"(\w+):\s+[\w,-]+(?:@\w+)?\s*{", text)}
    write_if_changed(directory / "soc.overlay", devicetree.overlay(csr_json, labels))
    write_if_changed(directory / "soc.conf", devicetree.configuration(csr_json))


def variables(base: Path, description: Path, configuration: tuple[Path, ...] = ()) -> list[str]:
    """CMake's variables for an application on the SoC, each as `NAME=value`.

    Parameters
    ----------
    base : Path
        Zephyr's source tree.
    description : Path
        Folder with `csr.json` and `include/`, from `gateware.flow.firmware`; the devicetree overlay is written to it.
    configuration : tuple[Path, ...]
        Further Kconfig fragments.
    """
    describe(base, description)
    extra = "EXTRA_CONF_FILE" if version(base) >= _EXTRA_CONFIGURATION_SINCE else "OVERLAY_CONFIG"
    chosen = [f"EXTRA_CFLAGS={ARCH}", f"EXTRA_AFLAGS={ARCH}", *_library_options(environment(base))]
    chosen += [f"ZEPHYR_MODULES={MODULE}", f"DTC_OVERLAY_FILE={description / 'soc.overlay'}"]
    chosen += [f"{extra}={';'.join(map(str, (description / 'soc.conf', *configuration)))}"]
    chosen += [f"CIPHERLANE_INCLUDE={description / 'include'}"]
    if (base / _OLD_ETHERNET_KCONFIG).is_file():
        chosen.append("CONFIG_ETH_LITEETH=n")
    return chosen


def suite_variables(base: Path) -> list[str]:
    """What a test suite needs beside `variables`."""
    return ["CONFIG_ZTEST_NEW_API=y"] if "config ZTEST_NEW_API" in (base / _ZTEST_KCONFIG).read_text() else []


def compile_application(
    source: Path, output: Path, description: Path, more: tuple[str, ...] = (), configuration: tuple[Path, ...] = ()
) -> Path:
    """Compiles an application with the module.

    Parameters
    ----------
    source : Path
        Folder of the application.
    output : Path
        Build folder; the log of the build is `build.log` in it.
    description : Path
        Folder with `csr.json` and `include/`, from `gateware.flow.firmware`.
    more : tuple[str, ...]
        Further variables of CMake, each as `NAME=value`.
    configuration : tuple[Path, ...]
        Further Kconfig fragments.

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
    cache = output / "CMakeCache.txt"
    if cache.is_file() and f"\nZEPHYR_BASE:PATH={base}\n" not in cache.read_text():
        shutil.rmtree(output)  # CMake would go on with the tree of before
    output.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-GNinja", "-S", str(source), "-B", str(output), f"-DBOARD={BOARD}"]
    configure += [f"-D{variable}" for variable in (*variables(base, description, configuration), *more)]
    log = output / "build.log"
    with log.open("wb") as stream:
        for command in (configure, ["ninja", "-C", str(output)]):
            result = subprocess.run(
                command, env=surroundings, stdout=stream, stderr=subprocess.STDOUT, timeout=_BUILD_TIMEOUT_S
            )
            if result.returncode:
                release = ".".join(map(str, version(base)))
                raise ZephyrError(f"the firmware did not compile on Zephyr {release}: see {log}")
    return output / "zephyr" / "zephyr.bin"


def build_image(directory: Path, *, networking: bool) -> Path:
    """Compiles the record service for the SoC that `directory/csr.json` describes; returns `zephyr.bin`."""
    configuration = (APPLICATION / "net.conf",) if networking else ()
    return compile_application(APPLICATION, directory / "zephyr", directory, configuration=configuration)
