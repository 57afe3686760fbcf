# SPDX-License-Identifier: BSD-2-Clause
"""Checks in Migen's own simulator that the hardware accepts or drops each handmade frame as expected."""

import random

import pytest
from migen import run_simulation

from gateware.net.events import Event
from gateware.net.link.frame_checks import FrameChecks
from tests.gateware.net import frames

FRAME_MAX = 300
GROUP = 0x01_00_5E_00_00_01
GOOD = None
OWN = 0x0A01_0206


def packet(size: int, *, udp_length: int | None = None, **changes) -> bytes:
    body = frames.udp(1, 2, bytes(size), length=udp_length)
    return frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, OWN, frames.UDP, body, **changes))


def summed(size: int, seed: int = 0, **changes) -> bytes:
    """Return a datagram with random data and its checksum."""
    body = frames.summed(5, OWN, frames.udp(1, 2, random.Random(seed).randbytes(size)))
    return frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, OWN, frames.UDP, body, **changes))


def other_protocol(size: int, total: int | None = None) -> bytes:
    return frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, OWN, frames.ICMP, b"\x08".ljust(size, b"\0"), total=total))


def elsewhere(protocol: int = frames.UDP, target: int = OWN, port: int = 2) -> bytes:
    """Return an IPv4 frame whose protocol, address or port this hardware does not serve."""
    return frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, target, protocol, frames.udp(1, port, bytes(40))))


def changed(frame: bytes, position: int, value: int) -> bytes:
    return frame[:position] + bytes([value]) + frame[position + 1 :]


def damaged(frame: bytes, position: int) -> bytes:
    return changed(frame, position, frame[position] ^ 0x10)


def sent_by(ip: int, *, mac: int = 4, target_mac: int = 3, protocol: int = frames.UDP) -> bytes:
    """Return a UDP datagram or an echo request from `ip`. The frame is valid, except possibly its addresses."""
    body = frames.udp(1, 2, bytes(40)) if protocol == frames.UDP else b"\x08".ljust(40, b"\0")
    return frames.ethernet(target_mac, mac, frames.IPV4, frames.ipv4(ip, OWN, protocol, body))


def asked_by(ip: int, *, mac: int = 4, sender: int = 4) -> bytes:
    """Return a broadcast ARP request from `ip` for the IP address `OWN` of this hardware."""
    return frames.ethernet(frames.BROADCAST, mac, frames.ARP, frames.arp(1, sender, ip, 0, OWN))


# A datagram for which the UDP checksum computes to 0, so the checksum field contains 0xFFFF. To achieve this, two data
# bytes contain the checksum that the datagram has while these bytes are 0.
_BODY = frames.summed(5, OWN, frames.udp(1, 2, bytes(30)))
_BODY = frames.summed(5, OWN, _BODY[:20] + _BODY[6:8] + _BODY[22:])
ZERO_SUM = frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, OWN, frames.UDP, _BODY))
assert _BODY[6:8] == b"\xff\xff"

