# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make timing`: the clock frequencies with several seeds of place-and-route, and the critical paths."""

from gateware.flow.timing import endings, spreads
from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("seed", "database", "clock", "required_mhz", "achieved_mhz", "path_from", "path_to", "logic_ns", "routing_ns")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs. Successful runs are in "records"; failed runs, which
    have no clock frequency, are in "errors".
    """
    failed = [r for r in content["records"] if "error" in r]
    done = [r for r in content["records"] if "error" not in r]
    errors = select(failed, ("seed", "database", "error"))
    return {"board": content["board"], "kind": content["kind"], "records": select(done, FIELDS), "errors": errors}


def render(kept: dict[str, Content]) -> list[str]:
    """Return tables in Markdown: a row for each clock and timing database, then the paths that limit the system clock.

    A failed seed counts as 0 MHz.
    """
    rows, paths = [], []
    for content in kept.values():
        records, errors = content["records"], content["errors"]
        for clock, database in dict.fromkeys((r["clock"], r["database"]) for r in records):
            runs = [r for r in (*records, *errors) if r["database"] == database and r.get("clock", clock) == clock]
            (spread,) = spreads(runs)
            required = spread["required_mhz"]
            figures = (f"{spread[name]:.2f}" for name in ("median_mhz", "min_mhz", "max_mhz"))
            met = sum(r.get("achieved_mhz", 0) >= required for r in runs)
            rows.append([content["board"], clock, database, required, *figures, f"{met} of {spread['seeds']}"])
        system = [r for r in records if r["clock"] == "sys"]
        for (_, start, end), runs in endings(system):
            paths.append([content["board"], f"`{start}`", f"`{end}`", runs])
    kinds = ", ".join(dict.fromkeys(content["kind"] for content in kept.values()))
    names = ["board", "clock", "database", "required MHz", "median MHz", "least", "most", "seeds that meet it"]
    return [
        f"`make timing BOARD=... CONFIG=...` ({kinds}): the same netlist with several seeds:",
        "",
        *table(names, rows),
        "",
        "The paths that limit the system clock, from register or memory to register or memory, and in how many runs:",
        "",
        *table(["board", "from", "to", "runs"], paths),
    ]


TABLE = Table(
    name="timing",
    page="docs/reference/clocks.md",
    sources=("timing-*.json",),
    command="make timing BOARD=ecpix5",
    render=render,
    keep=keep,
    shows="clocks of the boards over several seeds, and the paths that end them",
    takes="an hour a board",
)
