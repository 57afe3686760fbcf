# SPDX-License-Identifier: BSD-2-Clause
"""The kind `aes`: a Verilog module that encrypts blocks (FIPS-197) with a core of `gateware.aes.cores`."""

from typing import Any

from ..aes.cores import MOST_SLOTS
from ..codegen import registers
from . import aes_registers, buses, family, vectors
from .aes_registers import AESRegisters
from .kinds import Kind, Text
from .options import Option
from .ports import IN, OUT, Design, Phase, Stream

OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    family.CORE_ENGINES,
    family.LENGTHS,
    family.slots_option(1, MOST_SLOTS),
    family.STAGES,
    Option("bus", "ports for blocks and keys", ("stream", "axi-stream", buses.WISHBONE, buses.AXI_LITE), "stream"),
)

_STREAM_USE = """1. Hold `rst` at 1 for at least one clock edge.
2. Set {set_key}`key_length`. Offer the words of a key at `{key}`, first word first. Wait for a 1 in `key_loaded`.
3. Offer blocks at `{sink}`. Results come at `{source}` in the same order. Blocks may follow each other without a gap.

An item is taken at each clock edge at which its `valid` and `ready` are both 1. An offered item stays until it is
taken. {slots}A block of a slot without a key gets zeros as its result, and `{error}` is 1.

The core encrypts. CTR, GCM, CMAC and CCM need no decryption. `clear` zeroizes keys and data. Reset ends blocks and
keys, but registers and memories keep their contents, so use `clear` before you give the core to somebody else.

**Byte order.** Byte i of a block is bits 8i+7 to 8i, as FIPS-197 counts the bytes. A block in little-endian memory
needs no swapping. In FIPS-197, C.1, the key 000102...0f is the words `32'h03020100`, `32'h07060504`, `32'h0b0a0908`
and `32'h0f0e0d0c`. The plaintext 00112233...ff is `128'hffeeddccbbaa99887766554433221100`. The ciphertext
69c4e0d8...5a is `128'h5ac5b47080b7cdd830047b6ad8e0c469`.
"""


_REGISTER_USE = """1. Hold `rst` at 1 for at least one clock edge.
2. Write `config`, then the words of a key to `key`, first word first. Wait until the slot's bit of `key_loaded` is 1.
3. Write `block0` to `block3`, then `start` to `control`. Wait until `done` is 1 in `status`, check `error`, and read
   `result0` to `result3`.

The core encrypts. CTR, GCM, CMAC and CCM need no decryption. `clear` zeroizes keys, block and result. `cl_aes_regs.h`
has the offsets and fields in C. {bus}

One block is processed at a time, and the bus takes longer than the core. For throughput take `bus=axi-stream`.

**Byte order.** Word i of a key, a block or a result is bytes 4i to 4i+3, the first one in bits 7:0. In FIPS-197, C.1,
the key 000102...0f is the words 0x03020100, 0x07060504, 0x0b0a0908 and 0x0f0e0d0c. The plaintext 00112233...ff is the
words 0x33221100, 0x77665544, 0xbbaa9988 and 0xffeeddcc. The ciphertext 69c4e0d8...5a is the words 0xd8e0c469,
0x30047b6a, 0x80b7cdd8 and 0x5ac5b470.
"""
_BUS_USE = {
    buses.WISHBONE: "The bus is Wishbone (classic cycles); the address counts registers. Each access takes 3 cycles.",
    buses.AXI_LITE: "The bus is AXI4-Lite with words of 32 bits. Every access succeeds.",
}


