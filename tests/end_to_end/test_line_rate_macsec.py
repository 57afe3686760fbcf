# SPDX-License-Identifier: BSD-2-Clause
"""Tests how much goodput a session keeps on a board with MACsec while a host without a key floods the wire.

The host has keys, which it gave to the board over the UART; the stranger has none. It sends without a pause at 1 Gb/s:
up to 740,000 frames a second beside the host's. Time is counted in cycles.
"""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane_base.wire.layout import Engine, Suite

from tests.end_to_end.scripted_wire import Peer, Wire, scripted_board
from tests.end_to_end.test_line_rate import (
    AGAIN,
    FAST_SHARE,
    FAST_WINDOW,
    KEY,
    OWNER,
    QUIET,
    RECORDS,
    STRANGER,
    STRANGER_MAC,
    initial,
)
from tests.firmware import frames as f
from tests.gateware.net.macsec import reference
from tests.gateware.support import ROOT
from tests.waiting import HANG_S

pytestmark = pytest.mark.simboard

OWNER_SCI = bytes((0x0A, 0, 0, 0, 0, OWNER[-1])) + b"\0\1"
TO_BOARD, FROM_BOARD = (random.Random(direction).randbytes(32) for direction in ("to", "from"))
RECORD_BYTES = 1392  # data bytes per record, which fit the MTU of 1468 bytes that MACsec leaves
FULL_SIZE = 1514  # bytes of the longest frame, without its check sequence
AROUND = 46  # bytes added to the data in a protected frame: addresses and type, SecTAG with SCI, ICV


class SecureWire(Wire):
    """A wire with MACsec: the host protects the frames that it sends, and drops unprotected frames from the board."""

    def __init__(self, wire: Wire, board_sci: bytes):
        super().__init__(wire._connection, wire.url)
        self.cycle = wire.cycle
        self._sends = reference.Association(TO_BOARD, OWNER_SCI)
        self.receives = reference.Receiver(board_sci, {0: reference.Association(FROM_BOARD, board_sci)})

    def send(self, frame: bytes) -> None:
        super().send(reference.protect(frame, self._sends, 0))

    def begin(self) -> bytes:
        frame = super().begin()
        taken = self.receives.take(frame) if frame else None
        return taken[0] if taken else b""


def over_uart(wire: Wire, work):
    """Call the function `work` with a `Device` at the board's UART; return the result of `work`. Keep the simulation
    running until `work` returns.
    """

    def run():
        with Device(SerialTransport(wire.url), timeout=HANG_S) as device:
            return work(device)

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run)
        while not done.done():
            wire.turn()
        return done.result()


def protect(device: Device) -> bytes:
    device.protect(Suite.GCM_AES_256, FROM_BOARD, TO_BOARD, OWNER_SCI)
    return device.macsec().sci


@pytest.fixture(scope="module")
def wire():
    with scripted_board(ROOT / "build" / "sim_macsec") as wire:
        yield SecureWire(wire, over_uart(wire, protect))


def forged(size: int) -> bytes:
    """Return a MACsec frame that is protected with a wrong key. It has the host's SCI and a packet number that the host
    has not used yet.
    """
    key = reference.Association(bytes(32), OWNER_SCI, pn=1 << 31)
    return reference.protect(f.ethernet(bytes(size - AROUND), sender=OWNER_SCI[:6]), key, 0)


MKPDU = bytes((3, 5, 0, 42)) + bytes(42)  # an MKPDU with a header, but without the parameter sets that must follow
# Maps each flood to two values: its frame, and the name of the counter that the SecY increases when it drops this
# frame. For MKPDUs, the name is None, because the SecY passes MKPDUs to the CPU.
FLOODS = {
    "short forged frames": (forged(100), "not_valid"),
    "long forged frames": (forged(FULL_SIZE), "not_valid"),
    "frames without MACsec": (f.arp_request(sender=STRANGER, sender_mac=STRANGER_MAC), "no_tag"),
    "MKPDUs": (f.ethernet(MKPDU, 0x888E, to=bytes.fromhex("0180c2000003"), sender=STRANGER_MAC), None),
}

OFTEN = [("long forged frames", Engine.FASTPATH), ("MKPDUs", Engine.ACCELERATOR)]
CASES = [
    pytest.param(
        flood,
        engine,
        id=f"{flood}-{engine.name.lower()}",
        marks=[] if (flood, engine) in OFTEN else pytest.mark.thorough,
    )
    for flood, engine in itertools.product(FLOODS, (Engine.FASTPATH, Engine.ACCELERATOR))
]


@pytest.mark.parametrize(("flood", "engine"), CASES)
def test_a_stranger_without_a_key_costs_less_than_a_twentieth(wire, flood, engine):
    """During a flood, the session must keep 95 % of its goodput and lose no record. The test measures the goodput
    twice, and each time the session has half of the wire. The flood uses the other half of the wire only in the second
    measurement.
    """
    frame, dropped = FLOODS[flood]
    owner = Peer(wire, OWNER)
    owner.open(KEY, initial(f"macsec {flood} {engine}"), engine, RECORD_BYTES, attempts=3)
    fast_path = engine == Engine.FASTPATH
    before = over_uart(wire, Device.macsec)

    def stream() -> int:
        cycles, resent = owner.stream(RECORDS, FAST_WINDOW, fast_path=fast_path, again=4 * AGAIN)
        assert resent == 0
        return cycles

    try:
        wire.wait(QUIET)
        wire.flood(frame, silent=True)
        alone = stream()
        wire.flood(frame)
        # Do not measure this stream. During this stream, the flood uses up the CPU cycles that the board has saved up
        # for the flooding host.
        stream()
        beside = stream()
        print(f"{engine.name.lower()} beside {flood}: {alone / beside:.1%} of the goodput")
        assert alone >= FAST_SHARE * beside
    finally:
        wire.flood()
        wire.wait(QUIET)
        owner.close()
    after = over_uart(wire, Device.macsec)
    assert after.counters["ok"] >= before.counters["ok"] + 3 * RECORDS
    if dropped:
        assert after.counters[dropped] > before.counters[dropped] + 2 * RECORDS
