# SPDX-License-Identifier: BSD-2-Clause
"""Makes names and numbers from results files readable. The report's section "Raw data" shows them unchanged."""

from cipherlane_base.wire.layout import Engine

from .figures import Cell, cell, is_figure

FILES = {
    "bench": "Engines from memory to memory",
    "bench-call": "An engine called once for each record",
    "bench-eth": "The fast path on a link of 1 Gb/s",
    "bench-lte": "Layer 2 of LTE",
    "bench-papers": "Styles and instruction sets of the papers",
    "bench-sdram": "Engines with their data in SDRAM",
    "bench-sim": "Every AES of the project and its peers",
    "bench-udp": "Records over UDP",
    "bitstream": "A bitstream",
    "demo": "Engines in records",
    "dma": "The accelerator's DMA",
    "explore": "The family of AES cores",
    "explore-ghash": "GHASH",
    "explore-isa": "The vector unit and its parts",
    "explore-lte": "SNOW 3G and AES as LTE has them",
    "explore-rgmii": "RGMII's PHY and MACs",
    "explore-sets": "Instruction sets of others",
    "hil": "Boards in the loop",
    "netlist": "Netlists that answer",
    "timing": "Clocks by seed",
}
_FIELDS = {
    "achieved_mhz": "MHz achieved",
    "bits_per_cycle": "bits a cycle",
    "bram": "block RAMs",
    "clock_hz": "clock",
    "cycles_per_block": "cycles a block",
    "dsp": "DSP blocks",
    "ff": "flip-flops",
    "fmax_mhz": "MHz",
    "goodput_mbps": "link, Mbps",
    "key_bits": "key, bits",
    "lut4": "LUT4",
    "mbps": "Mbps",
    "mbps_per_lut": "Mbps a LUT",
    "median_mhz": "MHz, median",
    "record_bytes": "record, bytes",
    "required_mhz": "MHz required",
    "rx_mbps": "in, Mbps",
    "tx_mbps": "out, Mbps",
    "sbox": "S-box",
}
_EXACT = ("bits", "bytes", "seed", "sessions", "slots", "window", "payload", "engines", "datapath", "size", "packets")
_UNITS = {"mbps": "Mbps", "mhz": "MHz", "hz": "Hz", "ns": "ns"}
_MANY = 1000


def file_title(title: str) -> str:
    """Return a readable title for a file of results, with its name; for an unknown file, return only the name."""
    stem = title.rpartition("/")[2].removesuffix(".json")
    for name in sorted(FILES, key=len, reverse=True):
        if stem == name or stem.startswith((f"{name}-", f"{name}_", f"{name}.")):
            return f"{FILES[name]} ({title})"
    return title


def field(name: str) -> str:
    """Return a readable heading for the field called `name`, for example "MHz achieved" for `achieved_mhz`."""
    if name in _FIELDS:
        return _FIELDS[name]
    words = name.replace(".", ", ").replace("_", " ").split(" ")
    if len(words) > 1 and words[-1] in _UNITS:
        return f"{' '.join(words[:-1])}, {_UNITS[words[-1]]}"
    return " ".join(words)


def engine(name: str) -> str:
    """Return an engine's name for use in a sentence; unknown names are returned unchanged."""
    try:
        return Engine[name.upper()].traits.title
    except KeyError:
        return name


def three(value: float) -> str:
    """Return a number with three significant digits."""
    if not value:
        return "0"
    if abs(value) >= _MANY:
        digits = len(str(int(abs(value)))) - 3
        return f"{round(value / 10**digits) * 10**digits:,}"
    text = f"{value:.3g}"
    if float(text) >= _MANY:  # rounding has produced four digits, for example from 999.9
        return "1,000"
    return text if "e" in text else f"{value:#.3g}".rstrip(".")


def said(name: str, value: Cell) -> str:
    """Return the text of a cell in the field `name`. Large counts and fractions have three significant digits."""
    if isinstance(value, bool) or not is_figure(value):
        return cell(value)
    if name.endswith("_hz"):
        return f"{value / 1e6:.3g} MHz"
    if isinstance(value, int) and (value < _MANY or name.rpartition("_")[2] in _EXACT):
        return f"{value:,}"
    return three(value)
