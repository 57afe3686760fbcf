# SPDX-License-Identifier: BSD-2-Clause
"""Write the pages of figures and all pictures: ``python -m lab.results`` (`make pages`).

``--take`` first copies the figures that commands left in `build/results` to `lab/results/data` (`make readme`).
``--check`` writes nothing, and fails if a page or plot differs from what the kept figures produce (`make lint`).
"""

import argparse
import sys
from pathlib import Path

from lab.results import kept, pages


def take(folder: Path) -> list[Path]:
    """Read the results files in `folder`. Copy those measured values that pages show into `lab/results/data`. Return
    the paths of the results files that were read.

    Raises
    ------
    ResultsError
        A file cannot be taken. Then no file is taken.
    """
    taken = {}
    for table in pages.MEASURED:
        for path in sorted(path for pattern in table.sources for path in folder.glob(pattern)):
            content = kept.measured(path, table.command)
            try:
                chosen = table.keep(content)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise kept.ResultsError(f"{path} lacks figures ({error!r}): run `{table.command}` again") from error
            taken[path] = kept.text({"provenance": content["provenance"], **chosen})
    for path, text in taken.items():
        (kept.DATA / path.name).write_text(text, encoding="utf-8")
    return list(taken)


def main(words: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.results", description=__doc__.splitlines()[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--take", action="store_true", help="take the figures in build/results over first")
    chosen.add_argument("--check", action="store_true", help="fail if a page or plot is stale, write nothing")
    arguments = parser.parse_args(words)
    try:
        if arguments.take:
            for path in take(kept.BUILD):
                print(f"taken: {path.name}")
        texts = pages.pages()
    except kept.ResultsError as error:
        print(f"results: error: {error}", file=sys.stderr)
        return 1
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if arguments.check:
        for path in stale:
            print(
                f"{path.relative_to(kept.ROOT)} is not what lab/results/data gives: run `make pages`", file=sys.stderr
            )
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
        print(f"written: {path.relative_to(kept.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
