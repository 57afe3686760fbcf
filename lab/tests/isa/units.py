# SPDX-License-Identifier: BSD-2-Clause
"""List the S-box implementations that the boards select for units on the CPU's CFU port."""

from tests.gateware.boards import TARGETS

SBOXES = sorted({target.fit.cfu_sbox for target in TARGETS if target.configuration.unit})
