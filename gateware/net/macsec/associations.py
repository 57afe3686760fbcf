# SPDX-License-Identifier: BSD-2-Clause
"""The secure associations of one direction: their keys (SAK), packet numbers and IVs (IEEE 802.1AE-2018, 10.7, 14.8).

::

    install: words of a SAK ─► KeyStream ─► (CTR service)
             packet number, suite, salt, SSCI ─► when the key is there ─► rows ─► pn, base

Association n has key slot n. An association is installed as a whole: with its key comes its first packet number. There
is no other way to set a packet number, and each use increases it. So no number is used twice under one key, unless a
key is installed twice. From the first word of a new key on, the association is not `live`. Frames that use the old key
end with it.

The IV of a frame is `base` XOR the packet number. For the suites GCM-AES-128 and -256, `base` is the SCI and 32 zeros.
For the XPN suites, it is the salt, with the SSCI added to its first four bytes. Their packet numbers have 64 bits.
"""

from litex.soc.interconnect import stream
from migen import FSM, Array, Cat, Constant, If, Memory, Module, Mux, NextState, NextValue, Signal

from ...aes.standard import WORD_BITS
from ...ctr.client import KeyPort
from ...ctr.gcm_messages import IV_BITS
from ...ctr.keyed import KeyStream
from ...memory import DISTRIBUTED, NO_RW_CHECK
from . import ASSOCIATIONS
from .sectag import AN_BITS, SCI_BITS

PN_BITS = 64
SHORT_PN_BITS = 32
SSCI_BITS = 32
INSTALL_LAYOUT = [
    ("word", WORD_BITS),
    ("an", AN_BITS),
    ("key_length", 2),
    ("xpn", 1),
    ("pn", PN_BITS),
    ("ssci", SSCI_BITS),
    ("salt", IV_BITS),
]


class AssociationReader:
    """A read port of `Associations`. `an` selects an association, to which `pn`, `base` and `xpn` belong."""

    def __init__(self):
        self.an = Signal(AN_BITS)
        self.pn = Signal(PN_BITS)
        self.base = Signal(IV_BITS)
        self.xpn = Signal()