# Maps each case's name to three values: the frame, whether its check sequence (FCS) is wrong, and the event that the
# hardware counts when it drops the frame. The event is `GOOD` if the hardware accepts the frame.
CASES = {
    "UDP": (packet(100), False, GOOD),
    "UDP of every remainder": (packet(101), False, GOOD),
    "UDP with padding": (packet(0), False, GOOD),
    "UDP with padding behind a tag": (packet(1) + bytes(4), False, GOOD),
    **{f"checksum of {size} bytes": (summed(size, size), False, GOOD) for size in (*range(24), 255, 256, 257, 258)},
    "checksum of 0, written as 0xFFFF": (ZERO_SUM, False, GOOD),
    "padding that is not 0": (summed(1)[:43] + b"\x81" * 17, False, GOOD),
    **{f"byte {n} damaged": (damaged(summed(51), n), False, Event.CHECKSUM) for n in (22, 26, 33, *range(34, 38))},
    **{f"byte {n} damaged": (damaged(summed(51), n), False, Event.CHECKSUM) for n in range(40, 42 + 51)},
    "IPv4 header of no UDP checksum damaged": (damaged(packet(100), 22), False, Event.CHECKSUM),
    "IPv4 header of ICMP damaged": (damaged(other_protocol(64), 22), False, Event.CHECKSUM),
    "ICMP damaged": (damaged(other_protocol(64), 50), False, GOOD),
    "checksum that is not there": (changed(packet(100), 41, 1), False, Event.CHECKSUM),
    "wrong length counts first": (damaged(packet(100, udp_length=109), 22), False, Event.IPV4),
    "ICMP": (other_protocol(64), False, GOOD),
    "don't fragment": (packet(100, fragment=0x4000), False, GOOD),
    "ARP": (frames.ethernet(3, 4, frames.ARP, bytes(28)), False, GOOD),
    "another type, any length, for a group": (frames.ethernet(GROUP, 4, 0x88B5, b"\xff" * 250), False, GOOD),
    "longest": (frames.ethernet(GROUP, 4, 0x88B5, bytes(FRAME_MAX - 14)), False, GOOD),
    "another type": (frames.ethernet(3, 4, 0x88B5, b"\xff" * 250), False, Event.UNSERVED),
    "another port": (elsewhere(port=3), False, Event.UNSERVED),
    "another port's upper half": (elsewhere(port=0x102), False, Event.UNSERVED),
    **{
        f"another address {ip:#x}": (elsewhere(target=ip), False, Event.UNSERVED)
        for ip in (OWN + 1, OWN ^ 0x100, OWN ^ 0x0100_0000)
    },
    "another address and port, for a group": (
        frames.ethernet(GROUP, 4, 0, b"")[:12] + elsewhere(target=7, port=3)[12:],
        False,
        GOOD,
    ),
    "another protocol": (elsewhere(protocol=6), False, Event.UNSERVED),
    "echo reply": (
        frames.ethernet(3, 4, frames.IPV4, frames.ipv4(5, OWN, frames.ICMP, bytes(64))),
        False,
        Event.UNSERVED,
    ),
    "longest echo request": (other_protocol(8 + 128), False, GOOD),
    "too long an echo request": (other_protocol(8 + 129), False, Event.UNSERVED),
    "wrong checksum counts first": (damaged(elsewhere(port=3), 22), False, Event.CHECKSUM),
    **{
        f"from {ip:#x}": (sent_by(ip), False, Event.SOURCE)
        for ip in (0, 0xE000_0000, 0xE000_00FB, 0xEFFF_FFFF, 0xF000_0001, 0xFFFF_FFFF, 0x0A01_0200, 0x0A01_02FF)
    },
    **{
        f"from {ip:#x}": (sent_by(ip), False, GOOD)
        for ip in (1, 0x100, 0x1_0000, 0x0100_0000, 0x7FFF_FFFF, 0xDFFF_FFFF, 0x0A01_0201, 0x0A01_02FE, 0x0A01_0301)
    },
    **{
        f"from {ip:#x}, another net": (sent_by(ip), False, GOOD)
        for ip in (0x0A01_0300, 0x0A01_03FF, 0x0A02_02FF, 0x8A01_0200)
    },
    "echo request from a broadcast address": (sent_by(0x0A01_02FF, protocol=frames.ICMP), False, Event.SOURCE),
    "from a group of stations": (sent_by(5, mac=GROUP), False, Event.SOURCE),
    "from all stations": (sent_by(5, mac=frames.BROADCAST), False, Event.SOURCE),
    "from a station like a group": (sent_by(5, mac=0x02_01_01_01_01_01), False, GOOD),
    "for all stations, from no address": (sent_by(0, target_mac=frames.BROADCAST), False, GOOD),
    "ARP request": (asked_by(5), False, GOOD),
    "ARP probe": (asked_by(0), False, GOOD),
    "ARP request from a group": (asked_by(5, mac=GROUP), False, Event.SOURCE),
    "ARP request for a group": (asked_by(5, sender=GROUP), False, Event.SOURCE),
    "ARP request for all": (asked_by(5, sender=frames.BROADCAST), False, Event.SOURCE),
    "ARP with a group's address elsewhere": (asked_by(0xE000_0001, sender=0x04_01_01_01_01_01), False, GOOD),
    "wrong checksum counts before the source": (damaged(sent_by(0), 22), False, Event.CHECKSUM),
    "the source counts before another port": (
        frames.ethernet(3, 4, frames.IPV4, frames.ipv4(0, OWN, frames.UDP, frames.udp(1, 3, bytes(40)))),
        False,
        Event.SOURCE,
    ),
    "wrong check sequence": (packet(100), True, Event.FCS),
    "wrong check sequence counts first": (packet(100)[:50], True, Event.FCS),
    "one byte short": (packet(0)[:59], False, Event.FRAME_LENGTH),
    "one byte long": (frames.ethernet(3, 4, 0x88B5, bytes(FRAME_MAX - 13)), False, Event.FRAME_LENGTH),
    "options": (changed(packet(100), 14, 0x46), False, Event.IPV4),
    "IPv6's version": (changed(packet(100), 14, 0x65), False, Event.IPV4),
    "first fragment": (packet(100, fragment=0x2000), False, Event.IPV4),
    "last fragment": (packet(100, fragment=0x0001), False, Event.IPV4),
    "late fragment": (packet(100, fragment=0x1F00), False, Event.IPV4),
    "no room for UDP": (packet(100, total=27), False, Event.IPV4),
    "shorter than the packet": (packet(100)[:-1], False, Event.IPV4),
    "longer than the packet": (packet(100) + b"\0", False, Event.IPV4),
    "padding too long": (packet(1) + bytes(5), False, Event.IPV4),
    "ICMP longer than the packet": (other_protocol(100, total=48), False, Event.IPV4),
    "UDP longer than the packet": (packet(100, udp_length=109), False, Event.IPV4),
    "UDP shorter than the packet": (packet(100, udp_length=107), False, Event.IPV4),
}


@pytest.mark.parametrize("idle", [0.0, 0.4])
def test_verdicts(idle):
    rng = random.Random(1)
    dut = FrameChecks(frame_bytes_max=FRAME_MAX)
    dut.comb += [dut.ip_address.eq(OWN), dut.port.eq(2)]
    verdicts = []

    def feed():
        for frame, wrong, _ in CASES.values():
            for n in range(0, len(frame), 4):
                while rng.random() < idle:
                    yield
                word, last = frame[n : n + 4], n + 4 >= len(frame)
                be = 1 << (len(word) - 1) if last else 0
                yield [
                    dut.frame.data.eq(int.from_bytes(word, "little")),
                    dut.frame.last.eq(last),
                    dut.frame.valid.eq(1),
                ]
                yield [dut.frame.last_be.eq(be), dut.frame.error.eq(be if wrong else 0)]
                yield
                yield dut.frame.valid.eq(0)
            for _ in range(3):
                yield
        yield

    def watch():
        while len(verdicts) < len(CASES):
            yield
            if (yield dut.judged):
                verdicts.append(GOOD if (yield dut.good) else Event((yield dut.code)))

    run_simulation(dut, [feed(), watch()])
    assert dict(zip(CASES, verdicts, strict=True)) == {name: event for name, (*_, event) in CASES.items()}
