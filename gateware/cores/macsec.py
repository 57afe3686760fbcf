# SPDX-License-Identifier: BSD-2-Clause
"""The kind `macsec` (IEEE 802.1AE): a SecY with its own CTR service. It is used next to an Ethernet MAC."""

from typing import Any

from litex.soc.interconnect import stream
from migen import Module, Mux, Signal

from ..aes.cores import ENGINES
from ..aes.standard import KEY_LENGTHS
from ..ctr.service import PLACES, PLACES_PIPELINED, CTRService, slots_of
from ..gcm.ghash import CYCLES
from ..net.macsec.counters import Counter
from ..net.macsec.secy import SecY, clients
from . import family, vectors
from .kinds import Kind, Text
from .options import Option, Several
from .ports import IN, OUT, Design, Phase, Stream

ROWS = (128, 256, 512, 1024)
SUITES = (128, 256)
OPTIONS = (
    family.DATAPATH,
    family.SBOX,
    Option("engines", "ciphers that share the keys and take blocks in turn", ENGINES, 4),
    Several("key_lengths", "key lengths in bits", SUITES, SUITES),
    Option("cycles", "cycles of a product of GHASH", tuple(reversed(CYCLES)), 4),
    Option("rows", "rows of 16 bytes of the buffer of each direction", ROWS, 512),
    Option("bus", "ports for frames and keys", ("stream", "axi-stream"), "stream"),
)

_USE = """The core is between an Ethernet MAC and the users of its frames. These have no preamble and no check sequence.

1. Hold `rst` at 1 for at least one clock edge. Set `sci` and `peer_sci`. Wait until `busy` is 0.
2. Install a key for each direction: set `install_receive`, `install_an`, `install_length`, and `install_pn`, the first
   packet number, usually 1. Offer the words of the key at `{install}`, first word first. For an XPN suite also set
   `install_xpn`, `install_ssci` and `install_salt`. Wait until `busy` is 0. `tx_live` or `rx_live` then has its bit.
3. Set `tx_protect`, `tx_encrypt` and `tx_include_sci`, and `rx_use` with a bit for each association in use.
4. Frames to protect enter at `{tx_in}` and leave at `{tx_out}`. Frames from the MAC enter at `{rx_in}`, and those that
   pass leave at `{rx_out}`.
5. For a new key, install it as another association in both directions, then change `tx_an`. No frame is lost.

**No word of a frame leaves before its ICV is verified.** A frame that fails is dropped, counted, and zeroized in the
buffer. `rx_validate` is 0 for strict, 1 for check, 2 for disabled (validateFrames). EAPOL frames without SecTAG
pass unchanged in both directions; `{uncontrolled}` marks them. **The core contains no key agreement (MKA).**

**A key must not be installed twice:** its packet numbers would repeat. The core counts them, stops before they repeat,
and sets `tx_expiring` when three quarters are used. A key cannot be read. `clear` zeroizes all keys and both buffers.
`tx_clear` and `rx_clear` zeroize the keys of single associations, when no frame uses them.

An item is taken at each clock edge at which its `valid` and `ready` are both 1. `{rx_in}` waits only for a few cycles
after a frame: if the buffer is full, frames are dropped and counted.

**Byte order.** Byte i of a frame is bits 8*(i%4)+7 to 8*(i%4) of word i div 4. In a frame's last word, bit n of `keep`
means that byte n counts. SCI, SSCI and salt have their first byte in bits 7:0; `install_pn` is a number.

`counter` selects what `count` shows, modulo 2^32, one cycle later:

| value | name | frames |
| --- | --- | --- |
{counters}
"""


class MACsecCore(Module):
    """A SecY (the unit that protects the frames of a link) with its own CTR service."""

    def __init__(self, values: dict[str, Any]):
        needs = clients()
        core = family.core(values | {"slots": slots_of(needs)})
        places = PLACES_PIPELINED if values["datapath"] == "pipelined" else PLACES
        self.submodules.service = service = CTRService(core=core, clients=needs, places=places)
        self.submodules.secy = self.secy = secy = SecY(
            transmit_port=service.ports[0], receive_port=service.ports[1], rows=values["rows"], cycles=values["cycles"]
        )

        # # #

        # A frame's last word can have unused bytes. LiteEth marks the frame's last byte in this word (`last_be`), and
        # AXI4-Stream marks all bytes that belong to the frame (`keep`). The statements below convert `keep` to
        # `last_be` for inputs, and `last_be` to `keep` for outputs.
        self.streams = {}
        for name, endpoint, direction in (
            ("tx_in", secy.transmit.sink, IN),
            ("tx_out", secy.transmit.source, OUT),
            ("rx_in", secy.receive.sink, IN),
            ("rx_out", secy.receive.source, OUT),
        ):
            self.streams[name] = outside = stream.Endpoint([("data", 32), ("keep", 4)])
            if direction == IN:
                inner, outer = endpoint, outside
                marks = [inner.last_be[n].eq(outer.last & outer.keep[n] & ~_bit(outer.keep, n + 1)) for n in range(4)]
            else:
                inner, outer = outside, endpoint
                marks = [inner.keep[n].eq(~outer.last | (outer.last_be[n:] != 0)) for n in range(4)]
            self.comb += [
                inner.valid.eq(outer.valid),
                outer.ready.eq(inner.ready),
                inner.data.eq(outer.data),
                inner.last.eq(outer.last),
                *marks,
            ]
        self.bad = Signal()
        self.comb += secy.receive.sink.error.eq(Mux(self.bad, 15, 0))


