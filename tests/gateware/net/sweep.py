# SPDX-License-Identifier: BSD-2-Clause
"""Gives a command in every cycle of a datagram's passage: ``python -m tests.gateware.net.sweep``, or ``make sweep``.

The command concerns one session. Before and after a datagram of that session, datagrams of another session pass.
Whatever the cycle of the command, each datagram either gets the answer that `cryptography` computes with its session's
key, or gets no answer and is counted. Every command ends within its bound, and afterwards everything works. Slot 0
holds the other session's key or none, because hardware that loses a slot number would use slot 0.
"""

import argparse
import random
import sys
from dataclasses import dataclass, field, replace

from gateware.ctr.key_loader import command_cycles
from gateware.net.events import Event
from tests.gateware.net.frames import Peer, Session
from tests.gateware.net.gmii import CORE
from tests.gateware.net.peripheral_board import ENDLESS, Answer, PeripheralBoard, StuckError, answer

COMMANDS = ("close", "load_key", "clear_key", "zeroize", "reset")
SLOTS = 8
SIZES = (16, 64, 200, 1448)  # bytes of data in a record; 1448 bytes fill a datagram of 1472 bytes
# Pairs (AES core, cycles from one tested cycle to the next). The first core is the core of the Ethernet boards, but
# with the S-boxes that Verilator compiles fastest. The second core is the fastest, and the third the slowest. With the
# third core, a test of every cycle would take too long.
CORES = (
    (CORE, 1),
    ({"datapath": "pipelined", "sbox": "block_ram"}, 1),
    ({"datapath": 32, "sbox": "block_ram"}, 13),
)


@dataclass
class Findings:
    """Results of a sweep: the numbers of cycles tried, datagrams answered and datagrams dropped, and error messages."""

    instants: int = 0
    wrong: list[str] = field(default_factory=list)
    answered: int = 0
    dropped: int = 0

    def __str__(self):
        return f"{self.instants} instants, {self.answered} answered, {self.dropped} dropped, {len(self.wrong)} wrong"


def make_sessions(slot_0_has_key: bool) -> tuple[Session, Session]:
    """Return two sessions: the victim, on which the commands act, and another session."""
    rng = random.Random(7)
    victim, other = (
        Session(
            number=rng.getrandbits(32) | 1,
            peer=Peer(mac=0x02_00_00_00_01_00 + n, ip=0xC0A8_0164 + n, port=40000 + n),
            token=rng.getrandbits(64),
            key=rng.randbytes(16 + 16 * n),
            initial=rng.getrandbits(128),
            row=2 + n,
            slot=3 if n == 0 else (0 if slot_0_has_key else 5),
        )
        for n in range(2)
    )
    return victim, other


