# SPDX-License-Identifier: BSD-2-Clause
"""Measure the fast path in one case: send datagrams back to back at 1 Gb/s, and compare every answer with the result
of the library `cryptography`.
"""

import random
from array import array
from dataclasses import dataclass

from cipherlane_base.wire.layout import Suite

from gateware.net.events import Event
from gateware.net.macsec.counters import Counter
from gateware.net.records.header import HEADER_BYTES
from tests.bench_eth.protection import OVERHEAD, Bare, Link
from tests.gateware.net.frames import WIRE_OVERHEAD, Peer, Session
from tests.gateware.net.gmii import GMII_HZ, GMIIBoard
from tests.gateware.net.script import datagram, expected, on_wire, parse

WIRE_MBPS = 1000
FRAMES_MIN = 40
BYTES_MIN = 60_000
DRAIN_CYCLES = 60_000
# Maps a datapath and a key length in bits to the cycles per block that one engine of an AES core needs. A datapath is a
# width in bits, or "pipelined".
BLOCK_CYCLES = {
    "pipelined": {128: 1, 192: 1, 256: 1},
    128: {128: 10, 192: 12, 256: 14},
    64: {128: 20, 192: 24, 256: 28},
    32: {128: 40, 192: 48, 256: 56},
}


class WrongAnswerError(Exception):
    """The board sent a frame that it must not send, or did not answer a datagram."""


@dataclass(frozen=True)
class Case:
    """One case to measure: UDP payload in bytes (with the record header), number of sessions, key length in bits, and
    system clock in Hz. The sessions send in turn. `suite` is MACsec's cipher suite, or None without MACsec.
    """

    payload: int
    sessions: int
    key_bits: int
    clock_hz: int
    suite: Suite | None = None

    @property
    def data_bytes(self) -> int:
        """Return the number of bytes to encrypt in each datagram."""
        return self.payload - HEADER_BYTES

    @property
    def wire_bytes(self) -> int:
        """Return the number of bytes that a datagram takes on the wire, including the preamble and the gap."""
        return self.payload + WIRE_OVERHEAD + (0 if self.suite is None else OVERHEAD)

    @property
    def limit_mbps(self) -> float:
        """Return the maximum UDP payload rate of the wire, in Mbps."""
        return WIRE_MBPS * self.payload / self.wire_bytes

    @property
    def frame_cycles(self) -> float:
        """Return how many cycles of the system clock a frame takes on the wire, including its gap."""
        return self.wire_bytes * self.clock_hz / GMII_HZ


def name_of(core: dict) -> str:
    """Return a core's name for tables: the datapath and, if the core has several engines, the number of engines."""
    engines = core.get("engines", 1)
    return str(core["datapath"]) if engines == 1 else f"{engines} x {core['datapath']}"


