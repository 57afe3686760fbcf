# SPDX-License-Identifier: BSD-2-Clause
"""The ECP5: clocks, Ethernet and SDRAM PHYs, the parts, and their block RAMs."""
