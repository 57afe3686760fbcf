# SPDX-License-Identifier: BSD-2-Clause
"""Measures the link to a board, checks the board's results, and contains the null board, which measures the host."""
