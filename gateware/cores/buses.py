# SPDX-License-Identifier: BSD-2-Clause
"""Puts registers behind the ports of a bus: Wishbone (classic, words of 32 bits) or AXI4-Lite."""

from litex.soc.interconnect import csr_bus, wishbone
from litex.soc.interconnect.axi import AXILite2CSR, AXILiteInterface
from migen import Module, Signal, bits_for

from gateware.cores.ports import IN, OUT, Design, Registers

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
    """Add a module with registers, and the ports of a bus that reaches them."""
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
    for channel, direction, fields in (
        ("aw", IN, ("addr", "prot")),
        ("w", IN, ("data", "strb")),
        ("b", OUT, ("resp",)),
        ("ar", IN, ("addr", "prot")),
        ("r", OUT, ("resp", "data")),
    ):
        endpoint = getattr(interface, channel)
        opposite = OUT if direction == IN else IN
        design.add(f"s_axi_{channel}valid", endpoint.valid, direction, "AXI4-Lite.")
        design.add(f"s_axi_{channel}ready", endpoint.ready, opposite, "AXI4-Lite.")
        for field in fields:
            if field == "prot":
                continue
            signal, text = getattr(endpoint, field), "AXI4-Lite."
            if field == "addr":
                signal, text = Signal(bits + 2), "Address in bytes, a multiple of 4."
                design.comb += endpoint.addr.eq(signal)
            design.add(f"s_axi_{channel}{field}", signal, direction, text)
    design.registers = Registers("s_axi", True)


def wave(bus: str) -> tuple[str, dict]:
    """Return the timing diagram of a write and a read."""
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
