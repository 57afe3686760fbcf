"""Firmware of a board: the SoC's headers, then the compiled image that goes into its boot ROM."""

import contextlib
import logging
import os
import subprocess
from pathlib import Path

import litex
from cipherlane.results import write
from litex.soc.integration.builder import Builder
from litex.soc.integration.common import get_mem_data

from firmware.codegen.__main__ import headers, write_if_changed
from gateware.boards import Board
from gateware.flow import image, toolchain, zephyr
from gateware.soc.soc import CipherlaneSoC

REPOSITORY = Path(__file__).resolve().parents[2]
LITEX = Path(litex.__file__).parent / "soc"


class FirmwareError(RuntimeError):
    """The firmware could not be compiled."""


def quiet_litex() -> None:
    """LiteX logs every bus and region it creates: keep warnings only."""
    logging.disable(logging.INFO)


def build_firmware(board: Board, directory: Path) -> list[int]:
    """Compiles the firmware for a board: the port that its description names.

    Parameters
    ----------
    board : Board
        Board description.
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
    on_zephyr = board.firmware == "zephyr"
    if on_zephyr:
        zephyr.require_base()
    describe_soc(board, directory)
    if on_zephyr:
        binary = zephyr.build_image(directory, networking=board.ethernet is not None)
    else:
        binary = _build_baremetal(directory)
    if binary.stat().st_size > board.rom_size:
        raise FirmwareError(f"the firmware takes {binary.stat().st_size} bytes, the boot ROM has {board.rom_size}")
    return get_mem_data(str(binary), data_width=32, endianness="little")


def report_image(board: Board, directory: Path, results: Path) -> str:
    """Says what the firmware that `build_firmware` left takes of the memories; also in `image-<board>.json`."""
    elf = directory / ("zephyr/zephyr/zephyr.elf" if board.firmware == "zephyr" else "firmware.elf")
    used = image.usage(elf, directory / "csr.json")
    write(
        results / f"image-{board.name}.json",
        {"bytes": used},
        command=f"python -m gateware.flow {board.name}",
        board=board.name,
        configuration={"firmware": board.firmware},
        tools=toolchain.versions(os.environ, toolchain.SIMULATION[1:]),
    )
    return f"firmware for {board.title}: " + ", ".join(f"{size} bytes of {name}" for name, size in used.items())


def describe_soc(board: Board, directory: Path) -> None:
    """Writes LiteX's description of the SoC (`csr.json`) and all generated headers (`include`) into a folder."""
    quiet_litex()
    include = directory / "include"
    builder = Builder(
        CipherlaneSoC(board, firmware=[0]),
        output_dir=directory / "headers",
        include_dir=directory / "headers" / "include",
        compile_software=False,
        compile_gateware=False,
        csr_json=directory / "csr.json",
    )
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        # The toolchain of simulated boards alone knows how to leave out the Verilog, which nobody reads here.
        builder.build(run=False, **({"build": False} if board.simulated else {}))
    for source in (directory / "headers" / "include" / "generated").iterdir():
        write_if_changed(include / "generated" / source.name, source.read_text())
    for name, text in headers().items():
        write_if_changed(include / name, text)


def _build_baremetal(directory: Path) -> Path:
    command = ["make", "-s", "-C", str(REPOSITORY / "firmware" / "baremetal"), f"-j{os.cpu_count()}"]
    command += [f"OUT={directory}", f"LITEX={LITEX}", str(directory / "firmware.bin")]
    try:
        subprocess.run(command, check=True)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        raise FirmwareError(f"the firmware did not compile ({error}): see the messages above") from error
    return directory / "firmware.bin"
