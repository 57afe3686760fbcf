"""Firmware of a target: the SoC's headers, then the compiled image that goes into its boot ROM."""

import contextlib
import json
import logging
import os
import subprocess
from pathlib import Path

import litex
from cipherlane.results import write
from litex.soc.integration.builder import Builder
from litex.soc.integration.common import get_mem_data

from firmware.codegen import devicetree, sdram
from firmware.codegen.__main__ import write_if_changed
from gateware.flow import image, toolchain, zephyr
from gateware.soc.soc import CipherlaneSoC
from gateware.targets import Target

REPOSITORY = Path(__file__).resolve().parents[2]
LITEX = Path(litex.__file__).parent / "soc"


class FirmwareError(RuntimeError):
    """The firmware could not be compiled."""


def quiet_litex() -> None:
    """LiteX logs every bus and region it creates: keep warnings only."""
    logging.disable(logging.INFO)


def build_firmware(target: Target, directory: Path) -> list[int]:
    """Compiles the firmware for a target: the port that its configuration names.

    Parameters
    ----------
    target : Target
        Board and configuration.
    directory : Path
        Output folder. On bare metal `firmware.elf` and `firmware.bin` end there, on Zephyr `zephyr/zephyr/zephyr.elf`
        and `.bin`.

    Returns
    -------
    list[int]
        The image as 32-bit words, little-endian.

    Raises
    ------
    FirmwareError
        The compiler failed, and its messages are on standard error; or what Zephyr needs is missing.
    """
    on_zephyr = target.configuration.firmware == "zephyr"
    if on_zephyr:
        zephyr.require_base()
    describe_soc(target, directory)
    binary = (
        zephyr.build_image(target.name, directory)
        if on_zephyr
        else _build_baremetal(directory, target.configuration.compact)
    )
    size, room = binary.stat().st_size, target.configuration.rom_size
    if size > room:
        raise FirmwareError(f"the firmware takes {size} bytes, the boot ROM has {room}")
    return get_mem_data(str(binary), data_width=32, endianness="little")


def report_image(target: Target, directory: Path, results: Path) -> str:
    """Says what the firmware that `build_firmware` left takes of the memories; also in `image-<target>.json`."""
    elf = directory / ("zephyr/zephyr/zephyr.elf" if target.configuration.firmware == "zephyr" else "firmware.elf")
    used = image.usage(elf, directory / "csr.json")
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
    """Writes descriptions of the SoC, LiteX's (`csr.json`) and its SDRAM's (`sdram.json`), and headers (`include`)."""
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
        # The toolchain of simulated boards alone knows how to leave out the Verilog, which nobody reads here.
        builder.build(run=False, **({"build": False} if target.board.simulated else {}))
    for source in (directory / "headers" / "include" / "generated").iterdir():
        write_if_changed(include / "generated" / source.name, source.read_text())
    if target.configuration.sdram_cache:
        settings = soc.sdram.controller.settings
        description = sdram.describe(settings.phy, settings.timing, target.sys_clk_freq)
        write_if_changed(include / "generated" / "cl_sdram.h", sdram.render(description))
        write_if_changed(directory / devicetree.SDRAM_JSON, json.dumps(description))


def _build_baremetal(directory: Path, compact: bool) -> Path:
    command = ["make", "-s", "-C", str(REPOSITORY / "firmware" / "baremetal"), f"-j{os.cpu_count()}"]
    command += [f"OUT={directory}", f"LITEX={LITEX}", f"COMPACT={int(compact)}", str(directory / "firmware.bin")]
    try:
        subprocess.run(command, check=True)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        raise FirmwareError(f"the firmware did not compile ({error}): see the messages above") from error
    return directory / "firmware.bin"
