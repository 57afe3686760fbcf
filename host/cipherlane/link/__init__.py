"""Exchanges records with a board. Lowest first: link, calls, transfers, sessions, device."""
