# SPDX-License-Identifier: BSD-2-Clause
"""Test the UDP link with the record service: which frames the board answers, which frames it drops and counts, and to
which host it sends an answer.
"""

import errno
import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.firmware import frames as f
from tests.firmware import records as r
from tests.firmware.core_peer import ENGINE_BYTE, ENGINE_FAULTY

KEY, IV, TOKEN, MAX_DATA = bytes(range(16)), bytes(range(16, 32)), 42, 1440
DROPS = ("ignored", "malformed", "checksum_errors")
NETWORK = struct.Struct("<6Q8I")
NAMES = ("cycles", "driver", "copy", "stack", "record", "engine", "frames", "records", "responses") + DROPS


def oracle(data, offset=0):
    counter = (int.from_bytes(IV, "big") + offset // 16).to_bytes(16, "big")
    return Cipher(algorithms.AES(KEY), modes.CTR(counter)).encryptor().update(data)


@pytest.fixture
def board(core):
    assert core.start(max_data=2048) == 0
    core.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA)
    return core


def ask(core, record: bytes, **sender) -> r.Reply:
    answer = f.parse(core.udp(f.datagram(record, **sender)))
    assert (answer.to_mac, answer.to, answer.to_port) == (f.HOST_MAC, f.HOST, sender.get("from_port", 40000))
    return r.parse(answer.data)


def network(core) -> dict[str, int]:
    return dict(zip(NAMES, NETWORK.unpack(ask(core, r.record(r.NETWORK)).data)[:12], strict=True))


def open_session(core, **sender) -> int:
    request = r.open_data(KEY, IV, length=100 * MAX_DATA, record_bytes=MAX_DATA)
    return r.opened(ask(core, r.record(r.OPEN_TYPE, request, token=TOKEN), **sender)).session


def dropped(core, *received: bytes) -> dict[str, int]:
    """Send frames that the board must not answer. Return a dictionary with the drop counters that have increased, and
    by how much.
    """
    before = network(core)
    for frame in received:
        assert core.udp(frame) == b"", frame.hex()
    after = network(core)
    assert after["frames"] == before["frames"] + len(received) + 1
    return {name: after[name] - before[name] for name in DROPS if after[name] != before[name]}


@pytest.mark.parametrize("length", [0, 1, 2, 3, 15, 16, 17, 100, 959, 1438, 1439, 1440])
@pytest.mark.parametrize("summed", [True, False])
@pytest.mark.parametrize("staging", [False, True])
def test_data_of_any_length(board, length, summed, staging):
    """Encrypt records with and without a UDP checksum. If `staging` is true, the engine works in a staging buffer.
    Otherwise, the engine works directly in the Ethernet MAC's frame buffers (slots).
    """
    board.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA, staging=staging)
    data = random.Random(length).randbytes(length)
    session = open_session(board)
    reply = ask(board, r.record(r.DATA, data, session=session, offset=2 * MAX_DATA, token=TOKEN), summed=summed)
    assert (reply.offset, reply.data) == (2 * MAX_DATA, oracle(data, 2 * MAX_DATA))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 61, 1440])
def test_the_mac_s_sums_are_the_window_s(board, length):
    """The Ethernet MAC and the CPU must compute the same checksums of record data. If the checksums differed, the board
    would not recognise repeated records, or would accept different data under the same record number.
    """
    data = random.Random(length).randbytes(length)
    session = open_session(board)

    def send(data, behind):
        frame = f.datagram(r.record(r.DATA, data, session=session, token=TOKEN)) + behind
        return r.parse(f.parse(board.udp(frame)).data)

    others = [bytes((data[0] ^ 1,)) + data[1:], data[:-1] + bytes((data[-1] ^ 0x80,)), data[:-1]]
    # The MAC's checksum includes bytes after the record. If there are such bytes, the CPU computes the checksum itself.
    for behind in (b"", b"\xff", b""):
        assert send(data, behind).data == oracle(data)
        assert [send(other, behind).error for other in others] == [r.E_OTHER_DATA] * 3


