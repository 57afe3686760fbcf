# SPDX-License-Identifier: BSD-2-Clause
"""Test the SecY next to the MAC: the firmware's driver installs keys, and the fast path answers protected frames."""

import errno
import random
from array import array

import pytest

from gateware.net.macsec.counters import Counter
from tests.gateware.net import frames
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import PROTECTED_CORE, GMIIBoard
from tests.gateware.net.macsec import driver as c
from tests.gateware.net.macsec.driver import OWN_SCI, PEER_SCI
from tests.gateware.net.macsec.reference import Association, Receiver, padded, protect
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, datagram, expected, on_wire

PEER_MAC = int.from_bytes(PEER_SCI[:6], "big")
PEER_IP = 0xC0A8_0164
POLLS = 10_000
SUITES = {"GCM-AES-128": (16, False), "GCM-AES-256": (32, False), "XPN-128": (16, True), "XPN-256": (32, True)}


@pytest.fixture(scope="module")
def model():
    model = GMIIBoard(sys_hz=75_000_000, macsec=True, **PROTECTED_CORE)
    yield model
    model.close()


@pytest.fixture
def board(model):
    model.reset()
    return model


@pytest.fixture
def driver(board):
    driver = c.Driver(board)
    driver.zeroize()
    board.wait()
    return driver


@pytest.fixture
def session(board):
    rng = random.Random(1)
    session = Session(
        number=7,
        peer=Peer(mac=PEER_MAC, ip=PEER_IP, port=40000),
        token=rng.getrandbits(64),
        key=rng.randbytes(16),
        initial=rng.getrandbits(128),
        row=0,
        slot=0,
    )
    board.open(session)
    return session


def associations(seed: int, size: int, xpn: bool = False, pn: int = 1) -> tuple[Association, Association]:
    """Return a link's two associations: one for frames that the board sends, one for frames that the peer sends."""
    rng = random.Random(seed)
    more = [{"ssci": rng.randbytes(4), "salt": rng.randbytes(12)} if xpn else {} for _ in range(2)]
    return tuple(
        Association(rng.randbytes(size), sci, pn, **m) for sci, m in zip((OWN_SCI, PEER_SCI), more, strict=True)
    )


def secure(driver, board_s, peer_s, an: int = 0, **changes):
    assert driver.set_sci(OWN_SCI, PEER_SCI) == 0
    assert driver.install(c.RECEIVE, an, peer_s) == 0
    assert driver.install(c.TRANSMIT, an, board_s) == 0
    driver.set_policy(**c.STRICTLY | {"transmit_an": an} | changes)


def counted(driver) -> dict[str, int]:
    return {counter.name: count for counter in Counter if (count := driver.count(int(counter)))}


def request(session, data: bytes = b"sixteen bytes...") -> tuple[bytes, bytes]:
    """Return a frame that contains a record, and the board's expected answer. Both frames are unprotected."""
    offset = session.place()
    return datagram(session, session.request(offset, data)), expected(session, session.reply(offset, data))


def answers(board, *received: bytes) -> list[bytes]:
    script = on_wire(padded(received[0]))
    for frame in received[1:]:
        script += on_wire(padded(frame))
    return [sent.frame for sent in board.exchange(script)]


def opened(frame: bytes, sa: Association, an: int = 0) -> bytes | None:
    """Pass the board's frame to a model of the peer's SecY. Return the delivered frame, or None if it is dropped."""
    taken = Receiver(OWN_SCI, {an: sa}).take(frame)
    return taken and taken[0]


def test_after_power_on_all_frames_pass_unprotected(board, driver, session):
    asked, answer = request(session)
    assert answers(board, asked) == [answer]
    assert counted(driver) == {"InPktsUntagged": 1, "OutPktsUntagged": 1}


