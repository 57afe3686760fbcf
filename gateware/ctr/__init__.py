# SPDX-License-Identifier: BSD-2-Clause
"""AES in counter mode after SP 800-38A: keys, counter blocks, and the mode over blocks and over packets.

Byte and bit order are those of `gateware.aes`.
"""
