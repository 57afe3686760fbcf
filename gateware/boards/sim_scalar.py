"""The simulated board with the ratified scalar AES instructions in place of the vector AES unit, to compare both.

No hardware board has this configuration, so that no place-and-route has met its clock: compare cycles.
"""

from dataclasses import replace

from gateware.boards.sim import BOARD as SIM

BOARD = replace(
    SIM, name="sim_scalar", title="simulated board, scalar AES instructions", scalar_unit=True, clock_met_by=""
)