class Associations(Module):
    """Stores the four secure associations of one direction.

    Parameters
    ----------
    keys : KeyPort
        The port of a client with a slot for each association, which does not `waits`.
    readers : int
        Number of readers.

    Attributes
    ----------
    install : stream.Endpoint, word(32), an, key_length, xpn, pn(64), ssci(32), salt(96), in
        Words of a key, first word first. The other fields are sampled with the first word. `pn` is a number; `ssci` and
        `salt` are in wire order. The SCI is sampled at the end.
    sci : Signal(64), in
        In wire order.
    clear_an : Signal(4), in
        Pulse: withdraw these associations, and zeroize their keys when no frame uses them.
    clear : Signal(), in
        Pulse: zeroize all keys, and drop all frames.
    busy : Signal(), out
        A key is being installed or zeroized.
    live : Signal(4), out
        Associations that may be used: the key is there, and there are packet numbers.
    exhausted : Signal(4), out
        Associations whose packet numbers have run out.
    readers : list of AssociationReader
    advance, next_pn, advanced : Signal(), Signal(64), Signal(2), in
        Replaces the packet number of association `advanced`.
    exhaust : Signal(), in
        With `advance`: no number is left.
    installed, slot : Signal(), Signal(2), out
        Pulse: this association was installed.
    """

    def __init__(self, keys: KeyPort, *, readers: int):
        self.install = install = stream.Endpoint(INSTALL_LAYOUT)
        self.sci = Signal(SCI_BITS)
        self.clear_an = Signal(ASSOCIATIONS)
        self.clear = Signal()
        self.busy = Signal()
        self.live = Signal(ASSOCIATIONS)
        self.exhausted = Signal(ASSOCIATIONS)
        self.readers = [AssociationReader() for _ in range(readers)]
        self.advance = Signal()
        self.next_pn = Signal(PN_BITS)
        self.advanced = Signal(AN_BITS)
        self.exhaust = Signal()
        self.installed = Signal()
        self.slot = slot = Signal(AN_BITS)

        # # #

        # The memories `numbers` and `bases` have a row for each association. No logic uses a row that is read while it
        # is written: the association is not `live`, or the row is read again. The registers `pn`, `xpn` and `offset`
        # store values of the association that is being installed.
        pn, xpn, offset = Signal(PN_BITS), Signal(), Signal(IV_BITS)
        store = Signal()
        numbers = Memory(PN_BITS, ASSOCIATIONS, name="packet_numbers")
        bases = Memory(IV_BITS + 1, ASSOCIATIONS, name="iv_bases")
        for memory in (numbers, bases):
            memory.attr = {NO_RW_CHECK, DISTRIBUTED}
            self.specials += memory
        number_write, base_write = (m.get_port(write_capable=True, async_read=True) for m in (numbers, bases))
        self.specials += number_write, base_write
        self.comb += [
            number_write.adr.eq(Mux(self.advance, self.advanced, slot)),
            number_write.dat_w.eq(Mux(self.advance, self.next_pn, pn)),
            number_write.we.eq(self.advance | store),
            base_write.adr.eq(slot),
            base_write.dat_w.eq(Cat(Mux(xpn, offset, Cat(self.sci, Constant(0, IV_BITS - SCI_BITS))), xpn)),
            base_write.we.eq(store),
            self.installed.eq(store),
        ]
        for reader in self.readers:
            number_read, base_read = (memory.get_port(async_read=True) for memory in (numbers, bases))
            self.specials += number_read, base_read
            self.comb += [
                number_read.adr.eq(reader.an),
                base_read.adr.eq(reader.an),
                reader.pn.eq(number_read.dat_r),
                Cat(reader.base, reader.xpn).eq(base_read.dat_r),
            ]

        # Keys.
        self.submodules.stream = words = KeyStream(keys, ASSOCIATIONS)
        self.submodules.fsm = fsm = FSM(reset_state="WORDS")
        begun = Signal()  # 1 if at least one word of a key has arrived
        pending = Signal(ASSOCIATIONS)  # bit n is 1 if association n is to be zeroized
        withdraw, zeroized = Signal(), Signal()
        first = Signal(AN_BITS)  # that is pending
        self.comb += [
            words.key.word.eq(install.word),
            words.key_length.eq(install.key_length),
            words.key_slot.eq(Mux(begun | fsm.ongoing("ZEROIZE"), slot, install.an)),
            words.clear.eq(self.clear),
            *[If(pending[n], first.eq(n)) for n in range(ASSOCIATIONS)],
            self.busy.eq(words.key_busy | ~fsm.ongoing("WORDS") | begun | (pending != 0)),
        ]
        fsm.act(  # the state WORDS waits for the words of a key, or for an association to zeroize
            "WORDS",
            words.key.valid.eq(install.valid),
            install.ready.eq(words.key.ready),
            If(
                ~begun & install.valid & install.ready,
                withdraw.eq(1),
                NextValue(slot, install.an),
                NextValue(pn, Mux(install.xpn, install.pn, install.pn[:SHORT_PN_BITS])),
                NextValue(xpn, install.xpn),
                NextValue(offset, install.salt ^ install.ssci),
                NextValue(begun, 1),
            )
            .Elif(
                begun & words.key_busy,
                NextState("INSTALL"),
            )
            .Elif(
                ~begun & ~install.valid & (pending != 0),
                NextValue(slot, first),
                NextState("ZEROIZE"),
            ),
        )
        fsm.act(  # the state INSTALL waits until the key is expanded, or zeroized by another client
            "INSTALL",
            If(
                ~words.key_busy & ~self.advance,
                store.eq(_bit(words.key_valid, slot)),
                NextValue(begun, 0),
                NextState("WORDS"),
            ),
        )
        fsm.act(  # the state ZEROIZE waits until the command to zeroize a key has been accepted
            "ZEROIZE",
            words.clear_slot.eq(~words.key_busy),
            If(~words.key_busy, NextState("ZEROIZED")),
        )
        fsm.act(  # the state ZEROIZED waits until no frame uses the key, and the key is zeroized
            "ZEROIZED",
            If(~words.key_busy, zeroized.eq(1), NextState("WORDS")),
        )
        for state in ("WORDS", "INSTALL", "ZEROIZE", "ZEROIZED"):
            fsm.act(state, If(keys.flush, NextValue(begun, 0), NextState("WORDS")))

        # Tracks which associations may be used (`live`), and which have no packet number left (`exhausted`).
        lives = store & (pn != 0) & ~_bit(pending, slot)
        for n in range(ASSOCIATIONS):
            withdrawn = (withdraw & (install.an == n)) | self.clear_an[n]
            ends = self.advance & self.exhaust & (self.advanced == n)
            self.sync += [
                If(lives & (slot == n), self.live[n].eq(1)),
                If(store & (slot == n) & (pn == 0), self.exhausted[n].eq(1)),
                If(ends, self.live[n].eq(0), self.exhausted[n].eq(1)),
                If(withdrawn | keys.flush, self.live[n].eq(0), self.exhausted[n].eq(0)),
                If(zeroized & (slot == n), pending[n].eq(0)),
                If(self.clear_an[n], pending[n].eq(1)),
                If(keys.flush, pending[n].eq(0)),
            ]


def _bit(bits: Signal, number: Signal):
    """Return the bit with a given number."""
    return Array([bits[n] for n in range(len(bits))])[number]
