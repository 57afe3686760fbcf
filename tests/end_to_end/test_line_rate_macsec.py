# SPDX-License-Identifier: BSD-2-Clause
"""Tests how much of a session's goodput remains on a board with MACsec while a stranger floods the wire.

The host has keys, which it gave to the board over the UART; the stranger has none. It sends without a pause at 1 Gb/s:
up to 740,000 frames a second beside the host's. Time is counted in cycles.
"""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from cipherlane.link.device import Device
from cipherlane.transport.serial import SerialTransport
from cipherlane_base.wire.layout import Engine, Suite

from tests.end_to_end.scripted_wire import Peer, Wire, scripted_board
from tests.firmware import frames as f
from tests.gateware.net.macsec import reference
from tests.waiting import HANG_S

pytestmark = pytest.mark.simboard
thorough = pytest.mark.thorough

HOST = bytes((192, 168, 1, 100))
HOST_SCI = bytes((0x0A, 0, 0, 0, 0, HOST[-1])) + b"\0\1"
STRANGER_MAC = bytes.fromhex("0a00000000ee")
RNG = random.Random(37)
TO_BOARD, FROM_BOARD, KEY = RNG.randbytes(32), RNG.randbytes(32), RNG.randbytes(16)
RECORD_BYTES, RECORDS, WINDOW = 1392, 24, 4
SHARE = 0.95
AGAIN = 1_600_000  # cycles until an unanswered record is sent again
QUIET = 300_000  # cycles within which the board has zeroized its slots
FULL_SIZE = 1514  # bytes of a frame without check sequence


class SecureWire(Wire):
    """A wire whose host protects its frames, and drops frames of the board that are not protected."""

    def __init__(self, wire: Wire, board_sci: bytes):
        super().__init__(wire._connection, wire.url)
        self.cycle = wire.cycle
        self._sends = reference.Association(TO_BOARD, HOST_SCI)
        self.receives = reference.Receiver(board_sci, {0: reference.Association(FROM_BOARD, board_sci)})

    def send(self, frame: bytes) -> None:
        super().send(reference.protect(frame, self._sends, 0))

    def begin(self) -> bytes:
        frame = super().begin()
        taken = self.receives.take(frame) if frame else None
        return taken[0] if taken else b""


def over_uart(wire: Wire, work):
    """Return the result of `work` with a `Device` at the board's UART, while the wire takes turns."""

    def run():
        with Device(SerialTransport(wire.url), timeout=HANG_S) as device:
            return work(device)

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run)
        while not done.done():
            wire.turn()
        return done.result()


def protect(device: Device) -> bytes:
    device.protect(Suite.GCM_AES_256, FROM_BOARD, TO_BOARD, HOST_SCI)
    return device.macsec().sci


@pytest.fixture(scope="module")
def wire():
    with scripted_board("sim_macsec") as wire:
        yield SecureWire(wire, over_uart(wire, protect))


def forged(size: int, to: bytes = f.BOARD_MAC) -> bytes:
    """Return a frame under a wrong key, with the host's SCI and a packet number that did not come yet."""
    key = reference.Association(bytes(32), HOST_SCI, pn=1 << 31)
    return reference.protect(f.ethernet(bytes(size - 46), 0x0800, to=to, sender=HOST_SCI[:6]), key, 0)


MKPDU = bytes((3, 5, 0, 42)) + bytes(42)  # a header and nothing in it
# Each with the counter of what the SecY drops; MKPDUs go to the CPU.
FLOODS = {
    "short forged frames": (forged(100), "not_valid"),
    "long forged frames": (forged(FULL_SIZE), "not_valid"),
    "frames without MACsec": (f.arp_request(sender=bytes((192, 168, 1, 238)), sender_mac=STRANGER_MAC), "no_tag"),
    "MKPDUs": (f.ethernet(MKPDU, 0x888E, to=bytes.fromhex("0180c2000003"), sender=STRANGER_MAC), None),
}


OFTEN = [("long forged frames", Engine.FASTPATH), ("MKPDUs", Engine.ACCELERATOR)]
CASES = [
    pytest.param(flood, engine, id=f"{flood}-{engine.name.lower()}", marks=[] if (flood, engine) in OFTEN else thorough)
    for flood in FLOODS
    for engine in (Engine.FASTPATH, Engine.ACCELERATOR)
]


@pytest.mark.parametrize(("flood", "engine"), CASES)
def test_a_stranger_without_a_key_costs_less_than_a_twentieth(wire, flood, engine):
    """No record is lost. The session has half of the wire. The stranger uses the other half in the second measurement
    only.
    """
    frame, dropped = FLOODS[flood]
    owner, fast_path = Peer(wire, HOST), engine == Engine.FASTPATH
    owner.open(KEY, RNG.randbytes(16), engine, RECORD_BYTES, attempts=3)
    before = over_uart(wire, Device.macsec)
    try:
        wire.wait(QUIET)
        wire.flood(frame, silent=True)
        alone, resent = owner.stream(RECORDS, WINDOW, fast_path=fast_path, again=AGAIN)
        assert resent == 0
        wire.flood(frame)
        assert owner.stream(RECORDS, WINDOW, fast_path=fast_path, again=AGAIN)[1] == 0
        beside, resent = owner.stream(RECORDS, WINDOW, fast_path=fast_path, again=AGAIN)
        print(f"{engine.name.lower()} beside {flood}: {alone / beside:.1%} of the goodput")
        assert resent == 0 and alone >= SHARE * beside
    finally:
        wire.flood()
        wire.wait(QUIET)
        owner.close()
    after = over_uart(wire, Device.macsec)
    assert after.counters["ok"] >= before.counters["ok"] + 3 * RECORDS
    if dropped:
        assert after.counters[dropped] > before.counters[dropped] + 2 * RECORDS
