# SPDX-License-Identifier: BSD-2-Clause
"""Settings for boards with the smallest ECP5 (25F), and reasons why configurations do not fit. Defines no board."""

from ..description import Fit

# Settings with which the configuration `default` fits into a 25F. The S-boxes consist of LUTs. Memories of at most 64
# words also consist of LUTs.
FIT = Fit(cfu_sbox="tower", core_sbox="tower", lut_words=64, distributed_words=64)
_TOO_LARGE = "a 25F has 24,288 LUT4 and 56 block RAMs, and "
LEFT_OUT = {
    "eth": _TOO_LARGE + "`eth` takes 27,295 LUT4 and 200 block RAMs of an 85F",
    "pipelined": _TOO_LARGE + "the pipelined core by itself takes as many LUTs",
    "zephyr": _TOO_LARGE + "Zephyr's memories take 128 block RAMs",
    "eth_zephyr": _TOO_LARGE + "Zephyr's memories take 128 block RAMs",
    "sdram_zephyr": _TOO_LARGE + "Zephyr's memories take 128 block RAMs",
    "loader": _TOO_LARGE + "`default` is counted at 56 block RAMs (54 as placed, since the ROM's end is empty): the "
    "loader's ROM takes four more",
}
