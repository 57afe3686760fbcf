# SPDX-License-Identifier: BSD-2-Clause
"""Settings for boards with the smallest ECP5, a 25F. Defines no board."""

from ..description import Fit

# Settings with which the configuration `default` fits into a 25F. The S-boxes consist of LUTs. Memories of at most 64
# words also consist of LUTs.
FIT = Fit(cfu_sbox="tower", core_sbox="tower", lut_words=64, distributed_words=64)
LUT4 = 22_000  # of the SoC without features (est)
