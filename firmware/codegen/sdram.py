"""The C header of a SoC's SDRAM, from what LiteDRAM knows of PHY and module; written with the SoC's own headers.

How a module is to be initialised is LiteDRAM's `get_sdram_phy_init_sequence`, here as a table, and what a PHY has to
adjust its `PhySettings`.
"""

import math
import operator
from functools import reduce
from typing import Any

from litedram.init import get_sdram_phy_init_sequence

# Bits of LiteDRAM's registers `dfii_control` and `dfii_pi<n>_command`, by the names that its sequences use.
CONTROL = {"SEL": 1, "CKE": 2, "ODT": 4, "RESET_N": 8}
COMMAND = {"CS": 1, "WE": 2, "CAS": 4, "RAS": 8, "WRDATA": 16, "RDDATA": 32}
# What a wait lasts at least: 512 of the memory's clocks, for its DLL and its calibration (JESD79-3F, tDLLK, tZQinit),
# of which a cycle has one or more. Of SDR SDRAM no command needs so many.
WAIT_CYCLES = 512
# With power and clocks, and with its reset low before that is released (JESD79-3F, 3.3.1); SDR SDRAM, which has none
# and gets no command meanwhile, takes 100 or 200 us by its makers.
RESET_S = 200e-6

# Of how many phases LiteDRAM's dfii shows what was read, where not of all: its model says of the first alone that data
# are there, and GENSDRPHY says so a cycle late, when they are gone. The controller does not go by that.
SHOWN_PHASES = {"SDRAMPHYModel": 1, "GENSDRPHY": 0}


def render(phy_settings: Any, timing_settings: Any, clk_freq: float) -> str:
    """The header's text.

    Raises
    ------
    ValueError
        LiteDRAM's sequence for this memory has a step that is neither of control nor a command.
    """
    sequence, _ = get_sdram_phy_init_sequence(phy_settings, timing_settings)
    bits = phy_settings.databits
    levels = phy_settings.read_leveling
    shown = SHOWN_PHASES.get(phy_settings.phytype, phy_settings.nphases)
    values = {
        "PHASES": phy_settings.nphases,
        "READ_PHASE": phy_settings.rdphase,
        "WRITE_PHASE": phy_settings.wrphase,
        "PHASE_WORDS": math.ceil(phy_settings.dfi_databits / 32),
        "SHOWN_PHASES": shown,
        "LANES": bits // 8,
        "BITSLIPS": phy_settings.bitslips if levels else 1,
        "DELAYS": phy_settings.delays if levels else 1,
        "RESET_CYCLES": math.ceil(RESET_S * clk_freq),
        **{f"CONTROL_{name}": value for name, value in CONTROL.items()},
        **{f"COMMAND_{name}": value for name, value in COMMAND.items()},
    }
    word = min(32, phy_settings.dfi_databits)
    lanes = (sum(0xFF << at for at in range(8 * lane, word, bits)) for lane in range(bits // 8))
    steps = [
        f"\t/* {what} */ {{{_code(bits_set)}, {address:#x}, {bank}, {max(wait, WAIT_CYCLES) if wait else 0}}}, \\"
        for what, address, bank, bits_set, wait in sequence
    ]
    return "\n".join(
        [
            "/* Written by firmware/codegen/sdram.py for this SoC: do not edit. */",
            "#ifndef CL_SDRAM_H",
            "#define CL_SDRAM_H",
            "",
            f'#define CL_SDRAM_KIND "{phy_settings.memtype}"',
            *(f"#define CL_SDRAM_{name} {value}" for name, value in values.items()),
            "",
            "/* Bits of a data word that go through each group of eight lines. */",
            f"#define CL_SDRAM_LANE_BITS {{{', '.join(f'{mask:#010x}' for mask in lanes)}}}",
            "",
            "/* Whether it is a command or goes to dfii_control; its bits, address, bank, cycles to wait. */",
            "#define CL_SDRAM_STEPS { \\",
            *steps,
            "}",
            "",
            "#endif",
            "",
        ]
    )


def _code(text: str) -> str:
    names = text.split("|")
    for prefix, values, command in (("DFII_CONTROL_", CONTROL, 0), ("DFII_COMMAND_", COMMAND, 1)):
        if all(name.startswith(prefix) for name in names):
            return f"{command}, {reduce(operator.or_, (values[name.removeprefix(prefix)] for name in names))}"
    raise ValueError(f"LiteDRAM initialises this memory with {text!r}, which is no step of control or command")