def _bit(bits: Signal, n: int):
    return bits[n] if n < len(bits) else 0


def create(values: dict[str, Any]) -> Design:
    """Return the core with its ports."""
    design = Design()
    design.submodules.core = core = MACsecCore(values)
    secy, axi = core.secy, values["bus"] == "axi-stream"
    tx, rx = secy.transmit, secy.receive
    design.add("sci", secy.sci, IN, "Own SCI; the first byte is bits 7:0. Change it only without keys.")
    design.add("peer_sci", secy.peer_sci, IN, "SCI of the peer, likewise.")
    install = secy.install
    prefix = "s_axis_install" if axi else "install"
    fields = {
        "word": (install.word, "Four bytes of the key, the first one in bits 7:0."),
        "receive": (install.receive, "The key is to receive; otherwise to transmit."),
        "an": (install.an, "Association number."),
        "length": (install.key_length, "Length of the key: 0 is 128 bits, 2 is 256."),
        "xpn": (install.xpn, "The suite has packet numbers of 64 bits."),
        "pn": (install.pn, "First packet number, not 0."),
        "ssci": (install.ssci, "SSCI of the sender, for XPN; the first byte is bits 7:0."),
        "salt": (install.salt, "Salt, for XPN; the first byte is bits 7:0."),
    }
    text = "A word of a key is offered, first word first. The other fields are sampled with the first word."
    valid, ready = ("tvalid", "tready") if axi else ("valid", "ready")
    design.add(f"{prefix}_{valid}", install.valid, IN, text)
    design.add(f"{prefix}_{ready}", install.ready, OUT, "The core takes the word.")
    ports = {}
    for name, (signal, words) in fields.items():
        port = f"{prefix}_tdata" if axi and name == "word" else f"install_{name}"
        ports[name] = design.add(port, signal, IN, words)
    design.streams.append(Stream("install", IN, prefix, ports, axi))
    sides = (("tx", tx.associations), ("rx", rx.associations))
    for name, side in sides:
        design.add(f"{name}_clear", side.clear_an, IN, "Pulse of bit n: zeroize the key of association n.")
        design.add(f"{name}_live", side.live, OUT, "Bit n: association n has a key and packet numbers.")
        reader = side.readers[-1]
        design.add(f"{name}_pn_an", reader.an, IN, f"Association that {name}_pn shows.")
        design.add(f"{name}_pn", reader.pn, OUT, "Its next packet number.")
    design.add("tx_exhausted", tx.associations.exhausted, OUT, "Bit n: association n has used all packet numbers.")
    design.add("tx_expiring", tx.expiring, OUT, "Association tx_an has used three quarters of its packet numbers.")
    design.add("clear", secy.clear, IN, "Pulse: zeroize all keys and both buffers, and drop all frames.")
    design.add("busy", secy.busy, OUT, "A key is being installed or zeroized, or a buffer is being zeroized.")
    design.add("tx_protect", tx.protect, IN, "Protect frames; otherwise send them unchanged.")
    design.add("tx_encrypt", tx.encrypt, IN, "Encrypt frames; otherwise protect their integrity only.")
    design.add("tx_include_sci", tx.include_sci, IN, "Put the SCI into the SecTAG.")
    design.add("tx_end_station", tx.end_station, IN, "Without SCI, set bit ES: the SCI is the source address, port 1.")
    design.add("tx_an", tx.an, IN, "Association of the next frames.")
    design.add("rx_validate", rx.validate, IN, "0: strict, 1: check, 2: disabled.")
    design.add("rx_replay_protect", rx.replay_protect, IN, "Refuse old packet numbers.")
    design.add("rx_window", rx.window, IN, "Packet numbers below the next one that may still come, 0 to 64.")
    design.add("rx_use", rx.receive, IN, "Bit n: association n is in use.")
    design.add("counter", secy.select, IN, "Counter that count shows.")
    design.add("count", secy.count, OUT, "Its value, one cycle later.")
    for name, endpoint in core.streams.items():
        direction = IN if name.endswith("_in") else OUT
        prefix = f"{'s' if direction == IN else 'm'}_axis_{name}" if axi else name
        opposite, taker = (OUT, "core") if direction == IN else (IN, "user")
        names = ("tvalid", "tready", "tdata", "tkeep", "tlast") if axi else ("valid", "ready", "data", "keep", "last")
        design.add(f"{prefix}_{names[0]}", endpoint.valid, direction, "A word of a frame is offered.")
        design.add(f"{prefix}_{names[1]}", endpoint.ready, opposite, f"The {taker} takes it.")
        ports = {
            "data": design.add(f"{prefix}_{names[2]}", endpoint.data, direction, "The first byte is bits 7:0."),
            "keep": design.add(f"{prefix}_{names[3]}", endpoint.keep, direction, "Bit n: byte n counts."),
            "last": design.add(f"{prefix}_{names[4]}", endpoint.last, direction, "The last word of the frame."),
        }
        if name == "rx_in":
            text = "With the last word: the check sequence was wrong."
            ports["bad"] = design.add(f"{prefix}_{'tuser' if axi else 'bad'}", core.bad, IN, text)
        if name == "rx_out":
            text = "The frame belongs to the uncontrolled port."
            ports["uncontrolled"] = design.add(
                f"{prefix}_{'tuser' if axi else 'uncontrolled'}", rx.uncontrolled, OUT, text
            )
        design.streams.append(Stream(name, direction, prefix, ports, axi))
    design.phases = phases(values)
    return design


