# SPDX-License-Identifier: BSD-2-Clause
"""The MACsec unit (SecY) with its registers.

::

    MAC ──► SecY ──► router            frames that passed
    MAC ◄── SecY ◄── users
             ▲  ▲
    CSRs ────┤  └─ CTR service ◄─ key words    (write-only: no path back)
             └─ policy, SCIs, counters

To install an association, software waits until `busy` is 0. It writes `association`, `pn`, for an XPN suite `ssci` and
`salt`, and the words of the key. Then it gives `install`, waits until `busy` is 0, and checks `live`. To change keys
without losing a frame, it installs a new association that receives, adds it to the policy's `receive`, waits until the
peer has done so too, installs the new association that transmits, and changes the policy's `transmit_an`.

**A key must not be installed twice in one direction:** its packet numbers would repeat.

EAPOL frames without SecTAG belong to the uncontrolled port. They pass in both directions, whatever the policy is; the
CPU finds them by their EtherType. After reset, all frames pass without protection, or none if the SoC requires MACsec.

Byte order: as in `gateware.net`. Packet numbers are numbers.
"""

from migen import FSM, Cat, If, Mux, NextState, NextValue, Signal

from ...aes.standard import KEY_LENGTH_128, KEY_LENGTH_256, KEY_WORDS, WORD_BITS
from ...ctr.client import Port
from ...ctr.key_store import WORDS
from .receive import Validate
from .registers import SALT_WORDS, SCI_WORDS, MACsecRegisters
from .secy import SecY


