"""Settings: what the command line leaves open comes from the environment, then the configuration file, then defaults.

The file is TOML: `config.toml` in the user's folder for configuration (`cipherlane config` says where), or the one that
CIPHERLANE_CONFIG names; empty, that variable says that none is read. A key is no setting: the file may say which file
has it.
"""

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from . import encodings
from .errors import ArgumentError
from .transport.serial import DEFAULT_BAUD

CONFIG = "CIPHERLANE_CONFIG"
MOST_BAUD = 100_000_000  # more than any serial port has, and less than its drivers can be told
_NAME = re.compile(r"[a-z][a-z_-]{0,19}")  # what a setting's name may look like, and a key does not


def seconds(text: str) -> float:
    """Return a time-out; ValueError if it cannot be one."""
    value = float(text)
    if not 0 < value < 86400:
        raise ValueError(f"{text} is not a number of seconds above 0")
    return value


def baud(text: str) -> int:
    """Return the bits a second of a serial port; ValueError if they cannot be."""
    value = int(text)
    if not 0 < value <= MOST_BAUD:
        raise ValueError(f"{text} is not a number of bits a second from 1 to {MOST_BAUD}")
    return value


@dataclass(frozen=True)
class Setting:
    """One setting: its name in the file, the option and the variable that go before that."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    meaning: str

    @property
    def option(self) -> str:
        """The option of the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return f"CIPHERLANE_{self.name.upper()}"


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("port", str, None, "the board, as --port takes it"),
        Setting("baud", baud, DEFAULT_BAUD, "bits a second of a serial port"),
        Setting("timeout", seconds, None, "seconds to wait for each reply; by default from the link"),
        Setting("key_file", str, None, "file of the key; $CIPHERLANE_KEY, the digits themselves, goes before it"),
        Setting("network", str, None, "address or network where `cipherlane find` looks for boards"),
    )
}


def path() -> Path | None:
    """Return the configuration file's path, whether it is there or not; None if none is to be read."""
    named = os.environ.get(CONFIG)
    if named is None:
        return platformdirs.user_config_path("cipherlane", appauthor=False) / "config.toml"
    return Path(named) if named else None


def read() -> dict[str, Any]:
    """Return what the configuration file says, by name.

    Raises:
        ArgumentError: it cannot be read, or says what cannot be.
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
            raise ArgumentError(f"{file} has a key in the clear: delete it there, and give key_file, a file's path")
        if name not in SETTINGS:
            shown = name if _NAME.fullmatch(name) else "..."
            raise ArgumentError(f"{file} has no setting called {shown}: there are {known}")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ArgumentError(f"{file}: {name} is neither text nor number: mend it")
    return {name: _parsed(SETTINGS[name], str(value), f"{file}: {name}") for name, value in said.items()}


def _text_of(file: Path) -> str:
    """Return what a configuration file says; raise ArgumentError where it is no UTF-8."""
    data = file.read_bytes()
    what, command = encodings.foreign(data)
    if what:
        how = encodings.remedy(command, str(file))
        raise ArgumentError(f"the configuration {file} {what}, and is to be UTF-8 without one{how}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArgumentError(
            f"the configuration {file} is not UTF-8 at byte {error.start}: save it as UTF-8, or delete it"
        ) from None


def value(name: str) -> tuple[Any, str]:
    """Return the value of a setting that the command line leaves open, and where it comes from.

    Raises:
        ArgumentError: it cannot be.
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
        raise ArgumentError(f"{where} is not what {setting.option} takes: mend it") from None
