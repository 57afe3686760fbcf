# SPDX-License-Identifier: BSD-2-Clause
"""AES encryption cores (FIPS-197). `create_core` returns a core; all cores have the same ports.

::

    key ─► KeyExpansion ─► round keys ─┐
                 key_valid, lengths    ▼
    sink ─► (has a key?) ──► one or more ciphers ─► source, with `error` where there was none

========== =================================== ======================
`datapath`  cycles a block, AES-128, 192, 256   latency, cycles
========== =================================== ======================
32          40, 48, 56                          4 * Nr + 8
64          20, 24, 28                          2 * Nr + 6
128         10, 12, 14                          Nr + 5
pipelined   1                                   stages * Nr + 5, with Nr of the longest key length
========== =================================== ======================

Several `engines` of an iterative datapath finish as many blocks in that time. `gateware.aes.sub_bytes` has the
S-boxes. On the ECP5, ``ecp5`` is the fastest in an iterative datapath, and ``tower_cut_ecp5`` with three or four stages
is the smallest in a pipeline. ``block_ram`` trades LUTs for block RAMs. ``table``, ``tower``, ``tower_cut`` and
``onehot`` are portable. All take one cycle, block RAM included, because the S-box contains the state's register.

The slot travels with its block, so blocks with different keys and key lengths follow each other without a gap. A key is
expanded into one slot while blocks of other slots continue at full rate. Reset ends blocks and keys, but data registers
and memories keep their contents; `clear` zeroizes them.

The core decides at acceptance whether a block has a key. A block with a key is encrypted under that key and no other:
replacing or zeroizing the key waits until the block has passed its rounds, and blocks of that slot that arrive
meanwhile have no key. A block without a key takes its turn too and is answered with zeros and `error`. So every block
is answered, and every key command ends, however many blocks arrive.
"""

from litex.soc.interconnect import stream
from migen import Array, If, Module, Mux, Signal, bits_for

from .engines import Engines
from .iterative_cipher import RESULT_LAYOUT, WIDTHS, IterativeCipher
from .key_expansion import KeyExpansion
from .pipelined_cipher import PipelinedCipher
from .standard import BLOCK_BITS, WORD_BITS, length_codes
from .sub_bytes import IMPLEMENTATIONS, check_implementation

PIPELINED = "pipelined"
DATAPATHS = (*WIDTHS, PIPELINED)
ENGINES = (1, 2, 4, 6)
MOST_SLOTS = 32


class Core(Module):
    """An AES core: a cipher with its key expansion, made by `create_core`.

    Parameters
    ----------
    cipher : Module
        An `IterativeCipher`, or a module with the same ports.
    expansion : KeyExpansion
        The key expansion for it.
    slots : int
        Number of key slots.

    Attributes
    ----------
    sink : stream.Endpoint, data(128), slot, in
        Blocks to encrypt, each with the slot of its key. Waits only for the cipher, whether the slot holds a key or
        not. A slot that does not exist stands for the last one.
    source : stream.Endpoint, data(128), error, out
        One block for each accepted block, in the same order: the encrypted block, or zeros with `error` if its slot
        held no key at acceptance.
    key : stream.Endpoint, word(32), in
        Words of a new key, first word first. The first word is taken when no block of that slot is in its rounds, the
        others at once.
    key_slot, key_length : Signal, Signal(2), in
        Slot and length code (`gateware.aes.standard`) of the arriving key; sampled with its first word.
    key_valid : Signal(slots), out
        Bit n: slot n holds an expanded key. It is 0 from the cycle in which `key` offers a new key for the slot, and
        after the slot has been cleared.
    clear : Signal(), in
        Zeroize every slot and every block; `key_busy` meanwhile.
    clear_slot : Signal(), in
        Zeroize slot `key_slot` after its blocks have left their rounds; `key_busy` meanwhile.
    flush : Signal(), in
        Drop all blocks; keys stay.
    idle : Signal(), out
        No block is in the core.
    key_busy : Signal(), out
        A key is being expanded, or slots are being cleared.
    busy : Signal(), out
        Either of the two.
    """

    def __init__(self, *, cipher: Module, expansion: KeyExpansion, slots: int):
        slot_bits = bits_for(slots - 1)
        self.sink = stream.Endpoint([("data", BLOCK_BITS), ("slot", slot_bits)])
        self.source = stream.Endpoint(RESULT_LAYOUT)
        self.key = stream.Endpoint([("word", WORD_BITS)])
        self.key_slot = Signal(slot_bits)
        self.key_length = Signal(2)
        # In Verilog, key_valid is already the name of the port `key.valid`. So this signal gets another name there.
        self.key_valid = Signal(slots, name="slots_with_key")
        self.clear = Signal()
        self.clear_slot = Signal()
        self.flush = Signal()
        self.idle = Signal()
        self.key_busy = Signal()
        self.busy = Signal()

        # # #

        # Keys.
        self.submodules.expansion = expansion
        stored = Array([expansion.key_valid[n] for n in range(slots)])
        valid = Array([self.key_valid[n] for n in range(slots)])
        clearing = Signal()
        # The cipher's `in_use` tells whether blocks still use a certain slot. If `about_zeroized` is 1, this is the
        # slot that the expansion zeroizes; otherwise it is the slot of the next key. `expansion.clearing` becomes valid
        # late in a cycle, so the register `about_zeroized` delays this signal by one cycle. Zeroization and the next
        # key both wait for this cycle.
        about_zeroized = Signal()
        self.sync += [
            If(self.clear, clearing.eq(1)).Elif(~expansion.busy, clearing.eq(0)),
            about_zeroized.eq(expansion.clearing),
        ]
        self.comb += [
            self.key.connect(expansion.sink),
            expansion.slot.eq(self.key_slot),
            expansion.length.eq(self.key_length),
            expansion.clear.eq(self.clear),
            expansion.clear_slot.eq(self.clear_slot),
            expansion.enable.eq(~about_zeroized & ~(stored[self.key_slot] & cipher.in_use)),
            expansion.hold.eq((~about_zeroized | cipher.in_use) & ~clearing),
            *[
                self.key_valid[n].eq(expansion.key_valid[n] & ~(self.key.valid & (self.key_slot == n)))
                for n in range(slots)
            ],
            self.key_busy.eq(expansion.busy | cipher.zeroizing),
        ]

        # Blocks.
        self.submodules.cipher = cipher
        self.comb += [
            cipher.sink.data.eq(self.sink.data),
            cipher.sink.slot.eq(self.sink.slot),
            cipher.sink.length.eq(Array(expansion.lengths)[self.sink.slot]),
            cipher.sink.error.eq(~valid[self.sink.slot]),
            cipher.sink.valid.eq(self.sink.valid),
            self.sink.ready.eq(cipher.sink.ready),
            cipher.source.connect(self.source),
            cipher.keys.eq(expansion.keys),
            cipher.watched.eq(Mux(about_zeroized, expansion.keys.slot, self.key_slot)),
            cipher.flush.eq(self.flush),
            cipher.clear.eq(self.clear),
            cipher.scrub.eq(clearing),
            self.idle.eq(cipher.idle),
            self.busy.eq(self.key_busy | ~self.idle),
        ]

        # Signals that the formal proofs use, in addition to signals of the cipher and the key expansion.
        self.control = {"clearing": clearing, "about_zeroized": about_zeroized}


