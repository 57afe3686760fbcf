# SPDX-License-Identifier: BSD-2-Clause
"""Checks a received frame: check sequence, size, lengths, checksums of IPv4 and UDP, sender, and destination.

After these checks, LiteEth's stack can trust the lengths. A packet with contradictory lengths could make it wait for
ever. LiteEth does not check UDP checksums and does not report what it drops. The fields of an Ethernet II frame (RFC
894, RFC 791, RFC 768, RFC 792), big-endian:

=====  ======================  =====  =============================
byte   field                   byte   field
=====  ======================  =====  =============================
0-5    destination             26-29  source address
6-11   source                  30-33  destination address
12-13  EtherType, 0x0800       34     ICMP: type
14     version and IHL, 0x45   36-37  UDP: destination port
16-17  total length            38-39  UDP: length
20-21  flags, fragment offset  40-41  UDP: checksum, 0 for none
23     protocol                22-27  ARP: sender's hardware address
=====  ======================  =====  =============================

After the packet a frame may have padding up to 64 bytes: 60 bytes, and 4 for a VLAN tag that was removed.

A UDP checksum covers a pseudo-header (both addresses, the protocol, the length) and the datagram. The length used here
is IPv4's length minus its header. A wrong UDP checksum in a frame with a correct check sequence means that a switch or
host damaged the frame before it computed the check sequence.

Every answer goes back to the source of the question. So no frame may come from an address that reaches several
stations. Refused are Ethernet sources and ARP senders with the group bit (RFC 1112). Refused IPv4 sources (RFC 1122,
3.2.1.3; RFC 1812, 5.3.7) are multicast, class E with the limited broadcast, 0.0.0.0, and the first and last address of
the /24 that holds the hardware's address. An ARP probe has the source 0.0.0.0 (RFC 5227) and is answered. IPv4 sources
are not checked in frames for a group of stations, because those are not answered.

Two kinds of frames are served: ARP, and IPv4 for the hardware's address. The IPv4 packet must hold a datagram for the
hardware's port, or an echo request that LiteEth has room for. Frames for a group of stations skip this check: they are
for others too, and LiteEth drops them.

Echo requests have a budget, since their replies fill the wire. LiteEth holds one reply at a time. While that waits, the
next request holds up the records. So `ECHO_BURST` requests may come in a row, and one more every `ECHO_CYCLES` cycles.
This includes requests for the hardware's IPv4 address in frames for a group of stations, which LiteEth answers too.

Latency: `judged` pulses two cycles after a frame's last word. Throughput: one word a cycle; between frames at least two
cycles without a word.
"""

from litex.soc.interconnect import stream
from migen import Case, Cat, If, Module, Replicate, Signal

from .. import WORD_BITS, WORD_BYTES
from ..events import EVENT_BITS, Event
from ..layouts import LENGTH_BITS
from .checksum import PROTOCOL_UDP, RIGHT, ChecksumSum, half
from .frame_router import GROUP_BIT

HEADER_BYTES = 14
FRAME_BYTES_MIN = 60  # without the check sequence
PADDED_BYTES_MAX = 64
IPV4_HEADER_BYTES = 20
UDP_HEADER_BYTES = ICMP_HEADER_BYTES = 8
ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_ARP = 0x0806
VERSION_AND_IHL = 0x45
PROTOCOL_ICMP = 1
ECHO_REQUEST = 8
MULTICAST = 224  # IPv4 addresses of class D and E have at least this value in their first byte
HOST_ONES = 255  # last byte of the broadcast address of a /24 network
ECHO_DATA_MAX = 128  # size of LiteEth's buffer
ECHO_BURST = 4
ECHO_CYCLES = 1 << 15


