# SPDX-License-Identifier: BSD-2-Clause
"""What is specific to an FPGA family, or to the simulator: clocks, PHYs, and how memories map to block RAM."""