# Test vectors of IEEE 802.1AE-2018, annex C.2 and C.4, in hexadecimal: addresses, SecTAG, SCI, keys, and ciphertext
# with ICV. Each dictionary is indexed by the clause (2 or 4), or by the clause and the key length in bits. The
# plaintext is `_DATA`, followed by the entry of `_ENDS` for the clause.
_ADDRESSES = {2: "d609b1f056637a0d46df998d", 4: "e20106d7cd0df0761e8dcd3d"}
_TAGS = {2: "88e52e00b2c2846512153524c0895e81", 4: "88e54c2a76d457ed"}
_SCIS = {2: "12153524c0895e81", 4: "f0761e8dcd3d0001"}
_ENDS = {2: "35363738393a0002", 4: "0004"}
_DATA = "08000f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334"
_KEYS = {
    (2, 128): "ad7a2bd03eac835a6f620fdcb506b345",
    (2, 256): "e3c08a8f06c6e3ad95a70557b23f75483ce33021a9c72b7025666204c69c0b72",
    (4, 128): "071b113b0ca743fecccf3d051f737382",
    (4, 256): "691d3ee909d7f54167fd1ca0b5d769081f2bde1aee655fdbab80bd5295ae6be7",
}
_SEALED = {
    (2, 128): "701afa1cc039c0d765128a665dab69243899bf7318ccdc81c9931da17fbe8edd7d17cb8b4c26fc81e3284f2b7fba713d"
    "4f8d55e7d3f06fd5a13c0c29b9d5b880",
    (2, 256): "e2006eb42f5277022d9b19925bc419d7a592666c925fe2ef718eb4e308efeaa7c5273b394118860a5be2a97f56ab7836"
    "5ca597cdbb3edb8d1a1151ea0af7b436",
    (4, 128): "13b4c72b389dc5018e72a171dd85a5d3752274d3a019fbcaed09a425cd9b2e1c9b72eee7c9de7d52b3f3"
    "d6a5284f4a6d3fe22a5d6c2b960494c3",
    (4, 256): "c1623f55730c93533097addad25664966125352b43adacbd61c5ef3ac90b5bee929ce4630ea79f6ce519"
    "12af39c2d1fdc2051f8b7b3c9d397ef2",
}


def _words(frame: bytes) -> list[dict[str, int]]:
    """Return the 32-bit words of a frame as items of a stream. Unused bytes of the last word are zeros."""
    parts = [frame[n : n + 4] for n in range(0, len(frame), 4)]
    return [
        {"data": vectors.number(part), "keep": (1 << len(part)) - 1, "last": int(n == len(parts) - 1)}
        for n, part in enumerate(parts)
    ]


