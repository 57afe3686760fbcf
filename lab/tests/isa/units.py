# SPDX-License-Identifier: BSD-2-Clause
"""The S-boxes that boards set for units of the laboratory on the CPU's CFU port."""

from tests.gateware.boards import TARGETS

SBOXES = sorted({target.fit.cfu_sbox for target in TARGETS if target.configuration.unit})
