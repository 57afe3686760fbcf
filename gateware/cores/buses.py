# SPDX-License-Identifier: BSD-2-Clause
"""Makes registers accessible through the ports of a bus: Wishbone (classic, words of 32 bits) or AXI4-Lite."""

from litex.soc.interconnect import csr_bus, wishbone
from litex.soc.interconnect.axi import AXILite2CSR, AXILiteInterface
from migen import Module, Signal, bits_for

from .ports import IN, OUT, Design, Registers

WISHBONE, AXI_LITE = "wishbone", "axi-lite"
_WISHBONE = {
    "dat_w": (IN, "Data to write."),
    "dat_r": (OUT, "Data read, valid with ack."),
    "sel": (IN, "Bytes; a write takes all of them."),
    "cyc": (IN, "A cycle is under way."),
    "stb": (IN, "An access is requested."),
    "we": (IN, "The access writes."),
    "ack": (OUT, "The access has ended."),
}


def add_registers(design: Design, module: Module, bus: str) -> None:
    """Add the ports of a bus, and connect them to the registers of `module`."""
    bank_bus = csr_bus.Interface(data_width=32, address_width=14)
    bank = csr_bus.CSRBank(module.get_csrs(sort=True), bus=bank_bus)
    design.submodules.bank = bank
    bits = bits_for(len(module.get_csrs()) - 1)
    if bus == WISHBONE:
        interface = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        design.submodules.bridge = wishbone.Wishbone2CSR(interface, bank_bus, register=True)
        address = Signal(bits)
        design.comb += interface.adr.eq(address)
        design.add("wb_adr", address, IN, "Number of the register.")
        for name, (direction, text) in _WISHBONE.items():
            design.add(f"wb_{name}", getattr(interface, name), direction, text)
        design.registers = Registers("wb", False)
        return
    interface = AXILiteInterface(data_width=32, address_width=32)
    design.submodules.bridge = AXILite2CSR(interface, bank_bus)
    add_axi_lite(design, interface, "s_axi", bits=bits + 2)
    design.registers = Registers("s_axi", True)


def add_axi_lite(design: Design, interface: AXILiteInterface, prefix: str, *, bits: int, master: bool = False) -> None:
    """Add AXI4-Lite ports with addresses of `bits` bits. The core is the slave, or the master if `master` is true."""
    for channel, asks, fields in (
        ("aw", True, ("addr",)),
        ("w", True, ("data", "strb")),
        ("b", False, ("resp",)),
        ("ar", True, ("addr",)),
        ("r", False, ("resp", "data")),
    ):
        endpoint = getattr(interface, channel)
        direction, opposite = (IN, OUT) if asks != master else (OUT, IN)
        design.add(f"{prefix}_{channel}valid", endpoint.valid, direction, "AXI4-Lite.")
        design.add(f"{prefix}_{channel}ready", endpoint.ready, opposite, "AXI4-Lite.")
        for field in fields:
            signal, text = getattr(endpoint, field), "AXI4-Lite."
            if field == "addr":
                signal, text = Signal(bits), "Address in bytes."
                ends = (signal, endpoint.addr) if master else (endpoint.addr, signal)
                design.comb += ends[0].eq(ends[1])
            design.add(f"{prefix}_{channel}{field}", signal, direction, text)


def add_master(design: Design, interface: wishbone.Interface, prefix: str, texts: dict[str, str]) -> None:
    """Add the ports of a Wishbone master; `texts` maps the name of each signal to its description."""
    for name, text in texts.items():
        direction = IN if name in ("dat_r", "ack", "err") else OUT
        signal = getattr(interface, name)
        if name == "adr":
            signal = Signal(28)  # the address counts words of 128 bits: 2^32 bytes are 2^28 words
            design.comb += signal.eq(interface.adr)
        design.add(f"{prefix}_{name}", signal, direction, text)


def wave(bus: str) -> tuple[str, dict]:
    """Return a title and the timing diagram of accesses on the bus."""
    if bus == WISHBONE:
        signal = [
            {"name": "clk", "wave": "p......."},
            {"name": "wb_cyc, wb_stb", "wave": "01..01.."},
            {"name": "wb_we", "wave": "x1..x0.."},
            {"name": "wb_adr", "wave": "x3..x3..", "data": ["register", "register"]},
            {"name": "wb_dat_w", "wave": "x4..x...", "data": ["value"]},
            {"name": "wb_ack", "wave": "0..10..1"},
            {"name": "wb_dat_r", "wave": "x......5", "data": ["value"]},
        ]
        return "A write and a read", {"signal": signal}
    signal = [
        {"name": "s_axi_awvalid, s_axi_wvalid", "wave": "01|0.."},
        {"name": "s_axi_awready, s_axi_wready", "wave": "0.|10."},
        {"name": "s_axi_bvalid", "wave": "0.|.10"},
        {"name": "s_axi_bready", "wave": "01|..0"},
    ]
    return "A write", {"signal": [{"name": "clk", "wave": "p.|..."}, *signal]}