def phases(values: dict[str, Any]) -> list[Phase]:
    """Return the test benches' steps: annex C.2 and C.4 in both directions, forged or replayed frames, no keys."""
    levels = {
        "tx_protect": 1,
        "tx_encrypt": 1,
        "rx_use": 15,
        "rx_replay_protect": 1,
    }
    steps = [Phase("Wait for the end of the reset.", levels, until=("busy", 1, 0))]
    eapol = bytes.fromhex("0180c2000003024300000001888e") + bytes(46)
    opened = b""
    for clause in _ADDRESSES:
        for bits in values["key_lengths"]:
            addresses, tag, sci = (bytes.fromhex(part[clause]) for part in (_ADDRESSES, _TAGS, _SCIS))
            key, sealed = (bytes.fromhex(part[clause, bits]) for part in (_KEYS, _SEALED))
            opened = addresses + bytes.fromhex(_DATA + _ENDS[clause])
            frame = addresses + tag + sealed
            an, included = tag[2] & 3, tag[2] >> 5 & 1
            steps.append(
                Phase(
                    f"Annex C.{clause}, GCM-AES-{bits}.",
                    {
                        "sci": vectors.number(sci),
                        "peer_sci": vectors.number(sci),
                        "tx_an": an,
                        "tx_include_sci": included,
                        "tx_end_station": 1,
                    },
                )
            )
            item = {"an": an, "length": KEY_LENGTHS[bits], "pn": int.from_bytes(tag[4:8], "big")}
            for receive, name in enumerate(("transmit", "receive")):
                items = [item | {"receive": receive, "word": word} for word in vectors.words(key)]
                live = ("rx_live" if receive else "tx_live", 1 << an, 1 << an)
                # Bit `an` of `tx_live` or `rx_live` is 1 if the SecY can use the key. The bit becomes 0 when the first
                # word of a new key arrives, so wait until the bit is 1 again.
                steps.append(Phase(f"Install the key to {name}.", sends={"install": items}, until=("busy", 1, 0)))
                steps.append(Phase("It is live.", until=live))
            steps.append(
                Phase("Protect the frame.", sends={"tx_in": _words(opened)}, expects={"tx_out": _words(frame)})
            )
            forged = frame[:-1] + bytes([frame[-1] ^ 0x80])
            steps.append(
                Phase(
                    "A forged frame is dropped; the frame passes.",
                    sends={"rx_in": [*_words(forged), *_words(frame)]},
                    expects={"rx_out": _words(opened)},
                )
            )
            steps.append(
                Phase(
                    "Its replay is dropped; EAPOL passes.",
                    sends={"rx_in": [*_words(frame), *_words(eapol)], "tx_in": _words(eapol)},
                    expects={
                        "rx_out": [word | {"uncontrolled": 1} for word in _words(eapol)],
                        "tx_out": _words(eapol),
                    },
                )
            )
    steps.append(Phase("Zeroize everything.", {"clear": 1}))
    steps.append(Phase("Wait for its end.", {"clear": 0}, until=("busy", 1, 0)))
    steps.append(
        Phase(
            "Without keys only EAPOL is sent.",
            sends={"tx_in": [*_words(opened), *_words(eapol)]},
            expects={"tx_out": _words(eapol)},
        )
    )
    return steps


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    axi = values["bus"] == "axi-stream"
    names = {name: f"{'s' if name.endswith('_in') else 'm'}_axis_{name}" if axi else name for name in _STREAMS}
    use = _USE.format(
        install="s_axis_install" if axi else "install",
        uncontrolled=f"{names['rx_out']}_{'tuser' if axi else 'uncontrolled'}",
        counters="\n".join(f"| {int(counter)} | `{counter.name}` | {counter.describe()} |" for counter in Counter),
        **names,
    )
    wave = {
        "signal": [
            {"name": "clk", "wave": "p....|........"},
            {"name": f"{names['rx_in']}_{'t' if axi else ''}valid", "wave": "01..0|........"},
            {"name": f"{names['rx_in']}_{'t' if axi else ''}last", "wave": "0..10|........"},
            {"name": f"{names['rx_out']}_{'t' if axi else ''}valid", "wave": "0....|.1..0..."},
            {"name": f"{names['rx_out']}_{'t' if axi else ''}last", "wave": "0....|...10..."},
        ],
        "foot": {"text": "a frame leaves only after its ICV is verified"},
    }
    latency = [("last word of a frame in to first word out", "depends on its length and on the other direction")]
    return Text(use, latency, waves=[("A received frame", wave)])


_STREAMS = ("tx_in", "tx_out", "rx_in", "rx_out")


KIND = Kind(
    name="macsec",
    about="MACsec (IEEE 802.1AE) with GCM-AES-128, GCM-AES-256 and their XPN suites, without key agreement: a SecY "
    "between an Ethernet MAC and its users",
    options=OPTIONS,
    check=family.check,
    create=create,
    text=text,
    module="cipherlane_macsec",
)
