# SPDX-License-Identifier: BSD-2-Clause
"""The features that the laboratory adds to the SoC: AES instruction sets of other authors, and SNOW 3G."""

from dataclasses import replace

from gateware.configurations import Configuration, Feature, Part
from gateware.description import Fit
from gateware.extensions import Extension

_UNIT = "it replaces the vector unit, which the other features' engines use"
_SNOW3G = Part("snow3g", "SNOW 3G", add="lab.snow3g.soc:add_snow3g", like="accelerator")


def _unit(name: str, title: str, unit: str) -> Feature:
    """Return the feature that replaces the vector unit by `unit`."""

    def change(configuration: Configuration) -> Configuration:
        return replace(configuration, unit=unit, unit_engines=("zkn",), more_firmware="lab/isa/firmware")

    return Feature(name, title, change, alone=_UNIT, simulated=True)


_FEATURES = (
    _unit("scalar", "scalar AES instructions", "lab.isa.zkn:ScalarAESUnit"),
    _unit("comparators", "AES instructions of others", "lab.isa.comparators:ComparatorUnit"),
    _unit("wide_comparators", "wider AES instructions of others", "lab.isa.comparators:WideComparatorUnit"),
    Feature(
        "lte",
        "SNOW 3G accelerator",
        lambda c: replace(c, parts=(_SNOW3G,), more_firmware="lab/snow3g/firmware"),
        lut4=7_500,
        code_bytes=4_300,
        alone="its firmware and figures are for `default`",
    ),
)

EXTENSION = Extension(
    features=_FEATURES,
    sources=("lab/isa", "lab/snow3g"),
    fits={
        "sim": {feature.name: Fit() for feature in _FEATURES},
        "ecpix5": {
            "lte": Fit(cfu_sbox="block_ram", core_sbox="block_ram", part_sbox="ecp5", pnr_seed=2, clock_met=True)
        },
    },
    cores="lab.cores",
)
