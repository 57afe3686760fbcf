# SPDX-License-Identifier: BSD-2-Clause
"""Code that depends on the FPGA family or on the simulator: clocks, PHYs, and the mapping of memories to block RAM."""