@pytest.mark.parametrize("suite", SUITES)
def test_the_fast_path_answers_through_an_association(board, driver, session, suite):
    xpn = "XPN" in suite
    board_s, peer_s = associations(2, *SUITES[suite], pn=2**32 - 1 if xpn else 1)
    secure(driver, board_s, peer_s, 2)
    for n in range(2):
        asked, answer = request(session, bytes([n]) * (1 + 100 * n))
        sealed = protect(asked, peer_s, 2)
        (sent,) = answers(board, sealed)
        assert sent[12:14].hex() == "88e5" and answer[42:] not in sent
        assert opened(sent, board_s, 2) == answer
        assert answers(board, asked) == [], "a frame without SecTAG"
        assert answers(board, sealed) == [], "a replay"
    # An XPN frame carries only the low 32 bits of its packet number. After these bits wrap, the SecY assumes too high a
    # packet number for a replayed frame. So the SecY finds a wrong ICV, and does not count the frame as late.
    replays = {"InPktsLate": 1, "InPktsNotValid": 1} if xpn else {"InPktsLate": 2}
    assert counted(driver) == {"InPktsOK": 2, "InPktsNoTag": 2, "OutPktsEncrypted": 2} | replays
    assert driver.next_pn(c.TRANSMIT, 2) == board_s.pn
    assert driver.next_pn(c.RECEIVE, 2) == peer_s.pn


def test_a_forged_frame_is_dropped_and_its_packet_number_stays_unused(board, driver, session):
    board_s, peer_s = associations(3, 16)
    secure(driver, board_s, peer_s)
    asked, answer = request(session)
    sealed = protect(asked, peer_s, 0)
    for place in (0, 6, 19, 27, 28, 60, len(sealed) - 1):
        forged = bytearray(sealed)
        forged[place] ^= 0x40
        assert answers(board, bytes(forged)) == []
    (sent,) = answers(board, sealed)
    assert opened(sent, board_s) == answer
    assert driver.next_pn(c.RECEIVE, 0) == 2


def test_a_frame_that_was_shorter_than_60_bytes_is_filled(board, driver):
    """Linux protects a frame before the MAC pads it. So an ARP request arrives unpadded, with only 42 bytes."""
    board_s, peer_s = associations(4, 32)
    secure(driver, board_s, peer_s)
    asked = frames.ethernet(frames.BROADCAST, PEER_MAC, frames.ARP, frames.arp(1, PEER_MAC, PEER_IP, 0, BOARD_IP))[:42]
    (sent,) = answers(board, protect(asked, peer_s, 0))
    reply = opened(sent, board_s)
    assert (
        reply[:42]
        == frames.ethernet(PEER_MAC, BOARD_MAC, frames.ARP, frames.arp(2, BOARD_MAC, BOARD_IP, PEER_MAC, PEER_IP))[:42]
    )
    assert board.cpu_frames() == [asked.ljust(60, b"\0")]


def test_the_cpu_gets_each_length(board, driver):
    board_s, peer_s = associations(5, 16)
    secure(driver, board_s, peer_s)
    rng = random.Random(5)
    start = bytes.fromhex("02434c4e4501") + PEER_SCI[:6] + b"\x12\x34"
    sent = [start + rng.randbytes(size - len(start)) for size in (*range(17, 70), 1513, 1514)]
    assert answers(board, *[protect(frame, peer_s, 0) for frame in sent]) == []
    assert board.cpu_frames() == [frame.ljust(60, b"\0") for frame in sent]


def test_only_eapol_passes_outside_macsec(board, driver):
    board_s, peer_s = associations(6, 16)
    secure(driver, board_s, peer_s)
    eapol = bytes.fromhex("0180c2000003") + PEER_SCI[:6] + bytes.fromhex("888e") + bytes(range(46))
    other = eapol[:12] + bytes.fromhex("88cc") + eapol[14:]
    assert answers(board, other, eapol, other) == []
    assert board.cpu_frames() == [eapol]
    assert counted(driver) == {"InPktsNoTag": 2}


