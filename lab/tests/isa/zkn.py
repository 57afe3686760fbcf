# SPDX-License-Identifier: BSD-2-Clause
"""Sources and options that build the engine `zkn` for the host, with a model of the AES instructions that the engine
uses.
"""

from pathlib import Path

from gateware.flow.firmware import REPOSITORY
from tests.firmware.units_peer import UNITS

_HERE = Path(__file__).parent
FIRMWARE = REPOSITORY / "lab" / "isa" / "firmware"
SOURCES = [FIRMWARE / "engine_zkn.c", _HERE / "zkn_model.c", _HERE / "zkn_peer.c", UNITS / "aes.c"]
OPTIONS = [f"-I{FIRMWARE}", f"-I{_HERE}", f"-I{UNITS}", "-include", str(_HERE / "zkn_model.h")]
