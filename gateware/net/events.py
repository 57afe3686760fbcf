# SPDX-License-Identifier: BSD-2-Clause
"""Events that the fast path counts: one for each reason to drop a frame or datagram, in the order of the checks."""

from enum import IntEnum

EVENT_BITS = 5


class Event(IntEnum):
    """The events that are counted. `describe` returns an event's meaning for the reference pages.

    A frame for the hardware's address, or a datagram, may fail several checks. It counts only once, for the first check
    in this order that fails.
    """

    RECORD = 0
    FCS = 1
    FRAME_LENGTH = 2
    IPV4 = 3
    CHECKSUM = 4
    SOURCE = 5
    UNSERVED = 6
    RECEIVE_OVERFLOW = 7
    HEADER = 8
    VERSION = 9
    TYPE = 10
    LENGTH = 11
    OFFSET = 12
    SESSION = 13
    PEER = 14
    TOKEN = 15
    LIMIT = 16
    WINDOW = 17
    KEY = 18
    TRANSMIT_OVERFLOW = 19
    OTHER_DATA = 20
    ECHO = 21

    def describe(self) -> str:
        """Return one sentence that tells what is counted under this event."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Event.RECORD: "Data records answered.",
    Event.FCS: "Frames dropped for a wrong frame check sequence.",
    Event.FRAME_LENGTH: "Frames dropped because they are shorter than 64 bytes or longer than the longest allowed.",
    Event.IPV4: "IPv4 packets dropped because they contain options, are fragments, or have lengths that contradict "
    "each other or the frame's length.",
    Event.CHECKSUM: "IPv4 packets dropped for a wrong header checksum, or for a wrong UDP checksum that is not 0.",
    Event.SOURCE: "Frames dropped because no answer may be sent to their source: a group of stations, or an IPv4 "
    "address that is multicast, of class E, 0.0.0.0, or the first or last address of the hardware's "
    "/24 network.",
    Event.UNSERVED: "Frames dropped because they are neither ARP, nor IPv4 for the hardware's address with an echo "
    "request of up to 128 bytes or a datagram for its port.",
    Event.RECEIVE_OVERFLOW: "Frames dropped because the receive buffer was full.",
    Event.HEADER: "Datagrams dropped because they are shorter than a record's header.",
    Event.VERSION: "Records dropped because they have another version.",
    Event.TYPE: "Records dropped because they are not data requests.",
    Event.LENGTH: "Records dropped because their length differs from the datagram's.",
    Event.OFFSET: "Records dropped because their offset is not a multiple of 16.",
    Event.SESSION: "Records dropped because no open session has their number.",
    Event.PEER: "Records dropped because they come from another address or port than the session's.",
    Event.TOKEN: "Records dropped because their token is not the session's.",
    Event.LIMIT: "Records dropped because their data end after the session's limit.",
    Event.WINDOW: "Records dropped because their offset is not a multiple of the session's record_blocks, they are "
    "longer than record_blocks, or they lie outside the session's window.",
    Event.KEY: "Records dropped because the session's slot holds no key, is about to lose it, or lost it meanwhile.",
    Event.TRANSMIT_OVERFLOW: "Records dropped because there was no room for the reply.",
    Event.OTHER_DATA: "Records dropped because different data had come before for the same counter blocks.",
    Event.ECHO: "Echo requests for the hardware's address dropped because they exceeded their budget.",
}
