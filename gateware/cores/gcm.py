# SPDX-License-Identifier: BSD-2-Clause
"""The kind `gcm`: AES-GCM (SP 800-38D), made of a CTR service and `gateware.ctr.gcm`."""

from typing import Any

from migen import Signal

from ..ctr.client import Client
from ..ctr.gcm import BlockGCM
from ..ctr.keyed import KeyStream, Uses
from ..ctr.service import CTRService
from ..gcm.ghash import CYCLES
from . import family, vectors
from .ctr import COUNT_BITS, MOST_SLOTS
from .kinds import Kind, Text
from .options import Option, Range
from .ports import IN, OUT, Design, Phase, Stream

DEPTHS = (16, 32, 64, 128, 256, 512)
OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    family.CORE_ENGINES,
    family.LENGTHS,
    Range("slots", "keys that the core holds", (2, MOST_SLOTS), 2),
    Option("cycles", "cycles of a product of GHASH", tuple(reversed(CYCLES)), 8),
    Option("depth", "most blocks of text of a message to decrypt", DEPTHS, 128),
    Option("bus", "ports for blocks and keys", ("stream", "axi-stream"), "stream"),
)

_USE = """1. Hold `rst` at 1 for at least one clock edge. Wait until `key_busy` is 0.
2. Set {set_key}`key_length`. Offer the words of a key at `{key}`, first word first. Wait for a 1 in `key_loaded`.
3. Offer a message at `msg`: direction, IV, and lengths in bytes.
4. Offer its blocks at `{sink}`, each part from a new block on: the IV only if it has not 12 bytes, the additional data,
   the text, and the tag if the message is to be decrypted. Bytes after the end of a part do not count.
5. The text leaves at `{source}`, and then the `result` comes.

An item is taken at each clock edge at which its `valid` and `ready` are both 1. GMAC is a message without text.

**No plaintext leaves before its tag is verified.** The core holds the text of a message to decrypt until then, so this
text has at most {depth} blocks. With a wrong tag the text is zeroized, `result_failed` is 1, and `failures` counts the
message. The comparison takes the same time for each tag. A longer text takes two steps: a message with `msg_verify`,
and if its tag is right, one with counter mode elsewhere. `result_error`: the slot had no key, or a length was refused.

**Never use an IV twice under one key.** The core does not remember IVs.

A new key for a slot, and `clear_slot`, wait until no message uses the slot. `clear` waits for nothing: it zeroizes all
keys and drops all messages.

**Byte order.** Byte i of a block, of the IV and of the tag is bits 8i+7 to 8i. In the GCM specification's test case 4,
the IV cafebabe...f888 is `96'h{iv:024x}`, and the tag 5bc94fbc...1a47 is
`128'h{tag:032x}`.
"""


