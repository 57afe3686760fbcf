# SPDX-License-Identifier: BSD-2-Clause
"""The kind `accelerator`: AES-CTR accelerator with registers on Wishbone or AXI4-Lite, and a bus master for data."""

from typing import Any

from litex.soc.interconnect.axi import AXILiteInterface, Wishbone2AXILite

from ..aes.standard import KEY_LENGTHS as CODES
from ..codegen import registers
from ..ctr.service import CTRService
from ..dma.accelerator import MAX_SLOTS, CTRAccelerator, client
from ..dma.errors import Error
from ..dma.registers import AcceleratorRegisters
from . import buses, family, vectors
from .kinds import Kind, Text
from .options import Option, Region
from .ports import OUT, Design, Memory, Phase

WORDS = 256  # size of the memory in the test benches, in words of 128 bits
REGION = (0x4000_0000, 0x1_0000)
OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    family.CORE_ENGINES,
    family.LENGTHS,
    family.slots_option(8, MAX_SLOTS),
    Region("memory", "memory that the accelerator may read and write", (), REGION),
    Option("bus", "bus of the registers and of the memory", (buses.WISHBONE, buses.AXI_LITE), buses.WISHBONE),
)

_USE = """1. Hold `rst` at 1 for at least one clock edge. Wait until `key_busy` is 0 in `status`.
2. Write the length and the slot to `key_config`, the words of the key to `key0` and following, then `load_key` to
   `control`. Wait until `key_busy` is 0, and check the slot's bit of `key_valid`.
3. Write `iv0` to `iv3`, `source`, `destination`, `length` and `options`, then `start` to `control`. Check that
   `refused` is 0 in `status`. Up to 8 descriptors may be outstanding.
4. Wait for `irq`, or until `completed` has passed the descriptor's number, and read `results`.

The accelerator reads and writes {size:#x} bytes from {origin:#x}, and nothing else. {bus}

`cl_accel_regs.h` has the offsets and fields in C. Addresses and lengths are in bytes, at any alignment. Every
descriptor ends, with data or with an error: an access to memory ends after 4,096 cycles at most. Keys are write-only.

**Never use a counter block twice under one key.** The accelerator does not remember counter blocks.

**Byte order.** Word i of a key or of `iv` is bytes 4i to 4i+3, the first one in bits 7:0. Memory is little-endian:
byte i of a word of 128 bits is bits 8i+7 to 8i. In SP 800-38A, F.5.1, `iv0` is 0xf3f2f1f0.
"""
_BUS_USE = {
    buses.WISHBONE: "Both buses are Wishbone. The memory's has words of 128 bits, with registered-feedback bursts.",
    buses.AXI_LITE: "Both buses are AXI4-Lite. The memory's has words of 128 bits and no bursts, so each block takes "
    "several cycles: for the core's throughput take `bus=wishbone`.",
}
_MASTER = {
    "adr": "Address, in words of 128 bits.",
    "dat_w": "Data to write.",
    "dat_r": "Data read, valid with ack.",
    "sel": "Bytes to write.",
    "cyc": "A cycle is under way.",
    "stb": "An access is requested.",
    "we": "The access writes.",
    "cti": "Cycle type: 2 in a burst with increasing addresses, 7 at its end, otherwise 0.",
    "ack": "The access has ended.",
    "err": "The access has failed.",
}


def _peripheral(values: dict[str, Any]) -> registers.Peripheral:
    slots = values["slots"]
    return registers.Peripheral(
        "CTR accelerator", "CL_ACCEL", registers.ACCELERATOR.module, lambda: AcceleratorRegisters(slots=slots)
    )


def create(values: dict[str, Any]) -> Design:
    """Return the accelerator with its ports."""
    design = Design()
    service = CTRService(core=family.core(values), clients=[client(values["slots"])])
    design.submodules.service = service
    design.submodules.accelerator = unit = CTRAccelerator(service=service.ports[0], regions=[values["memory"]])
    buses.add_registers(design, unit, values["bus"])
    design.add("irq", unit.ev.irq, OUT, "Interrupt: an enabled event is pending.")
    axi = values["bus"] == buses.AXI_LITE
    if axi:
        master = AXILiteInterface(data_width=128, address_width=32)
        design.submodules.to_axi = Wishbone2AXILite(unit.bus, master)
        buses.add_axi_lite(design, master, "m_axi", bits=32, master=True)
    else:
        buses.add_master(design, unit.bus, "dma", _MASTER)
    design.memory = Memory("m_axi" if axi else "dma", axi, values["memory"][0], WORDS)
    design.phases = phases(values)
    return design


