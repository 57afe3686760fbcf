# SPDX-License-Identifier: BSD-2-Clause
"""Computes the build id: 16 bytes in the boot ROM that identify gateware and firmware. The record `info` contains them.

::

    Verilog, contents of memories but the ROM's, constraints, script of synthesis ─ SHA-256 ─► first 8 bytes ─┐
    firmware as it was linked, `MARK` in it ──────────────────────────────────── SHA-256 ─► first 8 bytes ─┴─► id

As text, the id is both digests in hexadecimal, joined by a hyphen. The first part differs between a board and a
simulated board, and between two configurations. New firmware changes only the second part. The id does not cover the
tools or the options of place-and-route, such as its seed. It detects builds that were mixed up. It does not prove who
made them.

If the boot ROM holds a loader, the firmware is in the code memory, after a header (`cipherlane_base.image`). It carries
the build's id. The loader has its own id, and compares the first part of it with the first part of an image's id.
"""

import hashlib
import re
import sys
from pathlib import Path

from cipherlane_base.build_id import MARK, is_text, text
from cipherlane_base.image import pack
from cipherlane_base.wire.layout import IMAGE

from ..configurations import CODE_ORIGIN
from . import cache

PART = len(MARK) // 2
_SOURCES = ("*.v", "*.lpf", "*.ys")


class BuildIdError(RuntimeError):
    """The folder has no build id, or the build id cannot be written into the image."""


def of_gateware(gateware: Path, name: str) -> bytes:
    """Returns the first part of the build id: a digest of the files that LiteX wrote into a folder (``<name>.v``, ...).

    It does not depend on the location of the checkout or its Python environment, or on the contents of ROM and code
    memory.
    """
    found = {path for pattern in _SOURCES for path in gateware.glob(pattern)}
    # include only memory files that `<name>.v` reads, because the folder also contains memory files of earlier builds
    read = set(re.findall(r'readmemh\("([^"]+)"', (gateware / f"{name}.v").read_text()))
    memories = {gateware / file for file in read} - {rom_file(gateware, name), code_file(gateware, name)}
    state = hashlib.sha256()
    for path in sorted(found | memories):
        text = cache.code(path)
        for place in (str(gateware), str(cache.REPOSITORY), sys.prefix):
            text = text.replace(place, "")
        state.update(f"{path.name}\0{len(text)}\0{text}".encode())
    return state.digest()[:PART]


def of_firmware(image: bytes) -> bytes:
    """Returns the second part of the build id: a digest of the linked image, without zeros at its end."""
    return hashlib.sha256(image.rstrip(b"\0")).digest()[:PART]


def completed(image: bytes, gateware: bytes) -> tuple[bytes, bytes]:
    """Replaces the placeholder (`MARK`) in an image by the build id. Returns the new image and the build id.

    A program without a mark stays unchanged, and its id is zeros.

    Raises
    ------
    BuildIdError
        The mark occurs more than once.
    """
    marks = image.count(MARK)
    if marks > 1:
        raise BuildIdError(f"the firmware contains the text {MARK.decode()!r} {marks} times: the build id replaces one")
    if not marks:
        return image, bytes(len(MARK))
    build_id = gateware + of_firmware(image)
    return image.replace(MARK, build_id), build_id


def complete(gateware: Path, name: str, model: Path | None = None) -> str:
    """Writes the build id into the ROM file of a folder, and as text into ``<name>.build_id``.

    For gateware with a loader, the id and the image's header go into the code memory's file. The same image goes into
    ``<name>.firmware``, for `cipherlane load`.

    Parameters
    ----------
    gateware : Path
        The folder.
    name : str
        LiteX's base name for the files in it.
    model : Path, optional
        Folder of the gateware, if it is a different one.

    Returns
    -------
    str
        The id's text; empty for a program that has no id.

    Raises
    ------
    BuildIdError
        See `completed`.
    """
    rom, code = rom_file(gateware, name), code_file(gateware, name)
    part = of_gateware(model or gateware, name)
    image, build_id = completed(read_rom(rom), part)
    write_rom(rom, image)
    if code.is_file() and not code.is_symlink():  # a link leads to another board's file: leave that file unchanged
        firmware, build_id = completed(read_rom(code)[IMAGE.size :], part)
        image = pack(firmware, build_id, CODE_ORIGIN)
        write_rom(code, image)
        image_file(gateware, name).write_bytes(image)
    beside = id_file(gateware, name)
    if shown := text(build_id):
        beside.write_text(shown + "\n")
    else:
        beside.unlink(missing_ok=True)
    return shown


def read(gateware: Path, name: str) -> str:
    """Returns the build id of a folder, as text.

    Raises
    ------
    BuildIdError
        There is none: the build is older than build ids, or its program has none.
    """
    path = id_file(gateware, name)
    found = path.read_text().strip() if path.is_file() else ""
    if not is_text(found):
        raise BuildIdError(f"no build id in {path}: build again")
    return found


def id_file(gateware: Path, name: str) -> Path:
    """Returns the path of the file with the text of the build id."""
    return gateware / f"{name}.build_id"


def rom_file(gateware: Path, name: str) -> Path:
    """Returns the path of the file with the boot ROM's contents, as LiteX writes it: one 32-bit word per line."""
    return gateware / f"{name}_rom.init"


def code_file(gateware: Path, name: str) -> Path:
    """Returns the path of the code memory's file, in the ROM file's format. Only builds with a loader have it."""
    return gateware / f"{name}_code.init"


def image_file(gateware: Path, name: str) -> Path:
    """Returns the path of the firmware image that a loader accepts."""
    return gateware / f"{name}.firmware"


def read_rom(path: Path) -> bytes:
    """Returns the contents of a ROM file, little-endian."""
    return b"".join(int(word, 16).to_bytes(4, "little") for word in path.read_text().split())


def write_rom(path: Path, image: bytes) -> None:
    """Writes a ROM file in LiteX's format: one 32-bit word per line, in hexadecimal."""
    image += bytes(-len(image) % 4)
    words = (int.from_bytes(image[start : start + 4], "little") for start in range(0, len(image), 4))
    path.write_text("".join(f"{word:08x}\n" for word in words))
