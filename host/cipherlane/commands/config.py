# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane config`: prints the settings and where each value comes from."""

import argparse
from typing import Any

from .. import settings, tables, views
from . import common


def add_to(commands: Any) -> None:
    """Add the command `config` to the command-line parser."""
    parser = common.add_command(
        commands,
        "config",
        link=False,
        help="show the settings and the source of each",
        description="Show the settings and the source of each. Options missing from the command line come from an "
        "environment variable, then from the configuration file, then from the defaults. The file is TOML with "
        'lines such as port = "udp://192.168.1.50"; $CIPHERLANE_CONFIG names another file, or none if it is '
        "empty.",
    )
    common.add_json(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show the settings."""
    file = settings.path()
    rows = {name: settings.value(name) for name in settings.SETTINGS}
    if args.json:
        records = {name: {"value": value, "source": source} for name, (value, source) in rows.items()}
        views.show_json({"file": None if file is None else str(file), "settings": records})
        return 0
    there = "none is read" if file is None else file if file.exists() else f"{file} (does not exist)"
    views.show(f"configuration file: {there}")
    views.show(
        tables.text_table(
            ("setting", "value", "from", "meaning"),
            (
                (name, "-" if value is None else str(value), source, settings.SETTINGS[name].meaning)
                for name, (value, source) in rows.items()
            ),
        )
    )
    return 0
