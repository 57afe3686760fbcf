# SPDX-License-Identifier: BSD-2-Clause
"""Instruction sets of others on VexRiscv's CFU port, to compare with the vector AES unit."""