def create_core(
    *,
    datapath,
    sbox: str,
    slots: int = 8,
    key_lengths=(128, 192, 256),
    engines: int = 1,
    stages: int | None = None,
    key_stages: int = 1,
) -> Core:
    """Return an AES core with these parameters.

    Parameters
    ----------
    datapath : int
        One of `DATAPATHS`.
    sbox : str
        One of `gateware.aes.sub_bytes.IMPLEMENTATIONS`.
    slots : int
        Number of keys that the core holds, 1 to `MOST_SLOTS`.
    key_lengths : tuple of int
        Key lengths in bits that can be loaded at run time: any of 128, 192 and 256. Fewer cost less. The code of a
        missing length counts as the longest length given.
    engines : int
        One of `ENGINES`; they take blocks in turn.
    stages : int
        Registers in a round of the pipelined core; other cores have one. Default: as many as the S-box allows.
    key_stages : int
        Registers of the S-boxes in the key expansion of an iterative core. The pipelined core has `stages`.

    Raises
    ------
    ValueError
        A parameter is none of these.
    """
    if datapath not in DATAPATHS:
        raise ValueError(f"datapath is {datapath!r}; give one of {', '.join(map(str, DATAPATHS))}")
    if not 1 <= slots <= MOST_SLOTS:
        raise ValueError(f"slots is {slots}; give 1 to {MOST_SLOTS}")
    if engines not in ENGINES:
        raise ValueError(f"engines is {engines}; give one of {', '.join(map(str, ENGINES))}")
    check_implementation(sbox)
    length_codes(key_lengths)
    common = {"slots": slots, "key_lengths": key_lengths, "sbox": sbox}
    if datapath == PIPELINED:
        if engines != 1:
            raise ValueError(f"engines is {engines}; the pipelined core takes a block a cycle, give 1")
        stages = IMPLEMENTATIONS[sbox] if stages is None else stages
        check_implementation(sbox, stages)
        expansion = KeyExpansion(**common, sbox_stages=stages)
        return Core(cipher=PipelinedCipher(**common, stages=stages), expansion=expansion, slots=slots)
    check_implementation(sbox, key_stages)
    ciphers = [IterativeCipher(**common, width=datapath) for _ in range(engines)]
    cipher = ciphers[0] if engines == 1 else Engines(ciphers, width=datapath, slots=slots)
    return Core(cipher=cipher, expansion=KeyExpansion(**common, width=datapath, sbox_stages=key_stages), slots=slots)
