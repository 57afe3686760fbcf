# SPDX-License-Identifier: BSD-2-Clause
"""AES encryption of blocks (FIPS-197): a core of `gateware.aes.cores` with the ports of its file."""

from typing import Any

from gateware.aes.cores import MOST_SLOTS
from gateware.cores import family, vectors
from gateware.cores.kinds import Kind, Text
from gateware.cores.options import Option
from gateware.cores.ports import IN, OUT, Design, Phase, Stream

OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    family.CORE_ENGINES,
    family.LENGTHS,
    family.slots_option(1, MOST_SLOTS),
    family.STAGES,
    Option("bus", "ports for blocks and keys", ("stream", "axi-stream"), "stream"),
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


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
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
    """Return the checks: a slot without a key, published examples, and zeroization."""
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


def text(values: dict[str, Any]) -> Text:
    """Return what the page says."""
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
)
