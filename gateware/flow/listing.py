# SPDX-License-Identifier: BSD-2-Clause
"""Lists targets with their clocks, features, and boards: ``python -m gateware.flow.listing`` (`make boards`).
Clocks and sizes come from stored results of place-and-route, in folders named `data`.
"""

import json
import os
import sys
from statistics import median

from rich.console import Console
from rich.table import Table

from .. import boards, targets
from ..configurations import DEFAULT, Configuration, FeatureError
from ..description import Board, Cable, Fit
from ..extensions import configuration, features
from ..platform.ecp5.block_rams import memories
from ..platform.ecp5.parts import PARTS
from ..targets import Target
from .cache import REPOSITORY

Content = dict
SOURCES = ("bitstream-*.json", "timing-*.json")
TARGETS = (
    "target",
    "part, speed grade",
    "what is on it",
    "code, data, buffer KB",
    "link",
    "MHz",
    "reached (est)",
    "LUT4",
    "block RAM",
)
FEATURES = ("feature", "what it adds", "LUT4 (est)", "block RAM", "combines with")
OBSTACLES = ("board", "feature", "why the board cannot have it")
CABLES = ("board", "revisions", "USB, chip", "UART at USB", "openFPGALoader's options", "source")
OTHERS = ("board", "other revision", "how it differs")
RAMS = ("board", "RAM on the board that Cipherlane does not set up")
_RAMS = {"ddram": "DDR3", "sdram": "SDRAM"}


def hardware() -> list[Board]:
    """Return the boards that are hardware, not simulated."""
    return [board for board in map(boards.load, boards.names()) if not board.simulated]


def target_rows(content: dict[str, Content]) -> list[list[str]]:
    """Return a row for each target on hardware, in the order of `TARGETS`."""
    found = [targets.load(board.name, name) for board in hardware() for name in board.fits]
    return [_row(target, content) for target in found]


def feature_rows() -> list[list[str]]:
    """Return a row for each feature: the feature, its costs on an ECPIX-5, and the features that it combines with.

    Block RAM is counted by arithmetic, without the S-boxes of the core.
    """
    rows = []
    for name, feature in features().items():
        if feature.simulated:
            rows.append([name, feature.title, "-", "-", "nothing; only the simulated board has it"])
            continue
        partners = [other for other in features() if other != name and _combine(name, other)]
        added = _rams(configuration(name))
        rams = "-" if added is None else f"{added - _rams(configuration(DEFAULT)):+d}"
        rows.append([name, feature.title, f"{feature.lut4:+d}", rams, ", ".join(partners) or "nothing"])
    return rows


def obstacle_rows() -> list[list[str]]:
    """Return a row for each feature that a board cannot have by itself: the board, the feature, and the reason. Leave
    out features that only simulated boards have.
    """
    rows, named = [], [name for name, feature in features().items() if not feature.simulated]
    for board in hardware():
        found = {name: targets.obstacle(targets.of(board, configuration(name))) for name in named}
        rows += [[board.name, name, why] for name, why in found.items() if why and name not in board.fits]
    return rows


def _combine(*names: str) -> bool:
    """Return whether features combine."""
    try:
        configuration("+".join(names))
    except FeatureError:
        return False
    return True


def _rams(chosen: Configuration) -> int | None:
    """Return how many block RAMs an ECPIX-5 with this configuration takes; None if they are not counted."""
    try:
        return sum(memories(boards.load("ecpix5"), chosen, Fit()).values())
    except ValueError:
        return None


def cable_rows() -> list[list[str]]:
    """Return a row for each cable of each board: board, revisions, cable, UART, loader options, source of the data."""
    return [
        [
            board.name,
            cable.revisions,
            f"{cable.usb}, {cable.chip}",
            _uart(board, cable),
            " ".join(cable.loader) + (", by its bootloader: `make flash-spi` only" if board.bootloader else ""),
            cable.source,
        ]
        for board in hardware()
        for cable in board.cables
    ]


