# SPDX-License-Identifier: BSD-2-Clause
"""Exchanges records with a board. The layers, from the lowest: link, calls, transfers, sessions, device."""
