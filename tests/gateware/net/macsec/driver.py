# SPDX-License-Identifier: BSD-2-Clause
"""Runs the firmware's SecY driver on the registers of a simulated board."""

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gateware.codegen import registers, wire
from tests.gateware.net.macsec.reference import Association
from tests.gateware.support import ROOT

if TYPE_CHECKING:
    from tests.gateware.net.gmii import GMIIBoard

RECEIVE, TRANSMIT = range(2)
STRICT, CHECK, DISABLED = range(3)
OWN_SCI = bytes.fromhex("02434c4e45010001")
PEER_SCI = bytes.fromhex("0200000001000001")
FIRMWARE = ROOT / "firmware" / "core"


class SA(ctypes.Structure):
    """The C structure `cl_secy_sa`: a key to install."""

    _fields_ = [
        ("direction", ctypes.c_int),
        ("an", ctypes.c_uint8),
        ("xpn", ctypes.c_bool),
        ("key_bits", ctypes.c_uint16),
        ("key", ctypes.c_uint8 * 32),
        ("pn", ctypes.c_uint64),
        ("ssci", ctypes.c_uint8 * 4),
        ("salt", ctypes.c_uint8 * 12),
    ]


class Policy(ctypes.Structure):
    """The C structure `cl_secy_policy`: the SecY's settings."""

    _fields_ = [
        ("protect", ctypes.c_bool),
        ("encrypt", ctypes.c_bool),
        ("include_sci", ctypes.c_bool),
        ("transmit_an", ctypes.c_uint8),
        ("validate", ctypes.c_int),
        ("replay_protect", ctypes.c_bool),
        ("replay_window", ctypes.c_uint8),
        ("receive_ans", ctypes.c_uint8),
    ]


STRICTLY = {"protect": True, "encrypt": True, "include_sci": True, "replay_protect": True, "receive_ans": 15}


@cache
def _library() -> ctypes.CDLL:
    """Compile the C driver, and load it as a library."""
    with tempfile.TemporaryDirectory() as folder:
        return _compiled(Path(folder))


def _compiled(folder: Path) -> ctypes.CDLL:
    (folder / "cl_macsec_regs.h").write_text(registers.render(registers.SECY))
    (folder / "cl_wire.h").write_text(wire.render(wire.WIRE_LAYOUT))
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", f"-I{folder}"]
    command += [f"-I{FIRMWARE}", str(Path(__file__).with_name("driver_shim.c")), "-o", str(folder / "driver.so")]
    subprocess.run(command, check=True, timeout=120)
    library = ctypes.CDLL(str(folder / "driver.so"))
    library.cl_secy_next_pn.restype = ctypes.c_uint64
    library.cl_secy_count.restype = ctypes.c_uint32
    library.cl_secy_expiring.restype = ctypes.c_bool
    return library


class Driver:
    """The firmware's SecY driver, connected to the registers of a simulated board."""

    def __init__(self, board: "GMIIBoard"):
        self.c = library = _library()
        self.names = {register.offset: register.name for register in registers.registers(registers.SECY)}
        self.stuck: dict[str, int] = {}  # maps a register name to the false value that the driver reads
        self.reads = 0
        self._board = board
        self._callbacks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self.read),
            ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self.write),
        )
        library.shim_connect(*self._callbacks)

    def read(self, offset: int) -> int:
        self.reads += 1
        name = self.names[offset]
        return self.stuck[name] if name in self.stuck else self._board.read(f"macsec_{name}")

    def write(self, offset: int, value: int) -> None:
        self._board.write(f"macsec_{self.names[offset]}", value)

    def install(self, direction: int, an: int, sa: Association, **changes) -> int:
        key = (ctypes.c_uint8 * 32)(*sa.key)
        fields = {"direction": direction, "an": an, "xpn": sa.xpn, "key_bits": 8 * len(sa.key), "key": key, "pn": sa.pn}
        if sa.xpn:
            fields |= {"ssci": (ctypes.c_uint8 * 4)(*sa.ssci), "salt": (ctypes.c_uint8 * 12)(*sa.salt)}
        return self.c.cl_secy_install(None, ctypes.byref(SA(**fields | changes)))

    def set_policy(self, **fields) -> None:
        self.c.cl_secy_set_policy(None, ctypes.byref(Policy(**fields)))

    def set_sci(self, own: bytes, peer: bytes) -> int:
        return self.c.cl_secy_set_sci(None, own, peer)

    def next_pn(self, direction: int, an: int) -> int:
        return self.c.cl_secy_next_pn(None, direction, an)

    def count(self, counter: int) -> int:
        return self.c.cl_secy_count(None, counter)

    def zeroize(self) -> None:
        self.c.cl_secy_zeroize(None)

    def remove(self, direction: int, an: int) -> None:
        self.c.cl_secy_remove(None, direction, an)
