# SPDX-License-Identifier: BSD-2-Clause
"""List the sources and compiler options for a host build of the engine `zkn`. On the host, a model replaces the AES
instructions.
"""

from pathlib import Path

from gateware.flow.firmware import REPOSITORY
from tests.firmware.units_peer import UNITS

_HERE = Path(__file__).parent
FIRMWARE = REPOSITORY / "lab" / "isa" / "firmware"
SOURCES = [FIRMWARE / "engine_zkn.c", _HERE / "zkn_model.c", _HERE / "zkn_peer.c", UNITS / "aes.c"]
OPTIONS = [f"-I{FIRMWARE}", f"-I{_HERE}", f"-I{UNITS}", "-include", str(_HERE / "zkn_model.h")]
