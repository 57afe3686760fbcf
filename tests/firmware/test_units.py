# SPDX-License-Identifier: BSD-2-Clause
"""Test the engines for the board's hardware with random operations. The engines are compiled for the host, with models
of the hardware and with sanitizers.

Every output is compared with an independent library. After a session, the tests search all memory of hardware and
firmware for any two neighbouring words of its key schedule, its keystream or its data.
"""

import errno
import random
import struct
from collections import Counter
from dataclasses import dataclass, field

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from gateware.codegen import registers
from tests.firmware import units_peer
from tests.firmware.units_peer import ENGINES, HEAP, MEMORY, MEMORY_END, MODES, pairs
from tests.gateware.isa import fips197
from tests.gateware.net.window_model import Window

EVENTS = next(
    {name: code for code, name, _ in fields.values}
    for register in registers.registers(registers.FAST_PATH)
    if register.name == "event"
    for fields in register.fields
)
PLACES = 40
SLOTS = 8
KEY_BYTES = (16, 24, 32)
# The implementation `ise_by_block` does not support CBC.
BY_BLOCK = MODES.index("ise_by_block")
ACCELERATOR, FASTPATH = map(ENGINES.index, ("accelerator", "fastpath"))
VECTOR_CONTEXT = struct.Struct("128s240s16s")  # layout of a vector context: registers v0 to v7, k0 to k14, k15
EMPTY = (0, 0, [0] * 64)
SIZES = (0, 1, 15, 16, 17, 64, 127, 128, 129, 144, 255, 256, 511, 512, 513, 528, 640, 1439, 1440)


@pytest.fixture(scope="module")
def binary():
    return units_peer.build()


@pytest.fixture
def peer(binary):
    with units_peer.UnitsPeer(binary) as peer:
        assert peer.start(remains=0xA5) == 0
        yield peer


def ctr(key, counter, data):
    return Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)


def schedule(key: bytes, decrypt: bool = False) -> set[int]:
    """Return the round keys of a key, as pairs of 32-bit words. If `decrypt` is true, also return the round keys of the
    equivalent inverse cipher.
    """
    keys = fips197.expand_key(key)
    found = pairs(b"".join(keys))
    if decrypt:
        found |= pairs(b"".join([keys[-1], *map(fips197.inv_mix_columns, keys[-2:0:-1]), keys[0]]))
    return found


def telling(window: Window) -> set[int]:
    """Return the window's record checksums that are at least 2^48. The tests do not search memory for smaller
    checksums, because memory can contain a small number by chance.
    """
    return {kept for kept in window.sums.values() if kept >> 48}


@dataclass
class Session:
    """The test's data about a session. The session's secrets must not remain in memory after the session has ended."""

    engine: int
    place: int
    key: bytes
    secret: set[int]
    data: set[int] = field(default_factory=set)
    lost: bool = False  # True if a fault has zeroized the session's key
    # Only sessions in ECB or CBC use the next three fields: index of the implementation, index of the device, and
    # direction.
    modes: int = 0
    device: int = 0
    decrypt: bool | None = None
    # The following fields are only for sessions of the fast path.
    number: int = 0
    token: int = 0
    iv: bytes = b""
    limit: int = 0
    window: Window | None = None
    sent: dict[int, bytes] = field(default_factory=dict)
    records: list[int] = field(default_factory=list)


