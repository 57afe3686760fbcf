# SPDX-License-Identifier: BSD-2-Clause
"""Simulates a SecY in Verilator: installs keys, and passes frames through both directions at the same time."""

import random
from collections import Counter

from migen import Module

from gateware.aes.standard import KEY_LENGTHS
from gateware.ctr.service import create_service
from gateware.net.macsec.counters import Counter as Code
from gateware.net.macsec.secy import SecY, clients
from tests.gateware.net.macsec.reference import Association
from tests.gateware.support import Simulation, flatten, send

PEER = bytes.fromhex("02a1b2c3d4e50001")
OWN = bytes.fromhex("0243 4c4e 4501 0001".replace(" ", ""))
SENT, RECEIVED = range(2)  # directions
PACE = 2.0  # system clock cycles per 32-bit word on the wire, at 1 Gb/s and a system clock of 62.5 MHz
BETWEEN = 6  # words on the wire between two frames: check sequence, gap and preamble


def number(wire: bytes) -> int:
    return int.from_bytes(wire, "little")


def words(frame: bytes, bad: bool = False) -> list[tuple[int, int, int, int]]:
    """Return a frame as words (data, last, last_be, error). The unused bytes of the last word are not zero."""
    found = [frame[n : n + 4] for n in range(0, len(frame), 4)]
    values = [[number(word.ljust(4, b"\xee")), 0, 0, 0] for word in found]
    values[-1][1:] = [1, 1 << (len(found[-1]) - 1), 15 * bad]
    return [tuple(value) for value in values]


