# SPDX-License-Identifier: BSD-2-Clause
"""The CTR accelerator: descriptors, bursts and alignment between memory and `gateware.ctr`, and its registers.

Byte and bit order are those of `gateware.aes`. Addresses and lengths are in bytes unless said otherwise.
"""
