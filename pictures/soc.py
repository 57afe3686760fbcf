# SPDX-License-Identifier: BSD-2-Clause
"""Draw the block diagram of the SoC."""

from pictures.diagrams import Arrow, Box, draw

TITLE = "Cipherlane: the SoC, with Ethernet"
DESCRIPTION = (
    "The host tool reaches the board over UART or Ethernet. Frames for the CPU go through the MAC's slots to the "
    "firmware on VexRiscv, which encrypts in C, by the vector AES unit on its CFU port, or by the accelerator with its "
    "DMA. Hardware answers frames for the fast path. Accelerator and fast path share the CTR service, which has the "
    "keys and the AES cores."
)

HOST = Box("host tool", 0.15, 2.0, 1.15, 0.9, ("Python", "files, live view,", "measurements"), 7, "host/cipherlane")
CHIP = Box("FPGA", 1.75, 0.15, 7.1, 4.65, frame=True)
UART = Box("UART", 1.95, 0.4, 0.95, 0.5, ("1 Mbaud",), 7, "gateware/soc/soc.py")
MAC = Box(
    "Ethernet MAC", 1.95, 3.0, 1.3, 0.85, ("1 Gb/s; frame check,", "router by address"), 5, "gateware/net/link/mac.py"
)
FAST = Box(
    "UDP fast path",
    3.95,
    3.65,
    2.3,
    0.75,
    ("records in hardware: sessions,", "window, checksums"),
    5,
    "gateware/net/records/fast_path.py",
)
SLOTS = Box("frame slots", 3.95, 2.75, 1.1, 0.55, ("for the CPU",), 5, "gateware/net/link/slots.py")
CPU = Box("VexRiscv", 3.95, 1.6, 1.35, 0.8, ("RV32IM, caches", "of 4 KB; firmware"), 0, "firmware/core")
UNIT = Box(
    "vector AES unit",
    5.95,
    1.6,
    1.45,
    0.8,
    ("4 lanes, 8 contexts,", "on the CFU port"),
    1,
    "gateware/isa/vector_unit.py",
)
ACCELERATOR = Box("accelerator", 5.95, 2.75, 1.45, 0.6, ("AES-CTR with DMA",), 2, "gateware/dma/accelerator.py")
SERVICE = Box(
    "CTR service", 7.55, 3.3, 1.15, 1.1, ("key store,", "counters, policy,", "AES cores"), 3, "gateware/ctr/service.py"
)
ROM = Box("ROM, SRAM", 3.15, 0.4, 1.05, 0.5, ("code and data",), 7, "gateware/soc/soc.py")
CSR = Box("registers", 4.4, 0.4, 1.3, 0.5, ("timer, random source",), 7, "gateware/random/source.py")
BUFFER = Box("buffer memory", 5.95, 0.4, 1.45, 0.5, ("64 KB, 128 bits a cycle",), 4, "gateware/soc/buffer.py")
SDRAM = Box("SDRAM", 7.65, 0.4, 1.05, 0.5, ("optional",), 7, "gateware/soc/sdram.py")
BOXES = (CHIP, HOST, UART, MAC, FAST, SLOTS, CPU, UNIT, ACCELERATOR, SERVICE, ROM, CSR, BUFFER, SDRAM)
_BUS = 1.2
_PORT = 7.52
ARROWS = (
    Arrow(
        [HOST.top(), (HOST.top()[0], 3.43), MAC.left()], "Ethernet: records over UDP", (0.9, 3.6), both=True, bold=True
    ),
    Arrow([HOST.bottom(), (HOST.bottom()[0], 0.65), UART.left()], "UART: records, COBS", (0.85, 0.45), both=True),
    Arrow([MAC.right(0.75), (3.6, MAC.right(0.75)[1]), (3.6, FAST.left()[1]), FAST.left()], both=True, bold=True),
    Arrow([MAC.right(0.25), (3.6, MAC.right(0.25)[1]), (3.6, SLOTS.left()[1]), SLOTS.left()], both=True),
    Arrow([SLOTS.right(0.5), ACCELERATOR.left(0.46)], both=True),
    Arrow([SLOTS.bottom(), (SLOTS.bottom()[0], CPU.top()[1])], both=True),
    Arrow([CPU.right(), UNIT.left()], "CFU", (5.62, 2.0), both=True),
    Arrow([FAST.right(), (SERVICE.x, FAST.right()[1])], both=True, bold=True),
    Arrow([ACCELERATOR.right(), (8.12, ACCELERATOR.right()[1]), SERVICE.bottom()], both=True),
    Arrow([(UART.top()[0], _BUS), (SDRAM.top()[0], _BUS)], "Wishbone, 32 bits", (4.33, 1.04), plain=True, bold=True),
    Arrow([CPU.bottom(), (CPU.bottom()[0], _BUS)], both=True),
    *(Arrow([(box.top()[0], _BUS), box.top()], both=True) for box in (UART, ROM, CSR, SDRAM)),
    Arrow([(BUFFER.top(0.2)[0], _BUS), BUFFER.top(0.2)], both=True),
    Arrow([UNIT.bottom(0.8), BUFFER.top(0.8)], "128 bits", (7.1, 1.4), both=True, over=True),
    Arrow(
        [ACCELERATOR.right(0.2), (_PORT, ACCELERATOR.right(0.2)[1]), (_PORT, 0.65), BUFFER.right()],
        both=True,
        over=True,
    ),
)


def picture() -> str:
    """Return the diagram as SVG."""
    return draw(TITLE, DESCRIPTION, (9.0, 5.2), BOXES, ARROWS)