@pytest.mark.parametrize("staging", [False, True])
def test_a_fault_leaves_nothing_of_the_data(board, staging):
    """If an engine fails, neither its input nor its partial output may remain in memory."""
    board.udp_start(f.BOARD_MAC, f.BOARD, f.PORT, MAX_DATA, staging=staging)
    data = random.Random(1).randbytes(MAX_DATA)
    request = r.open_data(KEY, IV, length=100 * MAX_DATA, record_bytes=MAX_DATA, engine=ENGINE_FAULTY)
    session = r.opened(ask(board, r.record(r.OPEN_TYPE, request, token=TOKEN))).session
    record = r.record(r.DATA, data, session=session, token=TOKEN)
    board.fault()
    assert ask(board, record).data == oracle(data)
    assert board.occurrences(data[16:32]) == board.occurrences(oracle(data)[16:32]) - staging == 1
    board.fault(ctr=-errno.EIO)
    assert ask(board, record).error == r.E_HARDWARE
    assert [board.occurrences(part[at : at + 16]) for part in (data, oracle(data)) for at in (0, 16, 1424)] == [0] * 6


@pytest.mark.parametrize("engine", [ENGINE_BYTE, 31])
def test_a_key_stays_in_no_slot(board, engine):
    """After a request to open a session, the frame buffers must not contain the key. If the board refused the request,
    no other memory is allowed to contain the key either.
    """
    ask(board, r.record(r.OPEN_TYPE, r.open_data(KEY, IV, length=16, record_bytes=16, engine=engine), token=TOKEN))
    assert board.occurrences(KEY) == (engine == ENGINE_BYTE), "the session has it"


def test_limits_are_the_link_s(board):
    info = r.INFO_REPLY.unpack(ask(board, r.record(r.INFO)).data)
    assert info[3] == MAX_DATA
    assert info[6] == 1234
    session = open_session(board)
    reply = ask(board, r.record(r.DATA, bytes(MAX_DATA + 1), session=session, token=TOKEN))
    assert (reply.error, reply.detail) == (r.E_LENGTH, MAX_DATA)


def test_session_serves_the_address_and_port_that_opened_it(board):
    session = open_session(board, from_port=50000)
    record = r.record(r.DATA, bytes(64), session=session, token=TOKEN)
    assert ask(board, record, from_port=50001).error == r.E_SESSION
    neighbour = bytes((192, 168, 1, 101))
    other = f.ethernet(f.ipv4(f.udp(record, from_port=50000, sender=neighbour), f.UDP, sender=neighbour))
    assert r.parse(f.parse(board.udp(other)).data).error == r.E_SESSION
    wrong = r.record(r.DATA, bytes(64), session=session, token=TOKEN ^ 1 << 63)
    assert ask(board, wrong, from_port=50000).error == r.E_SESSION
    assert ask(board, r.record(r.RESET, token=TOKEN), from_port=50001).error is None
    assert ask(board, r.record(r.RESET), from_port=50000).error is None
    assert ask(board, record, from_port=50000).data == oracle(bytes(64))
    assert ask(board, r.record(r.RESET, token=TOKEN), from_port=50000).error is None
    assert ask(board, record, from_port=50000).error == r.E_SESSION


def test_arp(board):
    answer = board.udp(f.arp_request())
    body = struct.pack(">HHBBH", 1, f.IPV4, 6, 4, 2) + f.BOARD_MAC + f.BOARD + f.HOST_MAC + f.HOST
    assert answer == f.HOST_MAC + f.BOARD_MAC + struct.pack(">H", f.ARP) + body
    others = [f.arp_request(f.HOST), f.arp_request(operation=2)]
    assert dropped(board, *others) == {"ignored": 2}
    assert dropped(board, f.arp_request()[:41]) == {"malformed": 1}


@pytest.mark.parametrize("length", [0, 1, 56, 57, 1472])
def test_echo(board, length):
    data = random.Random(length).randbytes(length)
    answer = f.parse(board.udp(f.echo_request(data)))
    assert (answer.to_mac, answer.to, answer.protocol) == (f.HOST_MAC, f.HOST, f.ICMP)
    assert answer.payload[:2] == b"\0\0"
    assert answer.payload[4:] == struct.pack(">HH", 77, 5) + data
    assert network(board)["responses"] == 1
    assert dropped(board, f.echo_request(data, damage=0x40)) == {"checksum_errors": 1}


GOOD = r.record(r.INFO, token=1)
PING = f.echo_request(bytes(30))
ARP = f.arp_request(sender_mac=b"\x03\0\0\0\0\x01")


def from_address(address: bytes) -> bytes:
    return f.ethernet(f.ipv4(f.udp(GOOD, sender=address), f.UDP, sender=address))


def from_mac(frame: bytes, mac: bytes) -> bytes:
    return frame[:6] + mac + frame[12:]


def tagged(frame: bytes, vlan: int) -> bytes:
    """Return a frame with an added IEEE 802.1Q tag, with priority 5 and the given VLAN. VLAN 0 means that the frame
    belongs to no VLAN, and the tag only gives a priority.
    """
    return frame[:12] + struct.pack(">HH", 0x8100, 5 << 13 | vlan) + frame[12:]


