# SPDX-License-Identifier: BSD-2-Clause
"""Test the table that contains the addresses of stations with a session. The table must recognise frames of these
stations while software changes rows of the table.
"""

import random

import pytest
from litex.soc.interconnect import csr_bus
from migen import Module

from gateware.net.link.stations import KnownStations
from tests.gateware.net import frames
from tests.gateware.support import Simulation

ROWS = 8
GAP = 3  # the frame slots require at least this number of cycles between two frames
DEADLINE = 2  # the frame slots use the search result this number of cycles after a frame's last word
TARGET_MAC, TARGET_IP = 0x02_43_4C_4E_45_01, 0xC0A8_0132


class Board(Module):
    def __init__(self):
        self.submodules.stations = stations = KnownStations(rows=ROWS)
        self.bus = csr_bus.Interface(data_width=32, address_width=14)
        csrs = stations.get_csrs(sort=True)
        self.submodules.bank = csr_bus.CSRBank(csrs, 0, self.bus)
        self.address = {csr.name.removeprefix("_"): n for n, csr in enumerate(csrs)}


@pytest.fixture(scope="module")
def board():
    dut = Board()
    stations, bus = dut.stations, dut.bus
    ports = [stations.valid, stations.last, stations.data, stations.known, stations.searched, stations.any]
    with Simulation(dut, *ports, bus.adr, bus.we, bus.re, bus.dat_w, bus.dat_r) as simulation:
        yield dut, simulation


def write(dut, name, value):
    for signal, driven in ((dut.bus.adr, dut.address[name]), (dut.bus.dat_w, value), (dut.bus.we, 1)):
        yield signal.eq(driven)
    yield
    yield dut.bus.we.eq(0)


def read(dut, name):
    yield dut.bus.adr.eq(dut.address[name])
    yield dut.bus.re.eq(1)
    yield
    yield dut.bus.re.eq(0)
    yield
    return (yield dut.bus.dat_r)


def words_of(station):
    """Return a station's MAC and IP address as values for the three address registers of a row."""
    mac, ip = station
    mac, ip = mac.to_bytes(6, "big"), ip.to_bytes(4, "big")
    return [int.from_bytes(part, "little") for part in (mac[:2], mac[2:], ip)]


def learn(dut, row, station):
    yield from write(dut, "row", row)
    for name, value in zip(("mac0", "mac1", "address"), words_of(station), strict=True):
        yield from write(dut, name, value)
    yield from write(dut, "known", (yield from read(dut, "known")) | 1 << row)


def packet(station, size=18, kind=frames.IPV4):
    mac, ip = station
    body = frames.ipv4(ip, TARGET_IP, frames.UDP, frames.udp(1, 2, bytes(size)))
    return frames.ethernet(TARGET_MAC, mac, kind, body)


def receive(dut, frame, pauses=None):
    """Send the words of a frame. `DEADLINE` cycles after the last word, read two flags and return them: whether the
    table contains the frame's source, and whether the search of the table's rows has ended.
    """
    stations = dut.stations
    for at in range(0, len(frame), 4):
        while pauses and pauses.random() < 0.5:
            yield
        yield stations.valid.eq(1)
        yield stations.last.eq(at + 4 >= len(frame))
        yield stations.data.eq(int.from_bytes(frame[at : at + 4].ljust(4, b"\xa5"), "little"))
        yield
        yield stations.valid.eq(0)
    for _ in range(DEADLINE):
        yield
    yield
    known = (yield stations.known), (yield stations.searched)
    for _ in range(GAP - DEADLINE - 1):
        yield
    return known


def near(rng, station):
    """Return a copy of a station's addresses (MAC, IP) in which one bit is inverted."""
    mac, ip = station
    bit = rng.randrange(80)
    return (mac ^ 1 << bit, ip) if bit < 48 else (mac, ip ^ 1 << bit - 48)


