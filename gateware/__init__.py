# SPDX-License-Identifier: BSD-2-Clause
"""Cipherlane's gateware: AES cores, the CTR accelerator, the vector AES unit and the SoC."""
