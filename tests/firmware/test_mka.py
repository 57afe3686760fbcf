# SPDX-License-Identifier: BSD-2-Clause
"""Test the firmware's MKA participant: against a model of the standard, against a second participant, and with faults.
The simulated SecY records its calls, and ends the program if a SAK is installed twice.
"""

import random
import re
from dataclasses import replace

import pytest

from tests.firmware import mka_model as model
from tests.firmware import mka_peer
from tests.firmware.mka_model import KeyUse, Member
from tests.firmware.mka_peer import MAC, Phase

CAK, CKN = bytes.fromhex("135bd758b0ee5c11c55ff6ab19fdb199"), b"key 7"
SCI = MAC + b"\0\1"
NEVER = 255
CLOSED = "policy protect=1 encrypt=1 sci=1 tx=-1 validate=0 replay=1 window=0 rx=0"
HELLO_MS, LIFE_MS, RETIRE_MS = 2000, 6000, 3000
EXHAUSTED = 0xC0000000


@pytest.fixture(scope="module")
def binary():
    return mka_peer.build()


@pytest.fixture
def board(binary):
    with mka_peer.MkaPeer(binary) as running:
        yield running


@pytest.fixture
def other(binary):
    with mka_peer.MkaPeer(binary) as running:
        yield running


def started(board, *, cak=CAK, ckn=CKN, **options):
    """Start the board's participant. Return a model of another member of its group, and the board's first MKPDU."""
    assert board.start(cak, ckn, **options) == 0
    member = Member(cak, ckn)
    (frame,) = board.poll()
    return member, member.read(frame)


def last(board, member):
    """Let time pass until the board sends an MKPDU; return this MKPDU."""
    for _ in range(60):
        if frames := board.poll(after_ms=50):
            return member.read(frames[-1])
    raise AssertionError("the board sent nothing")


def joined(board, *, priority=None, **options):
    """Start the board, and let a member become its live peer. The board becomes key server unless its priority is
    NEVER.
    """
    if priority is not None:
        options["priority"] = priority
    member, hello = started(board, **options)
    board.receive(member.frame(potential=((hello.mi, hello.mn),)))
    return member, hello


def secured(board, **options):
    """Set up a protected link: the board makes a SAK, and the member uses it. Return the member, the board's last
    MKPDU, and the SAK.
    """
    member, _ = joined(board, **options)
    offer = last(board, member)
    number, sak = member.unwrapped(offer.sak)
    use = KeyUse(offer.mi, number, offer.sak_an, rx=True, lowest_pn=1)
    board.receive(member.frame(live=((offer.mi, offer.mn),), use=(use, KeyUse())))
    assert board.state().phase == Phase.SECURED
    return member, last(board, member), sak


def heartbeat(board, member, time_ms, follow=False, **fields):
    """Let the member answer each MKPDU of the board for `time_ms`; return the board's MKPDUs.

    With `follow` it uses the latest key that the board names.
    """
    heard = []
    for _ in range(0, time_ms, 50):
        for frame in board.poll(after_ms=50):
            heard.append(member.read(frame))
            if follow:
                fields["use"] = using(heard[-1])
            board.receive(member.frame(live=((heard[-1].mi, heard[-1].mn),), **fields))
    return heard


def using(mkpdu, **fields):
    """Return a member's parameter set "MACsec SAK Use". The member receives and transmits with the latest key in
    `mkpdu`, an MKPDU of the board.
    """
    latest = mkpdu.use[0]
    return (replace(latest, rx=True, tx=True, lowest_pn=1, **fields), KeyUse())


def test_start_closes_the_port_and_says_hello(board):
    _member, hello = started(board, priority=7)
    assert board.log() == [CLOSED]
    assert board.state().phase == Phase.ALONE
    assert (hello.mac, hello.sci, hello.mn, hello.ckn) == (MAC, SCI, 1, CKN)
    assert (hello.priority, hello.server, hello.desired, hello.capability) == (7, True, True, 2)
    assert (hello.live, hello.potential, hello.use, hello.sak) == ((), (), None, None)
    times = [n for n in range(1, 200) if board.poll(after_ms=50)]
    assert times == [40, 80, 120, 160]  # every 2 s


