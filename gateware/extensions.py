# SPDX-License-Identifier: BSD-2-Clause
"""Finds the extensions of this repository: folders next to `gateware` that add features to Cipherlane.

An extension has a module `extension` that assigns `EXTENSION`. Cipherlane's own code names no extension, and works
without extensions. `make` imports this module to check its command line, so it imports no module that loads slowly.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .configurations import FEATURES, Configuration, Feature, compose
from .description import Fit

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Extension:
    """Describes what the folder of an extension adds to Cipherlane.

    ``fits`` has, for boards by name, what `Board` has for configurations by name. ``sources`` are the folders from
    which hardware and firmware with these features are made, relative to the repository. ``cores`` names a module that
    registers kinds of generated cores or their figures (`gateware.cores.kinds`).
    """

    features: tuple[Feature, ...]
    sources: tuple[str, ...]
    fits: Mapping[str, Mapping[str, Fit]] = field(default_factory=dict)
    cores: str = ""


@cache
def extensions() -> tuple[Extension, ...]:
    """Return all extensions, sorted by the names of their folders.

    An installed package has another name than `gateware`. Then return none: the folders next to it are not ours.
    """
    names = sorted(path.parent.name for path in _ROOT.glob("*/extension.py")) if __package__ == "gateware" else ()
    return tuple(importlib.import_module(f"{name}.extension").EXTENSION for name in names)


@cache
def features() -> Mapping[str, Feature]:
    """Return a dictionary of all features (Cipherlane's, then the extensions'), with their names as keys."""
    return FEATURES | {each.name: each for extension in extensions() for each in extension.features}


def configuration(name: str) -> Configuration:
    """Return the configuration with this name; see `gateware.configurations.compose`."""
    return compose(name, features())


def sources(configuration: Configuration) -> tuple[str, ...]:
    """Return the source folders of the extensions that define features of this configuration."""
    used = (each for each in extensions() if {own.name for own in each.features} & set(configuration.features))
    return tuple(folder for extension in used for folder in extension.sources)
