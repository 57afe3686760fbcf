# SPDX-License-Identifier: BSD-2-Clause
"""Generates cores: ``python -m gateware.cores KIND [OPTION=VALUE ...]``, or ``python -m gateware.cores file=FILE``.

A YAML file gives the name of each core with its options::

    my_aes:
      core: aes
      datapath: 32
      key_lengths: [128, 256]
      bus: axi-stream

Everything is checked before anything is written. ``out=FOLDER`` is the place of the cores' folders (build/cores).
"""

import contextlib
import gc
import sys
from pathlib import Path
from typing import Any

from . import catalogue, kinds
from .kinds import Kind
from .options import OptionError, check_name, nearest
from .write import files, write

OUT = Path("build") / "cores"
Job = tuple[Kind, dict[str, Any], str]


def usage() -> str:
    """Return the help text: all kinds with their options."""
    lines = [f"usage: python -m {__package__} KIND [OPTION=VALUE ...] [name=NAME] [out=FOLDER]"]
    lines += [f"       python -m {__package__} file=FILE.yml [out=FOLDER]", ""]
    for name in kinds.names():
        kind = kinds.find(name)
        lines.append(f"{name}: {kind.about}")
        for option in kind.options:
            lines.append(f"    {option.name}={option.metavar}")
            lines.append(f"        {option.text}")
    return "\n".join(lines)


def job(core: str, options: dict[str, Any]) -> Job:
    """Check the options of a core of kind `core`. Return the kind, the value of each option, and the core's name.

    Raises
    ------
    OptionError
        Something is wrong.
    """
    kind = kinds.find(core)
    given = dict(options)
    name = given.pop("name", None)
    values = kind.values(given)
    if name is not None and kind.fixed_name and name != kind.module:
        raise OptionError(f"name={name}: {core} always has the name {kind.module}")
    return kind, values, check_name(str(name)) if name is not None else kind.default_name(values)


def jobs_of_file(path: Path) -> list[Job]:
    """Return the kind, the option values and the name of each core that a YAML file lists.

    Raises
    ------
    OptionError
        Something is wrong; the message names the file.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise OptionError(f"{path}: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not content:
        raise OptionError(f"{path}: give names of cores, each with its options")
    found = []
    for name, options in content.items():
        if not isinstance(options, dict) or "core" not in options:
            raise OptionError(f"{path}: {name} needs core: {'|'.join(kinds.names())}")
        given = {key: value for key, value in options.items() if key != "core"}
        try:
            found.append(job(str(options["core"]), {"name": name} | given))
        except OptionError as error:
            raise OptionError(f"{path}: {name}: {error}") from error
    return found


def jobs(arguments: list[str]) -> tuple[list[Job], Path]:
    """Return the cores that a command line asks for, and the output folder. Each core gets its own subfolder.

    Raises
    ------
    OptionError
        Something is wrong.
    """
    core = [argument for argument in arguments if "=" not in argument]
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    out = Path(given.pop("out", OUT))
    if "file" in given:
        path = Path(given.pop("file"))
        if core or given:
            raise OptionError(
                f"file={path}: the file gives the cores and their options: leave out {[*core, *given][0]}"
            )
        return jobs_of_file(path), out
    if len(core) != 1:
        raise OptionError(f"give one core, {nearest(core[1] if core else '', kinds.names())}, or file=FILE")
    return [job(core[0], given)], out


def main(arguments: list[str] | None = None) -> int:
    """Generate the cores that `arguments` ask for, by default `sys.argv[1:]`. Return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    catalogue.load()
    if not arguments or set(arguments) & {"-h", "--help", "help"}:
        with contextlib.suppress(BrokenPipeError):  # `| head`
            print(usage(), flush=True)
        return 0
    gc.set_threshold(100_000, 20, 100)  # Migen makes many small objects, and frequent garbage collection would be slow
    try:
        todo, out = jobs(arguments)
        for kind, values, name in todo:
            write(out / name, files(kind, values, name))
            print(f"{out / name}: {name}.v, README.md, test benches, FuseSoC and VHDL files")
    except OptionError as error:
        print(f"cores: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"cores: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
