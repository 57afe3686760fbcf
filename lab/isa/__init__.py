# SPDX-License-Identifier: BSD-2-Clause
"""AES instruction sets of other authors, as units on VexRiscv's CFU port, to compare with the vector AES unit."""