class GCMCore(KeyStream):
    """Encrypts or decrypts messages in GCM, with its own CTR service.

    Attributes
    ----------
    message, sink, source, result, failures
        See `gateware.ctr.gcm.BlockGCM`.
    flush : Signal(), in
    """

    def __init__(self, values: dict[str, Any]):
        slots = values["slots"]
        service = CTRService(
            core=family.core(values), clients=[Client(slots=slots, count_bits=COUNT_BITS, waits=False)]
        )
        port = service.ports[0]
        super().__init__(port.keys, slots)
        self.submodules.service = service
        self.submodules.mode = mode = BlockGCM(port=port, cycles=values["cycles"], depth=values["depth"])
        self.submodules.uses = uses = Uses(port.keys, slots)
        self.sink, self.source, self.result, self.failures = mode.sink, mode.source, mode.result, mode.failures
        self.message = message = type(mode.message)(mode.message.description)
        self.flush = Signal()

        # # #

        drop, accepts = Signal(), Signal()
        self.comb += [
            drop.eq(self.flush | port.keys.flush),
            mode.flush.eq(self.flush),
            self.message_slot.eq(message.slot),
            accepts.eq(self.message_ready & uses.room & ~drop),
            message.connect(mode.message, omit={"valid", "ready"}),
            mode.message.valid.eq(message.valid & accepts),
            message.ready.eq(mode.message.ready & accepts),
            uses.begin.eq(message.valid & message.ready),
            uses.slot.eq(message.slot),
            uses.end.eq(self.result.valid & self.result.ready & ~drop),
            uses.drop.eq(drop),
        ]


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
    design.submodules.core = core = GCMCore(values)
    axi = values["bus"] == "axi-stream"
    family.add_keys(design, core, values, prefix="s_axis_key" if axi else "key", axi=axi)
    design.add("flush", core.flush, IN, "Pulse: drop all messages and blocks, and zeroize held text; keys stay.")
    message, result = core.message, core.result
    fields = {
        "decrypt": (message.decrypt, "Verify and decrypt; otherwise encrypt."),
        "verify": (message.verify, "With decrypt: verify the tag, and give no text."),
        "iv": (message.iv, "The IV, if it has 12 bytes; byte i is bits 8i+7 to 8i."),
        "iv_length": (message.iv_length, "Bytes of the IV, usually 12."),
        "aad_length": (message.aad_length, "Bytes of the additional data."),
        "text_length": (message.text_length, "Bytes of the text."),
        "tag_length": (message.tag_length, "Bytes of the tag: 4, 8, or 12 to 16."),
    }
    if values["slots"] > 1:
        fields["slot"] = (message.slot, "Slot of the key.")
    design.add_stream("msg", message, IN, "A message is offered.", fields)
    for name, endpoint, direction in (("in", core.sink, IN), ("out", core.source, OUT)):
        prefix = ("s_axis" if direction == IN else "m_axis") if axi else name
        valid, ready, data, keep, last = (
            ("tvalid", "tready", "tdata", "tkeep", "tlast") if axi else ("valid", "ready", "data", "keep", "last")
        )
        opposite, taker = (OUT, "core") if direction == IN else (IN, "user")
        design.add(f"{prefix}_{valid}", endpoint.valid, direction, "A block is offered.")
        design.add(f"{prefix}_{ready}", endpoint.ready, opposite, f"The {taker} takes it.")
        ports = {"data": design.add(f"{prefix}_{data}", endpoint.data, direction, "Byte i is bits 8i+7 to 8i.")}
        if direction == OUT:
            ports["keep"] = design.add(f"{prefix}_{keep}", endpoint.mask, OUT, "Bit i: byte i counts; others are 0.")
            ports["last"] = design.add(f"{prefix}_{last}", endpoint.final, OUT, "The last block of the message.")
        design.streams.append(Stream(name, direction, prefix, ports, axi))
    verdict = {
        "tag": (result.tag, "The tag of an encrypted message; byte i is bits 8i+7 to 8i."),
        "failed": (result.failed, "The tag was wrong."),
        "error": (result.error, "There was no key, or a length was refused."),
    }
    design.add_stream("result", result, OUT, "A message has ended.", verdict)
    design.add("failures", core.failures, OUT, "Messages with a wrong tag since reset, at most 65,535.")
    words = {"word": next(port for port in design.ports if port.signal is core.key.word)}
    design.streams.append(Stream("key", IN, "s_axis_key" if axi else "key", words, axi))
    design.phases = phases(values)
    return design