def _peripheral(values: dict[str, Any]) -> registers.Peripheral:
    """Return the description of the registers, for the C header and the core's README."""
    return registers.Peripheral("AES core", "CL_AES", aes_registers, lambda: AESRegisters(values))


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
    if values["bus"] in _BUS_USE:
        design.submodules.core = unit = AESRegisters(values)
        buses.add_registers(design, unit, values["bus"])
        design.phases = register_phases(values)
        return design
    design.submodules.core = core = family.core(values)
    axi = values["bus"] == "axi-stream"
    family.add_keys(design, core, values, prefix="s_axis_key" if axi else "key", axi=axi)
    design.add("flush", core.flush, IN, "Pulse: drop all blocks; keys stay.")
    design.add("idle", core.idle, OUT, "No block is in the core.")
    valid, ready, data = ("tvalid", "tready", "tdata") if axi else ("valid", "ready", "data")
    slot, error = ("tuser", "tuser") if axi else ("slot", "error")
    sink, source = ("s_axis", "m_axis") if axi else ("in", "out")
    fields = {}
    design.add(f"{sink}_{valid}", core.sink.valid, IN, "A block is offered.")
    design.add(f"{sink}_{ready}", core.sink.ready, OUT, "The core takes the block.")
    fields["data"] = design.add(f"{sink}_{data}", core.sink.data, IN, "The block; byte i is bits 8i+7 to 8i.")
    if values["slots"] > 1:
        fields["slot"] = design.add(f"{sink}_{slot}", core.sink.slot, IN, "Slot of the key.")
    design.add(f"{source}_{valid}", core.source.valid, OUT, "A result is offered.")
    design.add(f"{source}_{ready}", core.source.ready, IN, "The user takes the result.")
    results = {
        "data": design.add(f"{source}_{data}", core.source.data, OUT, "The encrypted block, or zeros."),
        "error": design.add(f"{source}_{error}", core.source.error, OUT, "The slot held no key."),
    }
    words = {"word": next(port for port in design.ports if port.signal is core.key.word)}
    design.streams = [
        Stream("key", IN, "s_axis_key" if axi else "key", words, axi),
        Stream("in", IN, sink, fields, axi),
        Stream("out", OUT, source, results, axi),
    ]
    design.phases = phases(values)
    return design


def phases(values: dict[str, Any]) -> list[Phase]:
    """Return the steps of the test benches. They test a slot without a key, published examples, and zeroization."""
    data, last = vectors.number(vectors.PLAINTEXT), values["slots"] - 1
    refused = Phase(
        "A slot without a key gives zeros and an error.",
        sends={"in": [{"data": data, "slot": last}]},
        expects={"out": [{"data": 0, "error": 1}]},
    )
    steps = [Phase("Wait for the end of the reset.", until=("key_busy", 1, 0)), refused]
    for n, bits in enumerate(values["key_lengths"]):
        slot = (last + n) % values["slots"]
        steps.append(family.load(values, vectors.KEYS[bits], slot))
        result = [{"data": vectors.number(vectors.CIPHERTEXTS[bits])}]
        steps.append(
            Phase(
                f"FIPS-197, appendix C, AES-{bits}.",
                sends={"in": [{"data": data, "slot": slot}]},
                expects={"out": result},
                latency=("in", "out", family.latency(values, bits)),
            )
        )
        steps.append(family.load(values, vectors.BLOCK_KEYS[bits], slot))
        steps.append(
            Phase(
                f"SP 800-38A, F.1, AES-{bits}, with a gap and without.",
                sends={"in": [{"data": vectors.number(block), "slot": slot} for block in vectors.BLOCKS]},
                expects={"out": [{"data": vectors.number(block)} for block in vectors.listed(vectors.ECB[bits])]},
            )
        )
    steps.append(Phase("Zeroize everything.", {"clear": 1}))
    steps.append(Phase("Wait for its end.", {"clear": 0}, until=("key_busy", 1, 0)))
    return [*steps, refused]


