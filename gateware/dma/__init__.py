# SPDX-License-Identifier: BSD-2-Clause
"""The CTR accelerator: registers, and a DMA that moves data between memory and the cipher modes in `gateware.ctr`.

Byte and bit order are those of `gateware.aes`. Addresses and lengths are in bytes unless said otherwise.
"""
