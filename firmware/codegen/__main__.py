"""Writes the generated C headers, or the reference pages that are kept in the repository.

``python -m firmware.codegen headers DIRECTORY`` writes `cl_wire.h`, `cl_isa.h`, `cl_accel_regs.h`,
`cl_fastpath_regs.h`, `cl_random_regs.h`;
``python -m firmware.codegen pages`` writes the reference pages; ``... pages --check`` fails if one is stale.
"""

import argparse
import sys
from pathlib import Path

from firmware.codegen import isa, registers, wire

REPOSITORY = Path(__file__).resolve().parents[2]


def headers() -> dict[str, str]:
    """Name and text of every generated header."""
    return {
        "cl_wire.h": wire.render(wire.WIRE_LAYOUT),
        "cl_isa.h": isa.render(),
        "cl_accel_regs.h": registers.render(),
        "cl_fastpath_regs.h": registers.render(registers.FAST_PATH),
        "cl_random_regs.h": registers.render(registers.RANDOM_SOURCE),
    }


def pages() -> dict[Path, str]:
    """Path and text of every generated reference page."""
    return {
        REPOSITORY / "gateware" / "isa" / "README.md": isa.reference(),
        REPOSITORY / "gateware" / "dma" / "README.md": registers.reference(),
        REPOSITORY / "gateware" / "net" / "README.md": registers.reference(registers.FAST_PATH),
        REPOSITORY / "gateware" / "random" / "README.md": registers.reference(registers.RANDOM_SOURCE),
    }


def write_if_changed(path: Path, text: str) -> None:
    """Writes a file, unless it has this text already (so that make does not rebuild)."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main() -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m firmware.codegen", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("headers").add_argument("directory", type=Path)
    commands.add_parser("pages").add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    if arguments.command == "headers":
        for name, text in headers().items():
            write_if_changed(arguments.directory / name, text)
        return 0
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text() != text]
    if arguments.check:
        for path in stale:
            print(f"{path.relative_to(REPOSITORY)} is stale: run `make pages`", file=sys.stderr)
        return 1 if stale else 0
    for path, text in pages().items():
        write_if_changed(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