class MACsecPeripheral(MACsecRegisters):
    """The SecY with registers for the CPU.

    Parameters
    ----------
    transmit_port, receive_port : Port
        Ports of a CTR service, see `gateware.net.macsec.secy.clients`.
    required : bool
        Let no frame but EAPOL pass without MACsec, whatever the policy is.
    rows : int
        See `SecY`.

    Attributes
    ----------
    secy : SecY
        With the streams of frames.
    """

    def __init__(self, *, transmit_port: Port, receive_port: Port, required: bool = False, rows: int = 512):
        super().__init__()
        self.secy = secy = SecY(transmit_port=transmit_port, receive_port=receive_port, rows=rows)

        # # #

        control, status, policy = self.control.fields, self.status.fields, self.policy.fields
        association = self.association.fields
        transmit, receive = secy.transmit, secy.receive
        sides = (receive.associations, transmit.associations)
        self.fsm = fsm = FSM(reset_state="IDLE")
        busy, live = Signal(), Signal()
        self.comb += [
            busy.eq(secy.busy | ~fsm.ongoing("IDLE")),
            self.live.status.eq(Cat(*[side.live for side in sides])),
            self.exhausted.status.eq(Cat(*[side.exhausted for side in sides])),
            live.eq(self.live.status != 0),
            status.busy.eq(busy),
            status.expiring.eq(transmit.expiring),
        ]

        # Policy.
        self.comb += [
            status.required.eq(required),
            transmit.protect.eq(policy.protect | required),
            transmit.encrypt.eq(policy.encrypt),
            transmit.include_sci.eq(policy.include_sci),
            transmit.an.eq(policy.transmit_an),
            receive.validate.eq(Validate.STRICT if required else policy.validate),
            receive.replay_protect.eq(policy.replay_protect),
            receive.window.eq(policy.window),
            receive.receive.eq(policy.receive),
            secy.select.eq(self.counter.fields.code),
            self.count.status.eq(secy.count),
        ]
        written = Signal()  # 1 in the cycle in which software writes a locked register
        for owner, sci in (("", secy.sci), ("peer_", secy.peer_sci)):
            for n in range(SCI_WORDS):
                register, part = getattr(self, f"{owner}sci{n}"), sci[WORD_BITS * n : WORD_BITS * (n + 1)]
                self.comb += If(register.re & (busy | live), written.eq(1))
                self.sync += If(register.re & ~busy & ~live, part.eq(register.r))

        # The registers of an association. The SecY reads each word of the key from the first key register. After each
        # read, all key words move one register towards the first, and a zero enters the last register.
        install = secy.install
        key = [Signal(WORD_BITS, name=f"key_word{n}") for n in range(WORDS)]
        salt, ssci = Signal(len(install.salt)), Signal(WORD_BITS)
        registers = [(getattr(self, f"key{n}"), word) for n, word in enumerate(key)]
        registers += [(getattr(self, f"salt{n}"), salt[WORD_BITS * n : WORD_BITS * (n + 1)]) for n in range(SALT_WORDS)]
        registers += [(self.ssci, ssci)]
        for register, value in registers:
            self.comb += If(register.re & busy, written.eq(1))
            self.sync += If(register.re & ~busy, value.eq(register.r))
        left = Signal(max=WORDS + 1)
        shift, wipe, wrong, wanted = Signal(), Signal(), Signal(), Signal()
        lengths = (KEY_LENGTH_128, KEY_LENGTH_256)
        self.comb += [
            install.word.eq(key[0]),
            install.receive.eq(~association.transmit),
            install.an.eq(association.an),
            install.key_length.eq(association.key_length),
            install.xpn.eq(association.xpn),
            install.pn.eq(Cat(self.pn_lo.storage, self.pn_hi.storage)),
            install.salt.eq(salt),
            install.ssci.eq(ssci),
            wrong.eq(
                ((association.key_length != lengths[0]) & (association.key_length != lengths[1]))
                | ((self.pn_lo.storage == 0) & (~association.xpn | (self.pn_hi.storage == 0)))
            ),
            shift.eq(install.valid & install.ready),
            wanted.eq(control.install & ~busy & ~wrong & ~control.zeroize),
            secy.clear.eq(control.zeroize),
        ]
        self.sync += [
            If(shift, *[word.eq(following) for word, following in zip(key, [*key[1:], 0], strict=True)]),
            If(wipe, *[word.eq(0) for word in key]),
        ]
        fsm.act(  # the state IDLE waits for a command
            "IDLE",
            NextValue(left, Mux(association.key_length == KEY_LENGTH_128, *[KEY_WORDS[length] for length in lengths])),
            If(wanted, NextState("WORDS")),
        )
        fsm.act(  # the state WORDS waits until the SecY has accepted all words of the key
            "WORDS",
            install.valid.eq(1),
            If(shift, NextValue(left, left - 1), If(left == 1, NextState("WIPE"))),
        )
        fsm.act(  # one cycle
            "WIPE",
            wipe.eq(1),
            NextState("IDLE"),
        )
        for state in ("IDLE", "WORDS", "WIPE"):
            fsm.act(state, If(control.zeroize, wipe.eq(1), NextState("IDLE")))
        chosen = Signal(len(association.an) + 2)
        self.comb += [
            chosen.eq(1 << association.an),
            If(
                control.remove & ~busy,
                If(association.transmit, sides[1].clear_an.eq(chosen)).Else(sides[0].clear_an.eq(chosen)),
            ),
        ]

        # Packet numbers.
        readers = [side.readers[-1] for side in sides]
        number = Signal(len(readers[0].pn))
        copies = (self.pn_lo, self.pn_hi)
        self.comb += [
            *[reader.an.eq(association.an) for reader in readers],
            number.eq(Mux(association.transmit, readers[1].pn, readers[0].pn)),
            Cat(*[register.dat_w for register in copies]).eq(number),
            *[register.we.eq(control.read_pn & ~busy) for register in copies],
        ]

        # Refusals.
        refuse = Signal()
        self.comb += refuse.eq(
            written | ((control.install | control.remove | control.read_pn) & busy) | (control.install & wrong)
        )
        self.sync += [
            If(self.control.re, status.refused.eq(0)),
            If(refuse, status.refused.eq(1)),
        ]
