# SPDX-License-Identifier: BSD-2-Clause
"""Makes lists of accesses to the fast path's registers. An access is (cycle, register, value); a value of None means a
read.
"""

import struct

from gateware.aes.standard import KEY_LENGTHS
from tests.gateware.net.frames import Session
from tests.gateware.net.window_model import RECORDS, Window


class Operations:
    """Makes lists of register accesses for the common operations of the fast path.

    Parameters
    ----------
    csrs : list
        The fast path's registers, in the order of their addresses.
    """

    def __init__(self, csrs: list):
        self.address = {csr.name: n for n, csr in enumerate(csrs)}
        self.fields = {
            csr.name: {field.name: field for field in csr.fields.fields}
            for csr in csrs
            if getattr(csr, "fields", None) is not None
        }

    def bit(self, register: str, field: str) -> int:
        """Return the mask of a one-bit field in a register."""
        return 1 << self.fields[register][field].offset

    def command(self, name: str, cycle: int = 0) -> tuple:
        """Return the register write that starts the command `name`."""
        return cycle, "control", self.bit("control", name)

    def key_config(self, slot: int, key: bytes = b"", cycle: int = 0) -> tuple:
        """Return the access that selects the slot and key length for a key command."""
        length = KEY_LENGTHS[8 * len(key)] if key else 0
        return cycle, "key_config", length | slot << self.fields["key_config"]["slot"].offset

    def write_key(self, slot: int, key: bytes, cycle: int = 0) -> list[tuple]:
        """Return the accesses that write a key and its slot to the registers. The command `load_key` must follow."""
        words = struct.unpack(f"<{len(key) // 4}I", key)
        return [self.key_config(slot, key, cycle), *((cycle, f"key{i}", word) for i, word in enumerate(words))]

    def load_key(self, slot: int, key: bytes, cycle: int = 0) -> list[tuple]:
        """Return the accesses that write a key to the registers and load it."""
        return [*self.write_key(slot, key, cycle), self.command("load_key", cycle)]

    def open(self, session: Session, cycle: int = 0) -> list[tuple]:
        """Return the accesses that open a session. These accesses do not change the session's record window."""
        iv = struct.unpack("<4I", session.initial.to_bytes(16, "big"))
        accesses = [
            ("row", session.row),
            ("session", session.number),
            ("peer_ip", session.peer.ip),
            ("peer_port", session.peer.port),
            ("token_lo", session.token % 2**32),
            ("token_hi", session.token >> 32),
            ("limit_lo", session.limit % 2**32),
            ("limit_hi", session.limit >> 32),
            ("slot", session.slot),
            *((f"iv{i}", word) for i, word in enumerate(iv)),
            ("record_blocks", session.record_bytes // 16),
        ]
        return [*((cycle, *access) for access in accesses), self.command("open", cycle)]

    def close(self, session: Session, cycle: int = 0) -> list[tuple]:
        """Return the accesses that close a session."""
        return [(cycle, "row", session.row), self.command("close", cycle)]

    def write_window(self, row: int, window: Window, cycle: int = 0) -> list[tuple]:
        """Return the accesses that write a record window, one entry after another. Two reads of `status` follow each
        entry, so that the hardware has time to store the entry.
        """
        accesses = [("row", row), ("window_base", window.first * window.record_blocks)]
        for place in range(RECORDS):
            kept = window.sums.get(window.first + place)
            accesses += [("window_place", place), ("window_came", kept is not None)]
            accesses += [("window_sum_lo", (kept or 0) % 2**32), ("window_sum_hi", (kept or 0) >> 32)]
            accesses += [("control", self.bit("control", "write_window")), ("status", None), ("status", None)]
        return [(cycle, *access) for access in accesses]
