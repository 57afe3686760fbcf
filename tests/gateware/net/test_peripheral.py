# SPDX-License-Identifier: BSD-2-Clause
"""Tests the fast path through its registers and its UDP port: software can give a command in any cycle, each command
ends in bounded time, and no data of earlier sessions remain after a reset.
"""

import pytest

from gateware.ctr.key_loader import WAIT_CYCLES, command_cycles
from gateware.net.events import Event
from tests.gateware.net.gmii import CORE
from tests.gateware.net.peripheral_board import ENDLESS, PeripheralBoard, answer
from tests.gateware.net.sweep import COMMANDS, SLOTS, Sweep, make_sessions

# Pairs (data bytes in the datagram, step in cycles). The test sends the same traffic many times, and gives the command
# one step later each time. `make sweep` uses steps of one cycle, except with the slowest AES core.
STEPS = ((16, 1), (64, 3), (200, 7), (1448, 61))


@pytest.fixture(scope="module")
def model():
    model = PeripheralBoard(**CORE)
    yield model
    model.close()


@pytest.fixture
def board(model):
    model.reset()
    return model


@pytest.mark.parametrize("slot_0_has_key", [True, False])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_at_any_instant(board, command, slot_0_has_key):
    for size, step in STEPS:
        sweep = Sweep(board, command=command, size=size, slot_0_has_key=slot_0_has_key)
        found = sweep.run(step, first=size % step)
        assert found.wrong == []
        assert found.answered and found.dropped and found.instants > 14


@pytest.mark.parametrize("command", ["load_key", "clear_key", "zeroize"])
@pytest.mark.parametrize("word", [7, 40])
def test_a_command_ends_while_a_datagram_does_not(board, command, word):
    """A datagram pauses in the middle of its data, for longer than any command takes. Meanwhile, software gives a
    command that changes the key of the datagram's session. The hardware must not answer the datagram, neither with the
    old key nor with a new one.
    """
    victim, other = make_sessions(True)
    board.prepare([victim, other])
    operations = board.operations
    datagrams = [(0, other, other.request(0, bytes(30))), (0, victim, victim.request(0, bytes(200)))]
    datagrams[1] += ((word, 2 * WAIT_CYCLES),)
    accesses = operations.write_key(victim.slot, victim.key[::-1])
    accesses += [operations.command(command, 200), (0, "idle", None), (0, "key_valid", None), (0, "in_use", None)]
    accesses += [(0, "event", int(Event.KEY)), (0, "event_count", None), (0, "unused", None)]
    answers, (cycles, valid, in_use, before, unused) = board.play(datagrams, accesses, cycles=2 * WAIT_CYCLES)
    (after,) = board.play([], [(12, "event_count", None)])[1]  # when it is counted
    assert cycles <= command_cycles(command, slots=SLOTS)
    assert (cycles > WAIT_CYCLES) == (command != "zeroize")
    assert valid == (0 if command == "zeroize" else 1 << other.slot)
    assert in_use == 1 << victim.row and unused != ENDLESS
    assert [each.payload for each in answers] == [other.reply(0, bytes(30))]
    assert after == before + 1
    board.play([], [access for session in (victim, other) for access in operations.close(session)])
    board.prepare([victim, other])
    record = victim.request(victim.record_bytes, b"again")
    (again,) = board.play([(0, victim, record)], cycles=600)[0]
    assert (again.ip, again.port, again.mac, again.payload) == answer(
        victim, victim.reply(victim.record_bytes, b"again")
    )


def test_a_session_does_not_outlive_a_reset(board):
    """A reset ends all sessions. After the reset, software opens a row of the session table that contained a session
    before, and does not write the row's fields. The hardware must not answer records of the earlier session.
    """
    victim, other = make_sessions(True)
    board.prepare([victim, other])
    before = [(0, "event", int(Event.SESSION)), (0, "event_count", None)]
    (count,) = board.play([], before)[1]
    board.play([], [(0, "reset", 0), (0, "idle", None)])
    operations = board.operations
    accesses = [*operations.load_key(victim.slot, victim.key), (0, "idle", None)]
    accesses += [*operations.load_key(0, victim.key), (0, "idle", None)]
    accesses += [(0, "row", victim.row), operations.command("open"), (0, "opened", None)]
    assert board.play([], accesses)[1][-1] == 1 << victim.row
    assert board.play([(0, victim, victim.request(0, bytes(16)))], cycles=600)[0] == []
    assert board.play([], before)[1] == [count + 1]
