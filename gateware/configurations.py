# SPDX-License-Identifier: BSD-2-Clause
"""Defines the features of the SoC, and composes them to configurations. Neither depends on the board."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

# Address of the code memory, into which a loader in the boot ROM writes the firmware. The CPU caches this region.
CODE_ORIGIN = 0x2000_0000


@dataclass(frozen=True)
class Ethernet:
    """Parameters of Ethernet in the SoC, and the board's network addresses.

    MAC addresses are 48-bit numbers. ``rx_slots`` and ``tx_slots`` count the frames that the MAC holds for the CPU,
    powers of two. The fast path has addresses of its own. ``core_datapath`` and ``core_engines`` describe the core
    that it shares with the accelerator. At 75 to 80 MHz the wire leaves 10 cycles for a block; two engines of 128 bits
    take 5, 6 or 7. With ``macsec``, a SecY protects all frames; it and the fast path need three blocks in the time that
    a block takes on the wire. Six engines take 5, 6 or 7 cycles for three blocks. With ``macsec_required``, no
    frame but EAPOL passes without it.
    """

    mac_address: int = 0x02_43_4C_4E_45_01  # locally administered
    ip_address: str = "192.168.1.50"
    rx_slots: int = 8
    tx_slots: int = 2
    fast_path_mac_address: int = 0x02_43_4C_4E_45_02
    fast_path_ip_address: str = "192.168.1.51"
    core_datapath: int | str = 128
    core_engines: int = 2
    macsec: bool = False
    macsec_required: bool = False


@dataclass(frozen=True)
class Part:
    """Describes hardware that an extension adds to the SoC (`gateware.extensions`).

    ``add`` is a function, written as ``module:function``. The SoC calls it with itself and the target. It returns the
    masters that it needs on the buffer memory's wide port. The part takes as many block RAMs as the unit ``like`` of
    `platform.ecp5.block_rams`. ``title`` is for people.
    """

    name: str
    title: str
    add: str
    like: str


@dataclass(frozen=True)
class Configuration:
    """Parameters of the SoC.

    Sizes are in bytes; `platform.ecp5.block_rams` reduces them if a part lacks the block RAM. ``max_data`` is the data
    of a record over the UART. ``bench_bytes`` is the size of the benchmark's data in the buffer memory. ``compact``
    compiles the firmware for size, without gaps between hot functions. ``firmware`` names the contents of the boot ROM:
    ``baremetal`` or ``zephyr``. ``core_datapath`` belongs to the accelerator's core if no fast path shares it
    (``ethernet``). With ``gcm_cycles`` the accelerator has AES-GCM, and its GHASH takes so many cycles for a product
    (`gateware.gcm.ghash.CYCLES`). ``unit`` is a class of an extension, written as ``module:class``, that replaces the
    vector unit on the CPU's CFU port: a `gateware.isa.cfu.CFUUnit` with the parameter ``sbox``. ``unit_engines`` are
    the engines that use the unit on this port. ``parts`` are added by an extension. ``more_firmware`` is its folder of
    C sources for the bare-metal firmware, relative to the repository, with a header ``extension.h``
    (`firmware/baremetal/main.c`). ``sdram_cache`` puts the board's SDRAM on the bus, with a cache of so many bytes.
    With ``code_size`` the boot ROM holds a loader, and a memory of so many bytes holds the firmware, which the loader
    takes over the UART.

    ``features`` are the names of the features. ``lut4`` is about how many LUT4 they add to the configuration `default`,
    ``code_bytes`` about how many bytes the bare-metal firmware takes.
    """

    name: str
    title: str = ""
    features: tuple[str, ...] = ()
    firmware: str = "baremetal"
    rom_size: int = 64 * 1024
    sram_size: int = 16 * 1024
    buffer_size: int = 64 * 1024
    max_data: int = 2048
    bench_bytes: int = 32 * 1024
    compact: bool = False
    core_datapath: int | str = 128
    gcm_cycles: int = 0
    unit: str = ""
    unit_engines: tuple[str, ...] = ("ise", "ise_fused", "ise_vmem")
    parts: tuple[Part, ...] = ()
    more_firmware: str = ""
    ethernet: Ethernet | None = None
    console: bool = False
    watchdog: bool = False
    sdram_cache: int = 0
    code_size: int = 0
    lut4: int = 0
    code_bytes: int = 61_200

    @property
    def firmware_size(self) -> int:
        """Return the size in bytes of the memory that holds the firmware."""
        return self.code_size or self.rom_size


@dataclass(frozen=True)
class Feature:
    """One choice for the SoC. A command line combines several, as in ``CONFIG=eth+sdram``.

    ``title`` is for people. ``change`` returns a configuration with the feature. The feature adds about ``lut4`` LUT4
    to the configuration `default` of an ECPIX-5 (est), and about ``code_bytes`` bytes to the bare-metal firmware.
    ``excludes`` gives reasons why the feature does not combine with others, by their names. If it combines with no
    other feature at all, ``alone`` is the reason. ``fit`` holds settings of `gateware.description.Fit` that the feature
    needs on boards without settings of their own for it. With ``simulated`` only simulated boards have the feature.
    """

    name: str
    title: str
    change: Callable[[Configuration], Configuration]
    lut4: int = 0
    code_bytes: int = 0
    excludes: Mapping[str, str] = field(default_factory=dict)
    alone: str = ""
    fit: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False


class FeatureError(ValueError):
    """A name of a configuration contains an unknown feature, or features that do not combine."""


DEFAULT = "default"
_ROM_STEP = 16 * 1024
_LOADER_ROM = 8 * 1024
# Size in bytes of the cache for the SDRAM. A cache line has 16 bytes. The cache takes four block RAMs. On a small FPGA,
# the cache has only 16 lines, which consist of LUTs.
_SDRAM_CACHE = 8192
_PROTECTED = Ethernet(core_engines=6, macsec=True)


def _zephyr(configuration: Configuration) -> Configuration:
    # The board ECPIX-5 has 208 block RAMs of 2 KB. With Zephyr, code takes 64 of them, data 32 and the buffer memory
    # 32. With the network stack, code takes 72 and data takes 24.
    rom_kb, sram_kb = (144, 48) if configuration.ethernet else (128, 64)
    return replace(
        configuration,
        firmware="zephyr",
        rom_size=rom_kb * 1024,
        sram_size=sram_kb * 1024,
        console=True,
        watchdog=True,
    )


_ALL = (
    Feature("eth", "Ethernet", lambda c: replace(c, ethernet=Ethernet()), lut4=11_000, code_bytes=4_100),
    Feature(
        "macsec",
        "Ethernet with MACsec",
        lambda c: replace(c, ethernet=_PROTECTED),
        lut4=45_000,
        code_bytes=21_300,
        excludes={"eth": "`macsec` includes `eth`"},
    ),
    Feature(
        "macsec_required",
        "Ethernet that requires MACsec",
        lambda c: replace(c, ethernet=replace(_PROTECTED, macsec_required=True)),
        lut4=45_000,
        code_bytes=21_300,
        excludes=dict.fromkeys(("eth", "macsec"), "`macsec_required` includes it"),
    ),
    # The pipelined core can process one block a cycle. This is also the maximum speed of the DMA's memory port.
    Feature(
        "pipelined",
        "pipelined AES core",
        lambda c: replace(c, core_datapath="pipelined"),
        lut4=24_000,
        excludes=dict.fromkeys(
            ("eth", "macsec", "macsec_required"), "the accelerator shares the core of the fast path, which has engines"
        ),
        fit={"core_sbox": "tower_cut"},
    ),
    # With AES-128, the AES core takes 10 cycles per block. So GHASH with 8 cycles per block is fast enough.
    Feature("gcm", "AES-GCM accelerator", lambda c: replace(c, gcm_cycles=8), lut4=4_500, code_bytes=5_000),
    Feature("sdram", "SDRAM", lambda c: replace(c, sdram_cache=_SDRAM_CACHE), lut4=2_000, code_bytes=4_300),
    Feature(
        "loader",
        "loader over the UART",
        lambda c: replace(c, rom_size=_LOADER_ROM, code_size=c.rom_size),
        lut4=200,
        code_bytes=500,
    ),
    Feature(
        "zephyr",
        "firmware on Zephyr",
        _zephyr,
        lut4=500,
        excludes={
            "loader": "the loader takes bare-metal firmware",
            **dict.fromkeys(
                ("macsec", "macsec_required", "pipelined", "gcm"), "firmware/zephyr has no board with both"
            ),
        },
    ),
)
FEATURES = {feature.name: feature for feature in _ALL}


def compose(name: str, features: Mapping[str, Feature] = FEATURES) -> Configuration:
    """Return the configuration with this name: `default`, or features that are joined by ``+`` or ``_`` in any order.

    The configuration's own name joins its features by ``_``, in the order of `features`.

    Raises
    ------
    FeatureError
        The name contains an unknown feature, or features that do not combine.
    """
    named = [] if name == DEFAULT else [each for part in name.split("+") for each in _split(part, features)]
    if DEFAULT in named:
        raise FeatureError(f"`{DEFAULT}` has no features, so it does not combine")
    chosen = [feature for feature in features.values() if feature.name in named]
    for feature in chosen:
        for other in chosen:
            if other is not feature and (why := feature.alone or feature.excludes.get(other.name)):
                raise FeatureError(f"`{feature.name}` does not combine with `{other.name}`: {why}")
    found = Configuration(
        "_".join(each.name for each in chosen) or DEFAULT,
        ", ".join(each.title for each in chosen),
        tuple(each.name for each in chosen),
        lut4=sum(each.lut4 for each in chosen),
    )
    found = with_room(found, sum(each.code_bytes for each in chosen))
    for feature in chosen:
        found = feature.change(found)
    return found


def with_room(configuration: Configuration, code_bytes: int) -> Configuration:
    """Return a configuration with room for `code_bytes` more bytes of bare-metal firmware, in whole steps of 16 KB."""
    if configuration.firmware != "baremetal":
        return configuration
    code_bytes += configuration.code_bytes
    size = -(-code_bytes // _ROM_STEP) * _ROM_STEP
    if configuration.code_size:
        return replace(configuration, code_bytes=code_bytes, code_size=size)
    return replace(configuration, code_bytes=code_bytes, rom_size=size)


def meant(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the known word nearest to an unknown word; empty if no word is near."""
    near = difflib.get_close_matches(word.lower(), known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _split(part: str, features: Iterable[str]) -> list[str]:
    """Return the names of the features that `part` joins by ``_``. They may include `DEFAULT`."""
    known, found = [DEFAULT, *features], []
    rest = f"{part}_"
    while rest:
        name = max((each for each in known if rest.startswith(f"{each}_")), key=len, default="")
        if not name:
            wrong = rest.rstrip("_")
            unknown = f"there is no feature {wrong!r}{meant(wrong, known)}"
            raise FeatureError(unknown if wrong else "a name of a feature is empty")
        found.append(name)
        rest = rest[len(name) + 1 :]
    return found
