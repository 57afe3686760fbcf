# SPDX-License-Identifier: BSD-2-Clause
"""The vector AES unit on VexRiscv's CFU port, based on a paper by Jenkins et al. (2007)."""
