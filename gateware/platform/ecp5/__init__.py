# SPDX-License-Identifier: BSD-2-Clause
"""Support for the ECP5: clocks, Ethernet and SDRAM PHYs, sizes of the parts, and use of block RAMs."""