@pytest.mark.parametrize(
    "wrong", [{"cak": bytes(24)}, {"ckn": b""}, {"ckn": bytes(33)}, {"sak_bits": 192}, {"window": 65}]
)
def test_a_configuration_that_is_not_supported(board, wrong):
    given = {"cak": CAK, "ckn": CKN} | wrong
    assert board.start(given.pop("cak"), given.pop("ckn"), **given) == -22
    assert board.state().phase == Phase.OFF
    assert board.log() == []


def test_without_random_bytes_the_board_does_not_start(board):
    board.fail(random=-19)
    assert board.start(CAK, CKN) == -19
    assert not any(board.memory())
    assert board.log() == []
    assert board.run(5000) == []


@pytest.mark.parametrize("cak", [CAK, bytes(range(32))])
@pytest.mark.parametrize("sak_bits", [128, 256])
@pytest.mark.parametrize("encrypt", [True, False])
def test_the_board_as_key_server(board, cak, sak_bits, encrypt):
    member, _hello = joined(board, cak=cak, sak_bits=sak_bits, encrypt=encrypt, window=32)
    assert board.log()[1:2] == [f"sci {SCI.hex()} {member.sci.hex()}"]
    assert board.state().phase == Phase.PEER
    offer = last(board, member)
    number, sak = member.unwrapped(offer.sak)
    assert (number, len(sak), offer.sak_an, offer.confidentiality) == (1, sak_bits // 8, 0, int(encrypt))
    assert offer.live == ((member.mi, member.mn),)
    assert offer.use == (KeyUse(offer.mi, 1, 0, rx=True, lowest_pn=1), KeyUse(lowest_pn=1))
    policy = f"policy protect=1 encrypt={int(encrypt)} sci=1 tx={{}} validate=0 replay=1 window=32 rx=1"
    log = board.log()
    assert [f"install rx 0 {sak.hex()}", f"install tx 0 {sak.hex()}", policy.format(-1)] == log[-3:]
    assert board.state().phase == Phase.RECEIVING
    # The member does not use the SAK yet, so the board sends the SAK again, and must not transmit with it.
    again = heartbeat(board, member, 5000)
    assert all(mkpdu.sak == offer.sak for mkpdu in again)
    assert board.log() == []
    use = KeyUse(offer.mi, 1, 0, rx=True, lowest_pn=1)
    board.receive(member.frame(live=((again[-1].mi, again[-1].mn),), use=(use, KeyUse())))
    assert board.log() == [policy.format(0)]
    state = board.state()
    assert (state.phase, state.server, state.key_bits, state.key_number) == (Phase.SECURED, True, sak_bits, 1)
    assert state.peer_sci == member.sci
    done = last(board, member)
    assert done.sak is None
    assert done.use[0].tx
    for mkpdu in heartbeat(board, member, 20000, use=using(done)):
        assert (mkpdu.sak, mkpdu.use[0].number) == (None, 1)


@pytest.mark.parametrize("cak", [CAK, bytes(range(32))])
@pytest.mark.parametrize("sak_bytes", [16, 32])
def test_the_board_as_member(board, cak, sak_bytes):
    """Another member is key server and distributes several SAKs. The board must receive with a new SAK at once. The
    board must transmit with this SAK as soon as the key server transmits with this SAK.
    """
    member, _hello = joined(board, cak=cak, priority=NEVER)
    answer = last(board, member)
    assert (answer.server, answer.sak, answer.use) == (False, None, None)
    saks = [random.Random(n).randbytes(sak_bytes) for n in range(6)]
    board.log()
    for number, sak in enumerate(saks, 1):
        an = number % 4
        fields = {"sak": member.wrapped(number, sak), "sak_an": an}
        board.receive(member.frame(live=((answer.mi, answer.mn),), **fields))
        log = board.log()
        assert [f"install rx {an} {sak.hex()}", f"install tx {an} {sak.hex()}"] == [
            line for line in log if "install" in line
        ]
        before = -1 if number == 1 else (number - 1) % 4
        assert f" tx={before} " in log[-1]
        answer = last(board, member)
        use = KeyUse(member.mi, number, an, rx=True, lowest_pn=1)
        assert answer.use[0] == use
        # The key server sends the SAK that the board has already installed. The board must do nothing.
        board.receive(member.frame(live=((answer.mi, answer.mn),), use=(use, KeyUse()), **fields))
        assert board.log() == []
        board.receive(member.frame(live=((answer.mi, answer.mn),), use=(replace(use, tx=True), KeyUse())))
        assert f" tx={an} " in board.log()[-1]
        mkpdus = heartbeat(board, member, 4500, use=(replace(use, tx=True), KeyUse()))
        answer = mkpdus[-1]
        assert mkpdus[0].use[0].tx
        if number > 1:
            assert mkpdus[0].use[1].rx
            assert not answer.use[1].rx
            assert board.log()[-2:] == [f"remove rx {before}", f"remove tx {before}"]
    assert board.state().counts["keys"] == len(saks)


def test_a_rekey_keeps_the_old_sak_until_it_retires(board):
    member, _mkpdu, _ = secured(board)
    board.log()
    assert board.rekey() == 0
    offer = last(board, member)
    number, sak = member.unwrapped(offer.sak)
    assert (number, offer.sak_an) == (2, 1)
    log = board.log()
    assert f"install rx 1 {sak.hex()}" in log
    assert " tx=0 " in log[-1]
    assert log[-1].endswith("rx=3")
    assert (offer.use[0].rx, offer.use[0].tx, offer.use[1].rx, offer.use[1].tx) == (True, False, True, True)
    board.receive(member.frame(live=((offer.mi, offer.mn),), use=using(offer)))
    assert " tx=1 " in board.log()[-1]
    heartbeat(board, member, RETIRE_MS - 100, use=using(offer))
    assert board.log() == []
    heartbeat(board, member, 200, use=using(offer))
    log = board.log()
    assert log[0].endswith("rx=2")
    assert log[1:] == ["remove rx 0", "remove tx 0"]


def test_two_hundred_rekeys_use_two_hundred_saks(board):
    member, _mkpdu, _ = secured(board)
    for _ in range(200):
        assert board.rekey() == 0
        heartbeat(board, member, 700, follow=True)
        assert board.state().phase == Phase.SECURED
        board.log()
    assert board.state().counts["keys"] == 201


@pytest.mark.parametrize("who", ["own", "own_number", "receive", "peer"])
def test_packet_numbers_run_out(board, who):
    """As key server, the board must make a new SAK before its own or its peer's packet numbers run out."""
    member, mkpdu, _ = secured(board)
    use = using(mkpdu)
    if who == "peer":
        use = (replace(use[0], lowest_pn=EXHAUSTED), KeyUse())
    else:
        board.numbers(who != "receive", 0, 1 if who == "own" else EXHAUSTED, expiring=who == "own")
    heard = heartbeat(board, member, 5000, use=use)
    assert member.unwrapped(heard[-1].sak)[0] == 2


def test_a_member_reports_its_packet_numbers(board):
    """If another member is key server, the board must report its packet numbers, so that the key server knows when
    packet numbers run out. The board reports the numbers that it had reached about two seconds ago.
    """
    member, hello = joined(board, priority=NEVER)
    board.receive(member.frame(live=((hello.mi, hello.mn),), sak=member.wrapped(1, bytes(16))))
    use = (KeyUse(member.mi, 1, rx=True, tx=True, lowest_pn=1), KeyUse())
    heartbeat(board, member, 3000, use=use)
    board.numbers(1, 0, 5000)
    heard = heartbeat(board, member, 10000, use=use)
    assert [heard[0].use[0].lowest_pn, heard[-1].use[0].lowest_pn] == [1, 5000]
    board.numbers(1, 0, 0)
    assert heartbeat(board, member, 10000, use=use)[-1].use[0].lowest_pn == 2**32 - 1


def test_a_peer_that_vanishes(board):
    _member, _mkpdu, _sak = secured(board)
    board.log()
    board.run(LIFE_MS - 200)
    assert board.state().phase == Phase.SECURED
    board.run(300)
    state = board.state()
    assert (state.phase, state.counts["lost"], state.peer_sci) == (Phase.ALONE, 1, bytes(8))
    assert board.log()[-3:] == [CLOSED, "remove rx 0", "remove tx 0"]


def test_a_peer_that_does_not_hear_the_board_is_lost(board):
    """An MKPDU keeps the peer live only if the MKPDU contains a recent message number of the board. An attacker could
    have delayed MKPDUs that contain an older number.
    """
    member, mkpdu, _sak = secured(board)
    for _ in range(20):
        board.run(1000)
        board.receive(member.frame(live=((mkpdu.mi, mkpdu.mn),), use=using(mkpdu)))
    assert board.state().counts["lost"] == 1


def test_a_peer_that_restarts(board):
    """A peer that restarts is a new member with the same SCI. It replaces the old member as soon as its MKPDU contains
    the board's current message number.
    """
    member, _mkpdu, sak = secured(board)
    board.log()
    again = Member(CAK, CKN, mi=b"second life!")
    board.receive(again.frame())
    answer = last(board, member)
    assert answer.potential == ((again.mi, 1),)
    assert board.state().phase == Phase.SECURED
    board.receive(again.frame(potential=((answer.mi, answer.mn),)))
    log = board.log()
    assert log[:3] == [CLOSED, "remove rx 0", "remove tx 0"]
    assert board.state().phase == Phase.PEER
    offer = heartbeat(board, again, 600)[-1]
    assert again.unwrapped(offer.sak)[1] != sak
    assert offer.live[0][0] == again.mi


def test_a_replayed_member_does_not_replace_the_live_one(board):
    """An attacker replays MKPDUs that a former member sent before the board restarted. These MKPDUs contain the member
    identifier that the board had before the restart. So the board must not accept the former member, and must keep its
    live peer.
    """
    member, mkpdu, _sak = secured(board)
    earlier = Member(CAK, CKN, mi=b"earlier life")
    for _ in range(20):
        board.receive(earlier.frame(live=((b"my former mi", 3),)))
        heartbeat(board, member, 500, use=using(mkpdu))
    assert board.state().phase == Phase.SECURED
    assert board.state().counts["lost"] == 0


def test_a_third_member_stays_potential(board):
    member, mkpdu, _sak = secured(board)
    third = Member(CAK, CKN, mac=bytes.fromhex("020000000003"), mi=b"third member")
    for _ in range(5):
        heard = heartbeat(board, member, 2000, use=using(mkpdu))
        board.receive(third.frame(live=((heard[-1].mi, heard[-1].mn),)))
    state = board.state()
    assert (state.phase, state.peer_sci, state.counts["crowded"]) == (Phase.SECURED, member.sci, 5)
    assert heard[-1].potential == ((third.mi, 4),)


def test_a_new_sak_waits_while_a_member_is_potential(board):
    """A potential peer can become live, and each live peer needs the SAK. So while a peer is potential, the board waits
    before it makes a new SAK. The board waits at most for the MKA life time (6 s).
    """
    member, mkpdu, _ = secured(board)
    heartbeat(board, member, 5000, use=using(mkpdu))
    assert board.rekey() == 0
    heartbeat(board, member, 600, follow=True)
    assert board.state().key_number == 2
    third = Member(CAK, CKN, mac=bytes.fromhex("020000000003"), mi=b"third member")
    board.receive(third.frame())
    assert board.rekey() == 0
    heartbeat(board, member, 4000, follow=True)
    assert board.state().key_number == 2
    heartbeat(board, member, 2600, follow=True)
    assert board.state().key_number == 3


def test_a_member_that_changes_its_sci_is_not_heard(board):
    member, mkpdu, _ = secured(board)
    board.receive(member.frame(sci=bytes(8), live=((mkpdu.mi, mkpdu.mn),), sak=b""))
    state = board.state()
    assert (state.counts["crowded"], state.counts["refused"], state.peer_sci) == (1, 0, member.sci)


@pytest.mark.parametrize(
    ("desired", "capability", "encrypt", "served"),
    [
        (False, 2, True, False),
        (True, 0, False, False),
        (True, 1, True, False),
        (True, 1, False, True),
        (True, 3, True, True),
    ],
)
def test_a_peer_without_macsec_gets_no_sak(board, desired, capability, encrypt, served):
    member, hello = started(board, encrypt=encrypt)
    fields = {"desired": desired, "capability": capability}
    board.receive(member.frame(potential=((hello.mi, hello.mn),), **fields))
    heard = heartbeat(board, member, 5000, **fields)
    assert (heard[-1].sak is not None) == served


@pytest.mark.parametrize("count", [0, 1, 3, 50, 80])
def test_lists_of_any_length(board, count):
    member, hello = started(board)
    rng = random.Random(count)
    strangers = tuple((rng.randbytes(12), rng.randrange(2**32)) for _ in range(count))
    board.receive(member.frame(potential=(*strangers, (hello.mi, hello.mn))))
    assert board.state().phase == Phase.PEER


def test_frames_that_change_nothing(board):
    """The board must count MKPDUs that have another CKN, or that are forged, repeated or malformed. These MKPDUs must
    not change the state of the participant.
    """
    member, mkpdu, _sak = secured(board)
    heard = heartbeat(board, member, 2000, use=using(mkpdu))
    board.log()
    good = member.frame(live=((heard[-1].mi, heard[-1].mn),), use=using(mkpdu))
    size = len(board.memory())
    before = board.memory()
    stranger = Member(CAK, b"key 8", mi=b"a stranger 1")
    counts = board.state().counts
    expected = dict(counts)

    def unchanged(frame, counter):
        board.receive(frame)
        if counter:
            expected[counter] += 1
        assert board.state().counts == expected, counter

    unchanged(stranger.frame(), "strangers")
    unchanged(Member(bytes(16), CKN, mi=b"other secret").frame(), "forged")
    unchanged(member.frame(mn=member.mn - 1), "repeated")
    unchanged(member.frame(mn=0), "repeated")
    unchanged(member.frame(mac=MAC, sci=SCI, mi=heard[-1].mi, mn=1), "repeated")  # reflected
    for size in range(14, len(good)):
        unchanged(good[:size], "malformed")
    for bit in range(8 * (len(good) - 16), 8 * len(good)):
        unchanged((int.from_bytes(good) ^ 1 << (8 * len(good) - 1 - bit)).to_bytes(len(good)), "forged")
    unchanged(good[:12] + b"\x08\x00" + good[14:], None)
    after = board.memory()
    # Frames that the board does not accept may change the participant's counters, and the number of ICVs that the
    # participant is still allowed to compute in the current period. No other memory of the participant may change.
    changed = [n for n in range(len(before)) if before[n] != after[n]]
    assert len(changed) <= 12, changed
    assert board.log() == []
    board.receive(good)
    assert board.state().counts["accepted"] == counts["accepted"] + 1
    unchanged_count = board.state().counts["repeated"]
    board.receive(good)
    assert board.state().counts["repeated"] == unchanged_count + 1


def test_each_changed_bit_of_an_mkpdu_is_noticed(board):
    member, mkpdu, _sak = secured(board)
    good = member.frame(live=((mkpdu.mi, mkpdu.mn),), use=using(mkpdu))
    accepted = board.state().counts["accepted"]
    for bit in range(8 * len(good)):
        if bit % 200 == 0:
            heartbeat(board, member, 1050, use=using(mkpdu))
            accepted = board.state().counts["accepted"]
            good = member.frame(live=((mkpdu.mi, mkpdu.mn),), use=using(mkpdu))
        board.receive((int.from_bytes(good) ^ 1 << bit).to_bytes(len(good)))
    assert board.state().counts["accepted"] == accepted


def test_a_flood_costs_few_icvs(board):
    """During a flood of 10,000 forged MKPDUs, the board must compute few ICVs, and must still hear its live peer."""
    member, mkpdu, _sak = secured(board)
    heartbeat(board, member, 2000, use=using(mkpdu))
    before = board.state().counts
    forger = Member(bytes(16), CKN, mi=b"other secret")
    for n in range(10000):
        board.receive(forger.frame())
        if n % 200 == 0:
            heartbeat(board, member, 50, use=using(mkpdu))
    state = board.state()
    assert state.phase == Phase.SECURED
    assert state.counts["forged"] - before["forged"] <= 128
    assert state.counts["forged"] + state.counts["flooded"] - before["forged"] == 10000


def test_a_flood_of_members_from_an_earlier_life(board):
    """An attacker replays MKPDUs from many earlier members, which fill the list of potential peers. The true peer must
    still become live.
    """
    member, hello = started(board)
    rng = random.Random(1)
    for _n in range(10):
        board.receive(Member(CAK, CKN, mac=rng.randbytes(6), mi=rng.randbytes(12)).frame())
        board.poll(after_ms=10)
    board.receive(member.frame(potential=((hello.mi, hello.mn),)))
    assert board.state().phase == Phase.PEER
    assert len(last(board, member).potential) == 3


@pytest.mark.parametrize("ours", [10, 16, 20])
def test_two_key_servers(board, ours):
    """Both participants claim to be key server. The lower priority number wins; if both are equal, the lower SCI wins.
    If the board wins, it must refuse a SAK of the other participant.
    """
    member, _hello = joined(board, priority=ours)
    serves = ours < 16 or (ours == 16 and member.sci > SCI)
    answer = last(board, member)
    assert board.state().server == serves
    assert (answer.sak is not None) == serves
    assert answer.server == serves
    keys = board.state().counts["keys"]
    board.receive(member.frame(live=((answer.mi, answer.mn),), sak=member.wrapped(1, bytes(range(16))), sak_an=2))
    counts = board.state().counts
    assert (counts["refused"], counts["keys"] - keys) == ((1, 0) if serves else (0, 1))


def test_two_members_that_both_cannot_be_server(board):
    member, hello = started(board, priority=NEVER)
    assert not hello.server
    member.server = False
    board.receive(member.frame(potential=((hello.mi, hello.mn),)))
    answer = last(board, member)
    board.receive(member.frame(live=((answer.mi, answer.mn),), sak=member.wrapped(1, bytes(16))))
    assert board.state().counts["refused"] == 1
    assert board.state().phase == Phase.PEER


@pytest.mark.parametrize(
    "fields",
    [
        {"confidentiality": 0},
        {"confidentiality": 2},
        {"confidentiality": 3},
        {"sak": b""},
        {"sak": bytes(4) + bytes.fromhex("0080c20001000003") + bytes(24)},
        {"sak": bytes(28)},
        {"sak": bytes(4) + model.GCM_AES_256 + bytes(40)},
    ],
)
def test_saks_that_are_refused(board, fields):
    """The board must refuse a SAK without confidentiality, with a confidentiality offset, without MACsec, or with an
    unknown cipher suite. It must also refuse a SAK that was wrapped with another KEK.
    """
    member, hello = joined(board, priority=NEVER)
    board.log()
    given = {"sak": member.wrapped(1, bytes(16))} | fields
    board.receive(member.frame(live=((hello.mi, hello.mn),), **given))
    assert (board.state().counts["refused"], board.log()) == (1, [])


def test_integrity_only_if_the_board_allows_it(board):
    member, hello = joined(board, priority=NEVER, encrypt=False)
    board.receive(member.frame(live=((hello.mi, hello.mn),), sak=member.wrapped(1, bytes(16)), confidentiality=0))
    use = KeyUse(member.mi, 1, tx=True, rx=True)
    board.receive(member.frame(live=((hello.mi, hello.mn),), use=(use, KeyUse())))
    assert "encrypt=0" in board.log()[-1]
    assert board.state().phase == Phase.SECURED


def test_a_sak_is_not_installed_again_after_the_peer_was_lost(board):
    """The board must not install a SAK a second time, because packet numbers have already been used with this SAK. The
    simulated SecY ends the program if a SAK is installed twice.
    """
    member, hello = joined(board, priority=NEVER)
    offer = {"sak": member.wrapped(5, bytes(range(16)))}
    board.receive(member.frame(live=((hello.mi, hello.mn),), **offer))
    board.run(LIFE_MS + 1000)
    assert board.state().phase == Phase.ALONE
    board.receive(member.frame())
    answer = last(board, member)
    for number in (5, 4):
        offer = {"sak": member.wrapped(number, bytes(range(16)))}
        board.receive(member.frame(live=((answer.mi, answer.mn),), **offer))
        assert board.state().phase == Phase.PEER
    board.receive(member.frame(live=((answer.mi, answer.mn),), sak=member.wrapped(6, bytes(16))))
    assert board.state().phase == Phase.RECEIVING


def test_a_key_server_that_uses_the_number_of_the_sa_in_use(board):
    """A key server distributes a new SAK with the AN of the current SA. The board must remove the old SA before it
    installs the new one.
    """
    member, hello = joined(board, priority=NEVER)
    for number in (1, 2):
        board.receive(member.frame(live=((hello.mi, hello.mn),), sak=member.wrapped(number, bytes([number] * 16))))
        use = KeyUse(member.mi, number, tx=True, rx=True)
        board.receive(member.frame(live=((hello.mi, hello.mn),), use=(use, KeyUse())))
    assert board.state().phase == Phase.SECURED
    log = board.log()
    assert log.index("remove tx 0") < log.index(f"install tx 0 {bytes([2] * 16).hex()}")


@pytest.mark.parametrize("direction", ["receive", "transmit"])
def test_the_secy_fails(board, direction):
    """The SecY fails to install an SA. The board must try again with another SAK, and must not leave a SAK installed in
    one direction only.
    """
    member, _hello = joined(board)
    board.log()
    board.fail(**{direction: -110})
    heartbeat(board, member, 3000)
    state = board.state()
    # The counter `faults` counts the failed attempts to install an SA. The board must try again, but not too often.
    assert 4 <= state.counts["faults"] <= 7
    assert (state.phase, state.counts["keys"]) == (Phase.PEER, 0)
    log = board.log()
    count = 0 if direction == "receive" else state.counts["faults"]
    assert ["install" in line for line in log].count(True) == log.count("remove rx 0") == count
    board.fail()
    heartbeat(board, member, 1000)
    assert board.state().phase == Phase.RECEIVING


def test_the_random_source_fails_while_it_serves(board):
    member, _hello = joined(board)
    board.fail(random=-5)
    heard = heartbeat(board, member, 3000)
    assert all(mkpdu.sak is None for mkpdu in heard)
    board.fail()
    assert heartbeat(board, member, 3000)[-1].sak is not None


def test_message_numbers_run_out(board):
    """After its last message number, the board must become a new member with a new identifier. It must not use a
    message number twice.
    """
    member, mkpdu, _sak = secured(board)
    board.set_number(2**32 - 3)
    seen = []
    for _ in range(200):
        seen += [(m.mi, m.mn) for m in map(member.read, board.poll(after_ms=50))]
    assert [mn for mi, mn in seen if mi == mkpdu.mi] == [2**32 - 2, 2**32 - 1]
    assert [mn for mi, mn in seen if mi != mkpdu.mi][:2] == [1, 2]
    assert board.state().counts["renamed"] == 1
    assert board.state().phase == Phase.ALONE


@pytest.mark.parametrize("how", ["sender", "live", "potential"])
def test_another_member_has_the_same_identifier(board, how):
    member, hello = started(board)
    if how == "sender":
        board.receive(member.frame(mi=hello.mi))
    else:
        board.receive(member.frame(**{how: ((hello.mi, hello.mn + 1),)}))
    answer = last(board, member)
    assert answer.mi != hello.mi
    assert answer.mn == 1
    assert board.state().counts["renamed"] == 1


def test_a_reflected_mkpdu_is_no_collision(board):
    _member, _hello = started(board)
    for frame in board.run(10000):
        board.receive(frame)
    assert board.state().counts["renamed"] == 0
    assert board.state().counts["repeated"] == 5


def test_delay_protection_makes_hellos_frequent(board):
    member, mkpdu, _sak = secured(board)
    heartbeat(board, member, 1000, use=using(mkpdu))
    heartbeat(board, member, 4000, use=using(mkpdu), delay_protect=True)
    assert len(heartbeat(board, member, 5000, use=using(mkpdu), delay_protect=True)) == 10


def test_keys_are_where_expected_and_zeroized_by_stop(board):
    """While the participant runs, its memory contains each key once, and no SAK. After it is stopped, all of this
    memory must be zero.
    """
    member, _mkpdu, sak = secured(board)
    memory = board.memory()
    assert all(memory.count(key) == 1 for key in (CAK, member.ick, member.kek))
    assert sak not in memory
    board.log()
    board.stop()
    assert not any(board.memory())
    policy, *removals = board.log()
    assert "protect=1 encrypt=1" in policy and "tx=-1 validate=0" in policy and policy.endswith("rx=0")
    assert removals == ["remove rx 0", "remove tx 0"]
    assert board.state().phase == Phase.OFF
    board.receive(member.frame())
    assert board.run(5000) == []
    assert not any(board.memory())


def test_no_key_is_left_on_the_stack(board):
    """After a call that uses keys, the stack must not contain any of the consecutive 8-byte parts of a key."""
    found = []

    def search(*keys):
        left = board.stack()
        found.extend(key[n : n + 8] for key in keys for n in range(0, len(key), 8) if key[n : n + 8] in left)

    for _ in range(2):
        # Keep only the results of the second run. In the first run, the dynamic linker saves registers on the stack.
        found.clear()
        member, hello = joined(board)
        keys = (CAK, member.ick, member.kek)
        search(*keys)
        (frame,) = board.poll(after_ms=100)
        search(*keys, member.unwrapped(member.read(frame).sak)[1])
        board.stop()
        member, hello = joined(board, priority=NEVER)
        sak = random.Random(2).randbytes(32)
        board.receive(member.frame(live=((hello.mi, hello.mn),), sak=member.wrapped(hello.mn, sak)))
        assert board.state().phase == Phase.RECEIVING
        search(*keys, sak)
        # Let the simulated SecY forget the SAKs, because the second run installs the same SAKs.
        board.call("Z")
    assert found == []


class Pair:
    """Two MKA participants that are connected by a cable, which can lose frames."""

    def __init__(self, one, two, seed):
        self.boards, self.rng, self.loss = (one, two), random.Random(seed), 0.0
        self.sent = []

    def run(self, time_ms, step_ms=10):
        for _ in range(0, time_ms, step_ms):
            for board, other in (self.boards, self.boards[::-1]):
                for frame in board.poll(after_ms=step_ms):
                    self.sent.append(frame)
                    if self.rng.random() >= self.loss:
                        other.receive(frame)

    def start(self, **options):
        for n, board in enumerate(self.boards):
            mac = MAC[:5] + bytes([n])
            assert board.start(CAK, CKN, mac=mac, seed=self.rng.randrange(2**60), **options) == 0

    def phases(self):
        return [board.state().phase for board in self.boards]


def saks(board):
    """Return the SAKs that the board has installed since the last call of `log`, in the order of installation."""
    return re.findall("install rx . (.*)", "\n".join(board.log()))


@pytest.mark.parametrize("sak_bits", [128, 256])
def test_two_boards_agree(board, other, sak_bits):
    pair = Pair(board, other, sak_bits)
    pair.start(sak_bits=sak_bits)
    pair.run(1000)
    assert pair.phases() == [Phase.SECURED] * 2
    assert [b.state().server for b in pair.boards] == [True, False]
    pair.run(300_000, 50)
    first, second = map(saks, pair.boards)
    assert first == second
    assert len(first) == 1
    assert len(first[0]) == sak_bits // 4
    # Each board sends an MKPDU every 2 s, and only a few additional MKPDUs.
    assert len(pair.sent) < 310
    assert all(b.state().counts["faults"] + b.state().counts["lost"] == 0 for b in pair.boards)


@pytest.mark.parametrize("seed", range(6))
def test_two_boards_with_losses_rekeys_and_restarts(board, other, seed):
    """The cable loses frames, and boards rekey, restart or run out of message numbers. Soon after each of these events,
    the link must be secured again, and no SAK may be installed twice.
    """
    pair = Pair(board, other, seed)
    rng = pair.rng
    pair.start(priority=rng.choice((0, 16)))
    for _ in range(12):
        pair.loss = rng.choice((0, 0.1, 0.3, 1.0))
        what = rng.randrange(4)
        if what == 0:
            board.rekey(), other.rekey()
        elif what == 1:
            again = rng.randrange(2)
            assert pair.boards[again].start(CAK, CKN, mac=MAC[:5] + bytes([again]), seed=rng.randrange(2**60)) == 0
        elif what == 2:
            rng.choice(pair.boards).set_number(2**32 - 5)
        pair.run(rng.randrange(1000, 9000), 25)
        pair.loss = 0
        pair.run(15000, 25)
        assert pair.phases() == [Phase.SECURED] * 2
        assert board.state().key_number == other.state().key_number
        assert board.state().an == other.state().an
    assert saks(board)[-1] == saks(other)[-1]


def test_the_board_installs_before_its_peer_transmits(board, other):
    """During rekeys, each board must always be able to receive with the SAK with which the other board transmits.
    Otherwise frames would be lost.
    """
    pair = Pair(board, other, 5)
    pair.start()
    pair.run(3000)
    receive, transmit = [set(), set()], [None, None]
    keys = [{}, {}]

    def follow():
        for n, b in enumerate(pair.boards):
            for line in b.log():
                if match := re.fullmatch("install (rx|tx) (.) (.*)", line):
                    keys[n][match[2]] = match[3]
                elif match := re.search("tx=(.*) validate.* rx=(.)", line):
                    transmit[n] = keys[n].get(match[1])
                    receive[n] = {keys[n][str(an)] for an in range(4) if int(match[2], 16) >> an & 1}

    for n in range(600):
        if n % 200 == 0:
            board.rekey()
        pair.run(10)
        follow()
        assert transmit[0] in receive[1]
        assert transmit[1] in receive[0]
    assert board.state().key_number == 4
