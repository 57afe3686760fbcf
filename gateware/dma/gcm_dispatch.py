# SPDX-License-Identifier: BSD-2-Clause
"""Checks descriptors in the order of submission, like `gateware.dma.dispatch`. Descriptors can also be GCM messages.

::

    descriptor ─► queue ─► checks, ─┬─► message, or gcm_message and output_job
                           part by  ├─► read_job, gather_job     (of each part that is read)
                           part     └─► scatter_job, write_job   (of each part that is written)

A GCM message (SP 800-38D) has up to four parts: its IV, its additional data, its text and its tag. Each is a buffer at
any alignment. All of them are checked first. If all are right, the message is given, and then the jobs of each part, in
this order. Together, the jobs end once. A message with an error takes its turn as a write job that moves nothing.

A message is refused, without an access, for the reasons that hold for a CTR descriptor, and for a wrong length: of the
tag, of the IV, or of a text to decrypt that is longer than the hardware holds. The address of a part without bytes does
not count.

CTR descriptors and GCM messages pass through different engines. So a descriptor of the other mode waits until those
under way have ended. Latency: 7 cycles for CTR, 14 cycles for the message of GCM, then 4 to 5 cycles for each part.
Handshake: valid and ready everywhere. `flush` drops everything.
"""

from litex.soc.interconnect import stream
from migen import FSM, Case, Cat, If, Module, Mux, NextState, NextValue, ResetInserter, Signal, bits_for

from ..ctr.counter import WIDTHS, message_layout
from ..ctr.gcm_messages import IV_BITS, IV_BYTES, TAG_BYTES, gcm_layout
from ..memory import BlockRAMFIFO
from .align import OFFSET_BITS
from .bursts import JOBS, PARTS_READ_JOB_LAYOUT, PARTS_WRITE_JOB_LAYOUT
from .dispatch import (
    ADDRESS_BITS,
    COUNT_BITS,
    DESCRIPTOR_LAYOUT,
    check_parameters,
    inside_of,
    job_fields,
    lengths,
)
from .errors import ERROR_BITS, Error
from .gcm_output import OUTPUT_JOB_LAYOUT

MODE_CTR, MODE_ENCRYPT, MODE_DECRYPT, MODE_VERIFY = range(4)
MODE_BITS = 2
TAG_LENGTH_BITS = 5
# Fields of a descriptor. In a GCM mode, four fields differ from CTR mode. `initial` consists of an IV of 12 bytes and
# the address of the tag. If `hash_iv` is 1, the first two words of `initial` are instead the address and the length of
# an IV in memory. `index` consists of the address and the length of the additional data. `width` and `in_bits` are
# ignored.
GCM_DESCRIPTOR_LAYOUT = [
    *DESCRIPTOR_LAYOUT,
    ("mode", MODE_BITS),
    ("hash_iv", 1),
    ("tag_length", TAG_LENGTH_BITS),
]
IV, AAD, TEXT, TAG = range(4)  # the parts of a message: IV, additional data, text, tag


