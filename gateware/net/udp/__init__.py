# SPDX-License-Identifier: BSD-2-Clause
"""Datagrams: a UDP port on LiteEth's IPv4, and the address of the station that an answer goes to (RFC 768)."""
