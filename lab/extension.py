# SPDX-License-Identifier: BSD-2-Clause
"""The configurations that the laboratory adds to the SoC: AES instruction sets of other authors, and SNOW 3G."""

from dataclasses import replace

from gateware.configurations import Configuration, Part
from gateware.description import Fit
from gateware.extensions import Extension

_SCALAR = Configuration(
    "scalar",
    "scalar AES instructions",
    unit="lab.isa.zkn:ScalarAESUnit",
    unit_engines=("zkn",),
    more_firmware="lab/isa/firmware",
)
_SNOW3G = Part("snow3g", "SNOW 3G", add="lab.snow3g.soc:add_snow3g", like="accelerator")
_COMPARATORS = replace(
    _SCALAR, name="comparators", title="AES instructions of others", unit="lab.isa.comparators:ComparatorUnit"
)
_CONFIGURATIONS = (
    _SCALAR,
    _COMPARATORS,
    replace(
        _COMPARATORS,
        name="wide_comparators",
        title="wider AES instructions of others",
        unit="lab.isa.comparators:WideComparatorUnit",
    ),
    Configuration("lte", "SNOW 3G accelerator", parts=(_SNOW3G,), more_firmware="lab/snow3g/firmware"),
)
_NO_LUTS = "a 25F has 24,288 LUT4 and 56 block RAMs, and `default` leaves fewer LUTs than a second accelerator takes"
_LEFT_OUT = {
    "butterstick": "litex-boards names no UART pins, and there is no `lte` with Ethernet",
    "colorlight_i5": _NO_LUTS,
    "orangecrab": _NO_LUTS,
    "orangecrab_85f": "not placed and routed for this part",
    "ulx3s": "not placed and routed for this speed grade",
    "ulx3s_25f": _NO_LUTS,
    "versa_ecp5": "not placed: a second accelerator takes 18 block RAMs, and `default` leaves 7",
}

EXTENSION = Extension(
    configurations=_CONFIGURATIONS,
    sources=("lab/isa", "lab/snow3g"),
    fits={
        "sim": {configuration.name: Fit() for configuration in _CONFIGURATIONS},
        "ecpix5": {
            "lte": Fit(cfu_sbox="block_ram", core_sbox="block_ram", part_sbox="ecp5", pnr_seed=2, clock_met=True)
        },
    },
    cores="lab.cores",
    left_out={board: {"lte": reason} for board, reason in _LEFT_OUT.items()},
)