def ping_from(address: bytes) -> bytes:
    return f.ethernet(f.ipv4(PING[34:], f.ICMP, sender=address))


OTHER = bytes((192, 168, 1, 7))

DROPPED = {
    "another ethertype": ("ignored", f.ethernet(bytes(46), 0x86DD)),
    "another MAC address": ("ignored", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP), to=f.BOARD_MAC[:5] + b"\x02")),
    "broadcast": ("ignored", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP), to=b"\xff" * 6)),
    "another address": ("ignored", f.ethernet(f.ipv4(f.udp(GOOD, to=OTHER), f.UDP, to=OTHER))),
    "another protocol": ("ignored", f.ethernet(f.ipv4(f.udp(GOOD), 6))),
    "another port": ("ignored", f.datagram(GOOD, to_port=f.PORT + 1)),
    "another ICMP message": ("ignored", f.ethernet(f.ipv4(bytes(64), f.ICMP))),
    "empty frame": ("malformed", b""),
    "half a header": ("malformed", f.datagram(GOOD)[:13]),
    "half an IPv4 header": ("malformed", f.datagram(GOOD)[:33]),
    "longer than Ethernet's": ("malformed", f.datagram(bytes(1473))),
    "IPv4 options": ("malformed", f.ethernet(f.ipv4(bytes(4) + f.udp(GOOD), f.UDP, version=0x46))),
    "IPv6 inside": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, version=0x65))),
    "first fragment": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, fragment=0x2000))),
    "last fragment": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, fragment=0x0001))),
    "IPv4 length beyond the frame": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, length=200))),
    "IPv4 length of 65535": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, length=0xFFFF))),
    "IPv4 length below its header": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, length=19))),
    "no room for a UDP header": ("malformed", f.ethernet(f.ipv4(bytes(7), f.UDP))),
    "no room for an ICMP header": ("malformed", f.ethernet(f.ipv4(bytes(7), f.ICMP))),
    "UDP length beyond IPv4's": ("malformed", f.datagram(GOOD, length=33)),
    "UDP length below IPv4's": ("malformed", f.datagram(GOOD, length=31)),
    "UDP length of 65535": ("malformed", f.datagram(GOOD, length=0xFFFF)),
    "IPv4 checksum": ("checksum_errors", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP, good=False))),
    "multicast MAC source": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP), sender=b"\x01\0\x5e\0\0\x01")),
    "broadcast MAC source": ("malformed", f.ethernet(f.ipv4(f.udp(GOOD), f.UDP), sender=b"\xff" * 6)),
    "ping, broadcast MAC source": ("malformed", b"".join((PING[:6], b"\xff" * 6, PING[12:]))),
    "multicast source": ("malformed", from_address(bytes((224, 0, 0, 1)))),
    "last multicast source": ("malformed", from_address(bytes((239, 255, 255, 255)))),
    "broadcast source": ("malformed", from_address(b"\xff" * 4)),
    "ping, multicast source": ("malformed", ping_from(bytes((224, 0, 0, 1)))),
    "ping, broadcast source": ("malformed", ping_from(b"\xff" * 4)),
    "ARP, broadcast MAC source": ("malformed", f.arp_request(sender_mac=b"\xff" * 6)),
    "ARP, multicast MAC inside": ("malformed", b"".join((ARP[:6], f.HOST_MAC, ARP[12:]))),
    "ARP, multicast address": ("malformed", f.arp_request(sender=bytes((224, 0, 0, 251)))),
    "ARP, broadcast address": ("malformed", f.arp_request(sender=b"\xff" * 4)),
    "the board's own MAC address": ("malformed", from_mac(f.datagram(GOOD), f.BOARD_MAC)),
    "ping, own MAC address": ("malformed", from_mac(PING, f.BOARD_MAC)),
    "own address": ("malformed", from_address(f.BOARD)),
    "address 0.0.0.0": ("malformed", from_address(bytes(4))),
    "address 0.0.0.1": ("malformed", from_address(bytes((0, 0, 0, 1)))),
    "address 127.0.0.1": ("malformed", from_address(bytes((127, 0, 0, 1)))),
    "ping, own address": ("malformed", ping_from(f.BOARD)),
    "ping, 0.0.0.0": ("malformed", ping_from(bytes(4))),
    "ping, 127.255.255.255": ("malformed", ping_from(bytes((127, 255, 255, 255)))),
    "ARP, own MAC address": ("malformed", f.arp_request(sender_mac=f.BOARD_MAC)),
    "ARP, own MAC address inside": ("malformed", from_mac(f.arp_request(sender_mac=f.BOARD_MAC), f.HOST_MAC)),
    "ARP, own MAC address outside": ("malformed", from_mac(f.arp_request(), f.BOARD_MAC)),
    "ARP, own address": ("malformed", f.arp_request(sender=f.BOARD)),
    "ARP, 127.0.0.1": ("malformed", f.arp_request(sender=bytes((127, 0, 0, 1)))),
    "priority tag": ("ignored", tagged(f.datagram(GOOD), 0)),
    "ARP, priority tag": ("ignored", tagged(f.arp_request(), 0)),
    "VLAN tag": ("ignored", tagged(f.datagram(GOOD), 7)),
    "UDP checksum": ("checksum_errors", f.datagram(GOOD, damage=0x8000)),
}


