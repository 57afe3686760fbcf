# SPDX-License-Identifier: BSD-2-Clause
"""Exchanges records with a board. Lowest first: link, calls, transfers, sessions, device."""
