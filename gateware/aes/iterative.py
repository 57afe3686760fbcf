"""Iterative AES encryption core (FIPS-197, 5.1): one round a cycle, a block every Nr cycles.

::

    round key r ──(+)──► addend ──(+)─────► state ─► SubBytes ─► ShiftRows ─┬─► MixColumns ──┐
                   ▲               ▲                                        │                │
    sink ── r = 0 ─┘               └──────────────── r > 0 ─────────────────│────────────────┘
                                                                            └─► result ─(+)─► source
                                                                        round key Nr ────┘

`addend` holds the round key of the coming cycle, and for round 0 the block with round key 0 already
added. Thus the next block enters the state in the very cycle in which the last round of the present one
leaves it. Round key Nr is added behind the result register.

Byte order: that of `gateware.aes`. Key sizes: 128, 192 and 256 bits, chosen with each key.
Throughput: a block every 10, 12 or 14 cycles. Latency, from the acceptance of a block to `source.valid`:
Nr + 2 cycles. Key: 4 * (Nr + 1) + 1 cycles, see `gateware.aes.key_schedule`.
Handshakes: valid and ready on all three streams, and no path from `source.ready` to `sink.ready` or
into the rounds: the core waits with a finished block while the one before it has not been taken.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Memory, Module, Signal

from gateware.aes.key_schedule import ROUND_KEY_ROWS, KeySchedule
from gateware.aes.sbox import SBox
from gateware.aes.transforms import COLUMNS, byte_list, masked, mix_column, shift_rows

BLOCK_BITS = 128


class IterativeCore(Module):
    """AES encryption with a stored key schedule.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).

    Attributes
    ----------
    sink : stream.Endpoint, data(128), in
        Blocks to encrypt. `first` and `last` are not used.
    source : stream.Endpoint, data(128), out
        Encrypted blocks, in the same order.
    key : stream.Endpoint, word(32), in
        Key words, first word first. Accepted when no block is in the core and, with a key present,
        `sink` offers none.
    key_length : Signal(2), in
        See `KeySchedule`; sampled with the first word.
    key_valid : Signal(), out
        A key is ready. `sink` accepts blocks only then.
    busy : Signal(), out
        A block is in the core, or the key is being expanded or cleared.
    flush : Signal(), in
        Drop every block in the core. The key stays.
    clear : Signal(), in
        Zeroize the key and drop every block; takes 17 cycles, `busy` meanwhile.
    """

    def __init__(self, *, sbox: str = "table"):
        self.sink = stream.Endpoint([("data", BLOCK_BITS)])
        self.source = stream.Endpoint([("data", BLOCK_BITS)])
        self.key = stream.Endpoint([("word", 32)])
        self.key_length = Signal(2)
        self.key_valid = Signal()
        self.busy = Signal()
        self.flush = Signal()
        self.clear = Signal()

        # # #

        row = Signal(4)  # round key that enters the addend next
        running = Signal()  # the addend is valid: a block is in its rounds
        first_round = Signal()  # the addend is of round 0: whole block, nothing from the state
        final = Signal()  # the state has gone through round Nr - 1
        full = Signal()  # the result waits for source.ready
        stall = Signal()

        # Key schedule and round keys, in a memory that no bus reaches.
        self.submodules.schedule = schedule = KeySchedule(sbox=sbox)
        round_keys = Memory(BLOCK_BITS, ROUND_KEY_ROWS, name="round_keys")
        write_port = round_keys.get_port(write_capable=True, async_read=True)
        read_port = round_keys.get_port(async_read=True)
        self.specials += round_keys, write_port, read_port
        idle = Signal()
        self.comb += [
            idle.eq(~running & ~final & ~full),
            self.key.connect(schedule.sink),
            schedule.key_length.eq(self.key_length),
            schedule.enable.eq(idle & ~(self.sink.valid & self.key_valid)),
            schedule.clear.eq(self.clear),
            write_port.adr.eq(schedule.row),
            write_port.dat_w.eq(schedule.round_key),
            write_port.we.eq(schedule.write),
            read_port.adr.eq(row),
            self.key_valid.eq(schedule.key_valid),
            self.busy.eq(~idle | schedule.busy),
        ]

        # Datapath.
        addend = Signal(BLOCK_BITS)
        state = Signal(BLOCK_BITS)
        result = Signal(BLOCK_BITS)
        substituted = Signal(BLOCK_BITS)
        for i in range(BLOCK_BITS // 8):
            substitution = SBox(implementation=sbox)
            self.submodules += substitution
            self.comb += [
                substitution.i.eq(state[8 * i : 8 * i + 8]),
                substituted[8 * i : 8 * i + 8].eq(substitution.o),
            ]
        shifted = shift_rows(byte_list(substituted))
        mixed = Signal(BLOCK_BITS)
        self.comb += mixed.eq(Cat(*[Cat(*mix_column(shifted[4 * c : 4 * c + 4])) for c in range(COLUMNS)]))

        take = Signal()
        self.comb += take.eq(self.sink.valid & self.sink.ready)
        self.sync += [
            If(~stall, state.eq(masked(~first_round, mixed) ^ addend), addend.eq(read_port.dat_r)),
            # Apart from the data, the condition is that of `take`: an offer that is not taken is not added.
            If(~stall & (row == 0), addend.eq(read_port.dat_r ^ masked(self.sink.valid, self.sink.data))),
            If(final & ~full, result.eq(Cat(*shifted))),
        ]

        # Sequence.
        self.comb += [
            stall.eq(final & full),
            self.sink.ready.eq((row == 0) & ~stall & self.key_valid),
            self.source.valid.eq(full),
            self.source.data.eq(result ^ schedule.round_key),
        ]
        self.sync += [
            If(self.source.valid & self.source.ready, full.eq(0)),
            If(final & ~full, full.eq(1), final.eq(0)),
            If(
                ~stall,
                first_round.eq(0),
                If(
                    row == 0,
                    # Between blocks, or in round Nr - 1: the only time when a block can enter.
                    running.eq(take),
                    first_round.eq(take),
                    final.eq(running),
                    If(take, row.eq(1)),
                ).Else(row.eq(row + 1), If(row == schedule.last_round, row.eq(0))),
            ),
            If(
                self.flush | self.clear,
                *[s.eq(0) for s in (row, running, first_round, final, full, addend, state, result)],
            ),
        ]