class Sweep:
    """Tries one command in every cycle, with one datagram size and one core.

    Parameters
    ----------
    board : PeripheralBoard
        The model; it is reset at the end.
    command : str
        One of `COMMANDS`.
    size : int
        Bytes of data of the victim's datagram.
    slot_0_has_key : bool
        Whether slot 0 holds the other session's key.
    """

    def __init__(self, board: PeripheralBoard, *, command: str, size: int, slot_0_has_key: bool):
        rng = random.Random(f"{command} {size}")
        self.board, self.command = board, command
        self.victim, self.other = make_sessions(slot_0_has_key)
        self.new_key = rng.randbytes(24)
        data = rng.randbytes(size)
        small = [rng.randbytes(21), rng.randbytes(40)]
        self.requests = [
            (self.other, 0, small[0]),
            (self.victim, 0, data),
            (self.other, self.other.record_bytes, small[1]),
            (self.victim, self.victim.record_bytes, small[0]),
        ]
        self.datagrams = [(0, session, session.request(offset, part)) for session, offset, part in self.requests]
        board.reset()
        board.prepare([self.victim, self.other])
        # Cycle in which the sweep ends: 40 cycles after the first word of the last answer.
        self.last = board.play(self.datagrams, cycles=4000)[0][-1].cycle + 40

    def run(self, step: int = 1, first: int = 0) -> Findings:
        """Repeat the same traffic. The command comes in cycle `first`, then `step` cycles later in each repetition."""
        findings = Findings()
        self.board.reset()
        for instant in range(first, self.last, step):
            findings.instants += 1
            try:
                problem = self._at(instant, findings)
            except StuckError as error:
                problem = str(error)
            if problem:
                findings.wrong.append(f"{self.command} in cycle {instant}: {problem}")
                self.board.reset()
        self.board.reset()
        return findings

    def _at(self, instant: int, findings: Findings) -> str | None:
        board, operations, victim = self.board, self.board.operations, self.victim
        before = {
            "close": [(0, "row", victim.row)],
            "load_key": operations.write_key(victim.slot, self.new_key),
            "clear_key": [operations.key_config(victim.slot)],
        }.get(self.command, [])
        # Each try sends the same datagrams, and the sessions keep their record windows between tries. So the board
        # receives some records again, and must answer these records again.
        board.prepare([victim, self.other], fresh=False)
        board.play([], before)
        counted = self._counted()
        command = (instant, "reset", 0) if self.command == "reset" else operations.command(self.command, instant)
        answers, (*ended, status) = board.play(
            self.datagrams,
            [command, (0, "idle", None), (0, "unused", None), (0, "status", None)],
            cycles=self.last + 400,
        )
        if ENDLESS in ended:
            return "hangs"
        command = "zeroize" if self.command == "reset" else self.command
        if self.command != "close" and ended[0] > command_cycles(command, slots=SLOTS):
            return f"lasts {ended[0]} cycles"
        if status & operations.bit("status", "refused"):
            return "refused"
        problem = self._problem(answers)
        if problem:
            return problem
        answers += board.play([], cycles=60)[0]
        findings.answered += len(answers)
        findings.dropped += len(self.datagrams) - len(answers)
        counted = self._counted() - counted
        if self.command != "reset" and counted != len(self.datagrams):
            return f"{counted} of {len(self.datagrams)} datagrams are counted"
        return self._afterwards()

    def _counted(self) -> int:
        """Return the sum of all event counters, which is the number of datagrams that arrived."""
        operations = [each for event in Event for each in ((0, "event", int(event)), (0, "event_count", None))]
        return sum(self.board.play([], operations)[1])

    def _problem(self, answers: list[Answer]) -> str | None:
        """Return a message if the answers to the datagrams are wrong, otherwise None."""
        wanted = []
        for session, offset, part in self.requests:
            keys = [session.key]
            if self.command == "load_key" and session is self.victim:
                keys.append(self.new_key)
            wanted.append([answer(session, replace(session, key=key).reply(offset, part)) for key in keys])
        new = False
        optional = {"close", "load_key", "clear_key"}  # only for the victim
        remaining = iter(answers)
        present = next(remaining, None)
        for (session, *_), replies in zip(self.requests, wanted, strict=True):
            found = present and (present.ip, present.port, present.mac, present.payload)
            if found in replies:
                if new and found == replies[0]:
                    return "an answer under the old key comes behind one under the new key"
                new = new or replies.index(found) == 1
                present = next(remaining, None)
            elif session is self.other and self.command in optional:
                return "a datagram of the other session is not answered" if found is None else "a wrong answer"
        return "a wrong or foreign answer" if present else None

    def _afterwards(self) -> str | None:
        """Check the board's state and answers after the command, and close the sessions. Return a message if there is
        an error, otherwise None.
        """
        board, operations, victim, other = self.board, self.board.operations, self.victim, self.other
        valid, opened = board.play([], [(0, "key_valid", None), (0, "opened", None)])[1]
        keys = {victim.slot: victim.key, other.slot: other.key}
        gone = {"clear_key": {victim.slot}, "zeroize": set(keys), "reset": set(keys)}.get(self.command, set())
        if valid != sum(1 << slot for slot in keys if slot not in gone):
            return f"key_valid is {valid:#x}"
        rows = {"close": [other], "reset": []}.get(self.command, [victim, other])
        if opened != sum(1 << session.row for session in rows):
            return f"opened is {opened:#x}"
        if self.command == "load_key":
            victim = replace(victim, key=self.new_key)
        live = {session.row for session in rows if session.slot not in gone}
        offset = 2 * victim.record_bytes
        probes = [(0, session, session.request(offset, b"afterwards")) for session in (victim, other)]
        found = [each.payload for each in board.play(probes, cycles=self.last + 400)[0]]
        if found != [session.reply(offset, b"afterwards") for session in (victim, other) if session.row in live]:
            return "afterwards, answers are wrong"
        closing = [access for session in rows for access in operations.close(session)]
        closing += [(0, "unused", None)]
        for slot in keys:
            closing += [operations.key_config(slot), operations.command("clear_key"), (0, "idle", None)]
        closing += [(0, "key_valid", None)]
        *waits, valid = board.play([], closing)[1]
        if ENDLESS in waits:
            return "closing hangs"
        return f"key_valid is {valid:#x} in the end" if valid else None


def main() -> int:
    """Read the command line, run the sweeps, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.gateware.net.sweep", description=__doc__.splitlines()[0])
    parser.add_argument("--core", help="the only core: 128, pipelined or 32 (default: all)")
    arguments = parser.parse_args()
    failed = 0
    for core, step in CORES:
        if arguments.core not in (None, str(core["datapath"])):
            continue
        board = PeripheralBoard(**core)
        for command in COMMANDS:
            for size in SIZES:
                for has_key in (True, False):
                    sweep = Sweep(board, command=command, size=size, slot_0_has_key=has_key)
                    found = sweep.run(step)
                    slot_0 = "with" if has_key else "without"
                    print(
                        f"{core['datapath']} bits: {command}, {size} bytes, slot 0 {slot_0} a key: {found}", flush=True
                    )
                    for text in found.wrong[:5]:
                        print(f"  {text}")
                    failed += len(found.wrong)
        board.close()
    print(f"{failed} wrong" if failed else "0 wrong or foreign bytes, 0 hangs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