def register_phases(values: dict[str, Any]) -> list[Phase]:
    """Return the steps of the test benches, for a core that software controls through registers."""
    at = {register.name: register.offset for register in registers.registers(_peripheral(values))}
    fields = {field.name: field for r in registers.registers(_peripheral(values)) for field in r.fields}
    last = values["slots"] - 1

    def wait(field: str, value: int) -> tuple:
        register = "status"
        return ("wait", at[register], fields[field].mask, value << fields[field].shift)

    def encrypt(block: bytes, result: bytes, *, error: int = 0) -> list[tuple]:
        steps = [("write", at[f"block{n}"], word) for n, word in enumerate(vectors.words(block))]
        steps += [("write", at["control"], fields["start"].mask), wait("done", 1), wait("error", error)]
        return [*steps, *[("wait", at[f"result{n}"], 2**32 - 1, word) for n, word in enumerate(vectors.words(result))]]

    refused = encrypt(vectors.PLAINTEXT, bytes(16), error=1)
    steps = [
        Phase("Select the last slot.", accesses=[wait("key_busy", 0), ("write", at["config"], last << 4)]),
        Phase("A slot without a key gives zeros and an error.", accesses=refused),
    ]
    for bits in values["key_lengths"]:
        code = family.CODES[bits]
        for key, source, pairs in (
            (vectors.KEYS[bits], "FIPS-197, appendix C", [(vectors.PLAINTEXT, vectors.CIPHERTEXTS[bits])]),
            (
                vectors.BLOCK_KEYS[bits],
                "SP 800-38A, F.1",
                zip(vectors.BLOCKS, vectors.listed(vectors.ECB[bits]), strict=True),
            ),
        ):
            accesses = [("write", at["config"], last << 4 | code)]
            for word in vectors.words(key):
                accesses += [("write", at["key"], word), wait("key_full", 0)]
            accesses += [wait("key_busy", 0), ("wait", at["key_loaded"], 1 << last, 1 << last)]
            accesses += [access for block, result in pairs for access in encrypt(block, result)]
            steps.append(Phase(f"{source}, AES-{bits}.", accesses=accesses))
    zeros = [
        ("wait", at[name], 2**32 - 1, 0) for name in ("block0", "block3", "result0", "result3", "key_loaded", "key")
    ]
    clear = [("write", at["control"], fields["clear"].mask), wait("key_busy", 0), *zeros]
    return [*steps, Phase("Zeroize everything.", accesses=clear), Phase("The key is gone.", accesses=refused)]


def files(values: dict[str, Any]) -> dict[str, str]:
    """Return the C header of the registers, as a dictionary (file name: text); empty for a core without registers."""
    return {"cl_aes_regs.h": registers.render(_peripheral(values))} if values["bus"] in _BUS_USE else {}


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    if values["bus"] in _BUS_USE:
        use = _REGISTER_USE.format(bus=_BUS_USE[values["bus"]])
        latency = [
            (w.replace("accepted to result offered", "started to done"), n) for w, n in family.latency_rows(values)
        ]
        latency = [(w, str(int(n) + 2)) for w, n in latency if "started" in w]
        found = registers.registers(_peripheral(values))
        return Text(use, latency, registers=found, waves=[buses.wave(values["bus"])])
    axi, several = values["bus"] == "axi-stream", values["slots"] > 1
    sink, source = ("s_axis", "m_axis") if axi else ("in", "out")
    use = _STREAM_USE.format(
        set_key="`key_slot` and " if several else "",
        key="s_axis_key" if axi else "key",
        sink=sink,
        source=source,
        error="m_axis_tuser" if axi else "out_error",
        slots=f"A block carries the slot of its key in `{sink}_{'tuser' if axi else 'slot'}`. " if several else "",
    )
    bits = values["key_lengths"][0]
    t = "t" if axi else ""
    wave = {
        "signal": [
            {"name": "clk", "wave": "p....|..."},
            {"name": f"{sink}_{t}valid", "wave": "01.0.|..."},
            {"name": f"{sink}_{t}ready", "wave": "1.0..|..."},
            {"name": f"{sink}_{t}data", "wave": "x3.x.|...", "data": ["block"]},
            {"name": f"{source}_{t}valid", "wave": "0....|1.0"},
            {"name": f"{source}_{t}ready", "wave": "0....|.10"},
            {"name": f"{source}_{t}data", "wave": "x....|4.x", "data": ["result"]},
        ],
        "foot": {"text": f"{family.latency(values, bits)} cycles from block to result with AES-{bits}"},
    }
    wave["signal"][1]["wave"] = "010..|..."
    wave["signal"][3]["wave"] = "x3x..|..."
    waves = [family.wave_of_key(bits // 32, "s_axis_key" if axi else "key", "tdata" if axi else "word")]
    return Text(use, family.latency_rows(values), waves=[*waves, ("A block and its result", wave)])


KIND = Kind(
    name="aes",
    about="AES encryption of blocks of 128 bits (FIPS-197), with several key lengths and key slots",
    options=OPTIONS,
    check=family.check,
    create=create,
    text=text,
    module="cipherlane_aes",
    files=files,
)