class FrameChecks(Module):
    """Checks the frames of a stream, word by word, without storing them.

    Parameters
    ----------
    frame_bytes_max : int
        Longest frame, without the check sequence.

    Attributes
    ----------
    frame : stream.Endpoint, LiteEth's `eth_phy_description(32)`, in
        The frame; `ready` is not driven.
    ip_address, port : Signal(32), Signal(16), in
        The hardware's own address and port.
    judged, good : Signal(), out
        The frame has been checked; it has passed.
    code : Signal(5), out
        With `judged` and without `good`: the `Event` of the check that failed.
    """

    def __init__(self, *, frame_bytes_max: int):
        self.frame = frame = stream.Endpoint(
            [("data", WORD_BITS), ("last_be", WORD_BYTES), ("error", WORD_BYTES)],
        )
        self.ip_address = Signal(32)
        self.port = Signal(16)
        self.judged = Signal()
        self.good = Signal()
        self.code = Signal(EVENT_BITS)

        # # #

        # The fields of the frame. Each is examined in the cycle in which its word arrives.
        position = Signal(LENGTH_BITS - 2)  # words before this one
        from_group, from_arp_group, from_high, from_zero, from_net, from_bad = (Signal() for _ in range(6))
        for_group, is_ipv4, is_arp, plain_header, fragment, is_udp, is_icmp = (Signal() for _ in range(7))
        own_upper, own_address, is_echo, own_port, has_checksum = (Signal() for _ in range(5))
        total_length, udp_length = Signal(LENGTH_BITS), Signal(LENGTH_BITS)
        byte = [frame.data[8 * i : 8 * i + 8] for i in range(WORD_BYTES)]
        size = Signal(LENGTH_BITS)  # bytes of the frame
        bad_sequence = Signal()
        ended = Signal()
        last_bytes = Signal(3)
        self.comb += Case(
            frame.last_be, {**{1 << n: last_bytes.eq(n + 1) for n in range(3)}, "default": last_bytes.eq(4)}
        )
        self.sync += [
            ended.eq(frame.valid & frame.last),
            If(
                frame.valid,
                If(~position[-1], position.eq(position + 1)),
                Case(
                    position,
                    {
                        0: for_group.eq(byte[0][GROUP_BIT]),
                        4 // 4: from_group.eq(byte[2][GROUP_BIT]),
                        12 // 4: [
                            is_ipv4.eq(Cat(byte[1], byte[0]) == ETHERTYPE_IPV4),
                            is_arp.eq(Cat(byte[1], byte[0]) == ETHERTYPE_ARP),
                            plain_header.eq(byte[2] == VERSION_AND_IHL),
                        ],
                        16 // 4: total_length.eq(Cat(byte[1], byte[0])),
                        20 // 4: [
                            fragment.eq((Cat(byte[1], byte[0]) & 0x3FFF) != 0),
                            is_udp.eq(byte[3] == PROTOCOL_UDP),
                            is_icmp.eq(byte[3] == PROTOCOL_ICMP),
                            from_arp_group.eq(byte[2][GROUP_BIT]),
                        ],
                        24 // 4: [
                            from_high.eq(byte[2] >= MULTICAST),
                            from_zero.eq(Cat(byte[3], byte[2]) == 0),
                            from_net.eq(Cat(byte[3], byte[2]) == self.ip_address[16:]),
                        ],
                        28 // 4: [
                            own_upper.eq(Cat(byte[3], byte[2]) == self.ip_address[16:]),
                            from_bad.eq(
                                from_high
                                | (from_zero & (Cat(byte[1], byte[0]) == 0))
                                | (
                                    from_net
                                    & (byte[0] == self.ip_address[8:16])
                                    & ((byte[1] == 0) | (byte[1] == HOST_ONES))
                                )
                            ),
                        ],
                        32 // 4: [
                            own_address.eq(own_upper & (Cat(byte[1], byte[0]) == self.ip_address[:16])),
                            is_echo.eq(byte[2] == ECHO_REQUEST),
                        ],
                        36 // 4: [
                            own_port.eq(Cat(byte[1], byte[0]) == self.port),
                            udp_length.eq(Cat(byte[3], byte[2])),
                        ],
                        40 // 4: has_checksum.eq(Cat(byte[0], byte[1]) != 0),
                    },
                ),
                If(
                    frame.last,
                    position.eq(0),
                    size.eq(Cat(last_bytes, 0) + (position << 2)),
                    bad_sequence.eq((frame.error & frame.last_be) != 0),
                ),
            ),
        ]

        # Checksums. The IPv4 checksum covers bytes 14 to 33. The UDP checksum covers the length at byte 16, and all
        # bytes from 26 to the end of the packet.
        first, second = 0b0011, 0b1100  # halves of a word
        of_ipv4, of_udp = Signal(WORD_BYTES), Signal(WORD_BYTES)  # which bytes of the present word each checksum covers
        rest = Signal(LENGTH_BITS)  # remaining bytes of the IPv4 packet, including the present word
        whole = Signal()
        in_packet = [whole | (rest[:2] > n) for n in range(WORD_BYTES)]
        self.submodules.ipv4_sum = ipv4_sum = ChecksumSum(initial=RIGHT)
        self.submodules.udp_sum = udp_sum = ChecksumSum(initial=half(PROTOCOL_UDP - IPV4_HEADER_BYTES))
        self.comb += [
            whole.eq(rest[2:] != 0),
            Case(
                position,
                {
                    12 // 4: of_ipv4.eq(second),
                    **{n: of_ipv4.eq(first | second) for n in range(16 // 4, 32 // 4)},
                    32 // 4: of_ipv4.eq(first),
                },
            ),
            Case(
                position,
                {
                    **{n: of_udp.eq(0) for n in range(24 // 4)},
                    16 // 4: of_udp.eq(first),
                    24 // 4: of_udp.eq(second),
                    "default": of_udp.eq(Cat(*in_packet)),
                },
            ),
        ]
        for total, counted in ((ipv4_sum, of_ipv4), (udp_sum, of_udp)):
            self.comb += [
                total.word.eq(Cat(*[byte[n] & Replicate(counted[n], 8) for n in range(WORD_BYTES)])),
                total.add.eq(frame.valid),
                total.clear.eq(ended),
            ]
        self.sync += If(
            frame.valid,
            rest[2:].eq(rest[2:] - whole),
            If(~whole, rest[:2].eq(0)),
            If(position == 16 // 4, rest.eq(Cat(byte[1], byte[0]) - (16 + WORD_BYTES - HEADER_BYTES))),
        )

        # Limit for echo requests (pings): `echoes` is the number of requests that may still pass. Each request that
        # passes decreases this number by one. Every `ECHO_CYCLES` cycles, the number grows by one, up to `ECHO_BURST`.
        echoes, echo_timer = Signal(max=ECHO_BURST + 1, reset=ECHO_BURST), Signal(max=ECHO_CYCLES)
        echo, over_budget = Signal(), Signal()
        spent, earned = Signal(), Signal()
        self.comb += [
            spent.eq(self.judged & self.good & echo),
            earned.eq((echo_timer == ECHO_CYCLES - 1) & (echoes != ECHO_BURST)),
        ]
        self.sync += [
            echo_timer.eq(echo_timer + 1),
            echo.eq(is_ipv4 & own_address & is_icmp & is_echo),
            over_budget.eq(is_ipv4 & own_address & is_icmp & is_echo & (echoes == 0)),
            If(spent & ~earned, echoes.eq(echoes - 1)),
            If(earned & ~spent, echoes.eq(echoes + 1)),
        ]

        # Verdict.
        bad_size, bad_lengths, bad_checksum, bad_source, unserved = (Signal() for _ in range(5))
        echo_max = IPV4_HEADER_BYTES + ICMP_HEADER_BYTES + ECHO_DATA_MAX
        packet_end = Signal(LENGTH_BITS + 1)
        self.comb += packet_end.eq(total_length + HEADER_BYTES)
        self.sync += [
            self.judged.eq(ended),
            bad_size.eq((size < FRAME_BYTES_MIN) | (size > frame_bytes_max)),
            bad_lengths.eq(
                is_ipv4
                & (
                    ~plain_header
                    | fragment
                    | (total_length < IPV4_HEADER_BYTES + UDP_HEADER_BYTES)
                    | (size < packet_end)
                    | ((size > packet_end) & (size > PADDED_BYTES_MAX))
                    | (is_udp & (udp_length + IPV4_HEADER_BYTES != total_length))
                )
            ),
            bad_source.eq(from_group | (is_arp & from_arp_group) | (is_ipv4 & ~for_group & from_bad)),
            unserved.eq(
                ~for_group
                & ~is_arp
                & ~((is_ipv4 & own_address) & ((is_udp & own_port) | (is_icmp & is_echo & (total_length <= echo_max))))
            ),
        ]
        self.comb += [
            bad_checksum.eq(
                is_ipv4 & ((ipv4_sum.value != RIGHT) | (is_udp & has_checksum & (udp_sum.value != RIGHT))),
            ),
            self.good.eq(
                ~(bad_sequence | bad_size | bad_lengths | bad_checksum | bad_source | unserved | over_budget),
            ),
            If(bad_sequence, self.code.eq(Event.FCS))
            .Elif(bad_size, self.code.eq(Event.FRAME_LENGTH))
            .Elif(bad_lengths, self.code.eq(Event.IPV4))
            .Elif(bad_checksum, self.code.eq(Event.CHECKSUM))
            .Elif(bad_source, self.code.eq(Event.SOURCE))
            .Elif(unserved, self.code.eq(Event.UNSERVED))
            .Else(self.code.eq(Event.ECHO)),
        ]
