# SPDX-License-Identifier: BSD-2-Clause
"""Writes the reference page README.md in this folder from wire.toml.

`python -m cipherlane_base.wire.reference` writes the page; with `--check` it fails if the page is stale.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from . import layout

PAGE = Path(__file__).with_name("README.md")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fields(table: layout.Layout) -> list[str]:
    if not table.fields:
        return ["no data", ""]
    lines = ["| at | bytes | field | type | meaning |", "| --- | --- | --- | --- | --- |"]
    at = 0
    for field in table.fields:
        lines.append(f"| {at} | {field.size} | `{field.name}` | {field.type} | {_cell(field.doc)} |")
        at += field.size
    return lines + [f"| {at} | | | | end |", ""]


def _side(title: str, table: layout.Layout | None, most: str) -> list[str]:
    if table is None:
        return [f"{title}: the data themselves, 0 to `{most}` bytes", ""]
    if not table.fields:
        return [f"{title}: no data", ""]
    return [f"{title}:", "", *_fields(table)]


def _codes(tables: list[dict[str, Any]]) -> list[str]:
    lines = ["| code | name | meaning |", "| --- | --- | --- |"]
    return lines + [f"| {table['code']} | `{table['name']}` | {_cell(table['doc'])} |" for table in tables] + [""]


def render() -> str:
    """Return the page as Markdown."""
    wire = layout.load_wire()
    lines = [
        "<!-- Generated from wire.toml by `python -m cipherlane_base.wire.reference`; do not edit. -->",
        "",
        f"# Records, version {wire['version']}",
        "",
        "A record is a header followed by `length` bytes of data. Integers are little-endian; there is no padding.",
        "Over UART a record is followed by its CRC-32 (IEEE 802.3, as zlib computes it; little-endian), encoded with",
        "COBS and ended by one zero byte. Over UDP a record is one datagram, to the board's port "
        f"{wire['udp_port']}; a session belongs to the address and port that opened it.",
        "",
        "## Header",
        "",
        wire["header"]["doc"],
        "",
        *_fields(layout.HEADER),
        "## Requests and their replies",
        "",
        "The reply to type T has type T + 0x80.",
        "",
    ]
    for record in wire["record"]:
        code = record["code"]
        lines += [f"### `{record['name']}` (0x{code:02X})", "", record["doc"], ""]
        most = "data_bytes" if record["name"].startswith("load") else "max_data"
        lines += _side("Request", layout.REQUESTS.get(code), most) + _side("Reply", layout.REPLIES.get(code), most)
    lines += ["## GCM sessions", wire["gcm"]["doc"], ""]
    lines += ["## Budgets of cycles", wire["budget"]["doc"], ""]
    lines += [f"## Error reply (0x{wire['error']['code']:02X})", "", wire["error"]["doc"], ""]
    lines += _fields(layout.ERROR)
    lines += ["### Error codes", "", *_codes(wire["error_code"])]
    lines += ["## Modes", "", *_codes(wire["mode"])]
    lines += ["## Cipher suites of MACsec", "", *_codes(wire["suite"])]
    lines += ["## Engines", "", *_codes(wire["engine"])]
    lines += ["## Images of firmware", "", wire["image"]["doc"], "", *_fields(layout.IMAGE)]
    lines += ["### States of an image", "", *_codes(wire["image_state"])]
    lines += ["### Causes of a reset", "", *_codes(wire["cause"])]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Write the page. With `--check`, write nothing and return 1 if the page is out of date."""
    parser = argparse.ArgumentParser(prog="python -m cipherlane_base.wire.reference", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the page is stale, write nothing")
    text = render()
    if parser.parse_args(argv).check:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        sys.stderr.write(f"{PAGE} is stale: run `python -m cipherlane_base.wire.reference`\n")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
