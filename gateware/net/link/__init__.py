# SPDX-License-Identifier: BSD-2-Clause
"""Frames: the Ethernet MAC that hardware and CPU share, and the checks on received frames (IEEE 802.3, RFC 894)."""
