# SPDX-License-Identifier: BSD-2-Clause
"""AES instruction sets of other authors, to compare with the vector AES unit. Each is a unit on VexRiscv's CFU port."""
