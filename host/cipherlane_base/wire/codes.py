# SPDX-License-Identifier: BSD-2-Clause
"""Codes of records: generated from wire.toml by `python -m gateware.codegen.wire`; do not edit."""

from enum import IntEnum, IntFlag
from typing import NamedTuple

VERSION = 3
UDP_PORT = 20197


class RecordType(IntEnum):
    """Types of requests."""

    INFO = 1
    OPEN = 2
    DATA = 3
    CLOSE = 4
    STAT = 5
    BENCH = 6
    SELFTEST = 7
    RESET = 8
    COUNTERS = 9
    NETWORK = 10
    FASTPATH = 11
    MAC = 12
    LOADER = 13
    LOAD_BEGIN = 14
    LOAD_DATA = 15
    LOAD_START = 16
    DATA_LAST = 17
    MACSEC = 18
    PROTECT = 19
    AGREE = 20


class ErrorCode(IntEnum):
    """Codes of an error reply."""

    VERSION = 1
    TYPE = 2
    LENGTH = 3
    SESSION = 4
    OFFSET = 5
    KEY_BITS = 6
    ENGINE = 7
    SESSIONS_FULL = 8
    REUSED = 9
    HARDWARE = 10
    VALUE = 11
    ELSEWHERE = 12
    RANGES_FULL = 13
    RANDOM = 14
    TICKET = 15
    WINDOW = 16
    OTHER_DATA = 17
    BUSY = 18
    IMAGE = 19
    LOADING = 20
    TAG = 21


class Kind(IntEnum):
    """What answers: a board, its simulation, or a program on the host."""

    BOARD = 0
    SIM = 1
    NULL = 2


class OpenFlag(IntFlag):
    """Flags of the record `open`."""

    RESUME = 1
    DRAW = 2
    GCM = 4


class Mode(IntEnum):
    """Modes of operation."""

    CTR = 0
    GCM = 1


class Suite(IntEnum):
    """Cipher suites of MACsec."""

    GCM_AES_128 = 0
    GCM_AES_256 = 1


class ImageState(IntEnum):
    """State of a code memory."""

    WHOLE = 0
    NONE = 1
    LAYOUT = 2
    GATEWARE = 3
    DAMAGED = 4


class Cause(IntEnum):
    """Why a board with a loader was reset."""

    POWER = 0
    WATCHDOG = 1
    FIRMWARE = 2
    BREAK = 3


class Traits(NamedTuple):
    """Properties of an engine that the host tool uses; `wire.toml` defines them."""

    rank: int
    software: bool
    serves: bool
    cipher: str
    sim_bytes: int
    demo: bool
    title: str


class Engine(IntEnum):
    """Codes of the engines in records; the page about records describes each engine."""

    BYTE = 0
    TABLE = 1
    ISE = 2
    ACCELERATOR = 3
    ISE_FUSED = 4
    ISE_VMEM = 5
    ZKN = 6
    FASTPATH = 7
    SNOW3G = 8

    @property
    def traits(self) -> Traits:
        """The properties of this engine."""
        return _TRAITS[self]


_TRAITS = {
    Engine.BYTE: Traits(
        rank=9,
        software=True,
        serves=False,
        cipher="aes",
        sim_bytes=7_200,
        demo=False,
        title="C by bytes",
    ),
    Engine.TABLE: Traits(
        rank=8,
        software=True,
        serves=False,
        cipher="aes",
        sim_bytes=7_200,
        demo=True,
        title="C with tables",
    ),
    Engine.ISE: Traits(
        rank=6,
        software=False,
        serves=False,
        cipher="aes",
        sim_bytes=60_000,
        demo=True,
        title="the vector AES instructions",
    ),
    Engine.ACCELERATOR: Traits(
        rank=3,
        software=False,
        serves=False,
        cipher="aes",
        sim_bytes=60_000,
        demo=True,
        title="the accelerator",
    ),
    Engine.ISE_FUSED: Traits(
        rank=5,
        software=False,
        serves=False,
        cipher="aes",
        sim_bytes=60_000,
        demo=False,
        title="the vector AES unit with an instruction a round",
    ),
    Engine.ISE_VMEM: Traits(
        rank=4,
        software=False,
        serves=False,
        cipher="aes",
        sim_bytes=60_000,
        demo=True,
        title="the vector AES unit with its own way to memory",
    ),
    Engine.ZKN: Traits(
        rank=7,
        software=False,
        serves=False,
        cipher="aes",
        sim_bytes=60_000,
        demo=False,
        title="the scalar AES instructions",
    ),
    Engine.FASTPATH: Traits(
        rank=1,
        software=False,
        serves=True,
        cipher="aes",
        sim_bytes=3_000_000,
        demo=True,
        title="the UDP fast path",
    ),
    Engine.SNOW3G: Traits(
        rank=2,
        software=False,
        serves=False,
        cipher="snow3g",
        sim_bytes=60_000,
        demo=False,
        title="the SNOW 3G accelerator",
    ),
}
