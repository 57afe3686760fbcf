# SPDX-License-Identifier: BSD-2-Clause
"""A real Linux as the board's neighbour: user-mode Linux on the simulated board's network (`peer`)."""
