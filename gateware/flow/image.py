# SPDX-License-Identifier: BSD-2-Clause
"""Reads from an ELF file (ELF-32, little-endian) how much of each memory a firmware image uses."""

import json
import struct
from pathlib import Path

_ALLOCATED, _NOBITS = 0x2, 8  # sh_flags, sh_type


def usage(elf: Path, csr_json: Path, kept: str = "rom") -> dict[str, int]:
    """Returns how many bytes of each memory an image uses.

    Parameters
    ----------
    elf : Path
        The linked image. Initialised data in another memory also uses space in the memory that holds the image.
    csr_json : Path
        LiteX's description of the SoC, which names the memories.
    kept : str
        The memory that holds the image when it starts.

    Returns
    -------
    dict[str, int]
        Bytes by the memory's name, without unused memories.
    """
    content = elf.read_bytes()
    (offset,) = struct.unpack_from("<I", content, 32)
    size, count = struct.unpack_from("<HH", content, 46)
    memories = json.loads(csr_json.read_text())["memories"]
    used: dict[str, int] = {}
    for index in range(count):
        _, kind, flags, address, _, length = struct.unpack_from("<6I", content, offset + index * size)
        if not flags & _ALLOCATED or not length:
            continue
        name = next(
            name for name, memory in memories.items() if memory["base"] <= address < memory["base"] + memory["size"]
        )
        used[name] = used.get(name, 0) + length
        if name != kept and kind != _NOBITS:
            used[kept] = used.get(kept, 0) + length
    return used
