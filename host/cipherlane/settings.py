# SPDX-License-Identifier: BSD-2-Clause
"""Settings: options missing from the command line come from the environment, the configuration file, or defaults.

They are tried in this order. The file is TOML: `config.toml` in the user's configuration folder (`cipherlane config`
prints its path), or the file named by CIPHERLANE_CONFIG; if that variable is empty, no file is read. A key is not a
setting, but the file may name the key file.
"""

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from .errors import ArgumentError
from .files import encodings
from .transport.serial import DEFAULT_BAUD

CONFIG = "CIPHERLANE_CONFIG"
MOST_BAUD = 100_000_000  # maximum bits per second: faster than any port, but small enough for drivers' integers
# An error message prints an unknown name only if the name matches this pattern. Other text might be a misplaced key.
_NAME = re.compile(r"[a-z][a-z_-]{0,19}")


def seconds(text: str) -> float:
    """Return the time-out in `text` as a number of seconds; raise ValueError if `text` is invalid."""
    value = float(text)
    if not 0 < value < 86400:
        raise ValueError(f"{text} is not a number of seconds above 0")
    return value


def baud(text: str) -> int:
    """Return the number in `text`, a serial port's rate in bits per second; raise ValueError if `text` is invalid."""
    value = int(text)
    if not 0 < value <= MOST_BAUD:
        raise ValueError(f"{text} is not a number of bits a second from 1 to {MOST_BAUD}")
    return value


@dataclass(frozen=True)
class Setting:
    """A setting in the configuration file. Its command-line option or its environment variable overrides the value."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    meaning: str

    @property
    def option(self) -> str:
        """Name of the command-line option that sets this setting."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """Name of the environment variable that sets this setting."""
        return f"CIPHERLANE_{self.name.upper()}"


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("port", str, None, "the board, as --port takes it"),
        Setting("baud", baud, DEFAULT_BAUD, "bits a second of a serial port"),
        Setting("timeout", seconds, None, "seconds to wait for each reply; by default a value that suits the link"),
        Setting("key_file", str, None, "file with the key; $CIPHERLANE_KEY, which holds the digits, takes precedence"),
        Setting("network", str, None, "address or network where `cipherlane find` looks for boards"),
    )
}


def path() -> Path | None:
    """Return the path of the configuration file, which may be missing. Return None if $CIPHERLANE_CONFIG is empty."""
    named = os.environ.get(CONFIG)
    if named is None:
        return platformdirs.user_config_path("cipherlane", appauthor=False) / "config.toml"
    return Path(named) if named else None


def read() -> dict[str, Any]:
    """Return the settings in the configuration file, by name.

    Raises:
        ArgumentError: the file cannot be read, or contains an invalid setting.
    """
    file = path()
    try:
        said = tomllib.loads(_text_of(file)) if file else {}
    except FileNotFoundError as error:
        if os.environ.get(CONFIG):
            raise ArgumentError(f"there is no {file}: write it, or unset {CONFIG}") from error
        return {}
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ArgumentError(f"cannot read the configuration {file}: {reason}; mend or delete it") from None
    known = ", ".join(SETTINGS)
    for name, value in said.items():
        if name == "key":
            raise ArgumentError(f"{file} contains a key: delete it there, and name a key file with key_file")
        if name not in SETTINGS:
            shown = name if _NAME.fullmatch(name) else "..."
            raise ArgumentError(f"{file}: no setting is called {shown}; the settings are {known}")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ArgumentError(f"{file}: {name} is neither text nor number: mend it")
    return {name: _parsed(SETTINGS[name], str(value), f"{file}: {name}") for name, value in said.items()}


def _text_of(file: Path) -> str:
    """Return the text of a configuration file; raise ArgumentError if it is not UTF-8."""
    data = file.read_bytes()
    what, command = encodings.foreign(data)
    if what:
        how = encodings.remedy(command, str(file))
        raise ArgumentError(f"the configuration {file} {what}, but must be UTF-8 without a byte-order mark{how}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArgumentError(
            f"the configuration {file} is not UTF-8 at byte {error.start}: save it as UTF-8, or delete it"
        ) from None


def value(name: str) -> tuple[Any, str]:
    """Return the value of the setting `name`, and the source's name: environment, configuration file or default.

    Raises:
        ArgumentError: the value is invalid.
    """
    setting = SETTINGS[name]
    if said := os.environ.get(setting.variable):
        return _parsed(setting, said, f"${setting.variable}"), f"${setting.variable}"
    in_file, file = read(), path()
    if file and name in in_file:
        found = in_file[name]
        if name == "key_file":
            found = str(file.parent / Path(found).expanduser())
        return found, str(file)
    return setting.default, "default"


def _parsed(setting: Setting, text: str, where: str) -> Any:
    try:
        return setting.parse(text)
    except ValueError:
        raise ArgumentError(f"{where} is not a valid value for {setting.option}: mend it") from None
