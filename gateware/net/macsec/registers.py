# SPDX-License-Identifier: BSD-2-Clause
"""Declares the registers of the SecY, each with its description."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage

from ...aes.standard import KEY_LENGTH_128, KEY_LENGTH_256
from ...ctr.key_store import WORDS
from ..events import EVENT_BITS
from . import ASSOCIATIONS
from .counters import Counter
from .receive import Validate
from .replay import PLACES, WINDOW_BITS
from .sectag import AN_BITS

SCI_WORDS, SALT_WORDS = 2, 3
_IGNORED = "Write-only: reads as 0. Writes are ignored while busy, and set refused."
_DIRECTIONS = "Bits 3:0 are the associations 0 to 3 that receive, bits 7:4 those that transmit."


class MACsecRegisters(LiteXModule):
    """Declares the registers; `gateware.net.macsec.peripheral` connects them."""

    def __init__(self):
        self._add_control()
        self._add_policy()
        self._add_association()
        self._add_state()

    def _add_control(self):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command; writing 0 does nothing. Reads as last "
            "written. A command that is refused sets refused and does nothing else. Give one command at a time.",
            fields=[
                CSRField(
                    "install",
                    pulse=True,
                    description="Install the association in `association`, with the key from key0 to key7, pn, ssci "
                    "and salt. The old association of this number is withdrawn at once, and frames that use its key "
                    "end with it. key0 to key7 are zeroized. The end of the command is the end of busy; "
                    "live then shows the association, or the key was lost by zeroize. Frames that the MAC does not "
                    "take can delay the end; zeroize ends the wait. Refused while busy, with another key_length, and "
                    "with a packet number of 0.",
                ),
                CSRField(
                    "remove",
                    pulse=True,
                    description="Withdraw the association in `association`, and zeroize its key when no frame uses "
                    "it. Refused while busy.",
                ),
                CSRField(
                    "read_pn",
                    pulse=True,
                    description="Copy the next packet number of the association in `association` to pn. Refused while "
                    "busy.",
                ),
                CSRField(
                    "zeroize",
                    pulse=True,
                    description="Zeroize all associations, key0 to key7 and the frames in both buffers, except a "
                    "frame that is leaving. Zeroizes the other keys of a shared CTR service too. Never refused.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the SecY. Reading has no side effect.",
            fields=[
                CSRField(
                    "busy",
                    description="A key is being installed or zeroized, or a buffer is being zeroized. 1 after reset, "
                    "until everything is zeroized.",
                ),
                CSRField(
                    "refused",
                    description="A command or a write was refused. A write to control clears it, unless that write "
                    "gives a command that is refused. Reset value 0.",
                ),
                CSRField(
                    "expiring",
                    description="The association that transmits has used three quarters of its packet numbers.",
                ),
                CSRField(
                    "required",
                    description="The SoC requires MACsec: whatever the policy is, frames to send are protected and "
                    "received frames are validated strictly. Without associations, only EAPOL passes. Constant.",
                ),
            ],
        )

    def _add_policy(self):
        self.policy = CSRStorage(
            description="What is done with frames. All fields change at once. A frame is subject to the values of the "
            "moment when its turn comes.",
            fields=[
                CSRField("protect", description="Protect the frames to send (protectFrames). Reset value 0."),
                CSRField("encrypt", description="Encrypt them too. Reset value 0."),
                CSRField("include_sci", description="Put the SCI into the SecTAG. Reset value 0."),
                CSRField(
                    "transmit_an",
                    size=AN_BITS,
                    description="Association of the next frames to send (encodingSA). Reset value 0.",
                ),
                CSRField(
                    "validate",
                    size=2,
                    reset=Validate.DISABLED,
                    values=[
                        (str(int(Validate.STRICT)), "STRICT", "Deliver only frames that passed."),
                        (str(int(Validate.CHECK)), "CHECK", "Check frames, and deliver them whatever the result."),
                        (str(int(Validate.DISABLED)), "DISABLED", "Check nothing. Reset value."),
                        ("3", "invalid", "Has the effect of STRICT."),
                    ],
                    description="What is done with received frames (validateFrames).",
                ),
                CSRField(
                    "replay_protect", description="Drop frames with old packet numbers (replayProtect). Reset value 0."
                ),
                CSRField(
                    "window",
                    size=WINDOW_BITS,
                    offset=8,
                    description="Packet numbers below the next one that are still accepted (replayWindow), at most "
                    f"{PLACES}. Reset value 0.",
                ),
                CSRField(
                    "receive",
                    size=ASSOCIATIONS,
                    offset=16,
                    description="Bit n: association n is used to receive (inUse). Reset value 0.",
                ),
            ],
        )
        for owner, text in (("", "own SCI"), ("peer_", "peer's SCI")):
            for n in range(SCI_WORDS):
                register = CSR(32, name=f"{owner}sci{n}")
                register.description = (
                    f"Bytes {4 * n} to {4 * n + 3} of the {text}, first byte in bits 7:0. Write-only: reads as 0. "
                    "While busy or while an association is live, writes are ignored and set refused. Reset value 0."
                )
                setattr(self, register.name, register)

    def _add_association(self):
        self.association = CSRStorage(
            description="The association to which a command applies. Must not be written while busy. Reset value 0.",
            fields=[
                CSRField("an", size=AN_BITS, description="Association number."),
                CSRField(
                    "transmit", offset=2, description="It is one of those that transmit, otherwise one that receives."
                ),
                CSRField("xpn", offset=3, description="install: the suite has packet numbers of 64 bits."),
                CSRField(
                    "key_length",
                    size=2,
                    offset=4,
                    values=[
                        (str(KEY_LENGTH_128), "AES_128", "Key words 0 to 3."),
                        (str(KEY_LENGTH_256), "AES_256", "Key words 0 to 7."),
                    ],
                    description="install: the length of the key.",
                ),
            ],
        )
        for name, text in (("pn_lo", "Bits 31:0"), ("pn_hi", "Bits 63:32, 0 without XPN,")):
            register = CSRStorage(
                32,
                name=name,
                write_from_dev=True,
                description=f"{text} of a packet number: the first one for install, or the result of read_pn. Must not "
                "be written while busy. Reset value 0.",
            )
            setattr(self, name, register)
        words = [("ssci", "SSCI, for XPN", 0)]
        words += [(f"salt{n}", "salt, for XPN", n) for n in range(SALT_WORDS)]
        words += [(f"key{n}", "key", n) for n in range(WORDS)]
        for name, text, n in words:
            register = CSR(32, name=name)
            zeroized = " Zeroized by reset, install and zeroize." if name.startswith("key") else " Reset value 0."
            register.description = (
                f"Bytes {4 * n} to {4 * n + 3} of the {text}, first byte in bits 7:0. {_IGNORED}{zeroized}"
            )
            setattr(self, name, register)

    def _add_state(self):
        self.live = CSRStatus(
            2 * ASSOCIATIONS,
            description=f"Associations with a key and with packet numbers. {_DIRECTIONS}",
        )
        self.exhausted = CSRStatus(
            2 * ASSOCIATIONS, description=f"Associations that have used all packet numbers. {_DIRECTIONS}"
        )
        self.counter = CSRStorage(
            fields=[
                CSRField(
                    "code",
                    size=EVENT_BITS,
                    values=[(str(int(counter)), counter.name, counter.describe()) for counter in Counter],
                    description="Counter that count shows. Reset value 0.",
                )
            ],
            description="Selects a counter of IEEE 802.1AE-2018. Each frame counts once; EAPOL frames never.",
        )
        self.count = CSRStatus(
            32, description="The selected counter, modulo 2^32. It counts from power-on and is never cleared."
        )
