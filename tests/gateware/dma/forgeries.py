# SPDX-License-Identifier: BSD-2-Clause
"""Sends forged GCM messages, mixed with good ones, to the accelerator in simulation: ``make forgeries``.

Each forged message has one wrong bit in its IV, additional data, text or tag, or one byte too many. Batches follow each
other without a pause. After each batch, all of the memory is compared with what `cryptography` expects. Nothing that a
forged message writes would pass.
"""

import argparse
import random

from gateware.dma.errors import Error
from tests.gateware.dma.gcm_bench import GCMBench, forged, placed

COUNT = 100_000
BATCH = 18  # number of messages in a batch; more messages do not fit into the memory
KEYS = 4


def run(count: int, seed: int) -> int:
    """Process batches of messages until at least `count` messages were forged. Return the number of all messages."""
    rng = random.Random(seed)
    bench = GCMBench()
    given = refused = 0
    while refused < count:
        if given % (100 * BATCH) == 0:  # after every 100 batches, use new keys and reset the counter
            bench.reset()
            before, since = bench.failures(), 0
            keys = [rng.randbytes(rng.choice([16, 24, 32])) for _ in range(KEYS)]
            for slot, key in enumerate(keys):
                bench.load_key(key, slot)
        messages = [forged(keys, rng) for _ in range(BATCH)]
        bench.carry_out(placed(messages, rng, in_place=0.3))
        wrong = sum(message.error == Error.TAG for message in messages)
        given, refused, since = given + BATCH, refused + wrong, since + wrong
        assert bench.failures() == before + since, "the counter of wrong tags is wrong"
    bench.sim.close()
    return given


def main() -> None:
    """Read the command line, process the messages, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT, help="forged messages")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    given = run(arguments.count, arguments.seed)
    print(f"{arguments.count} forged messages or more among {given}: none released, all counted")


if __name__ == "__main__":
    main()
