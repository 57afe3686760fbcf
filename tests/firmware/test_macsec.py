# SPDX-License-Identifier: BSD-2-Clause
"""Test how the firmware handles the records `macsec` and `protect`, with a simulated SecY that records each call."""

import ctypes
import errno
import subprocess

import pytest
from cipherlane_base.wire.layout import ERROR, HEADER, REPLIES, REPLY, REQUESTS, VERSION, ErrorCode, RecordType, Suite

from gateware.net.macsec.counters import Counter
from tests.firmware.core_peer import CORE, ROOT, portable_sources
from tests.gateware.net.macsec.driver import RECEIVE, SA, TRANSMIT, Policy

SCI = bytes.fromhex("02434c4e45010001")
PEER = bytes.fromhex("0200000001000001")
KEYS = bytes(range(1, 33)), bytes(range(101, 133))
ROOM = 1024 + HEADER.size
OFF = {"protect": False, "validate": 2, "receive_ans": 0}
CLOSED = {"protect": True, "encrypt": True, "validate": 0, "receive_ans": 0}


class Call(ctypes.Structure):
    """A recorded call of the SecY: the C structure `call` of `macsec_shim.c`."""

    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("values", ctypes.c_uint32 * 4),
        ("sa", SA),
        ("policy", Policy),
        ("scis", ctypes.c_uint8 * 16),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    output = tmp_path_factory.mktemp("macsec") / "macsec.so"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", f"-I{CORE}"]
    command += [f"-I{ROOT / 'firmware' / 'generated'}", str(ROOT / "tests" / "firmware" / "macsec_shim.c")]
    command += [*map(str, portable_sources(over_secy=True)), "-o", str(output)]
    subprocess.run(command, check=True, timeout=300)
    library = ctypes.CDLL(str(output))
    library.shim_holds.restype = ctypes.c_bool
    library.shim_handle.restype = ctypes.c_size_t
    return library


class Board:
    def __init__(self, library, with_macsec: bool = True, required: bool = False):
        self.c = library
        ctypes.c_bool.in_dll(library, "required").value = required
        assert library.shim_start(with_macsec) == 0
        self._calls = (Call * 64).in_dll(library, "calls")

    def calls(self) -> list[Call]:
        """Return the calls of SecY functions since the last call of this method."""
        count = ctypes.c_uint32.in_dll(self.c, "call_count")
        found = [Call.from_buffer_copy(self._calls[n]) for n in range(count.value)]
        count.value = 0
        return found

    def ask(self, kind: RecordType, data: bytes = b"", *, network: bool = False, token: int = 7):
        """Send a record; return the fields of the reply or of the error. Then set the attribute `left` to the contents
        of the buffer that held the record.
        """
        header = HEADER.pack(version=VERSION, type=kind, length=len(data), session=0, offset=0, token=token)
        buffer = ctypes.create_string_buffer(header + data, ROOM)
        size = self.c.shim_handle(buffer, len(header) + len(data), ROOM, network)
        reply = HEADER.unpack(buffer.raw)
        self.left = buffer.raw
        table = ERROR if reply.type != kind + REPLY else REPLIES[kind]
        assert size == HEADER.size + table.size
        return table.unpack(buffer.raw[HEADER.size :])

    def protect(self, **changes):
        fields = {"state": 1, "suite": Suite.GCM_AES_256, "encrypt": 1, "an": 2, "replay_window": 32}
        fields |= {"peer_sci": PEER, "transmit_key": KEYS[0], "receive_key": KEYS[1]}
        how = {name: changes.pop(name) for name in ("network", "token") if name in changes}
        return self.ask(RecordType.PROTECT, REQUESTS[RecordType.PROTECT].pack(**fields | changes), **how)


@pytest.fixture
def board(library):
    board = Board(library)
    zeroize, policy = board.calls()
    assert kinds([zeroize, policy]) == "ZP" and policy_of(policy).items() >= OFF.items()
    return board


def kinds(calls) -> str:
    return "".join(chr(call.kind) for call in calls)


def policy_of(call: Call) -> dict:
    return {name: getattr(call.policy, name) for name, _ in Policy._fields_}


def test_keys_are_installed_to_receive_then_to_transmit_and_then_used(board):
    board.protect()
    policy, *removals, sci, receive, transmit, last = board.calls()
    assert kinds(removals) == "R" * 8 and kinds([policy, sci, receive, transmit, last]) == "PSIIP"
    assert policy_of(policy).items() >= CLOSED.items()
    assert bytes(sci.scis) == SCI + PEER
    for call, direction, key in ((receive, RECEIVE, KEYS[1]), (transmit, TRANSMIT, KEYS[0])):
        sa = call.sa
        assert (sa.direction, sa.an, sa.xpn, sa.key_bits, sa.pn) == (direction, 2, False, 256, 1)
        assert bytes(sa.key) == key
    assert policy_of(last) == {
        "protect": True,
        "encrypt": True,
        "include_sci": True,
        "transmit_an": 2,
        "validate": 0,
        "replay_protect": True,
        "replay_window": 32,
        "receive_ans": 4,
    }