def phases(values: dict[str, Any]) -> list[Phase]:
    """Return the steps of the test benches: GCM's published examples in both directions, wrong tags, a missing key."""
    last = values["slots"] - 1

    def message(
        case: vectors.GCMCase, text: str, *, decrypt: bool = False, tag: bytes = b"", key: bool = True
    ) -> Phase:
        given, gives = (case.ciphertext, case.plaintext) if decrypt else (case.plaintext, case.ciphertext)
        tag = tag or case.tag
        wrong = decrypt and tag != case.tag
        header = {
            "decrypt": int(decrypt),
            "iv": vectors.number(case.iv),
            "iv_length": len(case.iv),
            "aad_length": len(case.aad),
            "text_length": len(given),
            "tag_length": 16,
            "slot": last,
        }
        blocks = [*vectors.blocks(case.aad), *vectors.blocks(given), *([tag] if decrypt else [])]
        results = [
            {
                "data": vectors.number(gives[n : n + 16]),
                "keep": (1 << len(gives[n : n + 16])) - 1,
                "last": n + 16 >= len(gives),
            }
            for n in range(0, len(gives), 16)
        ]
        if not key:
            results = [each | {"data": 0} for each in results]
        verdict = {
            "tag": 0 if decrypt or not key else vectors.number(case.tag),
            "failed": int(wrong),
            "error": int(not key),
        }
        return Phase(
            text,
            sends={"msg": [header]} | ({"in": [{"data": vectors.number(block)} for block in blocks]} if blocks else {}),
            expects={"result": [verdict]}
            | ({"out": results} if results and not wrong and not (decrypt and not key) else {}),
        )

    first, third, fourth = vectors.GCM_CASES
    steps = [
        Phase("Wait for the end of the reset.", until=("key_busy", 1, 0)),
        message(fourth, "A slot without a key ends with an error.", key=False),
    ]
    if 128 in values["key_lengths"]:
        steps.append(family.load(values, first.key, last))
        steps.append(message(first, "Test case 1 of the GCM specification."))
        steps.append(family.load(values, third.key, last))
        for case, number in ((third, 3), (fourth, 4)):
            steps.append(message(case, f"Test case {number}, encrypted."))
            steps.append(message(case, f"Test case {number}, decrypted.", decrypt=True))
        wrong = bytes([fourth.tag[0] ^ 1]) + fourth.tag[1:]
        steps.append(message(fourth, "A wrong tag gives no text.", decrypt=True, tag=wrong))
        steps.append(Phase("It was counted.", until=("failures", 0xFFFF, 1)))
        steps.append(message(fourth, "The next message is right.", decrypt=True))
    for bits in values["key_lengths"]:
        if bits != 128:
            key, nonce = vectors.BLOCK_KEYS[bits], vectors.COUNTER[:12]
            sealed = vectors.SEALED[bits]
            case = vectors.GCMCase(key, nonce, b"", b"".join(vectors.BLOCKS), sealed[:-16], sealed[-16:])
            steps.append(family.load(values, key, last))
            steps.append(message(case, f"The blocks of SP 800-38A under its key of {bits} bits.", decrypt=True))
            steps.append(message(case, "The same, encrypted."))
    steps.append(Phase("Zeroize everything.", {"clear": 1}))
    steps.append(Phase("Wait for its end.", {"clear": 0}, until=("key_busy", 1, 0)))
    steps.append(message(fourth, "The key is gone.", key=False))
    return steps


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    axi = values["bus"] == "axi-stream"
    case = vectors.GCM_CASES[2]
    use = _USE.format(
        set_key="`key_slot` and " if values["slots"] > 1 else "",
        key="s_axis_key" if axi else "key",
        sink="s_axis" if axi else "in",
        source="m_axis" if axi else "out",
        depth=values["depth"],
        iv=vectors.number(case.iv),
        tag=vectors.number(case.tag),
    )
    sink, source, t = ("s_axis", "m_axis", "t") if axi else ("in", "out", "")
    wave = {
        "signal": [
            {"name": "clk", "wave": "p...|....|..."},
            {"name": "msg_valid", "wave": "010.|....|..."},
            {"name": f"{sink}_{t}valid", "wave": "01..|...0|..."},
            {"name": f"{sink}_{t}ready", "wave": "010.|1010|..."},
            {"name": f"{sink}_{t}data", "wave": "x3.4|.5.x|...", "data": ["additional data", "text", "text"]},
            {"name": f"{source}_{t}valid", "wave": "0...|1010|..."},
            {"name": "result_valid", "wave": "0...|....|10."},
            {"name": "result_tag", "wave": "x...|....|6x.", "data": ["tag"]},
        ],
        "foot": {"text": "encryption of two blocks of text with one block of additional data"},
    }
    cycles = values["cycles"]
    latency = [(what, number) for what, number in family.latency_rows(values) if "from block" in what]
    latency += [
        ("GHASH: from block to block", str(cycles)),
        ("last block of a message to its result, at most", str(2 * cycles + 6)),
        ("a message of another slot than the one before it, more", "17"),
    ]
    waves = [family.wave_of_key(4, "s_axis_key" if axi else "key", "tdata" if axi else "word")]
    return Text(use, latency, waves=[*waves, ("A message", wave)])


KIND = Kind(
    name="gcm",
    about="AES-GCM (SP 800-38D) over a stream of blocks: no plaintext leaves before its tag is verified",
    options=OPTIONS,
    check=family.check,
    create=create,
    text=text,
    module="cipherlane_aes_gcm",
)
