# SPDX-License-Identifier: BSD-2-Clause
"""The SecY's counters, with the names of IEEE 802.1AE-2018 (10.7.9, 10.7.18)."""

from enum import IntEnum


class Counter(IntEnum):
    """The counters, modulo 2^32. A frame increments one counter; an EAPOL frame increments none."""

    InPktsUntagged = 0
    InPktsNoTag = 1
    InPktsBadTag = 2
    InPktsNoSA = 3
    InPktsNoSAError = 4
    InPktsOverrun = 5
    InPktsUnchecked = 6
    InPktsDelayed = 7
    InPktsLate = 8
    InPktsOK = 9
    InPktsInvalid = 10
    InPktsNotValid = 11
    InErrors = 12
    OutPktsUntagged = 16
    OutPktsProtected = 17
    OutPktsEncrypted = 18
    OutPktsTooLong = 19
    OutPktsTooShort = 20
    OutPktsStopped = 21

    def describe(self) -> str:
        """Return one sentence that tells what this counter counts."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Counter.InPktsUntagged: "Frames without SecTAG that were delivered, because validation is not strict.",
    Counter.InPktsNoTag: "Frames without SecTAG that were dropped, because validation is strict.",
    Counter.InPktsBadTag: "Frames dropped because their SecTAG failed a check.",
    Counter.InPktsNoSA: "Frames of an unknown SCI or association that were delivered without validation.",
    Counter.InPktsNoSAError: "Frames of an unknown SCI or association that were dropped: validation is strict, or bit "
    "C is set. Also frames whose key was zeroized while they waited.",
    Counter.InPktsOverrun: "Frames dropped because the receive buffer was full or being zeroized.",
    Counter.InPktsUnchecked: "Frames delivered without validation, because validation is disabled.",
    Counter.InPktsDelayed: "Frames delivered although their packet number is below the window, because replay "
    "protection is off.",
    Counter.InPktsLate: "Frames dropped because their packet number is below the window, or came before.",
    Counter.InPktsOK: "Frames delivered after validation.",
    Counter.InPktsInvalid: "Frames delivered although their ICV is wrong, because validation only checks.",
    Counter.InPktsNotValid: "Frames dropped because their ICV is wrong, or because they cannot be delivered without "
    "validation.",
    Counter.InErrors: "Frames dropped for a wrong check sequence, or because they are shorter than 17 bytes or longer "
    "than the longest allowed.",
    Counter.OutPktsUntagged: "Frames sent without protection, because protection is off.",
    Counter.OutPktsProtected: "Frames sent with integrity protection only.",
    Counter.OutPktsEncrypted: "Frames sent encrypted.",
    Counter.OutPktsTooLong: "Frames to send that were dropped because they are longer than the longest allowed.",
    Counter.OutPktsTooShort: "Frames to send that were dropped because they are shorter than 17 bytes.",
    Counter.OutPktsStopped: "Frames to send that were dropped because the association has no key or no packet number "
    "left, or because keys were zeroized meanwhile.",
}
