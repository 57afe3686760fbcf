# SPDX-License-Identifier: BSD-2-Clause
"""Measures a board's link, checks its results, and provides the null board, which measures the host."""