@pytest.mark.parametrize("paced", [False, True], ids=["a word a cycle", "with pauses"])
def test_frames_of_known_stations_and_of_all_others(board, paced):
    """The table recognises an IPv4 frame if a row contains the frame's source MAC and source IP addresses. For any
    other frame, the source MAC address suffices. Software changes rows between frames.
    """
    dut, simulation = board
    rng, seen = random.Random(paced), []

    def process():
        listed = {}
        stations = [(rng.getrandbits(48), rng.getrandbits(32)) for _ in range(2 * ROWS)]
        for n in range(400):
            if n % 4 == 0:
                row = rng.randrange(ROWS)
                if rng.random() < 0.7:
                    listed[row] = rng.choice(stations)
                    yield from learn(dut, row, listed[row])
                else:
                    listed.pop(row, None)
                    yield from write(dut, "known", (yield from read(dut, "known")) & ~(1 << row))
                    yield
            station = rng.choice([*stations, *listed.values(), *listed.values()])
            station = near(rng, station) if rng.random() < 0.3 else station
            kind = rng.choice((frames.IPV4, frames.IPV4, frames.ARP, 0x86DD))
            frame = packet(station, rng.choice((0, 18, 400)), kind)
            expected = station in listed.values()
            if kind != frames.IPV4:
                expected = station[0] in [mac for mac, _ in listed.values()]
            found, searched = yield from receive(dut, frame, rng if paced else None)
            assert searched and (yield dut.stations.any) == bool(listed)
            seen.append((found, expected))

    simulation.power_on()
    simulation.run(process(), max_cycles=300_000)
    assert all(found == expected for found, expected in seen)
    assert 100 < sum(expected for _, expected in seen) < 300


def test_a_row_is_compared_only_when_it_was_written_whole(board):
    """A write to any address register of a row makes the row invalid until software marks it as valid again."""
    dut, simulation = board
    one, two = (0x02_00_00_00_00_01, 0xC0A8_0164), (0x02_00_00_00_00_02, 0xC0A8_0165)
    seen = []

    def process():
        for row in range(ROWS):
            yield from learn(dut, row, one)
            seen.append((yield from receive(dut, packet(one)))[0])
            for name, value in zip(("mac0", "mac1", "address"), words_of(two), strict=True):
                yield from write(dut, name, value)
                seen.append((yield from read(dut, "known")))
                for station in (one, two, (one[0], two[1]), (two[0], one[1])):
                    seen.append((yield from receive(dut, packet(station)))[0])
            yield from write(dut, "known", 1 << row)
            seen.append((yield from receive(dut, packet(two)))[0])
            yield from write(dut, "known", 0)
            yield
            seen.append((yield from receive(dut, packet(two)))[0])

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    assert seen == [1, *[0] * 15, 1, 0] * ROWS


def test_a_frame_too_short_for_its_source_comes_from_nobody(board):
    """A frame that is too short to contain its source address counts as unknown, even directly after a longer frame of
    a known station with the same first bytes.
    """
    dut, simulation = board
    station = (0x02_00_00_00_00_01, 0xC0A8_0164)
    seen = []

    def process():
        yield from learn(dut, 3, station)
        for size in range(12, 60, 4):
            seen.append((yield from receive(dut, packet(station)))[0])
            seen.append((yield from receive(dut, packet(station)[:size]))[0])

    simulation.power_on()
    simulation.run(process(), max_cycles=100_000)
    assert seen[::2] == [1] * len(seen[::2])
    assert seen[1:10:2] == [0] * 5, "up to 28 bytes"


def test_after_reset_nobody_is_known(board):
    dut, simulation = board
    station = (0x02_00_00_00_00_01, 0xC0A8_0164)
    seen = []

    def learned():
        yield from learn(dut, 7, station)
        seen.append((yield from receive(dut, packet(station)))[0])

    def process():
        seen.extend([(yield from receive(dut, packet(station)))[0], (yield dut.stations.any)])

    simulation.power_on()
    simulation.run(learned(), max_cycles=1000)
    simulation.reset()
    simulation.run(process(), max_cycles=1000)
    assert seen == [1, 0, 0]
