# SPDX-License-Identifier: BSD-2-Clause
"""Defines the configurations: named variants of the SoC that do not depend on the board."""

from dataclasses import dataclass, replace

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
    """

    name: str
    title: str = ""
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

    @property
    def firmware_size(self) -> int:
        """Return the size in bytes of the memory that holds the firmware."""
        return self.code_size or self.rom_size


DEFAULT = "default"
# Size in bytes of the cache for the SDRAM. A cache line has 16 bytes. The cache takes four block RAMs. On a small FPGA,
# the cache has only 16 lines, which consist of LUTs.
_SDRAM_CACHE = 8192
# The board ECPIX-5 has 208 block RAMs of 2 KB. With Zephyr, code takes 64 of them, data 32 and the buffer memory 32.
_ZEPHYR = Configuration(
    "zephyr",
    "firmware on Zephyr",
    firmware="zephyr",
    rom_size=128 * 1024,
    sram_size=64 * 1024,
    console=True,
    watchdog=True,
)
# With Zephyr's network stack, code takes 72 block RAMs, and data take 24 block RAMs.
_ETH_ZEPHYR = replace(
    _ZEPHYR,
    name="eth_zephyr",
    title="Ethernet, firmware on Zephyr",
    ethernet=Ethernet(),
    rom_size=144 * 1024,
    sram_size=48 * 1024,
)
_PROTECTED = Ethernet(core_engines=6, macsec=True)
_MACSEC = Configuration("macsec", "Ethernet with MACsec", ethernet=_PROTECTED, rom_size=96 * 1024)
_ALL = (
    Configuration(DEFAULT),
    Configuration("eth", "Ethernet", ethernet=Ethernet()),
    _MACSEC,
    replace(
        _MACSEC,
        name="macsec_required",
        title="Ethernet that requires MACsec",
        ethernet=replace(_PROTECTED, macsec_required=True),
    ),
    # The pipelined core can process one block a cycle. This is also the maximum speed of the DMA's memory port.
    Configuration("pipelined", "pipelined AES core", core_datapath="pipelined"),
    # GHASH takes 8 cycles per block. This is fast enough, because the AES core takes 10 cycles per block with AES-128.
    Configuration("gcm", "AES-GCM accelerator", rom_size=80 * 1024, gcm_cycles=8),
    _ZEPHYR,
    _ETH_ZEPHYR,
    Configuration("sdram", "SDRAM", sdram_cache=_SDRAM_CACHE),
    Configuration("loader", "loader over the UART", rom_size=8 * 1024, code_size=64 * 1024),
    replace(_ZEPHYR, name="sdram_zephyr", title="SDRAM, firmware on Zephyr", sdram_cache=_SDRAM_CACHE),
)
CONFIGURATIONS = {configuration.name: configuration for configuration in _ALL}
