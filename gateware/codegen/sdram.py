# SPDX-License-Identifier: BSD-2-Clause
"""Describe a SoC's SDRAM for firmware, from LiteDRAM's data about its PHY and module.

The description goes into the devicetree, or into a C header next to the SoC's other headers. The table of
initialisation steps comes from LiteDRAM's `get_sdram_phy_init_sequence`. What can be adjusted comes from the PHY's
`PhySettings`.
"""

import math
import operator
from functools import reduce
from typing import Any

from litedram.init import get_sdram_phy_init_sequence

# Names and masks of the bits of LiteDRAM's registers `dfii_control` and `dfii_pi<n>_command`, for `cl_dfii.h`. LiteDRAM
# uses these names in its initialisation sequences.
CONTROL = {"SEL": 1, "CKE": 2, "ODT": 4, "RESET_N": 8}
COMMAND = {"CS": 1, "WE": 2, "CAS": 4, "RAS": 8, "WRDATA": 16, "RDDATA": 32}
# Minimum wait after an initialisation step, in cycles of the system clock. If LiteDRAM's sequence has no wait after a
# step, the firmware does not wait either. DDR3 needs 512 cycles of the memory's clock for its DLL and its calibration
# (JESD79-3F, tDLLK, tZQinit). The system clock is not faster than the memory's clock, so 512 cycles of the system clock
# are enough. SDR SDRAM needs shorter waits.
WAIT_CYCLES = 512
# Time for which the reset signal stays low after power and clocks have become stable (JESD79-3F, 3.3.1). SDR SDRAM has
# no reset signal, but its manufacturers ask for 100 or 200 us without commands.
RESET_S = 200e-6

# Maps a PHY to the number of DFI phases in which the `dfii` registers show read data. With other PHYs, they show read
# data in all phases. The registers store read data only while the PHY sets the signal `rddata_valid`. The simulation
# model sets this signal only in the first phase, and GENSDRPHY sets it one cycle too late. The memory controller does
# not use this signal.
SHOWN_PHASES = {"SDRAMPHYModel": 1, "GENSDRPHY": 0}


def describe(phy_settings: Any, timing_settings: Any, clk_freq: float) -> dict[str, Any]:
    """Return the data that firmware needs to set up the PHY and the memory module, in a form that JSON can store.

    ``kind`` is the type of memory. ``values`` holds numbers by name. ``lane_bits`` holds, for each group of eight
    lines, a mask of the bits of a data word that pass through it. ``steps`` are the steps of the initialisation. Each
    step lists a label, 1 for a command or 0 for `dfii_control`, its bits, address, bank, and the cycles to wait.

    Raises
    ------
    ValueError
        LiteDRAM's sequence for this memory has a step that is neither a command nor a write of `dfii_control`.
    """
    sequence, _ = get_sdram_phy_init_sequence(phy_settings, timing_settings)
    bits = phy_settings.databits
    levels = phy_settings.read_leveling
    word = min(32, phy_settings.dfi_databits)
    return {
        "kind": phy_settings.memtype,
        "values": {
            "phases": phy_settings.nphases,
            "read_phase": phy_settings.rdphase,
            "write_phase": phy_settings.wrphase,
            "phase_words": math.ceil(phy_settings.dfi_databits / 32),
            "shown_phases": SHOWN_PHASES.get(phy_settings.phytype, phy_settings.nphases),
            "lanes": bits // 8,
            "bitslips": phy_settings.bitslips if levels else 1,
            "delays": phy_settings.delays if levels else 1,
            "reset_cycles": math.ceil(RESET_S * clk_freq),
        },
        "lane_bits": [sum(0xFF << at for at in range(8 * lane, word, bits)) for lane in range(bits // 8)],
        "steps": [
            [what, *_code(bits_set), address, bank, max(wait, WAIT_CYCLES) if wait else 0]
            for what, address, bank, bits_set, wait in sequence
        ],
    }


def render(description: dict[str, Any]) -> str:
    """Return the C header for a description from `describe`."""
    return "\n".join(
        [
            "/* Written by gateware/codegen/sdram.py for this SoC: do not edit. */",
            "#ifndef CL_SDRAM_H",
            "#define CL_SDRAM_H",
            "",
            f'#define CL_SDRAM_KIND "{description["kind"]}"',
            *(f"#define CL_SDRAM_{name.upper()} {value}" for name, value in description["values"].items()),
            "",
            "/* Bits of a data word that go through each group of eight lines. */",
            f"#define CL_SDRAM_LANE_BITS {{{', '.join(f'{mask:#010x}' for mask in description['lane_bits'])}}}",
            "",
            "/* Whether it is a command or goes to dfii_control; its bits, address, bank, cycles to wait. */",
            "#define CL_SDRAM_STEPS { \\",
            *(
                f"\t/* {what} */ {command}, {bits}, {address:#x}, {bank}, {cycles}, \\"
                for what, command, bits, address, bank, cycles in description["steps"]
            ),
            "}",
            "",
            "#endif",
            "",
        ]
    )


def render_bits() -> str:
    """Return the text of `cl_dfii.h`, which does not depend on the SoC."""
    groups = (("CONTROL", "dfii_control", CONTROL), ("COMMAND", "dfii_pi<n>_command", COMMAND))
    lines = [
        "/* SPDX-License-Identifier: BSD-2-Clause */",
        "/* Generated from gateware/codegen/sdram.py; do not edit. */",
        "#ifndef CL_DFII_H",
        "#define CL_DFII_H",
    ]
    for prefix, register, values in groups:
        lines += ["", f"/* Bits of LiteDRAM's {register}. */"]
        lines += [f"#define CL_DFII_{prefix}_{name} {value}u" for name, value in values.items()]
    return "\n".join([*lines, "", "#endif", ""])


def _code(text: str) -> tuple[int, int]:
    names = text.split("|")
    for prefix, values, command in (("DFII_CONTROL_", CONTROL, 0), ("DFII_COMMAND_", COMMAND, 1)):
        if all(name.startswith(prefix) for name in names):
            return command, reduce(operator.or_, (values[name.removeprefix(prefix)] for name in names))
    raise ValueError(f"LiteDRAM initialises this memory with {text!r}, which is no step of control or command")
