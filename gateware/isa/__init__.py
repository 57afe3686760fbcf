# SPDX-License-Identifier: BSD-2-Clause
"""The vector AES unit on VexRiscv's CFU port, after Jenkins et al. 2007."""
