# SPDX-License-Identifier: BSD-2-Clause
"""What is specific to the simulator, which replaces a board's FPGA."""