def _sessions(rng: random.Random, case: Case) -> list[Session]:
    return [
        Session(
            number=rng.getrandbits(32),
            peer=Peer(port=40000 + n),
            token=rng.getrandbits(64),
            key=rng.randbytes(case.key_bits // 8),
            initial=rng.getrandbits(128),
            row=n,
            slot=n,
            record_bytes=-(-case.data_bytes // 16) * 16,
            first=rng.getrandbits(20),
        )
        for n in range(case.sessions)
    ]


def latency(board: GMIIBoard, session: Session, payload: int, link: Bare) -> int:
    """Return the latency of an idle board in cycles of the system clock: from the first bit of a datagram's frame to
    the first bit of the answer.
    """
    data, offset = bytes(payload - HEADER_BYTES), session.place()
    (sent,) = board.exchange(on_wire(link.seal(datagram(session, session.request(offset, data)))))
    if link.open(sent.frame) != expected(session, session.reply(offset, data)):
        raise WrongAnswerError(f"wrong answer to a datagram of {payload} bytes")
    return round(sent.cycle * board.sys_hz / GMII_HZ)


def _start(board: GMIIBoard, case: Case, rng: random.Random, **directions: bool) -> tuple[list[Session], Bare]:
    """Reset the board and open the sessions of a case. Return these sessions, and an object that models the peer at the
    other end of the link.
    """
    board.set_clock(case.clock_hz)
    board.reset()
    sessions = _sessions(rng, case)
    for session in sessions:
        board.open(session)
    return sessions, Bare() if case.suite is None else Link(board, case.suite, **directions)


def added_latency_ns(board: GMIIBoard, case: Case) -> dict[str, int]:
    """Return the latency in ns that MACsec adds, separately for each direction: for datagrams to the board, and for
    answers from the board.
    """
    cycles = {}
    for receives, transmits in ((False, False), (True, False), (False, True)):
        sessions, link = _start(board, case, random.Random(1), receives=receives, transmits=transmits)
        cycles[receives, transmits] = latency(board, sessions[0], case.payload, link)
    ns = 1e9 / case.clock_hz
    return {
        "added_in_ns": round((cycles[True, False] - cycles[False, False]) * ns),
        "added_out_ns": round((cycles[False, True] - cycles[False, False]) * ns),
    }


def measure(board: GMIIBoard, case: Case, core: dict) -> dict:
    """Measure the goodput of a case, with traffic in both directions at the same time.

    Raises
    ------
    WrongAnswerError
        An answer is wrong, came twice, or is missing although no drop was counted.
    """
    rng = random.Random(repr(case))
    sessions, link = _start(board, case, rng)
    latency_cycles = latency(board, sessions[0], case.payload, link)
    frames = max(FRAMES_MIN, BYTES_MIN // case.wire_bytes)
    script, answers = array("H"), {}
    for n in range(frames):
        session, data = sessions[n % case.sessions], rng.randbytes(case.data_bytes)
        offset = session.place()
        script += on_wire(link.seal(datagram(session, session.request(offset, data))))
        answers[expected(session, session.reply(offset, data))] = n
    received_cycles = len(script)
    before = board.counters()
    sent = parse(board.run(script + array("H", bytes(2 * DRAIN_CYCLES)))[0])
    after = board.counters()
    order = [answers.get(link.open(each.frame)) for each in sent]
    if None in order or order != sorted(set(order)):
        raise WrongAnswerError(f"{case}: an answer is wrong, doubled or out of order")
    dropped = {event.name: after[event] - before[event] for event in Event if after[event] != before[event]}
    if overruns := link.overruns():
        dropped[Counter.InPktsOverrun.name] = overruns
    if dropped.pop(Event.RECORD.name, 0) != len(sent) or sum(dropped.values()) != frames - len(sent):
        raise WrongAnswerError(f"{case}: {frames - len(sent)} answers are missing, drops counted: {dropped}")
    # The gap after the last answer is unknown. So the transmit rate excludes the last answer: the time runs from the
    # start of the first answer to the start of the last answer.
    sent_cycles = sent[-1].cycle - sent[0].cycle
    bits = 8 * case.payload
    rx_mbps = len(sent) * bits * GMII_HZ / received_cycles / 1e6
    tx_mbps = (len(sent) - 1) * bits * GMII_HZ / sent_cycles / 1e6
    share = min(rx_mbps, tx_mbps) / case.limit_mbps
    return {
        "kind": "sim",
        "path": "fast",
        "protection": "macsec" if case.suite is not None else "none",
        "suite": link.suite,
        "core": name_of(core),
        "clock_hz": case.clock_hz,
        "payload": case.payload,
        "data_bytes": case.data_bytes,
        "sessions": case.sessions,
        "key_bits": case.key_bits,
        "datagrams": frames,
        "dropped": dropped,
        "rx_mbps": round(rx_mbps, 2),
        "tx_mbps": round(tx_mbps, 2),
        "wire_limit_mbps": round(case.limit_mbps, 2),
        "share": round(share, 4),
        "latency_cycles": latency_cycles,
        "cause": "" if share >= 0.99 else _cause(case, core, sent_cycles * case.clock_hz / GMII_HZ / (len(sent) - 1)),
    }


def _cause(case: Case, core: dict, cycles: float) -> str:
    """Return a text that explains why a case stays below line rate. For a link without MACsec, the text names the
    bottleneck: the AES core or the processing of headers. `cycles` is the average time between two answers.
    """
    if case.suite is not None:
        return f"a datagram takes {cycles:.0f} cycles, the wire gives {case.frame_cycles:.0f}"
    blocks = -(-case.data_bytes // 16)
    block_cycles = BLOCK_CYCLES[core["datapath"]][case.key_bits] / core.get("engines", 1)
    if blocks * block_cycles > 0.9 * case.frame_cycles:
        return f"AES core: {blocks} blocks of {block_cycles:g} cycles, the wire gives {case.frame_cycles:.0f}"
    return f"headers: a datagram takes {cycles:.0f} cycles, the wire gives {case.frame_cycles:.0f}"