def _uart(board: Board, cable: Cable) -> str:
    identity, _, interface = cable.uart_usb.partition("/")
    if not identity:
        return "your own adapter" if board.has_uart else "none"
    return identity + (f", interface {int(interface)}" if interface else "")


def other_revision_rows() -> list[list[str]]:
    """Return a row per unsupported board revision: the board, the revision, its difference from supported revisions."""
    return [[board.name, *item] for board in hardware() for item in board.other_revisions.items()]


def ram_rows() -> list[list[str]]:
    """Return a row per board with external memory that no configuration uses: the board, and the unused memory."""
    rows = []
    for board in hardware():
        pads = {resource[0] for resource in board.create_platform().constraint_manager.available}
        rams = [name for pad, name in _RAMS.items() if pad in pads and not board.sdram]
        if rams:
            rows.append([board.name, ", ".join(rams)])
    return rows


def _row(target: Target, content: dict[str, Content]) -> list[str]:
    board, configuration = target.board, target.configuration
    built = content.get(f"bitstream-{target.name}")
    part = PARTS[board.size]
    core = configuration.ethernet.core_datapath if configuration.ethernet else configuration.core_datapath
    what = [
        {"baremetal": "", "zephyr": "Zephyr"}[configuration.firmware],
        "another unit" if configuration.unit else "vector unit",
        f"{core} core" if isinstance(core, str) else f"{core}-bit core",
        *(part.title for part in configuration.parts),
        "fast path" if configuration.ethernet else "",
        "SDRAM" if configuration.sdram_cache else "",
        "loader" if configuration.code_size else "",
    ]
    sizes = (configuration.firmware_size, configuration.sram_size, configuration.buffer_size)
    by = ["UART"] * board.has_uart + ["Ethernet"] * bool(configuration.ethernet)
    taken = f"{built['bram']} of {part.block_rams}" if built else f"{_counted(target)} of {part.block_rams}, counted"
    return [
        target.name,
        f"{board.device}, {board.speed_grade}",
        ", ".join(filter(None, what)),
        " + ".join(str(size // 1024) for size in sizes),
        ", ".join(by),
        f"{target.sys_clk_freq / 1e6:g}",
        _reached(target, content),
        f"{built['lut4']} of {part.lut4}" if built else "-",
        taken,
    ]


def _counted(target: Target) -> str:
    try:
        return str(sum(memories(target.board, target.configuration, target.fit).values()))
    except ValueError:
        return "-"


def _reached(target: Target, content: dict[str, Content]) -> str:
    """Return a text with the system clock in MHz that place-and-route reached, and the number of seeds."""
    timed = content.get(f"timing-{target.name}")
    if timed:
        reached = [record["achieved_mhz"] for record in timed["records"] if record["clock"] == "sys"]
        reached += [0.0] * len(timed["errors"])
        return f"{median(reached):.1f}, median of {len(reached)} seeds"
    built = content.get(f"bitstream-{target.name}")
    if built:
        (clock,) = (clock for clock in built["clocks"] if clock["name"] == "sys")
        return f"{clock['achieved_mhz']:.1f}, one seed"
    return "not placed"


def tables(content: dict[str, Content]) -> list[tuple[tuple[str, ...], list[list[str]]]]:
    """Return headings and rows of each table. `content` maps file names to stored results of place-and-route."""
    return [
        (TARGETS, target_rows(content)),
        (CABLES, cable_rows()),
        (OTHERS, other_revision_rows()),
        (RAMS, ram_rows()),
        (FEATURES, feature_rows()),
        (OBSTACLES, obstacle_rows()),
    ]


def show(console: Console, content: dict[str, Content]) -> None:
    """Print the tables."""
    for headings, rows in tables(content):
        shown = Table(*headings)
        for row in rows:
            shown.add_row(*row)
        console.print(shown)


def main() -> int:
    """Run the command; return the exit status."""
    kept = [path for pattern in SOURCES for path in sorted(REPOSITORY.glob(f"*/results/data/{pattern}"))]
    if not kept:
        print("boards: no figures of place-and-route are kept here: clocks and LUTs are not known", file=sys.stderr)
    show(
        Console(width=None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", 200))),
        {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in kept},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
