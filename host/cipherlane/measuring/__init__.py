# SPDX-License-Identifier: BSD-2-Clause
"""Measures the link to a board, and checks the board's results. A null board shows the host's own speed limit."""
