# SPDX-License-Identifier: BSD-2-Clause
"""Finds the extensions of this repository: folders next to `gateware` that add configurations to the product.

An extension has a module `extension` that assigns `EXTENSION`. The product knows no extension by its name, and works
without any. The module is imported for each list of configurations, so it imports nothing that takes long.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gateware.configurations import CONFIGURATIONS, Configuration
from gateware.description import Fit

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Extension:
    """Describes what an extension's folder adds to the product.

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
    """Return all extensions, in the order of their folders' names."""
    names = sorted(path.parent.name for path in _ROOT.glob("*/extension.py"))
    return tuple(importlib.import_module(f"{name}.extension").EXTENSION for name in names)


@cache
def configurations() -> Mapping[str, Configuration]:
    """Return the configurations of the product and of all extensions, by name."""
    return CONFIGURATIONS | {each.name: each for extension in extensions() for each in extension.configurations}


def sources(configuration: str) -> tuple[str, ...]:
    """Return the folders of extensions that contain sources of the configuration with this name."""
    of = (each for each in extensions() if configuration in {own.name for own in each.configurations})
    return tuple(folder for extension in of for folder in extension.sources)