class Sessions:
    """Chooses random operations, performs them and checks their results."""

    def __init__(self, peer, seed, bounce_bytes):
        self.peer = peer
        self.rng = random.Random(seed)
        self.live: list[Session] = []
        self.free = list(range(PLACES))
        self.gone: set[int] = set()
        self.counts = Counter()
        self.windows: list[Window] = []  # windows of ended fast-path sessions, to resume their streams
        self.bounce_bytes = bounce_bytes
        self.ever = 0
        assert peer.start(remains=seed, bounce_bytes=bounce_bytes) == 0

    def of(self, engine):
        return [session for session in self.live if session.engine == engine]

    def taken(self, engine):
        """Return how many of the engine's key slots are in use. A session of the fast path keeps its slot after a
        fault has zeroized the key in this slot.
        """
        return sum(engine == FASTPATH or not session.lost for session in self.of(engine))

    def buffers(self, size, step=1):
        """Choose random locations and alignments for the input and output buffers. If the output location is None, the
        output overwrites the input.
        """
        where = self.rng.choice((HEAP, MEMORY, MEMORY, MEMORY_END))
        source = (where, self.rng.choice((0, 0, self.rng.randrange(0, 16, step))))
        if self.rng.random() < 0.4:
            return source, None
        where = self.rng.choice((HEAP, MEMORY, MEMORY) if where == MEMORY_END else (HEAP, MEMORY, MEMORY, MEMORY_END))
        return source, (where, self.rng.choice((0, 0, self.rng.randrange(0, 16, step))))

    def check_nothing_is_left(self):
        state = self.peer.state()
        left = (pairs(state.hardware) | pairs(state.firmware)) & self.gone
        assert not left
        return state

    def check_no_data_is_left(self, session):
        """Check that a call has left no data behind. The bounce buffer must contain no data, and the vector unit's
        registers for the state (v0 to v7) and the counter block (k15) must be 0.
        """
        state = self.peer.state()
        for context in range(8):
            v, _, k15 = VECTOR_CONTEXT.unpack_from(state.hardware, context * VECTOR_CONTEXT.size)
            assert not any(v) and not any(k15)
        assert not pairs(state.hardware[-self.bounce_bytes :]) & session.data

    # Operations

    def open(self, engine=None, fault="none"):
        engine = self.rng.randrange(len(ENGINES)) if engine is None else engine
        if not self.free:
            return None
        key = self.rng.randbytes(self.rng.choice(KEY_BYTES))
        session = Session(engine, self.free[-1], key, schedule(key))
        self.peer.fault(fault)
        status = self.peer.set_key(engine, session.place, key, misalign=self.rng.choice((0, 0, 1, 2)))
        struck = self.peer.fault("none") and fault != "none"
        expected = 0
        if struck:
            expected = {"key_refused": -errno.EBUSY, "key_invalid": -errno.EIO, "row_invalid": -errno.EIO}.get(
                fault, -errno.ETIMEDOUT
            )
        elif engine in (ACCELERATOR, FASTPATH) and self.taken(engine) == SLOTS:
            expected = -errno.EBUSY
        assert status == expected, (ENGINES[engine], fault)
        self.counts[ENGINES[engine], "open", status, fault if struck else ""] += 1
        if status == -errno.ETIMEDOUT:
            self.lose(engine)
        if status == 0:
            self.free.pop()
            self.live.append(session)
            if engine in (ACCELERATOR, FASTPATH):
                assert not pairs(self.peer.state().firmware) & session.secret
            return session
        if engine == FASTPATH:
            assert self.peer.clear(engine, session.place)
        self.gone |= session.secret
        self.check_nothing_is_left()
        return None

    def open_modes(self):
        if not self.free:
            return
        which = self.rng.randrange(len(MODES))
        device = self.rng.randrange(2)
        decrypt = self.rng.random() < 0.5
        key = self.rng.randbytes(self.rng.choice(KEY_BYTES))
        engine = 3 * device
        session = Session(
            engine, self.free.pop(), key, schedule(key, decrypt), modes=which, device=device, decrypt=decrypt
        )
        assert self.peer.modes_set_key(which, device, session.place, decrypt, key) == 0
        self.live.append(session)

    def refused_open(self):
        bits = self.rng.choice((0, 127, 129, 160, 224, 257, 512))
        engine = self.rng.randrange(len(ENGINES))
        key = self.rng.randbytes(bits // 8)
        if self.free:
            assert self.peer.set_key(engine, self.free[-1], key, bits=bits) == -errno.EINVAL
            self.gone |= pairs(key)

    def data(self, session, fault="none"):
        if session.decrypt is not None:
            return self.modes_data(session)
        if session.engine == FASTPATH:
            return self.datagram(session)
        size = self.rng.choice((*SIZES, self.rng.randrange(2000)))
        data, counter = self.rng.randbytes(size), self.rng.randbytes(16)
        if self.rng.random() < 0.3:
            counter = bytes(15 - size % 8) + b"\xff" * (size % 8) + b"\xfe"
        source, target = self.buffers(size)
        self.peer.fault(fault)
        status, result = self.peer.ctr(
            session.engine, session.place, counter, data, source=source, target=target,
            misalign=self.rng.choice((0, 1)),
        )  # fmt: skip
        struck = self.peer.fault("none") and fault != "none"
        expected = {"vector_bus": -errno.EFAULT, "dma_bus": -errno.EIO}.get(fault, -errno.ETIMEDOUT) if struck else 0
        if session.lost:
            expected = -errno.EIO
        assert status == expected, (ENGINES[session.engine], size, source, target, fault)
        output = ctr(session.key, counter, data)
        if status == 0:
            assert result == output, (ENGINES[session.engine], size, source, target)
        session.secret |= pairs(ctr(session.key, counter, bytes(size)))
        session.data |= pairs(data) | pairs(output)
        self.counts[ENGINES[session.engine], "data", status, fault if struck else ""] += 1
        self.check_no_data_is_left(session)
        return None

    def modes_data(self, session):
        mode = self.rng.choice(("ecb", "cbc")) if session.modes != BY_BLOCK else "ecb"
        size = 16 * self.rng.choice((0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 33, 64))
        chain, data = self.rng.randbytes(16), self.rng.randbytes(size)
        source, target = self.buffers(size, step=4)
        status, result, link = self.peer.modes(
            session.modes, session.device, session.place, mode, session.decrypt, 8 * len(session.key), chain, data,
            source=source, target=target,
        )  # fmt: skip
        cipher = Cipher(algorithms.AES(session.key), modes.ECB() if mode == "ecb" else modes.CBC(chain))
        expected = (cipher.decryptor() if session.decrypt else cipher.encryptor()).update(data)
        assert status == 0
        assert result == expected, (MODES[session.modes], mode, session.decrypt, size, source, target)
        assert link == ((data if session.decrypt else expected)[-16:] if mode == "cbc" and size else chain)
        session.data |= pairs(data) | pairs(expected)
        self.counts[MODES[session.modes], mode, session.decrypt, len(session.key)] += 1
        self.check_no_data_is_left(session)

    def serve(self, session, fault="none"):
        """Begin a fast-path session, either with a new stream or with the window of an ended session."""
        window = Window(record_blocks=self.rng.choice((1, 4, 90, 127)))
        if self.windows and self.rng.random() < 0.5:
            window = self.windows.pop()
        self.ever += 1
        session.number, session.token = self.ever, self.rng.getrandbits(64)
        session.iv = self.rng.randbytes(16)
        session.window = window
        session.limit = 16 * window.record_blocks * (window.first + 100) + self.rng.randrange(16)
        seen, sums = 0, [0] * 64
        for number, kept in window.sums.items():
            seen |= 1 << number % 64
            sums[number % 64] = kept
        session.data |= telling(window)
        self.gone -= telling(window)
        self.peer.fault(fault)
        status = self.peer.serve(
            session.place, session.number, session.token, 1 << 48 | 0xC0A80164 << 16 | 7, session.limit,
            16 * window.record_blocks, session.iv, (window.first, seen, sums),
        )  # fmt: skip
        struck = self.peer.fault("none") and fault != "none"
        assert status == (-errno.EIO if struck else 0)
        self.counts["fastpath", "serve", status] += 1
        if struck:
            session.window = None
            self.close(session)

    def datagram(self, session, polls=0):
        """Send a data record to the fast path: a new record, a repeated record, or a record that the fast path must
        refuse.
        """
        window = session.window
        if window is None:
            return
        blocks = window.record_blocks
        number = window.first + self.rng.choice((0, self.rng.randrange(64), self.rng.randrange(130)))
        if session.sent and self.rng.random() < 0.3:
            number = self.rng.choice(list(session.sent))
        data = self.rng.randbytes(self.rng.choice((0, 1, 15, 16 * min(blocks, 8), self.rng.randrange(16 * blocks + 1))))
        if self.rng.random() < 0.8:
            data = session.sent.get(number, data)
        offset = 16 * blocks * number
        who = {"ip": 0xC0A80164, "port": 7, "session": session.number, "token": session.token}
        event = None
        if self.rng.random() < 0.15:
            wrong = self.rng.choice(("ip", "port", "token", "session"))
            who[wrong] = self.rng.getrandbits(16) + 2**16
            event = {"token": "TOKEN", "session": "SESSION"}.get(wrong, "PEER")
        elif offset + len(data) > session.limit:
            event = "LIMIT"
        elif session.lost:
            event = "KEY" if window.number(offset // 16, len(data)) is not None else "WINDOW"
        else:
            event = {"answered": "RECORD", "window": "WINDOW", "other_data": "OTHER_DATA"}[
                window.decide(offset // 16, data)
            ]
        assert self.peer.datagram(**who, offset=offset, data=data, polls=polls) == EVENTS[event]
        self.counts["datagram", event] += 1
        if event == "RECORD":
            session.sent[number] = data
            session.data |= telling(window)
            session.records.append(len(data))
            if polls:
                self.close(session)
                self.counts["closed under way"] += 1
            counter = ((int.from_bytes(session.iv, "big") + offset // 16) % 2**128).to_bytes(16, "big")
            assert self.peer.reply(len(data)) == ctr(session.key, counter, data)

    def finish(self, session, fault):
        sizes = session.records
        assert self.peer.report(session.place) == (sum(sizes), sum((n + 15) // 16 for n in sizes), len(sizes))
        self.peer.fault(fault)
        status, (first, seen, sums) = self.peer.finish(session.place)
        window = session.window
        if self.peer.fault("none") and fault != "none":
            assert status == -errno.EIO
            return
        assert status == 0
        assert first == window.first
        assert {n for n in range(first, first + 64) if seen >> n % 64 & 1} == set(window.sums)
        assert all(sums[number % 64] == kept for number, kept in window.sums.items())
        self.windows.append(window)

    def close(self, session, fault="none"):
        if session.engine == FASTPATH and session.window is not None:
            self.finish(session, fault if fault == "window_refused" else "none")
        self.peer.fault(fault if fault != "window_refused" else "none")
        assert self.peer.clear(session.engine, session.place)
        struck = self.peer.fault("none")
        self.live.remove(session)
        self.free.append(session.place)
        if struck and fault in ("key_hangs", "key_refused", "row_hangs"):
            self.lose(session.engine)
        self.gone |= session.secret | session.data
        self.check_nothing_is_left()
        self.counts[ENGINES[session.engine], "close", fault if struck else ""] += 1
        if session.engine != FASTPATH:
            assert self.peer.ctr(session.engine, session.place, bytes(16), bytes(16))[0] == -errno.EINVAL
        assert self.peer.clear(session.engine, session.place)

    def lose(self, engine):
        """Remember that a fault has zeroized all keys of the given engine: the accelerator or the fast path."""
        for session in self.of(engine):
            session.lost = True

    def fault_for(self, engine):
        """Choose the fault of the hardware that happens during an operation. In most cases, this is `none`."""
        faults = ("none",)
        if self.rng.random() < 0.2:
            faults = {
                ENGINES.index("ise_vmem"): ("vector_bus",),
                ENGINES.index("ise_vmem_b"): ("vector_bus",),
                ACCELERATOR: ("dma_bus", "dma_timeout", "dma_hangs"),
            }.get(engine, faults)
        return self.rng.choice(faults)

    def step(self, closing):
        draw = self.rng.random()
        if draw < 0.02:
            self.refused_open()
        elif draw < 0.04:
            fault = self.rng.choice(("key_hangs", "key_refused", "key_invalid", "row_hangs", "row_invalid"))
            self.open(FASTPATH if fault.startswith("row") else ACCELERATOR, fault)
        elif draw < 0.20:
            session = self.open(self.rng.choice((*range(len(ENGINES)), ACCELERATOR, ACCELERATOR, FASTPATH, FASTPATH)))
            if session is not None and session.engine == FASTPATH:
                self.serve(session, self.rng.choice((*["none"] * 6, "open_refused", "window_refused")))
        elif draw < 0.25:
            self.open_modes()
        elif not self.live:
            pass
        elif draw < 0.25 + closing:
            session = self.rng.choice(self.live)
            faults = {
                ACCELERATOR: ("key_hangs", "key_refused", "dma_bus", "dma_hangs"),
                FASTPATH: ("row_hangs", "window_refused", "under way"),
            }.get(session.engine, ("none",))
            fault = self.rng.choice(faults) if self.rng.random() < 0.15 else "none"
            if fault != "under way":
                self.close(session, fault)
            elif not session.lost:
                self.datagram(session, polls=self.rng.randrange(1, 40))
        else:
            session = self.rng.choice(self.live)
            for _ in range(5 if session.engine == FASTPATH else 1):
                self.data(session, self.fault_for(session.engine))


@pytest.mark.parametrize(("seed", "bounce_bytes"), [(1, 512), (2, 512), (3, 100), (4, 16)])
def test_random_sessions_of_all_engines(peer, seed, bounce_bytes):
    sessions = Sessions(peer, seed, bounce_bytes)
    for n in range(600):
        sessions.step(closing=(0.05, 0.25)[n // 100 % 2])
    for session in list(sessions.live):
        sessions.close(session)
    state = sessions.check_nothing_is_left()
    assert state[:5] == (0, 0, 0, 0, 0)
    assert not any(state.hardware[: 8 * VECTOR_CONTEXT.size])
    for name in (*ENGINES, *MODES):
        assert any(key[0] == name for key in sessions.counts), name


@pytest.mark.parametrize("engine", [ACCELERATOR, FASTPATH], ids=["accelerator", "fastpath"])
def test_slots_run_out_and_are_free_again(peer, engine):
    sessions = Sessions(peer, 5, 512)
    for _ in range(3):
        while sessions.open(engine):
            pass
        assert len(sessions.live) == SLOTS
        assert sessions.open(engine) is None
        for session in sessions.rng.sample(sessions.live, 5):
            sessions.close(session)
    assert sessions.counts[ENGINES[engine], "open", -errno.EBUSY, ""] == 6


def test_a_restart_leaves_nothing(peer):
    assert peer.start(remains=0xA5) == 0
    state = peer.state()
    assert 0xA5A5A5A5A5A5A5A5 not in pairs(state.hardware)
    assert not any(state.hardware[: 8 * VECTOR_CONTEXT.size])


def test_with_a_bounce_buffer_below_a_block_other_buffers_are_refused(peer):
    assert peer.start(bounce_bytes=15) == 0
    key, counter, data = bytes(range(16)), bytes(16), bytes(range(100))
    assert peer.set_key(ACCELERATOR, 0, key) == 0
    for source, target in (((HEAP, 0), (MEMORY, 0)), ((MEMORY, 0), (HEAP, 0))):
        assert peer.ctr(ACCELERATOR, 0, counter, data, source=source, target=target)[0] == -errno.EINVAL
    result = peer.ctr(ACCELERATOR, 0, counter, data, source=(MEMORY, 3), target=(MEMORY, 1))
    assert result == (0, ctr(key, counter, data))
    assert peer.clear(ACCELERATOR, 0)
