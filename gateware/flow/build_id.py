"""The build id: which gateware and which firmware answer, 16 bytes in the boot ROM that record info carries.

::

    Verilog, contents of memories but the ROM's, constraints, script of synthesis ─ SHA-256 ─► first 8 bytes ─┐
    firmware as it was linked, `MARK` in it ──────────────────────────────────── SHA-256 ─► first 8 bytes ─┴─► id

Its text is both digests in hexadecimal with a hyphen between: of a board and a simulated one, and of two
configurations, the first part differs; new firmware changes the second alone. Not in it: the tools, and what
place-and-route was asked (its seed). It tells builds apart that were mixed up, and proves nothing of who made them.

Where the boot ROM holds a loader, the firmware is in the code memory, with a header before it (`cipherlane.image`), and
its id is that build's; the loader has one of its own, whose first part it compares with that of images.
"""

import hashlib
import re
import sys
from pathlib import Path

from cipherlane import image as images
from cipherlane.build_id import MARK, is_text, text
from cipherlane.protocol.layout import IMAGE

from gateware.configurations import CODE_ORIGIN
from gateware.flow import cache

PART = len(MARK) // 2
_SOURCES = ("*.v", "*.lpf", "*.ys")


class BuildIdError(RuntimeError):
    """There is no build id, or none can be put where it belongs."""


def of_gateware(gateware: Path, name: str) -> bytes:
    """The first part, of what LiteX has written into a folder as ``<name>.v`` and so on.

    It is the same wherever the checkout and its Python environment are, and whatever ROM and code memory hold.
    """
    found = {path for pattern in _SOURCES for path in gateware.glob(pattern)}
    read = set(re.findall(r'readmemh\("([^"]+)"', (gateware / f"{name}.v").read_text()))  # others are of earlier builds
    memories = {gateware / file for file in read} - {rom_file(gateware, name), code_file(gateware, name)}
    state = hashlib.sha256()
    for path in sorted(found | memories):
        text = cache.code(path)
        for place in (str(gateware), str(cache.REPOSITORY), sys.prefix):
            text = text.replace(place, "")
        state.update(f"{path.name}\0{len(text)}\0{text}".encode())
    return state.digest()[:PART]


def of_firmware(image: bytes) -> bytes:
    """The second part, of an image as it was linked; zeros at its end do not count."""
    return hashlib.sha256(image.rstrip(b"\0")).digest()[:PART]


def completed(image: bytes, gateware: bytes) -> tuple[bytes, bytes]:
    """An image with the id in place of its mark, and that id; of a program that has no mark, itself and zeros.

    Raises
    ------
    BuildIdError
        The mark is there more than once.
    """
    marks = image.count(MARK)
    if marks > 1:
        raise BuildIdError(f"the firmware has the text {MARK.decode()!r} {marks} times: the build id has place in one")
    if not marks:
        return image, bytes(len(MARK))
    build_id = gateware + of_firmware(image)
    return image.replace(MARK, build_id), build_id


def complete(gateware: Path, name: str, model: Path | None = None) -> str:
    """Puts the id into the ROM's file of a folder, and as text into ``<name>.build_id``.

    Of gateware with a loader it goes into the code memory's file, with the image's header, and that image also into
    ``<name>.firmware``, for `cipherlane load`.

    Parameters
    ----------
    gateware : Path
        The folder.
    name : str
        What LiteX calls the files in it.
    model : Path, optional
        Folder of the gateware, where that is another one.

    Returns
    -------
    str
        The id's text; empty of a program that has none.

    Raises
    ------
    BuildIdError
        See `completed`.
    """
    rom, code = rom_file(gateware, name), code_file(gateware, name)
    part = of_gateware(model or gateware, name)
    image, build_id = completed(read_rom(rom), part)
    write_rom(rom, image)
    if code.is_file() and not code.is_symlink():  # that would be another board's
        firmware, build_id = completed(read_rom(code)[IMAGE.size :], part)
        image = images.pack(firmware, build_id, CODE_ORIGIN)
        write_rom(code, image)
        image_file(gateware, name).write_bytes(image)
    beside = id_file(gateware, name)
    if shown := text(build_id):
        beside.write_text(shown + "\n")
    else:
        beside.unlink(missing_ok=True)
    return shown


def read(gateware: Path, name: str) -> str:
    """The id's text of what was built in a folder.

    Raises
    ------
    BuildIdError
        There is none: what is there is older, or of a program without one.
    """
    path = id_file(gateware, name)
    found = path.read_text().strip() if path.is_file() else ""
    if not is_text(found):
        raise BuildIdError(f"no build id in {path}: build it anew")
    return found


def id_file(gateware: Path, name: str) -> Path:
    """Where the id's text is."""
    return gateware / f"{name}.build_id"


def rom_file(gateware: Path, name: str) -> Path:
    """Where LiteX writes what the boot ROM holds, a 32-bit word a line."""
    return gateware / f"{name}_rom.init"


def code_file(gateware: Path, name: str) -> Path:
    """Where LiteX writes what the code memory holds, in the same way, if there is one."""
    return gateware / f"{name}_code.init"


def image_file(gateware: Path, name: str) -> Path:
    """Where the image is that a loader takes."""
    return gateware / f"{name}.firmware"


def read_rom(path: Path) -> bytes:
    """What the ROM of that file holds, little-endian."""
    return b"".join(int(word, 16).to_bytes(4, "little") for word in path.read_text().split())


def write_rom(path: Path, image: bytes) -> None:
    """Writes a ROM's file as LiteX does."""
    image += bytes(-len(image) % 4)
    words = (int.from_bytes(image[start : start + 4], "little") for start in range(0, len(image), 4))
    path.write_text("".join(f"{word:08x}\n" for word in words))
