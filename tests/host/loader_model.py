# SPDX-License-Identifier: BSD-2-Clause
"""A model of a board with a loader."""

import struct
import zlib

from cipherlane_base.wire.layout import IMAGE, Cause, ImageState

from .blocks import Refusal
from .model import PeerBoard

ORIGIN, CAPACITY, DATA_BYTES = 0x20000000, 1 << 14, 512
GATEWARE = b"gateware"
BUILD = GATEWARE + b"firmware"
FIRMWARE = bytes(range(256)) * 12


class LoaderBoard(PeerBoard):
    """A model board with a loader: either the loader or the firmware runs. The function `spoil` can change image data
    on their way to the board's memory.
    """

    def __init__(self, running=True, starts=True):
        super().__init__(name=b"model_loader")
        self.running = running
        self.starts = starts  # whether newly loaded firmware answers after its start
        self.cause = Cause.POWER
        self.header = bytes(IMAGE.size)
        self.memory = bytearray(CAPACITY)
        self.breaks = 0
        self.spoil = lambda data: data

    def send_break(self):
        self.breaks += 1
        self.running, self.cause = False, Cause.BREAK

    def answer(self, record, peer=None):
        mine = record[1] in range(0x0D, 0x11)
        if not self.running and not mine:
            self.seen.append("for firmware")
            error = struct.pack("<HBBI", 20, record[1], 0, self.cause)
            return record[:1] + b"\xff" + struct.pack("<H", len(error)) + record[4:24] + error
        if self.running and mine:
            kept, self.seen = self.seen, []
            try:
                return self._refusing(record, peer)
            finally:
                self.seen = kept
        return super().answer(record, peer)

    def _refusing(self, record, peer):
        error = struct.pack("<HBBI", 2, record[1], 0, record[1])
        return record[:1] + b"\xff" + struct.pack("<H", len(error)) + record[4:24] + error

    def _state(self):
        length = struct.unpack_from("<I", self.header, 4)[0]
        if self.header[:4] != b"CLFW":
            return ImageState.NONE
        good = zlib.crc32(self.memory[:length], zlib.crc32(self.header[:28])) == int.from_bytes(
            self.header[28:], "little"
        )
        return ImageState.WHOLE if good else ImageState.DAMAGED

    def _loader(self, session, offset, token, data):
        state = self._state()
        shown = self.header[12:28] if state == ImageState.WHOLE else bytes(16)
        fields = (1, self.cause, state, 0, DATA_BYTES, CAPACITY, ORIGIN, b"model_loader", GATEWARE + b"aloader!", shown)
        return session, struct.pack("<BBBBIII16s16s16s", *fields)

    def _load_begin(self, session, offset, token, data):
        assert len(data) == IMAGE.size
        self.header, self.coming = bytes(IMAGE.size), data
        return session, b""

    def _load_data(self, session, offset, token, data):
        assert offset % 16 == 0 and 0 < len(data) <= DATA_BYTES
        self.memory[offset : offset + len(data)] = self.spoil(data)
        return session, b""

    def _load_start(self, session, offset, token, data):
        self.header = getattr(self, "coming", self.header)
        if state := self._state():
            self.header = bytes(IMAGE.size)
            raise Refusal("image", state)
        self.build_id = self.header[12:28]
        self.running, self.cause = self.starts, Cause.POWER if self.starts else Cause.WATCHDOG
        return session, b""