def test_a_new_key_loses_no_frame(board, driver, session):
    """Frames under the old key alternate with frames under the new key. Meanwhile the board changes the key for its
    answers.
    """
    old, new = associations(7, 16), associations(8, 16)
    secure(driver, *old, 0)
    assert driver.install(c.RECEIVE, 1, new[1]) == 0
    assert driver.install(c.TRANSMIT, 1, new[0]) == 0
    for an in (0, 1, 0):
        driver.set_policy(**c.STRICTLY | {"transmit_an": an})
        pairs = [request(session) for _ in range(4)]
        sealed = [protect(asked, (old, new)[n % 2][1], n % 2) for n, (asked, _) in enumerate(pairs)]
        sent = answers(board, *sealed)
        assert [opened(frame, (old, new)[an][0], an) for frame in sent] == [answer for _, answer in pairs]


def test_removing_an_association_ends_it(board, driver, session):
    board_s, peer_s = associations(9, 16)
    secure(driver, board_s, peer_s)
    driver.remove(c.RECEIVE, 0)
    assert driver.next_pn(c.RECEIVE, 0) == 0 and driver.next_pn(c.TRANSMIT, 0) == 1
    assert answers(board, protect(request(session)[0], peer_s, 0)) == []
    assert counted(driver) == {"InPktsNoSAError": 1}


def test_zeroizing_ends_everything_and_lets_frames_pass_again(board, driver, session):
    board_s, peer_s = associations(10, 16)
    secure(driver, board_s, peer_s)
    driver.zeroize()
    assert driver.next_pn(c.TRANSMIT, 0) == driver.next_pn(c.RECEIVE, 0) == 0
    assert board.read("macsec_live") == 0
    # `zeroize` removes the keys of every client of the CTR service, including the fast path's keys.
    assert answers(board, request(session)[0]) == []
    board.wait()
    board.run(array("H"), board.operations.load_key(session.slot, session.key))
    board.wait()
    asked, answer = request(session)
    assert answers(board, asked) == [answer]


def test_the_sci_is_locked_while_an_association_is_live(board, driver, session):
    board_s, peer_s = associations(11, 16)
    secure(driver, board_s, peer_s)
    assert driver.set_sci(bytes(8), bytes(8)) == -errno.EBUSY
    board.write("macsec_sci0", 0)
    assert board.read("macsec_status") >> 1 & 1, "refused"
    asked, answer = request(session)
    (sent,) = answers(board, protect(asked, peer_s, 0))
    assert sent[20:28] == OWN_SCI and opened(sent, board_s) == answer


def test_bad_associations_are_refused(driver):
    board_s, _ = associations(12, 16)
    assert driver.install(c.TRANSMIT, 4, board_s) == -errno.EINVAL
    assert driver.install(c.TRANSMIT, 0, board_s, key_bits=192) == -errno.EINVAL
    assert driver.install(c.TRANSMIT, 0, board_s, pn=0) == -errno.EINVAL
    assert driver.install(c.TRANSMIT, 0, board_s, pn=2**32) == -errno.EINVAL
    assert driver.next_pn(c.TRANSMIT, 0) == 0


def test_hardware_that_stays_busy_or_takes_no_key_is_an_error(driver):
    board_s, _ = associations(13, 16)
    driver.stuck = {"status": 1}
    driver.reads = 0
    assert driver.install(c.TRANSMIT, 0, board_s) == -errno.ETIMEDOUT
    assert driver.reads == POLLS
    driver.stuck = {"live": 0}
    assert driver.install(c.TRANSMIT, 0, board_s) == -errno.EIO


def test_an_association_that_cannot_be_removed_is_zeroized(driver):
    board_s, _ = associations(14, 16)
    assert driver.install(c.TRANSMIT, 0, board_s) == 0
    driver.stuck = {"status": 1}
    driver.remove(c.TRANSMIT, 0)
    driver.stuck = {}
    assert driver.next_pn(c.TRANSMIT, 0) == 0
