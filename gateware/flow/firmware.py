# SPDX-License-Identifier: BSD-2-Clause
"""Builds the firmware of a target: writes headers that describe the SoC, then compiles the image for the boot ROM."""

import contextlib
import json
import logging
import os
import re
import subprocess
from pathlib import Path

import litex
from cipherlane_base.figures import write
from cipherlane_base.wire import layout
from litex.soc.integration.builder import Builder
from litex.soc.integration.common import get_mem_data

from ..codegen import devicetree, sdram
from ..codegen.__main__ import write_if_changed
from ..configurations import Configuration
from ..soc.soc import CipherlaneSoC
from ..targets import Target
from . import image, toolchain, zephyr

REPOSITORY = Path(__file__).resolve().parents[2]
LITEX = Path(litex.__file__).parent / "soc"
# LiteX writes C headers and a memory map into this folder. The loader uses these files unchanged. Firmware in the code
# memory uses a changed memory map.
LOADER_INCLUDE = Path("headers", "include")


class FirmwareError(RuntimeError):
    """The firmware could not be compiled."""


def quiet_litex() -> None:
    """Makes LiteX log only warnings; otherwise it logs every bus and region that it creates."""
    logging.disable(logging.INFO)


def build_firmware(target: Target, directory: Path) -> dict[str, list[int]]:
    """Compiles the firmware. The target's configuration chooses whether it runs on bare metal or on Zephyr.

    Parameters
    ----------
    target : Target
        Board and configuration.
    directory : Path
        Output folder. The results are `firmware.elf` and `firmware.bin` on bare metal, `zephyr/zephyr/zephyr.elf` and
        `.bin` on Zephyr.

    Returns
    -------
    dict[str, list[int]]
        Arguments of `CipherlaneSoC` in addition to the target. `firmware` is the image as 32-bit words, little-endian.
        A configuration with a loader also gets the loader's words, and the firmware begins with the words of its
        header, all 0 (`gateware.flow.build_id.complete` fills them in).

    Raises
    ------
    FirmwareError
        The compiler failed, with its messages on standard error, or something that Zephyr needs is missing.
    """
    on_zephyr = target.configuration.firmware == "zephyr"
    if on_zephyr:
        zephyr.require_base()
    describe_soc(target, directory)
    binary = (
        zephyr.build_image(target.name, directory) if on_zephyr else _build_baremetal(directory, target.configuration)
    )
    configuration = target.configuration
    header = layout.IMAGE.size if configuration.code_size else 0
    size, room = binary.stat().st_size, configuration.firmware_size - header
    if size > room:
        memory = "code memory" if configuration.code_size else "boot ROM"
        raise FirmwareError(f"the firmware takes {size} bytes, the {memory} has {room}")
    contents = {"firmware": [0] * (header // 4) + _words(binary)}
    if configuration.code_size:
        contents["loader"] = _words(_build_loader(directory))
    return contents


def report_image(target: Target, directory: Path, results: Path) -> str:
    """Reports how much of each memory a target's firmware image uses; writes the sizes to `image-<target>.json`."""
    elf = directory / ("zephyr/zephyr/zephyr.elf" if target.configuration.firmware == "zephyr" else "firmware.elf")
    used = image.usage(elf, directory / "csr.json", "code" if target.configuration.code_size else "rom")
    write(
        results / f"image-{target.name}.json",
        {"bytes": used},
        command=f"python -m gateware.flow {target.board.name} {target.configuration.name}",
        board=target.name,
        configuration={"firmware": target.configuration.firmware},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION[1:]),
    )
    return f"firmware for {target.title}: " + ", ".join(f"{size} bytes of {name}" for name, size in used.items())


def describe_soc(target: Target, directory: Path) -> None:
    """Writes descriptions of the SoC (`csr.json`) and of its SDRAM (`sdram.json`), and C headers (`include`)."""
    quiet_litex()
    include = directory / "include"
    soc = CipherlaneSoC(target, firmware=[0])
    builder = Builder(
        soc,
        output_dir=directory / "headers",
        include_dir=directory / "headers" / "include",
        compile_software=False,
        compile_gateware=False,
        csr_json=directory / "csr.json",
    )
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        # This function needs no Verilog. For simulated boards, the argument `build` stops LiteX from writing Verilog.
        builder.build(run=False, **({"build": False} if target.board.simulated else {}))
    for source in (directory / "headers" / "include" / "generated").iterdir():
        write_if_changed(include / "generated" / source.name, source.read_text())
    if target.configuration.code_size:
        regions = (directory / LOADER_INCLUDE / "generated" / "regions.ld").read_text()
        write_if_changed(include / "generated" / "regions.ld", regions_of_firmware(regions))
    if target.configuration.sdram_cache:
        settings = soc.sdram.controller.settings
        description = sdram.describe(settings.phy, settings.timing, target.sys_clk_freq)
        write_if_changed(include / "generated" / "cl_sdram.h", sdram.render(description))
        write_if_changed(directory / devicetree.SDRAM_JSON, json.dumps(description))


def regions_of_firmware(regions: str) -> str:
    """Returns LiteX's memory map (part of a linker script), changed for firmware that runs from the code memory.

    In the new map, the code memory after the image's header takes the place of the boot ROM.
    """
    code = re.search(r"^\s*code : ORIGIN = (\w+), LENGTH = (\w+)\n", regions, re.MULTILINE)
    if not code:
        raise FirmwareError("LiteX's memory map contains no code memory: has its format changed?")
    origin, length = (int(number, 16) for number in code.groups())
    header = layout.IMAGE.size
    rom = f"rom : ORIGIN = 0x{origin + header:08x}, LENGTH = 0x{length - header:08x}"
    return re.sub(r"\brom : .*", rom, regions.replace(code[0], ""))


def _words(binary: Path) -> list[int]:
    return get_mem_data(str(binary), data_width=32, endianness="little")


def _build_loader(directory: Path) -> Path:
    """Compiles the loader for the boot ROM; the linker fails if the loader does not fit into the ROM."""
    folder = directory / "loader"
    return _make("loader", folder, f"INCLUDE={directory / LOADER_INCLUDE}")


def _build_baremetal(directory: Path, configuration: Configuration) -> Path:
    more = [f"EXTENSION={REPOSITORY / configuration.more_firmware}"] if configuration.more_firmware else []
    return _make("baremetal", directory, f"COMPACT={int(configuration.compact)}", *more)


def _make(part: str, directory: Path, *variables: str) -> Path:
    """Compiles the sources in a subfolder of `firmware`; returns the path of the image, `firmware.bin`."""
    directory.mkdir(parents=True, exist_ok=True)
    command = ["make", "-s", "-C", str(REPOSITORY / "firmware" / part), f"-j{os.cpu_count()}"]
    command += [f"OUT={directory}", f"LITEX={LITEX}", *variables, str(directory / "firmware.bin")]
    try:
        subprocess.run(command, check=True)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        raise FirmwareError(f"the firmware did not compile ({error}): see the messages above") from error
    return directory / "firmware.bin"
