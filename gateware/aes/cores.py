"""AES encryption cores (FIPS-197), all behind one interface: `create_core`.

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

Two or four `engines` of an iterative datapath take as many blocks in that time. The S-boxes are those of
`gateware.aes.sub_bytes`: on the ECP5, ``ecp5`` is the fastest in an iterative datapath and ``tower_cut_ecp5`` with
three or four stages the smallest in a pipeline; ``block_ram`` trades LUTs for block RAMs; ``table``, ``tower``,
``tower_cut`` and ``onehot`` are portable. All take one cycle, block RAM included, as it is the state's register.

The slot travels with its block: blocks of different keys and key lengths follow each other without a bubble. A
key is expanded into one slot while blocks of the others go on at full rate. Reset ends blocks and keys, but leaves
what data registers and memories hold: `clear` zeroizes.

Whether a block has a key is settled when it is accepted. With one, it is encrypted under that key and no other:
whatever replaces or zeroizes the key waits until the block has been through its rounds, and blocks of that slot which
come meanwhile have none. Without one, the block takes its turn all the same and is answered by zeros, with `error`. So
every block is answered, and every command on keys ends, however many blocks come.
"""

from litex.soc.interconnect import stream
from migen import Array, If, Module, Mux, Signal, bits_for

from gateware.aes.engines import Engines
from gateware.aes.iterative_cipher import RESULT_LAYOUT, WIDTHS, IterativeCipher
from gateware.aes.key_expansion import KeyExpansion
from gateware.aes.pipelined_cipher import PipelinedCipher
from gateware.aes.standard import BLOCK_BITS, WORD_BITS, length_codes
from gateware.aes.sub_bytes import IMPLEMENTATIONS, check_implementation

PIPELINED = "pipelined"
DATAPATHS = (*WIDTHS, PIPELINED)
ENGINES = (1, 2, 4)
MOST_SLOTS = 32


class Core(Module):
    """A cipher with its keys. Made by `create_core`.

    Parameters
    ----------
    cipher : Module
        An `IterativeCipher` or whatever has its ports.
    expansion : KeyExpansion
        The key expansion for it.
    slots : int
        Number of key slots.

    Attributes
    ----------
    sink : stream.Endpoint, data(128), slot, in
        Blocks to encrypt, and the slot of each one's key. Waits for the cipher alone, whether the slot holds a key or
        not. A slot that does not exist stands for the last one.
    source : stream.Endpoint, data(128), error, out
        A block for each that was accepted, in the same order: the encrypted block or, with `error`, zeros, as its slot
        held no key then.
    key : stream.Endpoint, word(32), in
        Words of a new key, first word first. The first is taken when no block of that slot is in its rounds, the
        others at once.
    key_slot, key_length : Signal, Signal(2), in
        Slot and length code (`gateware.aes.standard`) of the key that arrives; sampled with its first word.
    key_valid : Signal(slots), out
        Bit n: slot n holds an expanded key. 0 from the cycle in which a new key for it is offered at `key`, and when
        it has been cleared.
    clear : Signal(), in
        Zeroize every slot and every block; `key_busy` meanwhile.
    clear_slot : Signal(), in
        Zeroize slot `key_slot`, behind the blocks of it that are in their rounds; `key_busy` meanwhile.
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
        self.key_valid = Signal(slots, name="slots_with_key")  # `key.valid` has the other name in Verilog
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
        self.sync += If(self.clear, clearing.eq(1)).Elif(~expansion.busy, clearing.eq(0))
        self.comb += [
            self.key.connect(expansion.sink),
            expansion.slot.eq(self.key_slot),
            expansion.length.eq(self.key_length),
            expansion.clear.eq(self.clear),
            expansion.clear_slot.eq(self.clear_slot),
            expansion.enable.eq(~(stored[self.key_slot] & cipher.in_use)),
            expansion.hold.eq(cipher.in_use & ~clearing),
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
            cipher.watched.eq(Mux(expansion.clearing, expansion.keys.slot, self.key_slot)),
            cipher.flush.eq(self.flush),
            cipher.clear.eq(self.clear),
            cipher.scrub.eq(clearing),
            self.idle.eq(cipher.idle),
            self.busy.eq(self.key_busy | ~self.idle),
        ]

        # What proofs look at, beside what the cipher and the key expansion show.
        self.control = {"clearing": clearing}


def create_core(
    *, datapath, sbox: str, slots: int = 8, key_lengths=(128, 192, 256), engines: int = 1, stages: int | None = None
) -> Core:
    """One member of the family.

    Parameters
    ----------
    datapath : int
        One of `DATAPATHS`.
    sbox : str
        One of `gateware.aes.sub_bytes.IMPLEMENTATIONS`.
    slots : int
        Keys that are held at a time, 1 to `MOST_SLOTS`.
    key_lengths : tuple of int
        Key lengths in bits that can be loaded at run time: any of 128, 192 and 256. Fewer cost less; the code
        of one that is left out stands for the longest that is there.
    engines : int
        One of `ENGINES`; they share the blocks in turn.
    stages : int
        Registers of a round of the pipelined core; others have one. Default: as many as the S-box can have.

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
    ciphers = [IterativeCipher(**common, width=datapath) for _ in range(engines)]
    cipher = ciphers[0] if engines == 1 else Engines(ciphers, width=datapath, slots=slots)
    return Core(cipher=cipher, expansion=KeyExpansion(**common, width=datapath), slots=slots)