class Bench:
    """A simulated SecY with its CTR service."""

    def __init__(self, *, datapath=128, engines=4, **parameters):
        top = Module()
        service = create_service(clients(), datapath=datapath, engines=engines)
        top.submodules.service = service
        top.submodules.secy = self.secy = secy = SecY(
            transmit_port=service.ports[0], receive_port=service.ports[1], **parameters
        )
        t, r = secy.transmit, secy.receive
        self.ends = [(t.sink, t.source), (r.sink, r.source)]
        self.controls = [t.protect, t.encrypt, t.include_sci, t.end_station, t.an, t.expiring]
        self.controls += [r.validate, r.replay_protect, r.window, r.receive, secy.sci, secy.peer_sci]
        sides = [t.associations, r.associations]
        self.controls += [signal for side in sides for signal in (side.live, side.exhausted, side.clear_an)]
        readers = [side.readers[-1] for side in sides]
        self.controls += [signal for reader in readers for signal in (reader.an, reader.pn)]
        self.sim = Simulation(
            top,
            self.ends,
            self.controls,
            secy.install,
            secy.clear,
            secy.busy,
            secy.select,
            secy.count,
            r.uncontrolled,
        )
        self.loose = [(flatten(a), flatten(b)) for a, b in self.ends]

    def power_on(self, *, own=OWN, peer=PEER):
        """Power on with strict validation. Enable protection, encryption, the SCI, replay protection and all ANs."""
        self.sim.power_on()
        secy = self.secy
        self.set(
            {
                secy.sci: number(own),
                secy.peer_sci: number(peer),
                secy.transmit.protect: 1,
                secy.transmit.encrypt: 1,
                secy.transmit.include_sci: 1,
                secy.receive.replay_protect: 1,
                secy.receive.receive: 15,
            }
        )
        self.sim.run(self.settle(), max_cycles=4000)
        self.base = Counter()
        self.base = self.counters()

    def set(self, values: dict):
        """Set input signals of the SecY, and run one cycle."""
        self.sim.poke(values)
        self.sim.clock()

    def settle(self, most=3000):
        """Wait, in a test bench, until the SecY has finished its work on keys and buffers."""
        yield
        for _ in range(most):
            if not (yield self.secy.busy):
                return
            yield
        raise AssertionError("a command does not end")

    def begin_install(self, direction: int, an: int, sa: Association):
        """Return a test bench that offers an association's key and settings to the SecY."""
        header = {
            "an": an,
            "receive": direction,
            "key_length": KEY_LENGTHS[8 * len(sa.key)],
            "xpn": int(sa.xpn),
            "pn": sa.pn,
            "ssci": number(sa.ssci or b""),
            "salt": number(sa.salt),
        }
        items = [header | {"word": number(sa.key[n : n + 4])} for n in range(0, len(sa.key), 4)]
        return send(self.secy.install, items)

    def install(self, direction: int, an: int, sa: Association):
        """Install an association (a key with its settings), and wait until the SecY can use it."""
        self.sim.run(self.begin_install(direction, an, sa), max_cycles=3000)
        self.sim.run(self.settle(), max_cycles=3000)

    def side(self, direction: int):
        """Return the SecY's `associations` unit for this direction (SENT or RECEIVED)."""
        return (self.secy.transmit, self.secy.receive)[direction].associations

    def clear(self):
        """Zeroize all keys and buffers, and wait until this has ended."""
        self.set({self.secy.clear: 1})
        self.set({self.secy.clear: 0})
        self.sim.run(self.settle(), max_cycles=4000)

    def counters(self) -> Counter:
        """Return each counter that has changed since power-on, and by how much."""
        found = Counter()
        for code in Code:
            self.sim.poke({self.secy.select: int(code)})
            self.sim.clock(4)
            if value := self.sim.peek(self.secy.count):
                found[code.name] = value
        return found - self.base

    def exchange(
        self, sent=(), received=(), *, pace=PACE, quiet=700, most=None, idle=0.0, stall=0.0, seed=0, at=None, times=None
    ):
        """Pass frames through both directions. For each direction, return a list of pairs, one for each frame that left
        the SecY. A pair contains the frame, and true if the frame is for the uncontrolled port.

        A frame is bytes, or bytes with True for a wrong check sequence. Received words come at least `pace` cycles
        apart, and frames by six words more, which the wire needs for preamble, check sequence and gap. The run ends
        after `quiet` cycles without a word. `at` maps cycles to functions to call. `times` takes the cycles of first
        and last words of frames.
        """
        rng = random.Random(seed)
        peek, poke, clock = self.sim.peek, self.sim.poke, self.sim.clock
        queues = []
        for frames in (sent, received):
            whole = [frame if isinstance(frame, tuple) else (frame, False) for frame in frames]
            queues.append([word for frame, bad in whole for word in words(frame, bad)])
        places, offers = [0, 0], [False, False]
        found, under_way, begun = ([], []), [b"", b""], [0, 0]
        still = cycle = 0
        due = 0.0  # the next received word arrives in this cycle or later
        most = most or 40 * (len(queues[0]) + len(queues[1])) + 20_000
        for sink, source in self.ends:
            poke({sink.valid: 0, source.ready: 1})
        clock()
        while still < quiet:
            cycle += 1
            still += 1
            assert cycle < most, "frames do not end"
            if at and cycle in at:
                at[cycle]()
            for n, (sink, source) in enumerate(self.ends):
                if offers[n] and peek(sink.ready):
                    offers[n], still = False, 0
                    places[n] += 1
                if peek(source.valid) and peek(source.ready):
                    still = 0
                    if times is not None and not under_way[n]:
                        begun[n] = cycle
                    data, last = peek(source.data).to_bytes(4, "little"), peek(source.last)
                    if last:
                        count = {1: 1, 2: 2, 4: 3, 8: 4}[peek(source.last_be)]
                        assert not any(data[count:]), "bytes after the end of a frame"
                        data = data[:count]
                    else:
                        assert not peek(source.last_be)
                    under_way[n] += data
                    if last:
                        uncontrolled = bool(n == RECEIVED and peek(self.secy.receive.uncontrolled))
                        found[n].append((under_way[n], uncontrolled))
                        under_way[n] = b""
                        if times is not None:
                            times[n].append((begun[n], cycle))
                ready = n == SENT or cycle >= due
                if not offers[n] and ready and places[n] < len(queues[n]) and (not idle or rng.random() >= idle):
                    data, last, last_be, error = queues[n][places[n]]
                    if n == RECEIVED:
                        due = max(due, cycle - pace) + pace * (1 + BETWEEN * last)
                    poke({sink.data: data, sink.last: last, sink.last_be: last_be, sink.error: error})
                    offers[n] = True
                poke({sink.valid: offers[n]})
                if stall:
                    poke({source.ready: rng.random() >= stall})
            clock()
        assert places == [len(queue) for queue in queues], "words were not taken"
        assert under_way == [b"", b""], "a frame has no end"
        return found
