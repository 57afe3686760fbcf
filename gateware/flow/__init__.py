# SPDX-License-Identifier: BSD-2-Clause
"""Builds the hardware: firmware image, simulated board and bitstream, and contains the tools that these builds need."""
