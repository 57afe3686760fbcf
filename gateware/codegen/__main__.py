# SPDX-License-Identifier: BSD-2-Clause
"""Write the C headers of `firmware/generated` and the reference pages: ``python -m gateware.codegen``.

With ``--check`` it writes nothing, and fails if a header or a page is stale.
"""

import argparse
import sys
from pathlib import Path

from . import isa, registers, require_checkout, sdram, wire

REPOSITORY = Path(__file__).resolve().parents[2]


HEADERS = REPOSITORY / "firmware" / "generated"


def texts() -> dict[Path, str]:
    """Return the path and the text of every header and page."""
    return {
        HEADERS / "cl_wire.h": wire.render(wire.WIRE_LAYOUT),
        HEADERS / "cl_isa.h": isa.render(),
        HEADERS / "cl_dfii.h": sdram.render_bits(),
        HEADERS / "cl_accel_regs.h": registers.render(),
        HEADERS / "cl_fastpath_regs.h": registers.render(registers.FAST_PATH),
        HEADERS / "cl_macsec_regs.h": registers.render(registers.SECY),
        HEADERS / "cl_random_regs.h": registers.render(registers.RANDOM_SOURCE),
        REPOSITORY / "gateware" / "isa" / "README.md": isa.reference(),
        REPOSITORY / "gateware" / "dma" / "README.md": registers.reference(),
        REPOSITORY / "gateware" / "net" / "README.md": registers.reference(registers.FAST_PATH),
        REPOSITORY / "gateware" / "net" / "link" / "README.md": registers.reference(registers.STATIONS),
        REPOSITORY / "gateware" / "net" / "macsec" / "README.md": registers.reference(registers.SECY),
        REPOSITORY / "gateware" / "random" / "README.md": registers.reference(registers.RANDOM_SOURCE),
    }


def write_if_changed(path: Path, text: str) -> None:
    """Write the text to a file. If the file already contains this text, do nothing, so that make rebuilds nothing."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.codegen", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    require_checkout(parser)
    generated = texts()
    if not arguments.check:
        for path, text in generated.items():
            write_if_changed(path, text)
        return 0
    stale = [path for path, text in generated.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{path.relative_to(REPOSITORY)} is stale: run `make pages`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
