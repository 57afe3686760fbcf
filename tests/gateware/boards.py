# SPDX-License-Identifier: BSD-2-Clause
"""Lists, without duplicates, the parameters that the boards of `gateware.targets` use for each hardware unit."""

from typing import NamedTuple

from gateware import targets
from gateware.aes.cores import PIPELINED
from gateware.aes.sub_bytes import IMPLEMENTATIONS

TARGETS = targets.load_all()


class VectorUnit(NamedTuple):
    """The parameters of a `VectorAESUnit`."""

    sbox: str
    product_cycles: int


# Sets of parameters of the vector unit: for all boards, for FPGA boards only, and for simulated boards only.
_vector_units = {
    (VectorUnit(t.fit.cfu_sbox, t.fit.product_cycles), t.board.simulated) for t in TARGETS if not t.configuration.unit
}
VECTOR_UNITS = sorted({unit for unit, _ in _vector_units})
VECTOR_UNITS_ON_ECP5 = sorted(unit for unit, simulated in _vector_units if not simulated)
VECTOR_UNITS_SIMULATED = sorted(unit for unit, simulated in _vector_units if simulated)

# Parameters of `CTRAccelerator`, for all boards and for FPGA boards only.
_accelerators = {(t.configuration.core_datapath, t.fit.core_sbox, t.board.simulated) for t in TARGETS}
ACCELERATORS = [
    {"datapath": datapath, "sbox": sbox}
    for datapath, sbox in sorted({(datapath, sbox) for datapath, sbox, _ in _accelerators}, key=str)
]
ACCELERATORS_ON_ECP5 = [core for core in ACCELERATORS if (*core.values(), False) in _accelerators]
ACCELERATORS_SIMULATED = [core for core in ACCELERATORS if (*core.values(), True) in _accelerators]

# Parameters of the AES core that the fast path and the accelerator share.
_fast_paths = {
    (ethernet.core_datapath, t.fit.core_sbox, ethernet.core_engines)
    for t in TARGETS
    if (ethernet := t.configuration.ethernet)
}
FAST_PATHS = [
    {"datapath": datapath, "sbox": sbox, "engines": engines} for datapath, sbox, engines in sorted(_fast_paths, key=str)
]

# The S-boxes in the AES cores of `ACCELERATORS` and `FAST_PATHS`, as pairs: name of the implementation in
# `gateware.aes.sub_bytes`, and number of pipeline stages.
REGISTERED_SBOXES = sorted(
    {
        (core["sbox"], IMPLEMENTATIONS[core["sbox"]] if core["datapath"] == PIPELINED else 1)
        for core in [*ACCELERATORS, *FAST_PATHS]
    }
)


def title(parameters: dict) -> str:
    """Return a test name for a set of parameters."""
    return "-".join(str(value) for value in parameters.values()) or "default"
