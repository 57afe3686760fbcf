# SPDX-License-Identifier: BSD-2-Clause
"""Datagrams (RFC 768): a UDP port on LiteEth's IPv4, and a lookup of the Ethernet address for each answer."""
