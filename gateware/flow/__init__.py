# SPDX-License-Identifier: BSD-2-Clause
"""Builds the firmware image, the simulated board and the bitstream. Also contains tools that these builds need."""
