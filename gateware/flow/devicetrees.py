# SPDX-License-Identifier: BSD-2-Clause
"""Writes the devicetrees of Zephyr's boards from the SoC's description: ``python -m gateware.flow.devicetrees``."""

import sys
import tempfile
from pathlib import Path

from .. import boards, targets
from ..codegen import devicetree
from ..codegen.__main__ import write_if_changed
from ..extensions import configuration
from . import zephyr
from .firmware import describe_soc


def zephyr_targets() -> list[targets.Target]:
    """Returns the targets whose firmware runs on Zephyr."""
    named = [(board, name) for board in boards.names() for name in boards.load(board).fits]
    return [targets.load(board, name) for board, name in named if configuration(name).firmware == "zephyr"]


def main() -> int:
    """Entry point; returns the exit status."""
    for target in zephyr_targets():
        with tempfile.TemporaryDirectory() as folder:
            describe_soc(target, Path(folder))
            write_if_changed(zephyr.devicetree_of(target.name), devicetree.render(Path(folder) / "csr.json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
