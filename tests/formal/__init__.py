# SPDX-License-Identifier: BSD-2-Clause
"""Prove properties of the gateware for all inputs, with Yosys and its SAT solver: `make formal`."""