@pytest.mark.parametrize(("cause", "frame"), DROPPED.values(), ids=DROPPED)
def test_drops_are_counted_by_cause(board, cause, frame):
    assert dropped(board, frame) == {cause: 1}


def test_a_short_datagram_is_no_record(board):
    before = r.COUNTERS_REPLY.unpack(ask(board, r.record(r.COUNTERS)).data)
    for size in range(24):
        assert board.udp(f.datagram(GOOD[:size])) == b"", "short frames are padded, an odd end included"
    assert board.udp(f.datagram(GOOD + b"\0")) == b""
    after = r.COUNTERS_REPLY.unpack(ask(board, r.record(r.COUNTERS)).data)
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 24, 0, 1, 0, 0]


def test_a_byte_that_changes_on_its_way_never_gives_wrong_data(board):
    rng = random.Random(4)
    data = rng.randbytes(333)
    session = open_session(board)
    good = f.datagram(r.record(r.DATA, data, session=session, token=TOKEN))
    answered = 0
    for _ in range(3000):
        frame = bytearray(good)
        frame[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
        answer = board.udp(bytes(frame))
        # No checksum of this frame covers the sender's MAC address. So the board still answers if the changed bit is in
        # this address.
        if answer:
            answered += 1
            assert r.parse(f.parse(answer).data).data == oracle(data)
    assert 0 < answered < 100


def test_random_frames(board):
    """Send frames with a valid beginning and a random end. The link must not read beyond a frame, and the open session
    must stay usable.
    """
    rng = random.Random(5)
    session = open_session(board)
    heads = [f.datagram(GOOD), f.arp_request(), f.echo_request(bytes(30)), f.datagram(GOOD, summed=False)]
    for _ in range(5000):
        head = rng.choice(heads)
        frame = bytearray(head[: rng.randrange(len(head) + 1)] + rng.randbytes(rng.choice([0, 1, 30, 1440, 1600])))
        for _ in range(rng.randrange(4)):
            if frame:
                frame[rng.randrange(len(frame))] = rng.randrange(256)
        board.udp(bytes(frame))
    data = rng.randbytes(99)
    assert ask(board, r.record(r.DATA, data, session=session, token=TOKEN)).data == oracle(data)


def test_a_link_without_a_network_knows_no_network_record(board):
    reply = r.parse(board.record(r.record(r.NETWORK)))
    assert (reply.error, reply.detail) == (r.E_TYPE, r.NETWORK)


def test_addresses_of_one_station_next_to_those_of_groups_are_answered(board):
    mac = b"\xfe" + b"\xff" * 5
    for address in ((223, 255, 255, 255), (1, 0, 0, 0), (126, 255, 255, 255), (128, 0, 0, 0), (*f.BOARD[:3], 51)):
        answer = f.parse(board.udp(from_mac(from_address(bytes(address)), mac)))
        assert (answer.to_mac, answer.to) == (mac, bytes(address))
    assert board.udp(f.arp_request(sender=bytes(4))) != b"", "who asks whether an address is taken (RFC 5227) has none"


@pytest.mark.parametrize("length", [*range(80), 1513, 1514])
@pytest.mark.parametrize(("source", "to"), [(0, 2), (2, 0), (0, 0), (2, 2)])
def test_copy_and_sum(core, length, source, to):
    for data in (random.Random(length).randbytes(length), b"\xff" * length, b"\xff\xff\0\0" * (length // 4)):
        value, copy = core.copy_sum(data, source, to)
        assert copy == data
        big_endian = ~f.checksum(data) & 0xFFFF
        assert value % 0xFFFF == (big_endian >> 8 | big_endian << 8 & 0xFF00) % 0xFFFF
