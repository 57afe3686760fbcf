# SPDX-License-Identifier: BSD-2-Clause
"""Finds the extensions of this repository: folders next to `gateware` that add configurations to Cipherlane.

An extension has a module `extension` that assigns `EXTENSION`. Cipherlane's own code names no extension, and works
without extensions. Every list of configurations imports this module, so it must not import modules that load slowly.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .configurations import CONFIGURATIONS, Configuration
from .description import Fit

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Extension:
    """Describes what the folder of an extension adds to Cipherlane.

    ``fits`` and ``left_out`` have, for boards by name, what `Board` has for configurations by name. ``sources`` are the
    folders from which hardware and firmware of these configurations are made, relative to the repository. ``cores``
    names a module that registers kinds of generated cores or their figures (`gateware.cores.kinds`).
    """

    configurations: tuple[Configuration, ...]
    sources: tuple[str, ...]
    fits: Mapping[str, Mapping[str, Fit]] = field(default_factory=dict)
    left_out: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cores: str = ""


@cache
def extensions() -> tuple[Extension, ...]:
    """Return all extensions, sorted by the names of their folders.

    An installed package has another name than `gateware`. Then return none: the folders next to it are not ours.
    """
    names = sorted(path.parent.name for path in _ROOT.glob("*/extension.py")) if __package__ == "gateware" else ()
    return tuple(importlib.import_module(f"{name}.extension").EXTENSION for name in names)


@cache
def configurations() -> Mapping[str, Configuration]:
    """Return a dictionary of all configurations (Cipherlane's and the extensions'), with their names as keys."""
    return CONFIGURATIONS | {each.name: each for extension in extensions() for each in extension.configurations}


def sources(configuration: str) -> tuple[str, ...]:
    """Return the source folders of the extension that defines this configuration; empty if no extension defines it."""
    of = (each for each in extensions() if configuration in {own.name for own in each.configurations})
    return tuple(folder for extension in of for folder in extension.sources)
