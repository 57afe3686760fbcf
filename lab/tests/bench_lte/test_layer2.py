# SPDX-License-Identifier: BSD-2-Clause
"""Test LTE's layer 2 on the host. The library `cryptography` encrypts transport blocks. A program that is built with
sanitizers receives these blocks.
"""

import errno
import random
import struct
import subprocess
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.bench_lte import blocks
from lab.bench_lte.__main__ import SOURCES
from lab.bench_lte.blocks import Bearer
from tests.firmware.core_peer import ROOT, link, portable_sources

EEA0, EEA2, EEA2_ANYWHERE, GO_ON = range(4)
BY_LAYERS = 256
KEY, COUNT, IDENTITY, LCID = bytes(range(16)), 0x12345 << 12 | 7, 0x15, 3
BEARER = Bearer(LCID, IDENTITY, KEY)


class Received(NamedTuple):
    status: int
    packets: list[bytes]
    control: int
    unknown: int
    dropped: int
    count: int


@pytest.fixture(scope="module")
def binary():
    return link(Path(__file__).with_name("lte_peer.c"), SOURCES / "layer2.c", *portable_sources(), include=[SOURCES])


@pytest.fixture(scope="module", params=[0, BY_LAYERS], ids=["at once", "by layers"])
def peer(binary, request):
    """Return a function that receives transport blocks. The parameter selects the order of the work. "at once": all
    layers process one packet, then the next. "by layers": each layer processes the whole block before the next layer
    starts, as can happen with threads.
    """

    def receive(*cases) -> list[Received]:
        """Send transport blocks to the program; return one result for each argument. An argument is a tuple: mode,
        block and, optionally, COUNT and the misalignment of the block in bytes.
        """
        message = b""
        for how, block, *more in cases:
            count, misalign = (*more, COUNT, 0)[:2] if len(more) < 2 else more
            message += (
                struct.pack("<I16s5I", how | request.param, KEY, count, IDENTITY, LCID, misalign, len(block)) + block
            )
        done = subprocess.run([binary], input=message, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr.decode()
        found, at = [], 0
        for _ in cases:
            status, number, size, control, unknown, dropped, last = struct.unpack_from("<i6I", done.stdout, at)
            at += 28
            packets = []
            while (length := struct.unpack_from("<I", done.stdout, at)[0]) != 0xFFFFFFFF:
                packets.append(done.stdout[at + 4 : at + 4 + length])
                at += 4 + length
            at += 4
            assert (number, size) == (len(packets), sum(map(len, packets)))
            found.append(Received(status, packets, control, unknown, dropped, last))
        assert at == len(done.stdout)
        return found

    return receive


def _packets(*lengths: int) -> list[bytes]:
    rng = random.Random(str(lengths))
    return [rng.randbytes(length) for length in lengths]


def test_eea2_of_the_blocks_is_3gpps():
    """Compare our 128-EEA2 with 3GPP's test sets. If the last byte of a message is incomplete, ignore this byte."""
    sets = tomllib.loads((ROOT / "tests" / "gateware" / "ctr" / "eea2.toml").read_text())["set"]
    for each in sets:
        whole = each["length"] // 8
        key, plain, cipher = (bytes.fromhex(each[name]) for name in ("key", "plaintext", "ciphertext"))
        found = blocks.eea2(key, each["count"], each["bearer"], each["direction"], plain[:whole])
        assert found == cipher[:whole], each["name"]
    assert len(sets) == 6


@pytest.mark.parametrize("how", [EEA0, EEA2, EEA2_ANYWHERE])
def test_packets_of_every_short_length_at_every_alignment(peer, how):
    bearer = Bearer(LCID, IDENTITY, None if how == EEA0 else KEY)
    lengths = [*range(1, 70), 127, 128, 1499, 1500]
    cases = [_packets(n, 5, n) for n in lengths]
    blocks_ = [(how, blocks.block(bearer, COUNT, case), COUNT, off) for case in cases for off in range(4)]
    for (_, _, _, off), found in zip(blocks_, peer(*blocks_), strict=True):
        assert found.status == found.dropped == 0, off
    wanted = [case for case in cases for _ in range(4)]
    assert [found.packets for found in peer(*blocks_)] == wanted


def test_count_runs_on_over_sequence_numbers_and_hyper_frames(peer):
    """COUNT continues from block to block, although the sequence numbers of RLC and PDCP and the hyper frame number
    wrap to 0.
    """
    count = (1 << 32) - 3
    series = [_packets(100, 101), _packets(102, 103, 104)]
    cases, at = [], count
    for how, packets in zip((EEA2, GO_ON), series, strict=True):
        cases.append((how, blocks.block(BEARER, at, packets), count))
        at += len(packets)
    found = peer(*cases)
    assert [each.packets for each in found] == series
    assert [each.count for each in found] == [0xFFFF_FFFE, 1]


def test_a_pdu_that_came_before_and_one_out_of_order_are_dropped(peer):
    first, second = (blocks.pdu(BEARER, COUNT + n, bytes([n]) * 40) for n in range(2))
    again, ahead, after = (
        blocks.mac([(LCID, first), (LCID, first), (LCID, second)]),
        blocks.mac([(LCID, second), (LCID, first)]),
        # The second PDU has the next RLC sequence number, but the PDCP sequence number of the first PDU.
        blocks.mac([(LCID, first), (LCID, second[:2] + first[2:])]),
    )
    found = peer((EEA2, again), (EEA2, ahead), (EEA2, after))
    assert [each.packets for each in found] == [[b"\0" * 40, b"\1" * 40], [b"\0" * 40], [b"\0" * 40]]
    assert [each.dropped for each in found] == [1, 1, 1]


def test_the_hyper_frame_number_follows_the_sequence_number(peer):
    """PDCP accepts a sequence number that is up to 2048 ahead of the last one, as in TS 36.323. The RLC sequence
    numbers in this test stay in order.
    """

    def part(n: int, ahead: int) -> tuple[int, bytes]:
        rlc, pdcp = blocks.pdu(BEARER, start + n, b"")[:2], blocks.pdu(BEARER, start + ahead, bytes([n]) * 20)[2:]
        return LCID, rlc + pdcp

    start = 0x77 << 12 | 0xFFE
    aheads = [0, 3, 2, 3 + 2048, 3 + 2048 + 2049, 3 + 2048 + 4095]
    (found,) = peer((EEA2, blocks.mac([part(n, ahead) for n, ahead in enumerate(aheads)]), start))
    assert found.packets == [bytes([n]) * 20 for n in (0, 1, 3)]
    assert (found.dropped, found.count) == (3, start + 3 + 2048)


def test_control_elements_padding_and_other_channels_are_passed_over(peer):
    (packet,) = _packets(300)
    pdu = blocks.pdu(BEARER, COUNT, packet)
    status = b"\x00\x10\x00"
    block = blocks.mac(
        [(31, b""), (31, b""), (29, b"\x05"), (28, b"123456"), (30, b""), (5, b"other"), (LCID, status), (LCID, pdu),
         (31, b"\xff" * 37)]
    )  # fmt: skip
    (found,) = peer((EEA2, block))
    assert found == Received(0, [packet], 4, 1, 0, COUNT)


@pytest.mark.parametrize(
    "change",
    [
        lambda pdu: pdu[:4],
        lambda pdu: pdu[:1],
        lambda pdu: b"",
        lambda pdu: pdu + bytes(1461),
        *(lambda pdu, bit=bit: bytes([pdu[0] | bit]) + pdu[1:] for bit in (0x40, 0x10, 0x08, 0x04)),
    ],
)
def test_a_pdu_that_is_too_short_too_long_or_in_parts_is_dropped(peer, change):
    pdu = blocks.pdu(BEARER, COUNT, bytes(40))
    whole = blocks.pdu(BEARER, COUNT, b"whole")
    (found,) = peer((EEA2, blocks.mac([(LCID, change(pdu)), (LCID, whole)])))
    assert (found.status, found.packets, found.dropped) == (0, [b"whole"], 1)


def test_a_header_that_does_not_fit_its_block_delivers_nothing(peer):
    """Test damaged blocks: truncated blocks, blocks with a wrong length, and blocks with a reserved LCID. The program
    must report -EBADMSG and deliver no packet.
    """
    pdu = blocks.pdu(BEARER, COUNT, bytes(200))
    block = blocks.mac([(LCID, pdu), (29, b"\x01")])
    cases = [block[:n] for n in range(len(block))] + [
        block + b"\0",
        bytes([0x20 | LCID, 0xFF, 0xFF, 31]),
        b"\x0b",
        b"\x1b",
    ]
    for case, found in zip(cases, peer(*((EEA2, case) for case in cases)), strict=True):
        assert (found.status, found.packets) == (-errno.EBADMSG, []), case.hex()


def test_random_blocks_harm_nothing(peer):
    """Receive blocks of random bytes, and valid blocks with changed bytes. The sanitizers must find no error."""
    rng = random.Random(36321)
    good = blocks.block(BEARER, COUNT, _packets(64, 200, 33))
    cases = [rng.randbytes(rng.randrange(1, 40)) for _ in range(2000)]
    for _ in range(2000):
        changed = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(20)] ^= 1 << rng.randrange(8)
        cases.append(bytes(changed[: rng.randrange(1, len(changed) + 1)]))
    found = peer(*((EEA2, case, COUNT, rng.randrange(4)) for case in cases))
    assert {each.status for each in found} == {0, -errno.EBADMSG}
