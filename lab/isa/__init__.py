# SPDX-License-Identifier: BSD-2-Clause
"""AES instruction sets of other authors, to compare with the vector AES unit: units on VexRiscv's CFU port."""
