# SPDX-License-Identifier: BSD-2-Clause
"""Options of cores: names, possible values, defaults. Reads and checks values from a command line or a YAML file."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .keywords import KEYWORDS

KEY_LENGTHS = (128, 192, 256)


class OptionError(ValueError):
    """An option has a wrong name or value. The message is one line and proposes the nearest valid value."""


@dataclass(frozen=True)
class Option:
    """An option with a few possible values.

    Attributes
    ----------
    name, text : str
        Its name, and what it determines.
    values : tuple
        Its possible values.
    default : object
        Its value if it is not given.
    """

    name: str
    text: str
    values: tuple
    default: Any

    @property
    def metavar(self) -> str:
        """Return the possible values as a help text shows them, for example `a|b|c`."""
        return "|".join(map(str, self.values))

    def parse(self, given: Any) -> Any:
        """Convert a text, or a value from a YAML file, to a value of the option.

        Raises
        ------
        OptionError
            There is no such value.
        """
        for value in self.values:
            if str(given).strip() == str(value):
                return value
        raise OptionError(f"{self.name}={given}: {nearest(str(given), self.values)}")

    def format(self, value: Any) -> str:
        """Return the text of a value."""
        return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class Range(Option):
    """An option with an integer value from `values[0]` to `values[-1]`."""

    @property
    def metavar(self) -> str:
        """Return the possible values as a help text shows them, for example `0..4`."""
        return f"{self.values[0]}..{self.values[-1]}"

    def parse(self, given: Any) -> int:
        """Convert a text, or a value from a YAML file, to an integer. Raises the errors of `Option.parse`."""
        low, high = self.values[0], self.values[-1]
        if not re.fullmatch(r"-?\d+", str(given).strip()):
            raise OptionError(f"{self.name}={given}: give an integer from {low} to {high}")
        value = int(str(given))
        if not low <= value <= high:
            raise OptionError(f"{self.name}={given}: give {low} to {high}; the nearest is {min(max(value, low), high)}")
        return value


@dataclass(frozen=True)
class Several(Option):
    """An option that takes one or more of `values`, given as text with commas, or as a list in a YAML file."""

    @property
    def metavar(self) -> str:
        """Return the possible values as a help text shows them, for example `a,b,c`."""
        return ",".join(map(str, self.values))

    def parse(self, given: Any) -> tuple:
        """Convert a text or a list to a tuple in the order of `values`. Raises the errors of `Option.parse`."""
        parts = list(given) if isinstance(given, (list, tuple)) else [part for part in re.split(r"[,\s]+", str(given))]
        chosen = {super(Several, self).parse(part) for part in parts}
        return tuple(value for value in self.values if value in chosen)


@dataclass(frozen=True)
class Region(Option):
    """An option that takes a region of memory (``ORIGIN:BYTES``), or one of the words in `values`, such as `none`."""

    @property
    def metavar(self) -> str:
        """Return the possible values as a help text shows them, for example `none|ORIGIN:BYTES`."""
        return "|".join([*self.values, "ORIGIN:BYTES"])

    def format(self, value: Any) -> str:
        """Return the text of a value."""
        return ":".join(map(hex, value)) if value else self.values[0]

    def parse(self, given: Any) -> tuple[int, int] | None:
        """Convert ``ORIGIN:BYTES`` to a tuple, or a word of `values` to None. Raises the errors of `Option.parse`."""
        if str(given) in self.values:
            return None
        number = r"0x[0-9a-fA-F]+|\d+"
        match = re.fullmatch(rf"({number}):({number})", str(given).strip())
        if not match:
            raise OptionError(f"{self.name}={given}: give ORIGIN:BYTES, such as 0x40000000:0x2000")
        origin, size = (int(text, 0) for text in match.groups())
        nearest_size = 1 << max((size - 1).bit_length(), 5)
        if size != nearest_size or origin % size or origin + size > 1 << 32:
            raise OptionError(
                f"{self.name}={given}: BYTES must be a power of two from 32, and ORIGIN a multiple of it below 2^32; "
                f"the nearest is {hex(origin // nearest_size * nearest_size % 2**32)}:{hex(nearest_size)}"
            )
        return origin, size


def nearest(given: str, values: tuple) -> str:
    """Return a phrase for error messages. It lists all values, and names the value that is most similar to `given`."""
    names = [str(value) for value in values]
    if re.fullmatch(r"\d+", given) and any(name.isdigit() for name in names):
        close = [min((name for name in names if name.isdigit()), key=lambda name: abs(int(name) - int(given)))]
    else:
        close = difflib.get_close_matches(given.lower(), names, 1, 0.4)
    return f"choose {', '.join(names)}" + (f"; the nearest is {close[0]}" if close else "")


def read(options: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each option, given or default. Names in `given` can contain dashes instead of underscores.

    Raises
    ------
    OptionError
        An option is unknown or has a wrong value.
    """
    known = {option.name: option for option in options}
    texts = {}
    for name, value in given.items():
        key = str(name).replace("-", "_")
        if key not in known:
            raise OptionError(f"unknown option {name}: {nearest(key, tuple(known))}")
        texts[key] = value
    return {name: option.parse(texts[name]) if name in texts else option.default for name, option in known.items()}


def check_name(name: str) -> str:
    """Check that `name` is a valid name for a module and a folder. Return `name` unchanged.

    Raises
    ------
    OptionError
        It is no name in Verilog and VHDL.
    """
    if name.lower() in KEYWORDS:
        raise OptionError(
            f"name={name}: this is a keyword of Verilog, SystemVerilog or VHDL; the nearest is {name}_core"
        )
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", name):
        proposal = re.sub(r"_+", "_", re.sub(r"\W", "_", name)).strip("_") or "core"
        proposal = proposal if proposal[0].isalpha() else f"core_{proposal}"
        raise OptionError(f"name={name}: give letters, digits and single underscores; the nearest is {proposal}")
    return name
