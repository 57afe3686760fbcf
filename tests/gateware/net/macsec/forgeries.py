# SPDX-License-Identifier: BSD-2-Clause
"""Sends forged and repeated MACsec frames, mixed with good ones, to a board in simulation: ``make forgeries``.

A forged frame is one that the peer would send next, with one wrong bit at any place. A repeated frame passed before.
They follow each other at 1 Gb/s. The CPU must get the good frames alone, unchanged and in their order, and the SecY
must count each of the others once.
"""

import argparse
import random
from array import array

from gateware.net.macsec.counters import Counter
from tests.gateware.net.gmii import DRAIN_CYCLES, PROTECTED_CORE, GMIIBoard
from tests.gateware.net.macsec import driver as c
from tests.gateware.net.macsec.driver import OWN_SCI, PEER_SCI
from tests.gateware.net.macsec.reference import Association, padded, protect
from tests.gateware.net.script import on_wire

FORGED, REPEATED = 100_000, 10_000
BATCH = 220  # frames without a pause
BATCHES = 10  # batches with one key
GOOD, FORGERY, REPETITION = range(3)
WEIGHTS = (10, 100, 10)
START = OWN_SCI[:6] + PEER_SCI[:6]
DROPPED = ("InPktsNoTag", "InPktsBadTag", "InPktsNoSAError", "InPktsLate", "InPktsNotValid")


class Bench:
    """A simulated board, and the firmware's SecY driver on it."""

    def __init__(self):
        self.board = board = GMIIBoard(sys_hz=75_000_000, macsec=True, **PROTECTED_CORE)
        self.driver = c.Driver(board)

    def begin(self, rng: random.Random) -> Association:
        """Reset the board. Install a new random key, cipher suite and replay window. Return the peer's association."""
        self.board.reset()
        more = {"ssci": rng.randbytes(4), "salt": rng.randbytes(12)} if rng.random() < 0.5 else {}
        peer_s = Association(rng.randbytes(rng.choice([16, 32])), PEER_SCI, 1, **more)
        assert self.driver.set_sci(OWN_SCI, PEER_SCI) == self.driver.install(c.RECEIVE, 0, peer_s) == 0
        self.driver.set_policy(**c.STRICTLY | {"replay_window": rng.choice([0, 1, 64])})
        return peer_s

    def counts(self) -> dict[str, int]:
        """Return the counters of received frames."""
        return {name: self.driver.count(int(Counter[name])) for name in ("InPktsOK", *DROPPED)}


def frame(rng: random.Random, size: int) -> bytes:
    """Return a frame with an EtherType that the board does not handle. The board passes such a frame to the CPU."""
    return START + b"\x12\x34" + rng.randbytes(size - 14)


def run(forged: int, repeated: int, seed: int) -> list[int]:
    """Send frames until at least `forged` of them were forged, and at least `repeated` of them were repeated. Return
    the numbers of good, forged and repeated frames.
    """
    rng = random.Random(seed)
    bench = Bench()
    numbers = [0, 0, 0]
    while numbers[FORGERY] < forged or numbers[REPETITION] < repeated:
        peer_s = bench.begin(rng)
        encrypt = rng.random() < 0.8
        passed: list[bytes] = []
        for _ in range(BATCHES):
            batch = [0, 0, 0]
            expected, script, before = [], array("H"), bench.counts()
            for _ in range(BATCH):
                kind = rng.choices(range(3), WEIGHTS)[0] if passed else GOOD
                if kind == REPETITION:
                    wire = rng.choice(passed)
                else:
                    plain = frame(rng, rng.choice([60, rng.randrange(60, 200)]))
                    wire = protect(plain, peer_s, 0, encrypt=encrypt)
                if kind == GOOD:
                    passed.append(wire)
                    expected.append(plain)
                if kind == FORGERY:
                    peer_s.pn -= 1  # the number stays unused
                    bit = rng.randrange(8 * len(wire))
                    wire = (int.from_bytes(wire, "big") ^ 1 << bit).to_bytes(len(wire), "big")
                batch[kind] += 1
                script += on_wire(padded(wire))
            bench.board.run(script + array("H", bytes(2 * DRAIN_CYCLES)))
            assert bench.board.cpu_frames() == expected, "the CPU got other frames than the good ones"
            changes = {name: count - before[name] for name, count in bench.counts().items()}
            assert changes.pop("InPktsOK") == batch[GOOD], "a good frame was not counted once"
            assert sum(changes.values()) == batch[FORGERY] + batch[REPETITION], f"{batch}, counted {changes}"
            numbers = [a + b for a, b in zip(numbers, batch, strict=True)]
    bench.board.close()
    return numbers


def main() -> None:
    """Read the command line, send the frames, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forged", type=int, default=FORGED, help="forged frames, at least")
    parser.add_argument("--repeated", type=int, default=REPEATED, help="repeated frames, at least")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    good, forged, repeated = run(arguments.forged, arguments.repeated, arguments.seed)
    print(f"{forged} forged and {repeated} repeated frames among {good} good ones: none passed, all counted")


if __name__ == "__main__":
    main()
