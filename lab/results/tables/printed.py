# SPDX-License-Identifier: BSD-2-Clause
"""Show some rows of the table that `make demo` prints, in the layout in which the host tool prints them."""

import io

from cipherlane.views import measurement_table
from cipherlane_base.figures import Measurement
from rich.console import Console

from lab.results.kept import Content
from lab.results.tables import Table, demo

ENGINES = ("table", "ise_vmem", "accelerator")  # by default, `make demo` also measures other engines
CASE = (128, "encrypt")


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table as the host tool prints it."""
    records = [r for r in kept["demo"]["records"] if r["engine"] in ENGINES and (r["key_bits"], r["direction"]) == CASE]
    measurements = [Measurement(**{name: r[name] for name in demo.MEASURED}) for r in records]
    output = io.StringIO()
    Console(file=output, width=100).print(measurement_table(measurements))
    lines = [line.rstrip() for line in output.getvalue().splitlines()]
    return ["```", *(line for line in lines if line), "```"]


TABLE = Table(
    name="printed",
    page="README.md",
    sources=demo.TABLE.sources,
    command=demo.TABLE.command,
    render=render,
)