def test_no_key_stays_in_the_state_or_in_the_record(board):
    for network in (False, True):
        board.protect(network=network)
        for key in KEYS:
            assert key[:8] not in board.left and not board.c.shim_holds(key[:8], 8)
            assert not board.c.shim_stack_holds(key[8:16], 8)
    board.protect(an=9, transmit_key=KEYS[1])
    assert all(key[:8] not in board.left for key in KEYS)
    assert ctypes.c_uint32.in_dll(board.c, "forgotten").value >= 2


def test_another_association_keeps_the_older_one_to_receive(board):
    board.protect()
    board.calls()
    board.protect(an=3, transmit_key=KEYS[1], receive_key=KEYS[0])
    calls = board.calls()
    assert kinds(calls) == "IIP"
    assert policy_of(calls[-1]).items() >= {"transmit_an": 3, "receive_ans": 12}.items()


def test_another_peer_removes_all_associations_first(board):
    board.protect()
    board.calls()
    board.protect(an=1, peer_sci=SCI, transmit_key=KEYS[1])
    calls = board.calls()
    assert kinds(calls) == "P" + "R" * 8 + "SIIP"
    assert policy_of(calls[0]).items() >= CLOSED.items()
    assert calls[-1].policy.receive_ans == 2


def test_a_lost_reply_is_sent_again_but_another_request_with_the_keys_is_refused(board):
    assert board.protect() == ()
    board.calls()
    assert board.protect() == (), "the same record"
    assert board.protect(token=8).code == ErrorCode.REUSED
    assert board.calls() == []
    board.protect(state=0)
    assert board.protect().code == ErrorCode.REUSED


@pytest.mark.parametrize("suite", Suite)
def test_a_transmit_key_is_refused_the_second_time(board, suite):
    board.protect(suite=suite)
    board.calls()
    for an in (2, 3):
        assert board.protect(suite=suite, an=an, token=8).code == ErrorCode.REUSED
    assert board.calls() == []
    board.protect(state=0)
    assert board.protect(suite=suite).code == ErrorCode.REUSED
    for n in range(15):
        assert board.protect(suite=suite, transmit_key=bytes([n + 1]) * 32) == ()
    assert board.protect(suite=suite, token=8).code == ErrorCode.REUSED, "it is among the last 16"


@pytest.mark.parametrize(
    ("field", "value"), [("state", 2), ("suite", 2), ("encrypt", 2), ("an", 4), ("replay_window", 65)]
)
def test_a_bad_value_is_refused_and_changes_nothing(board, field, value):
    refused = board.protect(**{field: value})
    assert (refused.code, refused.detail) == (ErrorCode.VALUE, value)
    assert board.calls() == []
    assert board.protect() == (), "the key was not remembered"


def test_keys_are_accepted_over_the_uart_only(board):
    refused = board.protect(network=True)
    assert (refused.code, refused.detail) == (ErrorCode.TYPE, RecordType.PROTECT)
    refused = board.protect(network=True, state=0)
    assert refused.code == ErrorCode.TYPE and board.calls() == []


@pytest.mark.parametrize("fault", ["install_status", "sci_status"])
def test_a_fault_of_the_hardware_closes_the_port(board, fault):
    status = ctypes.c_int.in_dll(board.c, fault)
    status.value = -errno.EIO
    refused = board.protect()
    assert (refused.code, refused.detail) == (ErrorCode.HARDWARE, errno.EIO)
    calls = board.calls()
    assert all(policy_of(call).items() >= CLOSED.items() for call in calls if kinds([call]) == "P")
    assert kinds(calls).endswith("P" + "R" * 8)
    state = board.ask(RecordType.MACSEC)
    assert (state.state, state.receives) == (1, 0)
    status.value = 0
    assert board.protect(transmit_key=KEYS[1]) == ()
    assert kinds(board.calls()) == "P" + "R" * 8 + "SIIP", "everything is set again"
    assert board.ask(RecordType.MACSEC).receives == 4


