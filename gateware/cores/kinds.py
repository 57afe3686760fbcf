# SPDX-License-Identifier: BSD-2-Clause
"""Defines `Kind`, which describes a kind of core, and the list in which packages register their kinds of cores."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .options import Option, OptionError, nearest, read
from .ports import Design


@dataclass(frozen=True)
class Text:
    """The parts of a core's README that depend on the kind of core.

    Attributes
    ----------
    use : str
        How to use it, in Markdown: sequence, byte order, example.
    latency : list of (str, str)
        What is counted, and cycles.
    registers : list
        Its registers, if it has any: `gateware.codegen.registers.Register`.
    waves : list of (str, dict)
        Timing diagrams: a title, and WaveDrom's JSON.
    """

    use: str
    latency: list[tuple[str, str]] = field(default_factory=list)
    registers: list = field(default_factory=list)
    waves: list[tuple[str, dict]] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """A kind of core, for example `aes` or `gcm`: its options, and functions that generate such a core.

    Attributes
    ----------
    name, about : str
        Its name, and one sentence about it.
    options : tuple of Option
        The last one is `bus`.
    check : function
        Takes the values of the options. Raises `OptionError` or `ValueError` if they do not go together.
    create : function
        Takes the values, and returns the design with its ports and checks.
    text : function
        Takes the values, and returns the text of the core's README.
    module : str
        Name of the module by default; with `fixed_name` the only one.
    fixed_name : bool
    files : function or None
        Takes the values, and returns further files: text by name.
    """

    name: str
    about: str
    options: tuple[Option, ...]
    check: Callable[[dict[str, Any]], None]
    create: Callable[[dict[str, Any]], Design]
    text: Callable[[dict[str, Any]], Text]
    module: str
    fixed_name: bool = False
    files: Callable[[dict[str, Any]], dict[str, str]] | None = None

    def values(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check the given values. Return the value of every option: the given value or, if there is none, the default.

        Raises
        ------
        OptionError
            A value is wrong, or values do not go together.
        """
        values = read(self.options, given)
        try:
            self.check(values)
        except OptionError:
            raise
        except ValueError as error:
            raise OptionError(str(error)) from error
        return values

    def default_name(self, values: dict[str, Any]) -> str:
        """Return a core's default name: the module's name, followed by each option value that is not the default."""
        if self.fixed_name:
            return self.module
        parts = [self.module]
        for option in self.options:
            value = values[option.name]
            if value != option.default:
                word = {"key_lengths": "aes", "engines": "x", "slots": "slots", "cycles": "cycles", "depth": "depth"}
                parts.append(word.get(option.name, "") + re.sub(r"\W", "_", option.format(value)))
        return "_".join(parts)


_KINDS: dict[str, Kind] = {}
_FIGURES: dict[str, Callable[[dict[str, Any]], list[str]]] = {}


def register(kind: Kind) -> None:
    """Add a kind of core. Its name must be new."""
    if kind.name in _KINDS:
        raise ValueError(f"there is already a kind of core named {kind.name}")
    _KINDS[kind.name] = kind


def register_figures(name: str, find: Callable[[dict[str, Any]], list[str]]) -> None:
    """Register a function that returns lines of Markdown with the measured resources of a core of kind `name`."""
    _FIGURES[name] = find


def figures(kind: Kind, values: dict[str, Any]) -> list[str]:
    """Return lines of Markdown with measured resources of a core; empty if there are none."""
    return _FIGURES[kind.name](values) if kind.name in _FIGURES else []


def names() -> tuple[str, ...]:
    """Return the names of all registered kinds."""
    return tuple(_KINDS)


def find(name: str) -> Kind:
    """Return the kind with this name.

    Raises
    ------
    OptionError
        There is none.
    """
    if name not in _KINDS:
        raise OptionError(f"core={name}: {nearest(name, names())}")
    return _KINDS[name]
