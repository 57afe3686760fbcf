"""AES in counter mode after SP 800-38A: counter blocks, CTR engine, DMA and the accelerator's registers.

Byte and bit order are those of `gateware.aes`. Addresses and lengths are in bytes unless said otherwise.
"""