class GCMDispatcher(Module):
    """Queues descriptors for CTR or GCM, checks them, and makes their jobs.

    Parameters
    ----------
    regions, slots, queue_depth
        See `gateware.dma.dispatch.Dispatcher`.
    depth : int
        Most blocks of text of a message to decrypt.

    Attributes
    ----------
    descriptor : stream.Endpoint, see `GCM_DESCRIPTOR_LAYOUT`, in
    message, gather_job, scatter_job, key_valid, key_pending, done, flush
        See `gateware.dma.dispatch.Dispatcher`.
    read_job, write_job : stream.Endpoint, out
        See `gateware.dma.bursts.BurstMaster` with `parts`.
    gcm_message, output_job : stream.Endpoint, out
        See `gateware.ctr.gcm.BlockGCM` and `gateware.dma.gcm_output.GCMOutput`.
    gcm : Signal(), out
        The descriptors under way are GCM messages.
    """

    def __init__(self, *, regions, slots: int, queue_depth: int, depth: int):
        check_parameters(regions, queue_depth)
        slot_bits = bits_for(slots - 1)
        self.descriptor = stream.Endpoint(GCM_DESCRIPTOR_LAYOUT)
        self.message = stream.Endpoint(message_layout(COUNT_BITS, slot_bits))
        self.gcm_message = stream.Endpoint(gcm_layout(slot_bits))
        self.output_job = stream.Endpoint(OUTPUT_JOB_LAYOUT)
        self.read_job = stream.Endpoint(PARTS_READ_JOB_LAYOUT)
        self.gather_job = stream.Endpoint([("offset", OFFSET_BITS), ("extra", 1), ("tail", OFFSET_BITS), ("bits", 3)])
        self.scatter_job = stream.Endpoint([("offset", OFFSET_BITS)])
        self.write_job = stream.Endpoint(PARTS_WRITE_JOB_LAYOUT)
        self.key_valid = Signal(slots)
        self.key_pending = Signal(slots)
        self.done = Signal()
        self.flush = Signal()
        self.gcm = Signal()

        # # #

        self.submodules.queue = queue = ResetInserter()(BlockRAMFIFO(GCM_DESCRIPTOR_LAYOUT, queue_depth, paced=True))
        head = queue.source
        self.comb += [self.descriptor.connect(queue.sink), queue.reset.eq(self.flush)]

        # The part of the descriptor that is being checked or sent to the units. A CTR descriptor has only one part, the
        # text. Only the text has two buffers: source and destination.
        part = Signal(max=4)
        giving = Signal()  # 0: the parts of the descriptor are checked; 1: the units receive the jobs of the parts
        is_gcm, decrypts, is_text = Signal(), Signal(), Signal()
        address, size_of_part = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        words = [head.initial[ADDRESS_BITS * n : ADDRESS_BITS * (n + 1)] for n in range(4)]
        aad_length = head.index[ADDRESS_BITS:]
        whole_bytes = head.length[3:] + (head.length[:3] != 0)
        text = [address.eq(head.source), size_of_part.eq(Mux(head.in_bits & ~is_gcm, whole_bytes, head.length))]
        self.comb += [
            is_gcm.eq(head.mode != MODE_CTR),
            decrypts.eq(head.mode[1]),
            is_text.eq(~is_gcm | (part == TEXT)),
            If(
                is_text,
                *text,
            ).Else(
                Case(
                    part,
                    {
                        IV: [address.eq(words[0]), size_of_part.eq(Mux(head.hash_iv, words[1], 0))],
                        AAD: [address.eq(head.index[:ADDRESS_BITS]), size_of_part.eq(aad_length)],
                        "default": [address.eq(words[3]), size_of_part.eq(head.tag_length)],
                    },
                )
            ),
        ]

        # Lengths.
        source, destination = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        size = Signal(ADDRESS_BITS)  # bytes
        blocks = Signal(COUNT_BITS)
        last_place = Signal(OFFSET_BITS)
        extra = Signal()
        self.comb += last_place.eq(size[:OFFSET_BITS] - 1)
        self.sync += lengths(source, size, last_place, blocks, extra)

        # Checks of each part, in two steps. The first error is the result of the descriptor.
        self.submodules.fsm = fsm = ResetInserter()(FSM(reset_state="LOAD"))
        source_end, destination_end = Signal(ADDRESS_BITS + 1), Signal(ADDRESS_BITS + 1)
        inside = inside_of(regions, source, source_end) & inside_of(regions, destination, destination_end)
        found, verdict = Signal(ERROR_BITS), Signal(ERROR_BITS)
        holds = Signal(4)  # parts with bytes
        wrong_length, tag_fits = Signal(), Signal()
        self.sync += [
            source_end.eq(source + size),
            destination_end.eq(destination + size),
            If(fsm.ongoing("LOAD") & (part == IV) & ~giving, verdict.eq(Error.NONE), holds.eq(0)),
            If(
                fsm.ongoing("CHECK") & ~giving,
                If(verdict == Error.NONE, verdict.eq(found)),
                Case(part, {n: holds[n].eq(blocks != 0) for n in range(4)}),
            ),
        ]
        self.comb += [
            Case(head.tag_length, {**{n: tag_fits.eq(1) for n in TAG_BYTES}, "default": []}),
            Case(
                part,
                {
                    IV: wrong_length.eq(head.hash_iv & ((size == 0) | (size == IV_BYTES))),
                    AAD: [],
                    TEXT: wrong_length.eq((head.mode == MODE_DECRYPT) & (blocks > depth)),
                    TAG: wrong_length.eq(~tag_fits),
                },
            ),
            If((destination > source) & (destination < source_end), found.eq(Error.OVERLAP)),
            If(~inside & (~is_gcm | (blocks != 0)), found.eq(Error.BAD_ADDRESS)),
            If(is_gcm & wrong_length, found.eq(Error.LENGTH)),
            If(~is_gcm & (head.width >= len(WIDTHS)), found.eq(Error.WIDTH)),
        ]

        # Conditions for sending the descriptor to the units.
        in_flight = Signal(max=2 * JOBS + 1)
        wait, has_key = Signal(), Signal()
        here = [head.slot == n for n in range(slots)]
        error = Signal(ERROR_BITS)
        good = Signal()
        give = Signal()
        self.comb += [
            has_key.eq((Cat(*here) & self.key_valid) != 0),
            wait.eq(
                ((Cat(*here) & self.key_pending) != 0) | ((head.ordered | (self.gcm != is_gcm)) & (in_flight != 0))
            ),
            error.eq(Mux((verdict == Error.NONE) & ~has_key, Error.NO_KEY, verdict)),
            good.eq(error == Error.NONE),
        ]
        self.sync += [
            in_flight.eq(in_flight + (give & ~self.done) - (self.done & ~give)),
            If(give, self.gcm.eq(is_gcm)),
            If(self.flush, in_flight.eq(0)),
        ]

        # Messages.
        gcm_message, output_job = self.gcm_message, self.output_job
        self.comb += [
            self.message.initial.eq(head.initial),
            self.message.index.eq(head.index),
            self.message.width.eq(head.width),
            self.message.slot.eq(head.slot),
            self.message.count.eq(blocks),
            gcm_message.slot.eq(head.slot),
            gcm_message.decrypt.eq(decrypts),
            gcm_message.verify.eq(head.mode == MODE_VERIFY),
            gcm_message.iv.eq(head.initial[:IV_BITS]),
            gcm_message.iv_length.eq(Mux(head.hash_iv, words[1], IV_BYTES)),
            gcm_message.aad_length.eq(aad_length),
            gcm_message.text_length.eq(head.length),
            gcm_message.tag_length.eq(head.tag_length),
            output_job.decrypt.eq(decrypts),
            output_job.text.eq(holds[TEXT] & (head.mode != MODE_VERIFY)),
            output_job.tag_length.eq(head.tag_length),
        ]

        # Jobs. A descriptor ends when its write job ends. So a message to decrypt has a write job even if it has no
        # text. This write job ends after the tag was verified.
        reads, writes = Signal(), Signal()
        message, refusal = Signal(), Signal()
        all_ready = Signal()
        gives_jobs = Signal()
        jobs = [(self.read_job, reads), (self.gather_job, reads), (self.scatter_job, writes & ~refusal)]
        bits = Mux(head.in_bits & ~is_gcm, head.length[:3], 0)
        is_tag = part == TAG
        # For a message to encrypt: 1 if this part is the last one that the DMA reads from memory.
        last_read = (part == TEXT) | ~(holds[TEXT] | (holds[AAD] & (part == IV)))
        self.comb += [
            *job_fields(self, source, destination, size, blocks, extra, bits=bits, give=gives_jobs & writes),
            self.write_job.error.eq(error),
            self.write_job.interrupt.eq(head.interrupt),
            self.write_job.moves.eq(~refusal),
            If(
                is_gcm,
                self.read_job.final.eq(Mux(decrypts, is_tag, last_read)),
                self.write_job.final.eq(decrypts | is_tag | refusal),
                self.write_job.reads.eq(decrypts | (holds[:TAG] != 0)),
            ).Else(
                self.read_job.final.eq(1),
                self.write_job.final.eq(1),
                self.write_job.reads.eq(1),
            ),
            all_ready.eq(~message | self.message.ready),
            If(writes & ~self.write_job.ready, all_ready.eq(0)),
            *[If(wanted & ~job.ready, all_ready.eq(0)) for job, wanted in jobs],
            *[job.valid.eq(gives_jobs & wanted) for job, wanted in jobs],
            self.message.valid.eq(gives_jobs & message),
        ]

        # Sequence.
        self.comb += fsm.reset.eq(self.flush)
        next_part = [NextValue(part, part + 1), NextState("LOAD")]
        end = [head.ready.eq(1), NextValue(giving, 0), NextValue(part, IV), NextState("LOAD")]
        fsm.act(  # the state LOAD waits for a descriptor, then loads one of its parts in one cycle
            "LOAD",
            NextValue(source, address),
            NextValue(destination, Mux(is_text & (head.mode != MODE_VERIFY), head.destination, address)),
            NextValue(size, size_of_part),
            If(head.valid, NextState("ENDS")),
        )
        fsm.act(  # the state ENDS takes one cycle: it computes the end addresses of the buffers
            "ENDS",
            If(giving, NextState("PART")).Else(NextState("CHECK")),
        )
        fsm.act(  # the state CHECK takes one cycle: it checks the addresses and the length of the part
            "CHECK",
            If(
                ~is_gcm,
                NextState("GIVE"),
            )
            .Elif(
                is_tag,
                NextState("MESSAGE"),
            )
            .Else(*next_part),
        )
        # The state GIVE waits until all units are ready, and until no pending command changes the key of the
        # descriptor's slot. If the descriptor is `ordered`, or if the mode changes between CTR and GCM, the state also
        # waits until all earlier descriptors have ended.
        fsm.act(
            "GIVE",
            message.eq(good & (blocks != 0)),
            reads.eq(message),
            writes.eq(1),
            refusal.eq(~message),
            If(~wait & all_ready, give.eq(1), gives_jobs.eq(1), *end),
        )
        # Like the state GIVE, the state MESSAGE waits for key commands and earlier descriptors. It also waits until the
        # GCM engine accepts the message. If the checks found an error, the state instead waits until it can send a
        # write job, which reports the error.
        fsm.act(
            "MESSAGE",
            refusal.eq(~good),
            writes.eq(refusal),
            If(
                ~wait & refusal & all_ready,
                give.eq(1),
                gives_jobs.eq(1),
                *end,
            ),
            If(
                ~wait & good & gcm_message.ready & output_job.ready,
                give.eq(1),
                gcm_message.valid.eq(1),
                output_job.valid.eq(1),
                NextValue(giving, 1),
                NextValue(part, IV),
                NextState("LOAD"),
            ),
        )
        fsm.act(  # waits for the units
            "PART",
            reads.eq((blocks != 0) & (~is_tag | decrypts)),
            writes.eq(Mux(decrypts, part == TEXT, is_tag | ((part == TEXT) & (blocks != 0)))),
            If(all_ready, gives_jobs.eq(1), If(is_tag, *end).Else(*next_part)),
        )
