"""Frames: the MAC that the hardware shares with the CPU, and what is taken of what comes (IEEE 802.3, RFC 894)."""
