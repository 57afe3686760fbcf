# SPDX-License-Identifier: BSD-2-Clause
"""The parts that depend on the FPGA family or the simulator: clocks, PHYs, and how memories map to block RAM."""
