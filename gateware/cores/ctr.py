# SPDX-License-Identifier: BSD-2-Clause
"""The kind `ctr`: AES in counter mode (SP 800-38A, 6.5), made of a CTR service and `gateware.ctr.blocks`."""

from typing import Any

from litex.soc.interconnect import stream
from migen import If, ResetInserter, Signal

from ..ctr.blocks import BlockCTR
from ..ctr.client import USES_MAX, Client
from ..ctr.counter import WIDTH_32, WIDTH_128
from ..ctr.keyed import KeyStream, Uses
from ..ctr.service import CTRService
from . import family, vectors
from .kinds import Kind, Text
from .options import Option
from .ports import IN, OUT, Design, Phase, Stream

COUNT_BITS = 29
MOST_SLOTS = 16
LATENCY = 4  # cycles from a message to its keystream, not counting the latency of the AES core
OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    family.CORE_ENGINES,
    family.LENGTHS,
    family.slots_option(1, MOST_SLOTS),
    Option("bus", "ports for blocks and keys", ("stream", "axi-stream"), "stream"),
)

_USE = """1. Hold `rst` at 1 for at least one clock edge. Wait until `key_busy` is 0.
2. Set {set_key}`key_length`. Offer the words of a key at `{key}`, first word first. Wait for a 1 in `key_loaded`.
3. Offer a message at `msg`: its initial counter block T1, the number of its blocks, and the width of the counter. The
   first counter block is T1 plus `msg_index`, so that data can be processed from any block on.
4. Offer the message's blocks at `{sink}`. They leave in the same order at `{source}`, encrypted or decrypted: both are
   the same in counter mode.

An item is taken at each clock edge at which its `valid` and `ready` are both 1. Several messages may be offered before
their blocks. A message takes exactly `msg_count` blocks. Bytes without their bit of `{keep}` leave as 0. A block of a
slot without a key leaves as zeros, with `{error}` at 1.

**Never use a counter block twice under one key.** The core does not remember counter blocks.

A new key for a slot, and `clear_slot`, wait until no message uses the slot. `clear` waits for nothing: it zeroizes all
keys and drops all messages. `flush` drops all messages and their blocks.

**Byte order.** Byte i of a block is bits 8i+7 to 8i. In SP 800-38A, F.5.1, the initial counter block f0f1...feff is
`128'hfffefdfcfbfaf9f8f7f6f5f4f3f2f1f0`. The first plaintext block 6bc1bee2...172a is
`128'h{plain:032x}`, and the first ciphertext block 874d6191...6ce is
`128'h{cipher:032x}`. The counter counts from byte 15 towards byte 0.
"""


