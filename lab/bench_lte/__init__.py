# SPDX-License-Identifier: BSD-2-Clause
"""Measures LTE's layer 2 on the simulated board: the time of a transport block with each engine (`make bench-lte`)."""