def test_off_removes_everything(board):
    board.protect()
    board.calls()
    assert board.protect(state=0, an=9) == ()
    calls = board.calls()
    assert kinds(calls) == "P" + "R" * 8 + "P" and policy_of(calls[0]).items() >= CLOSED.items()
    assert policy_of(calls[-1]).items() >= OFF.items()
    assert {(call.values[0], call.values[1]) for call in calls[1:-1]} == {(d, an) for d in (0, 1) for an in range(4)}


def test_required_macsec_lets_nothing_pass_without_keys(library):
    board = Board(library, required=True)
    for act in (lambda: (), lambda: board.protect(state=0), lambda: board.protect(), lambda: board.protect(state=0)):
        assert act() == ()
        policies = [policy_of(call) for call in board.calls() if kinds([call]) == "P"]
        assert all(policy["protect"] and policy["validate"] == 0 for policy in policies)
    state = board.ask(RecordType.MACSEC)
    assert (state.state, state.receives) == (1, 0)


@pytest.mark.parametrize("network", [False, True])
def test_the_state_is_reported(board, network):
    before = board.ask(RecordType.MACSEC, network=network)
    assert (before.state, before.next_pn, before.sci) == (0, 0, SCI)
    board.protect()
    state = board.ask(RecordType.MACSEC, network=network)
    assert (state.state, state.suite, state.encrypt, state.an, state.receives) == (1, Suite.GCM_AES_256, 1, 2, 4)
    assert (state.peer_sci, state.next_pn, state.peer_next_pn) == (PEER, 0x3_0000_0001, 0x3_0000_0000)
    names = [field.name for field in REPLIES[RecordType.MACSEC].fields]
    counts = state[names.index("untagged_in") : names.index("mkpdus")]
    assert counts == tuple(1000 + counter for counter in Counter)


def agreeing(**changes) -> bytes:
    fields = {"suite": Suite.GCM_AES_256, "encrypt": 1, "priority": 16, "ckn_bytes": 5, "cak_bits": 128}
    fields |= {"replay_window": 8, "cak": KEYS[0][:16], "ckn": b"board"}
    return REQUESTS[RecordType.AGREE].pack(**fields | changes)


def test_mka_closes_the_port_and_sends(board):
    assert board.ask(RecordType.AGREE, agreeing()) == ()
    assert all(policy_of(call).items() >= CLOSED.items() for call in board.calls() if kinds([call]) == "P")
    assert board.ask(RecordType.MACSEC).state == 2
    assert KEYS[0][:8] not in board.left and not board.c.shim_stack_holds(KEYS[0][:8], 8)
    board.c.shim_poll(5000)
    sent = (ctypes.c_uint8 * 200).in_dll(board.c, "sent")
    assert bytes(sent[:14]) == bytes.fromhex("0180c2000003") + SCI[:6] + bytes.fromhex("888e")
    assert b"board" in bytes(sent) and board.c.shim_holds(KEYS[0][:8], 8), "the CAK is kept for MKA"
    board.protect(state=0)
    assert not board.c.shim_holds(KEYS[0][:8], 8) and board.ask(RecordType.MACSEC).state == 0


def test_static_keys_end_mka(board):
    assert board.ask(RecordType.AGREE, agreeing()) == ()
    board.calls()
    assert board.protect() == ()
    calls = board.calls()
    assert kinds(calls) == "P" + "R" * 8 + "SIIP" and policy_of(calls[0]).items() >= CLOSED.items()
    assert not board.c.shim_holds(KEYS[0][:8], 8) and board.ask(RecordType.MACSEC).state == 1


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("suite", 2, ErrorCode.VALUE),
        ("encrypt", 2, ErrorCode.VALUE),
        ("ckn_bytes", 33, ErrorCode.VALUE),
        ("replay_window", 65, ErrorCode.VALUE),
        ("cak_bits", 192, ErrorCode.KEY_BITS),
    ],
)
def test_a_bad_agreement_is_refused(board, field, value, code):
    assert board.ask(RecordType.AGREE, agreeing(**{field: value})).code == code
    assert board.calls() == [] and KEYS[0][:8] not in board.left


def test_agreement_is_refused_over_the_network_and_without_a_name(board):
    assert board.ask(RecordType.AGREE, agreeing(), network=True).code == ErrorCode.TYPE
    assert board.ask(RecordType.AGREE, agreeing(ckn_bytes=0)).code == ErrorCode.VALUE
    assert board.ask(RecordType.MACSEC).state == 0


def test_a_board_without_macsec_does_not_know_the_records(library):
    board = Board(library, with_macsec=False)
    board.calls()
    for refused in (board.ask(RecordType.MACSEC), board.protect()):
        assert refused.code == ErrorCode.TYPE
    assert KEYS[0][:8] not in board.left and board.calls() == []
