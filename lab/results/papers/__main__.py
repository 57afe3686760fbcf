# SPDX-License-Identifier: BSD-2-Clause
"""Write the papers' values next to ours, and a page for each paper: ``python -m lab.results.papers`` (`make papers`).

Our values come from the kept figures in `lab/results/data`; the list of results names the commands that measure them.
The program writes the pages, and ``build/results/papers.json``: a record for each value, with ours or the reason why
there is none.
"""

import argparse
import sys

from cipherlane_base.figures import write

from lab.results import __main__ as all_pages
from lab.results import kept, papers


def main(words: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    argparse.ArgumentParser(prog="python -m lab.results.papers", description=__doc__).parse_args(words)
    found = []
    try:
        for paper in papers.NAMES:
            found += papers.records(paper, papers.load(paper))
    except kept.ResultsError as error:
        print(f"papers: error: {error}", file=sys.stderr)
        return 1
    path = kept.BUILD / "papers.json"
    write(path, {"records": found}, command="make papers", board="none: kept figures", configuration={})
    for paper in papers.NAMES:
        of_paper = [record for record in found if record["paper"] == paper]
        beside = sum(record["reason"] is None for record in of_paper)
        print(f"{paper}: {beside} of {len(of_paper)} values with ours beside them, for the rest a reason")
    print(f"{len(found)} records in {path}")
    return all_pages.main([])


if __name__ == "__main__":
    sys.exit(main())
