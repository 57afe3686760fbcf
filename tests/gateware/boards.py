"""The parameters that boards give to units and cores, each set once, from `gateware.boards`."""

from gateware import boards
from gateware.aes.cores import PIPELINED
from gateware.aes.sub_bytes import IMPLEMENTATIONS

BOARDS = [boards.load(name) for name in boards.names()]

# S-boxes of the vector unit, all and those on an FPGA, and of the unit with the scalar instructions.
VECTOR_UNITS = sorted({board.sbox for board in BOARDS if not board.scalar_unit})
VECTOR_UNITS_ON_ECP5 = sorted({board.sbox for board in BOARDS if not board.scalar_unit and not board.simulated})
VECTOR_UNITS_SIMULATED = sorted({board.sbox for board in BOARDS if not board.scalar_unit and board.simulated})
SCALAR_UNITS = sorted({board.sbox for board in BOARDS if board.scalar_unit})

# Parameters of `CTRAccelerator`, all and those on an FPGA.
_accelerators = {(board.core_datapath, board.core_sbox, board.simulated) for board in BOARDS}
ACCELERATORS = [
    {"datapath": datapath, "sbox": sbox}
    for datapath, sbox in sorted({(datapath, sbox) for datapath, sbox, _ in _accelerators}, key=str)
]
ACCELERATORS_ON_ECP5 = [core for core in ACCELERATORS if (*core.values(), False) in _accelerators]
ACCELERATORS_SIMULATED = [core for core in ACCELERATORS if (*core.values(), True) in _accelerators]

# Parameters of the fast path's core.
_fast_paths = {(b.ethernet.core_datapath, b.core_sbox, b.ethernet.core_engines) for b in BOARDS if b.ethernet}
FAST_PATHS = [
    {"datapath": datapath, "sbox": sbox, "engines": engines} for datapath, sbox, engines in sorted(_fast_paths, key=str)
]

# Registered S-boxes of those cores, with their stages (`gateware.aes.sub_bytes`).
REGISTERED_SBOXES = sorted(
    {
        (core["sbox"], IMPLEMENTATIONS[core["sbox"]] if core["datapath"] == PIPELINED else 1)
        for core in [*ACCELERATORS, *FAST_PATHS]
    }
)


def title(parameters: dict) -> str:
    """A name for a set of parameters."""
    return "-".join(str(value) for value in parameters.values()) or "default"