class CTRCore(KeyStream):
    """Encrypts or decrypts messages in counter mode, with its own CTR service.

    Attributes
    ----------
    message : stream.Endpoint, initial(128), index(64), count(29), width(2), slot, in
    sink, source : stream.Endpoint, data(128), mask(16), bits(3), in and out
    error : Signal(), out
    flush : Signal(), in
    """

    def __init__(self, values: dict[str, Any]):
        slots = values["slots"]
        client = Client(slots=slots, count_bits=COUNT_BITS, waits=False)
        service = CTRService(core=family.core(values), clients=[client])
        port = service.ports[0]
        super().__init__(port.keys, slots)
        self.submodules.service = service
        self.submodules.mode = mode = BlockCTR(port=port)
        self.submodules.uses = uses = Uses(port.keys, slots)
        self.sink, self.source, self.error = mode.sink, mode.source, mode.error
        self.message = message = type(mode.message)(mode.message.description)
        self.flush = Signal()

        # # #

        drop, accepts, last = Signal(), Signal(), Signal()
        left = Signal(COUNT_BITS)  # number of blocks of the oldest message that have left the core through `source`
        self.submodules.counts = counts = ResetInserter()(stream.SyncFIFO([("count", COUNT_BITS)], USES_MAX))
        self.comb += [
            drop.eq(self.flush | port.keys.flush),
            mode.flush.eq(drop),
            self.message_slot.eq(message.slot),
            accepts.eq(self.message_ready & uses.room & counts.sink.ready & ~drop),
            message.connect(mode.message, omit={"valid", "ready"}),
            mode.message.valid.eq(message.valid & accepts),
            message.ready.eq(mode.message.ready & accepts),
            # A message without blocks does not count as a use of its key.
            uses.begin.eq(message.valid & message.ready & (message.count != 0)),
            uses.slot.eq(message.slot),
            counts.sink.valid.eq(uses.begin),
            counts.sink.count.eq(message.count),
            counts.reset.eq(drop),
            counts.source.ready.eq(last),
            last.eq(self.source.valid & self.source.ready & (left + 1 == counts.source.count)),
            uses.end.eq(last),
            uses.drop.eq(drop),
        ]
        self.sync += [
            If(self.source.valid & self.source.ready, left.eq(left + 1)),
            If(last | drop, left.eq(0)),
        ]


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
    design.submodules.core = core = CTRCore(values)
    axi = values["bus"] == "axi-stream"
    family.add_keys(design, core, values, prefix="s_axis_key" if axi else "key", axi=axi)
    design.add("flush", core.flush, IN, "Pulse: drop all messages and blocks; keys stay.")
    message = core.message
    fields = {
        "initial": (message.initial, "Initial counter block T1; byte i is bits 8i+7 to 8i."),
        "index": (message.index, "Blocks to skip: the first counter block is T1 plus this."),
        "count": (message.count, "Blocks of the message."),
        "width": (message.width, "Bits of the counter that count: 0 is 128, 1 is 64, 2 is 32."),
    }
    if values["slots"] > 1:
        fields["slot"] = (message.slot, "Slot of the key.")
    design.add_stream("msg", message, IN, "A message is offered.", fields)
    for name, endpoint, direction in (("in", core.sink, IN), ("out", core.source, OUT)):
        prefix = ("s_axis" if direction == IN else "m_axis") if axi else name
        valid, ready, data, keep, last = (
            ("tvalid", "tready", "tdata", "tkeep", "tlast") if axi else ("valid", "ready", "data", "keep", "last")
        )
        opposite = OUT if direction == IN else IN
        design.add(f"{prefix}_{valid}", endpoint.valid, direction, "A block is offered.")
        design.add(
            f"{prefix}_{ready}", endpoint.ready, opposite, f"The {'core' if direction == IN else 'user'} takes it."
        )
        ports = {
            "data": design.add(f"{prefix}_{data}", endpoint.data, direction, "The block; byte i is bits 8i+7 to 8i."),
            "keep": design.add(f"{prefix}_{keep}", endpoint.mask, direction, "Bit i: byte i counts."),
            "last": design.add(f"{prefix}_{last}", endpoint.last, direction, "Passed from input to output."),
        }
        if direction == OUT:
            ports["error"] = design.add(f"{prefix}_{'tuser' if axi else 'error'}", core.error, OUT, "There was no key.")
        design.streams.append(Stream(name, direction, prefix, ports, axi))
    words = {"word": next(port for port in design.ports if port.signal is core.key.word)}
    design.streams.append(Stream("key", IN, "s_axis_key" if axi else "key", words, axi))
    design.phases = phases(values)
    return design


