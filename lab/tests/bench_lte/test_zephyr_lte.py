# SPDX-License-Identifier: BSD-2-Clause
"""Test LTE's layer 2 in Zephyr's threads on the simulated board. All packets arrive, every engine and driver can
decipher them, and full queues lose PDUs.
"""

import random
import zlib

import pytest

from lab.bench.board import WrongAnswerError
from lab.bench_lte import blocks, zephyr
from lab.results.tables.bench_lte_zephyr import ORDERS

pytestmark = [pytest.mark.simboard, pytest.mark.usefixtures("zephyr_board")]

BYTES, PACKETS = 5000, 4
KEY, COUNT, IDENTITY = bytes(range(16)), 0x12345 << 12 | 7, 0x15
EINVAL, EBADMSG = 22, 77  # error numbers (errno) in Zephyr's C library
# Maximum number of PDUs that can wait without loss. The queue holds 40 PDUs (THREADS_QUEUE). The thread that reads the
# queue holds one more PDU.
ROOM = 40 + 1


def example(block):
    return blocks.Example(KEY, COUNT, IDENTITY, block, [])


@pytest.fixture(scope="module")
def board(zephyr_board):
    with zephyr.ZephyrLteBoard(zephyr_board.name.removeprefix("sim_")) as found:
        yield found


def test_packets_come_out_of_a_block_whatever_the_threads(board):
    found = board.measure("accelerator", BYTES)
    one, mac_first, pdcp_first = found
    assert [each["order"] for each in found] == list(ORDERS)
    for each in found:
        assert (each["packets"], each["packet_bytes"]) == (PACKETS, sum(blocks.lengths(BYTES)))
        assert 0 < each["shortest_cycles"] <= each["median_cycles"] <= each["cycles"]
        assert zephyr.in_time(each), "5 KB by the accelerator, a TTI each millisecond"
    assert (one["switches"], mac_first["switches"]) == (1, 3), "a change to each layer's thread"
    assert pdcp_first["switches"] == 1 + 4 * PACKETS, "each PDU wakes two layers, which give way again"


@pytest.mark.thorough  # this test is slow; other tests cover CTR with each engine
@pytest.mark.parametrize("engine", [engine for engine in zephyr.ENGINES if engine != "accelerator"])
def test_each_way_to_decipher(board, engine):
    assert [each["packets"] for each in board.measure(engine, BYTES)] == [PACKETS] * len(ORDERS)


def test_a_pdu_that_finds_a_queue_full_is_lost_and_counted(board):
    """In the order `mac_first`, the thread of the MAC layer has the highest priority and queues all PDUs before another
    layer runs. The queue becomes full and loses PDUs. In the other orders, no PDU is lost.
    """
    rng = random.Random(40)
    packets = [rng.randbytes(100) for _ in range(ROOM + 7)]
    block = blocks.block(blocks.Bearer(3, IDENTITY, KEY), COUNT, packets)
    found = board.ask_for(example(block), "ise_fused", times=2)
    for order, (status, crc, came, _, control, unknown, dropped, full, *_) in found.items():
        lost = 7 if order == "mac_first" else 0
        assert (status, control, unknown, dropped, full) == (0, 0, 0, 0, 3 * lost), order
        assert came == 3 * (len(packets) - lost)
        assert crc == zlib.crc32(b"".join(packets[: len(packets) - lost]))


def test_pdus_that_no_layer_takes_are_counted_by_it(board):
    """Each layer counts the PDUs that it does not pass on. The MAC layer counts the PDUs that belong to no bearer.

    RLC counts status reports and PDUs out of order. PDCP counts control PDUs and repeats.
    """
    bearer = blocks.Bearer(3, IDENTITY, KEY)
    pdu = [blocks.pdu(bearer, COUNT + n, bytes([n]) * 30) for n in range(3)]
    again = blocks.pdu(bearer, COUNT + 1, b"")[:2] + pdu[0][2:]
    control = blocks.pdu(bearer, COUNT + 2, b"")[:2] + b"\x10\x00control"
    parts = [(5, b"other"), (3, b"\x00\x10\x00"), (3, pdu[0]), (3, pdu[2]), (3, again), (3, control)]
    found = board.ask_for(example(blocks.mac(parts)), "table", times=1)
    for order, (status, crc, came, _, control, unknown, dropped, full, *_) in found.items():
        assert (status, came, control, unknown, dropped, full) == (0, 2 * 1, 2 * 2, 2 * 1, 2 * 2, 0), order
        assert crc == zlib.crc32(b"\0" * 30)


@pytest.mark.parametrize(
    ("block", "times", "number"),
    [(b"\x0b" * 8, 1, EBADMSG), (b"", 1, EBADMSG), (b"\x1f", 33, EINVAL)],
)
def test_what_cannot_be_received_is_an_error_and_the_next_request_is_not(board, block, times, number):
    for reply in board.ask_for(example(block), None, times).values():
        assert reply[0] == (1 << 32) - number
    assert [each["packets"] for each in board.measure(None, 500)] == [1] * len(ORDERS)


def test_a_wrong_packet_is_found(board, monkeypatch):
    monkeypatch.setattr(blocks, "eea2", lambda key, count, bearer, direction, data: bytes(len(data)))
    with pytest.raises(WrongAnswerError, match="not those that the block was made of"):
        board.measure("accelerator", BYTES)


def test_the_kernels_costs_are_said(board):
    costs = board.costs()
    assert 0 < costs["switch_cycles"] < costs["hand_over_cycles"]
    assert 0 < costs["queue_cycles"] < costs["hand_over_cycles"], "which has two changes of threads in it besides"
