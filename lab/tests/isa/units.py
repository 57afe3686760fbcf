# SPDX-License-Identifier: BSD-2-Clause
"""List the implementations of the AES S-box that the boards use in units on the CPU's CFU port."""

from tests.gateware.boards import TARGETS

SBOXES = sorted({target.fit.cfu_sbox for target in TARGETS if target.configuration.unit})