def phases(values: dict[str, Any]) -> list[Phase]:
    """Return the steps of the test benches: SP 800-38A's examples in memory, unaligned data, and errors."""
    found = registers.registers(_peripheral(values))
    at = {register.name: register.offset for register in found}
    fields = {f"{r.name}.{field.name}": field for r in found for field in r.fields}
    origin, size = values["memory"]
    last = values["slots"] - 1
    number = 0

    def command(name: str) -> tuple:
        return ("write", at["control"], fields[f"control.{name}"].mask)

    def wait(name: str, value: int) -> tuple:
        field = fields[name]
        return ("wait", at[name.split(".")[0]], field.mask, value << field.shift)

    def descriptor(source: int, destination: int, length: int, *, error: Error = Error.NONE, slot: int = last) -> list:
        nonlocal number
        options = slot | fields["options.interrupt"].mask
        steps = [("write", at[f"iv{n}"], word) for n, word in enumerate(vectors.words(vectors.COUNTER))]
        steps += [("write", at["source"], origin + source), ("write", at["destination"], origin + destination)]
        steps += [("write", at["length"], length), ("write", at["options"], options), command("start")]
        shift = 4 * (number % 8)
        number += 1
        steps += [wait("status.refused", 0), ("wait", at["completed"], 0xFFFF, number)]
        return [*steps, ("wait", at["results"], 0xF << shift, int(error) << shift)]

    def fill(first: int, data: bytes) -> list:
        return [("fill", first + n, vectors.number(block)) for n, block in enumerate(vectors.blocks(data))]

    def compare(first: int, data: bytes) -> list:
        return [("compare", first + n, vectors.number(block)) for n, block in enumerate(vectors.blocks(data))]

    text = b"".join(vectors.BLOCKS)
    steps = [
        Phase(
            "A slot without a key ends with an error.",
            accesses=[
                wait("status.key_busy", 0),
                ("write", at["ev_enable"], 1),
                *descriptor(0, 0x100, 64, error=Error.NO_KEY),
            ],
            until=("irq", 1, 1),
        ),
        Phase("The interrupt ends.", accesses=[("write", at["ev_pending"], 1)], until=("irq", 1, 0)),
    ]
    for bits in values["key_lengths"]:
        key = [("write", at["key_config"], CODES[bits] | last << fields["key_config.slot"].shift)]
        key += [("write", at[f"key{n}"], word) for n, word in enumerate(vectors.words(vectors.BLOCK_KEYS[bits]))]
        key += [command("load_key"), wait("status.key_busy", 0), ("wait", at["key_valid"], 1 << last, 1 << last)]
        result = b"".join(vectors.listed(vectors.CTR[bits]))
        moved = bytes(5) + result[:20]
        steps += [
            Phase(f"A key of {bits} bits.", accesses=key),
            Phase(
                "SP 800-38A, F.5, from memory to memory.",
                accesses=[*fill(0, text), *fill(16, bytes(64)), *descriptor(0, 0x100, 64), *compare(16, result)],
            ),
            Phase(
                "Twenty bytes to another alignment.",
                accesses=[*fill(32, bytes(32)), *descriptor(0, 0x205, 20), *compare(32, moved)],
            ),
            Phase("In place.", accesses=[*descriptor(0, 0, 64), *compare(0, result)]),
        ]
    outside = descriptor(0, size - 16, 64, error=Error.BAD_ADDRESS)
    clear = [command("zeroize"), wait("status.key_busy", 0), ("wait", at["key_valid"], 2**32 - 1, 0)]
    steps.append(Phase("A buffer outside the memory.", accesses=outside))
    steps.append(Phase("Zeroize everything.", accesses=clear))
    return steps


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    origin, size = values["memory"]
    use = _USE.format(origin=origin, size=size, bus=_BUS_USE[values["bus"]])
    latency = [(what, cycles) for what, cycles in family.latency_rows(values) if "from block" in what]
    found = registers.registers(_peripheral(values))
    return Text(use, latency, registers=found, waves=[buses.wave(values["bus"])])


def files(values: dict[str, Any]) -> dict[str, str]:
    """Return the C header of the registers."""
    return {"cl_accel_regs.h": registers.render(_peripheral(values))}


KIND = Kind(
    name="accelerator",
    about="the AES-CTR accelerator: registers for software, and a bus master that encrypts from memory to memory",
    options=OPTIONS,
    check=family.check,
    create=create,
    text=text,
    module="cipherlane_accelerator",
    files=files,
)
