# SPDX-License-Identifier: BSD-2-Clause
"""Checks which headers the folders of `firmware/core` include, and that file names are unique."""

import re
from collections import Counter

from tests.firmware.core_peer import CORE

# Maps each folder of the core to the folders from which it is allowed to include headers. In this dictionary, a folder
# must come after the folders from which it includes headers.
ROOMS = {
    "engine": set(),
    "aes": {"engine"},
    "gcm": {"engine"},
    "vector": {"aes", "engine"},
    "accelerator": {"aes", "engine"},
    "random": {"engine"},
    "streams": {"engine"},
    "links": set(),
    "fastpath": {"engine", "links", "streams"},
    "service": {"engine", "gcm", "links", "streams"},
    "macsec": {"links"},
    "mka": {"engine", "macsec"},
    "protection": {"macsec", "mka", "service"},
}
AT_THE_ROOT = {"zeroize.h"}
GENERATED = re.compile(r"cl_[a-z_]+\.h")


def sources():
    return sorted(path for path in CORE.rglob("*") if path.suffix in {".c", ".h"})


def test_each_room_knows_the_rooms_that_it_may():
    known = {room: set() for room in ROOMS}
    for path in sources():
        if path.parent == CORE:
            continue
        for included in re.findall(r'#include "(.+)"', path.read_text()):
            room, _, name = included.rpartition("/")
            assert room or name in AT_THE_ROOT or GENERATED.fullmatch(name), f"{path}: include {name} with its room"
            known[path.parent.name] |= {room} - {"", path.parent.name}
    assert known == ROOMS


def test_no_room_knows_a_later_one():
    order = list(ROOMS)
    for room, known in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in known), room


def test_no_two_files_have_one_name():
    """File names must be unique, because the bare-metal build puts all objects into one folder."""
    names = Counter(path.name for path in sources())
    assert [name for name, count in names.items() if count > 1] == []
    assert {path.name for path in CORE.iterdir() if path.is_file()} == AT_THE_ROOT
