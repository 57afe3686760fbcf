# SPDX-License-Identifier: BSD-2-Clause
"""Counts the descriptors that have not ended, and stores the results of the latest descriptors that have ended.

Descriptors end in order of submission, so two numbers tell which have ended. Number n (counted from 0 after reset,
modulo 2^16) has ended when `completed` is beyond it. Its error is at place n modulo `ENTRIES` and stays there until
number n + `ENTRIES` ends. At most `ENTRIES` descriptors are outstanding at a time.
"""

from migen import Array, Case, Cat, If, Module, Signal

from .errors import ERROR_BITS, Error

ENTRIES = 8
NUMBER_BITS = 16
PLACE_BITS = 3


class Ledger(Module):
    """Counts the descriptors that have not ended, and stores the results of the latest ones that have ended.

    Parameters
    ----------
    slot_bits : int
        Size of slot numbers.

    Attributes
    ----------
    submit, submit_slot : Signal(), Signal(slot_bits), in
        A descriptor was submitted; only while not `full`.
    done, done_error : Signal(), Signal(4), in
        The oldest outstanding descriptor has ended.
    flush : Signal(), in
        All outstanding descriptors end with ABORTED.
    submitted, completed : Signal(16), out
        Descriptors since reset, modulo 2^16.
    results : Signal(4 * ENTRIES), out
        Errors, that of place 0 in bits 3:0.
    last_error : Signal(4), out
        Error of the last descriptor that ended.
    busy, full : Signal(), out
        Some, or `ENTRIES` descriptors are outstanding.
    done_slot : Signal(slot_bits), out
        Slot of the oldest outstanding descriptor.
    """

    def __init__(self, *, slot_bits: int):
        self.submit = Signal()
        self.submit_slot = Signal(slot_bits)
        self.done = Signal()
        self.done_error = Signal(ERROR_BITS)
        self.flush = Signal()
        self.submitted = Signal(NUMBER_BITS)
        self.completed = Signal(NUMBER_BITS)
        self.results = Signal(ERROR_BITS * ENTRIES)
        self.last_error = Signal(ERROR_BITS)
        self.busy = Signal()
        self.full = Signal()
        self.done_slot = Signal(slot_bits)

        # # #

        outstanding = [Signal(name=f"outstanding_{n}") for n in range(ENTRIES)]
        slots = [Signal(slot_bits, name=f"slot_{n}") for n in range(ENTRIES)]
        errors = [self.results[ERROR_BITS * n : ERROR_BITS * (n + 1)] for n in range(ENTRIES)]
        tail = self.submitted[:PLACE_BITS]
        head = self.completed[:PLACE_BITS]
        self.comb += [
            self.busy.eq(Cat(*outstanding) != 0),
            self.full.eq(Array(outstanding)[tail]),
            self.done_slot.eq(Array(slots)[head]),
        ]
        self.sync += [
            If(
                self.done,
                self.completed.eq(self.completed + 1),
                self.last_error.eq(self.done_error),
                Case(head, {n: [outstanding[n].eq(0), errors[n].eq(self.done_error)] for n in range(ENTRIES)}),
            ),
            If(
                self.submit,
                self.submitted.eq(self.submitted + 1),
                Case(tail, {n: [outstanding[n].eq(1), slots[n].eq(self.submit_slot)] for n in range(ENTRIES)}),
            ),
            If(
                self.flush,
                self.completed.eq(self.submitted),
                If(self.busy, self.last_error.eq(Error.ABORTED)),
                *[If(outstanding[n], outstanding[n].eq(0), errors[n].eq(Error.ABORTED)) for n in range(ENTRIES)],
            ),
        ]
