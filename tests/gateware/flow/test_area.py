# SPDX-License-Identifier: BSD-2-Clause
"""Test the area report: it counts each cell of a netlist once. It assigns each cell to a unit by the cell's name or by
the cell's neighbours.
"""

from gateware.flow import area


def cell(kind, *nets, clock=1):
    """Return a netlist cell that is connected to these nets. By default, all cells share one clock."""
    return {"type": kind, "connections": {"CLK": [clock], "D": list(nets), "LSR": ["0"]}}


CELLS = {
    "VexRiscv.cache.pc_TRELLIS_FF_Q_3": cell("TRELLIS_FF", 2),
    "cipherlanesoc_aes_unit_hazard_LUT4_Z": cell("LUT4", 3),
    "column_table_1.0.0": cell("DP16KD", 3, 4),
    "write_sources_aes_unit_state_TRELLIS_FF_Q": cell("TRELLIS_FF", 10),
    "cipherlanesoc_ctraccelerator_ledger_LUT4_Z": cell("LUT4", 11),
    "write_sources_accelerator_ctraccelerator_ledger_LUT4_Z": cell("LUT4", 11),
    "write_sources_cipherlanesoc_partcore_part_s0_TRELLIS_FF_Q": cell("TRELLIS_FF", 12),
    "write_sources_cipherlanesoc_part_service_LUT4_Z": cell("LUT4", 12),
    "add_ethernet_fastpath_sum_CCU2C_S0": cell("CCU2C", 5),
    "add_ethernet_ethmac_crc_LUT4_Z": cell("LUT4", 6),
    "storage_4.0.0": cell("TRELLIS_DPR16X4", 5),
    "storage_4.0.0_DO_LUT4_Z": cell("LUT4", 5, 6, 7),
    "storage_4.0.1_DO_LUT4_Z": cell("LUT4", 5, 8),
    "storage_40.0.0": cell("TRELLIS_DPR16X4", 6, 9),
    "cipherlanesoc_timer_value_LUT4_Z": cell("LUT4", 2, 5),
    "mem.0.0": cell("DP16KD", 99),
    "table_0.0.1_DO_LUT4_Z": cell("LUT4", 4, 30),
    "LUT4_7": cell("LUT4", 11, 31),
    "LUT4_78_C_LUT4_Z": cell("LUT4", 12, 32),
    "write_sources_f_rhs_rhs_slice_proxy3_LUT4_Z": cell("LUT4", 11, 33),
    "multiplier": cell("MULT18X18D", 2),
}


def test_units(monkeypatch):
    monkeypatch.setattr(area, "UNITS", area.UNITS | {"part": ("cipherlanesoc_part",)})  # as of an extension
    nothing = {"lut4": 0, "ff": 0, "bram": 0, "dsp": 0}
    assert area.by_unit({"cells": CELLS}) == {
        "cpu": {**nothing, "ff": 1},
        "vector_unit": {**nothing, "lut4": 1 + 1, "ff": 1, "bram": 1},
        "accelerator": {**nothing, "lut4": 2 + 2},
        "part": {**nothing, "lut4": 1 + 1, "ff": 1},
        "fast_path": {**nothing, "lut4": 2 + 4 + 1 + 1},
        "ethernet": {**nothing, "lut4": 1 + 4},
        "rest": {**nothing, "lut4": 1, "bram": 1, "dsp": 1},
    }


def test_nothing_is_lost():
    found = area.by_unit({"cells": CELLS}).values()
    for resource, weights in area.RESOURCES.items():
        whole = sum(weights.get(each["type"], 0) for each in CELLS.values())
        assert sum(used[resource] for used in found) == whole
