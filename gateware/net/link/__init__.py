"""Frames: the MAC that the hardware shares with the CPU, and the checks on received frames (IEEE 802.3, RFC 894)."""