def phases(values: dict[str, Any]) -> list[Phase]:
    """Return the test benches' steps: SP 800-38A's examples (whole, or from block 3 on), a short block, no key."""
    initial, last = vectors.number(vectors.COUNTER), values["slots"] - 1

    def message(bits: int, first: int = 0, count: int = 4, *, slot: int, text: str, counter=initial) -> Phase:
        ciphertexts = vectors.listed(vectors.CTR[bits])[first : first + count]
        plaintexts = vectors.BLOCKS[first : first + count]

        def items(blocks: list[bytes]) -> list[dict[str, int]]:
            return [
                {"data": vectors.number(block), "keep": 0xFFFF, "last": n == len(blocks) - 1}
                for n, block in enumerate(blocks)
            ]

        index = {"index": first, "count": count, "width": WIDTH_128, "slot": slot, "initial": counter}
        return Phase(text, sends={"msg": [index], "in": items(plaintexts)}, expects={"out": items(ciphertexts)})

    refused = Phase(
        "A message of a slot without a key leaves as zeros with errors.",
        sends={
            "msg": [{"initial": initial, "count": 2, "width": WIDTH_32, "slot": last}],
            "in": [{"data": initial, "keep": 0xFFFF}, {"data": initial, "keep": 0xFFFF, "last": 1}],
        },
        expects={"out": [{"keep": 0xFFFF, "error": 1}, {"keep": 0xFFFF, "error": 1, "last": 1}]},
    )
    steps = [Phase("Wait for the end of the reset.", until=("key_busy", 1, 0)), refused]
    for n, bits in enumerate(values["key_lengths"]):
        slot = (last + n) % values["slots"]
        steps.append(family.load(values, vectors.BLOCK_KEYS[bits], slot))
        steps.append(message(bits, slot=slot, text=f"SP 800-38A, F.5, AES-{bits}."))
        steps.append(message(bits, 2, 2, slot=slot, text="The same from the third block on."))
        partial = vectors.listed(vectors.CTR[bits])[0][:5]
        steps.append(
            Phase(
                "A block of five bytes.",
                sends={
                    "msg": [{"initial": initial, "count": 1, "slot": slot}],
                    "in": [{"data": vectors.number(vectors.BLOCKS[0]), "keep": 0x1F, "last": 1}],
                },
                expects={"out": [{"data": vectors.number(partial), "keep": 0x1F, "last": 1}]},
            )
        )
    steps.append(Phase("Zeroize everything.", {"clear": 1}))
    steps.append(Phase("Wait for its end.", {"clear": 0}, until=("key_busy", 1, 0)))
    return [*steps, refused]


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    axi = values["bus"] == "axi-stream"
    use = _USE.format(
        set_key="`key_slot` and " if values["slots"] > 1 else "",
        key="s_axis_key" if axi else "key",
        sink="s_axis" if axi else "in",
        source="m_axis" if axi else "out",
        keep="s_axis_tkeep" if axi else "in_keep",
        error="m_axis_tuser" if axi else "out_error",
        plain=vectors.number(vectors.BLOCKS[0]),
        cipher=vectors.number(vectors.listed(vectors.CTR[128])[0]),
    )
    sink, source, t = ("s_axis", "m_axis", "t") if axi else ("in", "out", "")
    bits = values["key_lengths"][0]
    wave = {
        "signal": [
            {"name": "clk", "wave": "p...|......"},
            {"name": "msg_valid", "wave": "010.|......"},
            {"name": "msg_ready", "wave": "1...|......"},
            {"name": "msg_initial", "wave": "x3x.|......", "data": ["T1"]},
            {"name": f"{sink}_{t}valid", "wave": "01..|..0..."},
            {"name": f"{sink}_{t}ready", "wave": "0...|.10..."},
            {"name": f"{sink}_{t}data", "wave": "x4..|..x...", "data": ["block"]},
            {"name": f"{source}_{t}valid", "wave": "0...|.10..."},
            {"name": f"{source}_{t}data", "wave": "x...|.5x...", "data": ["result"]},
        ],
        "foot": {"text": "a block leaves in the cycle in which its keystream is there"},
    }
    latency = family.latency_rows(values)
    latency = [
        (what.replace("block accepted to result offered", "message accepted to keystream"), cycles)
        if "accepted" in what
        else (what, cycles)
        for what, cycles in latency
    ]
    latency = [(what, str(int(cycles) + LATENCY - 1) if "message" in what else cycles) for what, cycles in latency]
    latency.append(("block accepted to result, once its keystream is there", "0"))
    waves = [family.wave_of_key(bits // 32, "s_axis_key" if axi else "key", "tdata" if axi else "word")]
    return Text(use, latency, waves=[*waves, ("A message of one block", wave)])


KIND = Kind(
    name="ctr",
    about="AES in counter mode (SP 800-38A) over a stream of blocks, with key slots and counters",
    options=OPTIONS,
    check=family.check,
    create=create,
    text=text,
    module="cipherlane_aes_ctr",
)
