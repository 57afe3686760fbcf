# SPDX-License-Identifier: BSD-2-Clause
"""Code that depends on the simulator. The simulator replaces the FPGA of a board."""
