# SPDX-License-Identifier: BSD-2-Clause
"""The parts that depend on the simulator, which replaces a board's FPGA."""
