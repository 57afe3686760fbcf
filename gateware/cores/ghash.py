# SPDX-License-Identifier: BSD-2-Clause
"""The kind `ghash`: a Verilog module that computes GHASH (SP 800-38D) with `gateware.gcm.ghash`."""

from typing import Any

from ..gcm.ghash import CYCLES, GHASH
from . import vectors
from .kinds import Kind, Text
from .options import Option
from .ports import IN, OUT, Design, Phase, Stream

CELLS = ("portable", "ecp5")
OPTIONS = (
    Option("cycles", "cycles of a product", tuple(reversed(CYCLES)), 8),
    Option("cells", "logic in portable form, or as cells of the ECP5", CELLS, "portable"),
    Option("bus", "ports for blocks", ("stream", "axi-stream"), "stream"),
)

_USE = """1. Hold `rst` at 1 for at least one clock edge.
2. Offer the subkey H at `{subkey}`: the encrypted zero block (SP 800-38D, 7.1). It stays until the next one.
3. Offer the blocks of a message at `{sink}`. For GCM these are the additional data, the ciphertext and the lengths.
4. Offer one more item with `{final}` at 1. It is not multiplied: its data is added to the result, which comes at
   `{source}`. For a tag this is the encrypted initial counter block, and for GHASH by itself it is 0.

An item is taken at each clock edge at which its `valid` and `ready` are both 1. A subkey is taken between messages
only, in 17 cycles. No time depends on data. `clear` zeroizes the subkey and all its multiples in 17 cycles.

**Byte order.** Byte i of a block is bits 8i+7 to 8i. In the GCM specification's test case 4, H is b83b5337...3b78, that
is `128'h{subkey_value:032x}`. The result is 698e57f7...ae5f, that is `128'h{result_value:032x}`.
"""


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
    design.submodules.ghash = ghash = GHASH(cycles=values["cycles"], portable=values["cells"] == "portable")
    axi = values["bus"] == "axi-stream"
    valid, ready, data, final = ("tvalid", "tready", "tdata", "tlast") if axi else ("valid", "ready", "data", "final")
    streams = []
    for name, prefix, endpoint, direction, words in (
        ("subkey", "s_axis_subkey" if axi else "subkey", ghash.subkey, IN, "subkey"),
        ("in", "s_axis" if axi else "in", ghash.sink, IN, "block, or the item that ends a message,"),
        ("out", "m_axis" if axi else "out", ghash.source, OUT, "result"),
    ):
        opposite = OUT if direction == IN else IN
        taker = "core" if direction == IN else "user"
        design.add(f"{prefix}_{valid}", endpoint.valid, direction, f"A {words} is offered.")
        design.add(f"{prefix}_{ready}", endpoint.ready, opposite, f"The {taker} takes it.")
        fields = {"data": design.add(f"{prefix}_{data}", endpoint.data, direction, "Byte i is bits 8i+7 to 8i.")}
        if name == "in":
            fields["final"] = design.add(f"{prefix}_{final}", endpoint.final, IN, "The item ends the message.")
        streams.append(Stream(name, direction, prefix, fields, axi))
    design.add("flush", ghash.flush, IN, "Pulse: drop the message under way; the subkey stays.")
    design.add("clear", ghash.clear, IN, "Pulse: drop it, and zeroize the subkey.")
    design.add("busy", ghash.busy, OUT, "A subkey is being taken or zeroized.")
    design.streams = streams
    design.phases = phases()
    return design


def phases() -> list[Phase]:
    """Return the test benches' steps: test case 4 of the GCM specification without and with a mask, zeroization."""
    case = vectors.GCM_CASES[2]
    lengths = (8 * len(case.aad)).to_bytes(8, "big") + (8 * len(case.ciphertext)).to_bytes(8, "big")
    message = [*vectors.blocks(case.aad), *vectors.blocks(case.ciphertext), lengths]
    items = [{"data": vectors.number(block)} for block in message]
    result = vectors.number(vectors.GHASH_RESULT)
    mask = vectors.number(vectors.PLAINTEXT)  # any value
    return [
        Phase(
            "The subkey of test case 4 of the GCM specification.",
            sends={"subkey": [{"data": vectors.number(vectors.GHASH_SUBKEY)}]},
            until=("busy", 1, 0),
        ),
        Phase(
            "GHASH of its additional data, ciphertext and lengths.",
            sends={"in": [*items, {"data": 0, "final": 1}]},
            expects={"out": [{"data": result}]},
            latency=("in", "out", 1),
        ),
        Phase(
            "The same message with a mask, and a message without blocks.",
            sends={"in": [*items, {"data": mask, "final": 1}, {"data": mask, "final": 1}]},
            expects={"out": [{"data": result ^ mask}, {"data": mask}]},
        ),
        Phase("Zeroize the subkey.", {"clear": 1}),
        Phase("Wait for its end.", {"clear": 0}, until=("busy", 1, 0)),
        Phase(
            "Under a zeroized subkey each message has the result 0.",
            sends={"in": [*items, {"data": 0, "final": 1}]},
            expects={"out": [{"data": 0}]},
        ),
    ]


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    axi = values["bus"] == "axi-stream"
    use = _USE.format(
        subkey="s_axis_subkey" if axi else "subkey",
        sink="s_axis" if axi else "in",
        source="m_axis" if axi else "out",
        final="s_axis_tlast" if axi else "in_final",
        subkey_value=vectors.number(vectors.GHASH_SUBKEY),
        result_value=vectors.number(vectors.GHASH_RESULT),
    )
    latency = [
        ("from block to block", str(values["cycles"])),
        ("last item of a message accepted to result offered", "1"),
        ("a subkey, or `clear`", "17"),
    ]
    sink, source, t = ("s_axis", "m_axis", "t") if axi else ("in", "out", "")
    wave = {
        "signal": [
            {"name": "clk", "wave": "p....|...."},
            {"name": f"{sink}_{t}valid", "wave": "01...|..0."},
            {"name": f"{sink}_{t}ready", "wave": "1.0..|1.0."},
            {"name": f"{sink}_{t}data", "wave": "x34..|..x.", "data": ["block", "mask"]},
            {"name": f"{sink}_{'tlast' if axi else 'final'}", "wave": "0.1..|..0."},
            {"name": f"{source}_{t}valid", "wave": "0....|..10"},
            {"name": f"{source}_{t}data", "wave": "x....|..5x", "data": ["result"]},
        ],
        "foot": {"text": f"a block every {values['cycles']} cycles"},
    }
    return Text(use, latency, waves=[("The last block of a message, the mask and the result", wave)])


KIND = Kind(
    name="ghash",
    about="GHASH (SP 800-38D), the hash of GCM, with a product in 16 cycles to one",
    options=OPTIONS,
    check=lambda values: None,
    create=create,
    text=text,
    module="cipherlane_ghash",
)
