# SPDX-License-Identifier: BSD-2-Clause
"""The CTR accelerator: a DMA between memory and `gateware.ctr` (descriptors, bursts, alignment), and registers.

Byte and bit order are those of `gateware.aes`. Addresses and lengths are in bytes unless said otherwise.
"""
