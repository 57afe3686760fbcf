# SPDX-License-Identifier: BSD-2-Clause
"""Puts new firmware into an existing bitstream without place-and-route: ``python -m gateware.flow ecpix5 --firmware``.

::

    firmware ─ compiler ─► image ─┐
    <target>-routed.json ─► where the ROM lies ─► <target>.config, other contents ─ ecppack ─► <target>.bit, .svf

The result equals the whole flow's result for that firmware, byte for byte, because place-and-route ignores the contents
of memories. Both netlists and the ROM's file change too, so `make netlist` simulates the new firmware, and `make
bitstream` finds nothing to do. Files are made in a separate folder and moved into place at the end. For a configuration
with a loader, the ROM holds the loader. The firmware goes into the code memory in the same way, and into the image for
`cipherlane load`.
"""

import json
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ..targets import Target
from . import bitstream, build_id, netlist_board, rom, toolchain, unpacked
from .bitstream import BitstreamError
from .firmware import build_firmware


def build(target: Target, directory: Path, results: Path) -> Path:
    """Compiles a target's firmware, and puts it into the bitstream that `bitstream.build` left in a folder.

    Raises
    ------
    FirmwareError
        The firmware did not compile, or is too large for the ROM.
    BitstreamError
        The folder has no complete bitstream of the present gateware, or its files do not match it; the message tells
        which.
    """
    if target.board.simulated:
        raise BitstreamError(f"board {target.board.name} is simulated: `make sim` puts new firmware into its ROM")
    again = f"run `make bitstream {target.variables}`"
    gateware = directory / "gateware"
    if not (gateware / f"{target.name}.bit").is_file():
        raise BitstreamError(f"no bitstream for {target.name}: {again} first")
    stamp = bitstream.stamp(directory)
    if not stamp.is_current():
        raise BitstreamError(f"the bitstream of {target.name} was not built from the sources in its folder: {again}")
    environment = bitstream.tools()
    apart = directory / "patched"
    shutil.rmtree(apart, ignore_errors=True)
    soc = bitstream.write_sources(target, apart, build_firmware(target, directory / "firmware"))
    if _made_of(apart / "gateware", target.name) != _made_of(gateware, target.name):
        raise BitstreamError(f"the gateware of {target.name} or its place-and-route has changed: {again}")
    try:
        patch(gateware, apart / "gateware", target.name, environment)
    except (rom.LayoutError, toolchain.ToolError) as error:
        raise BitstreamError(f"{error}: {again}") from error
    stamp.clear()
    for path in _patched(apart / "gateware", target.name):
        path.replace(gateware / path.name)
    shutil.rmtree(apart)
    bitstream.stamp(directory).set()
    return bitstream.report(target, directory, results, soc, environment)


def patch(gateware: Path, apart: Path, name: str, environment: Mapping[str, str]) -> None:
    """Makes bitstream and netlists again, with new contents in the ROM and in the code memory (if there is one).

    Parameters
    ----------
    gateware : Path
        Folder of the build: `<name>.config`, both netlists, the script that made them, and the memories' files.
    apart : Path
        Folder with the memories' new files; the other new files are written there.
    name : str
        The target's name.
    environment : mapping
        Environment with ecppack on its PATH.

    Raises
    ------
    LayoutError
        The bitstream differs from the contents of a memory's file, or the new contents do not fit.
    ToolError
        ecppack failed.
    """
    files = [gateware / f"{name}-routed.json", gateware / f"{name}.json"]
    netlists = [json.loads(file.read_text()) for file in files]
    modules = [netlist_board.module_of(netlist, name) for netlist in netlists]
    text = (gateware / f"{name}.config").read_text()
    held = rom.read(text)
    layouts, rams = [], {}
    for memory, file_of in _memories(gateware, name).items():
        layout = rom.Layout(modules[0], memory)
        old = _words(file_of(gateware, name))
        if layout.image(held) != old + [0] * (layout.words - len(old)):
            raise rom.LayoutError(f"{name}.config does not hold the contents of {file_of(gateware, name).name}")
        rams |= layout.units(_words(file_of(apart, name)))
        layouts.append(layout)
    (apart / f"{name}.config").write_text(rom.written(text, rams))
    (packing,) = [line for line in (gateware / f"build_{name}.sh").read_text().splitlines() if line[:8] == "ecppack "]
    unpacked.run(shlex.split(packing), apart, environment)
    for file, netlist, module in zip(files, netlists, modules, strict=True):
        for layout in layouts:
            layout.put(module, rams)
        (apart / file.name).write_text(json.dumps(netlist))


def _memories(gateware: Path, name: str) -> dict[str, Callable[[Path, str], Path]]:
    """Maps each memory with firmware (`rom`, in some builds also `code`) to the function that returns its file."""
    code = {"code": build_id.code_file} if build_id.code_file(gateware, name).is_file() else {}
    return {"rom": build_id.rom_file, **code}


def _words(file: Path) -> list[int]:
    image = build_id.read_rom(file)
    return [int.from_bytes(image[start : start + 4], "little") for start in range(0, len(image), 4)]


def _made_of(gateware: Path, name: str) -> tuple[bytes, list[list[str]]]:
    """Returns a digest of the inputs of place-and-route, and the commands of nextpnr and ecppack for the bitstream."""
    lines = (gateware / f"build_{name}.sh").read_text().splitlines()
    commands = [shlex.split(line) for line in lines if line.startswith(("nextpnr-ecp5 ", "ecppack "))]
    return build_id.of_gateware(gateware, name), commands


def _patched(apart: Path, name: str) -> list[Path]:
    names = [f"{name}.config", f"{name}.json", f"{name}-routed.json", f"{name}.svf", f"{name}.bit"]
    of_firmware = [build_id.rom_file, build_id.id_file]
    if len(_memories(apart, name)) > 1:
        of_firmware += [build_id.code_file, build_id.image_file]
    return [*(apart / each for each in names), *(file(apart, name) for file in of_firmware)]
