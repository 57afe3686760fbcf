# SPDX-License-Identifier: BSD-2-Clause
"""A command-line parser that suggests the nearest command, option or choice for a mistyped one.

Its error messages repeat the names of options but no other words, because another word may be a key.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from cipherlane_base.plain import plain

from . import views

_HIDDEN = "..."
_NAME = re.compile(r"--?[a-z]{1,12}(-[a-z]{1,12})?")  # matches every option name, but never a hexadecimal key


class Parser(argparse.ArgumentParser):
    """A parser that accepts only full option names. Its errors show `...` instead of any word that could be a key."""

    commands: "argparse._SubParsersAction[Parser]"

    def __init__(self, **options: Any):
        """Take the parameters of `argparse.ArgumentParser`."""
        super().__init__(**{**options, "allow_abbrev": False})
        self.words: Sequence[str] = ()  # the arguments of the command line, as given

    def has(self, option: str) -> bool:
        """Return whether the parser has an option of this name."""
        return option in self._option_string_actions

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `argparse.ArgumentParser.parse_known_args` does."""
        self.words = args
        return super().parse_known_args(args, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `argparse.ArgumentParser.parse_args` does."""
        parsed, rest = self.parse_known_args(args, namespace)
        if rest:
            chosen = self.commands.choices[parsed.command]
            options = [*chosen._option_string_actions, *self._option_string_actions]
            names = [word.partition("=")[0] for word in rest]
            shown = [name + _meant(name, options) if _NAME.fullmatch(name) else _HIDDEN for name in names]
            super().error(f"unrecognized arguments: {' '.join(shown)}")
        return parsed

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Check a choice as the parent class does, and suggest the nearest choice in the error."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = _meant(str(value), map(str, action.choices or ()))
            error.message = error.message.replace(" (choose from", f"{meant} (choose from", 1)
            raise

    def error(self, message: str) -> NoReturn:
        """Print `message`, with `...` for each value from the command line, and exit with status 2."""
        for value in sorted(self._values(), key=len, reverse=True):
            message = re.sub(rf"(?<![\w-]){re.escape(value)}(?![\w-])", _HIDDEN, message)
        super().error(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or an error without control characters. If standard output cannot be written, report this."""
        message = plain(message, keep="\n")
        if file is not sys.stdout:
            super()._print_message(message, file)
        elif message:
            with views.output():
                file.write(message)

    def _values(self) -> Iterator[str]:
        """Yield the words of the command line that are neither options nor choices. A message must not repeat such
        a word, because the word can be a key.
        """
        known = {name for action in self._actions for name in (*action.option_strings, *map(str, action.choices or ()))}
        for word in self.words:
            for value in {word, word.partition("=")[2], word[2:] if word[:1] == "-" != word[1:2] else ""}:
                if value and value not in known:
                    yield from {value, repr(value)[1:-1]}


def _meant(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean NAME?)` with the word in `known` nearest to `word`; an empty text if none is near."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""
