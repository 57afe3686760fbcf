# SPDX-License-Identifier: BSD-2-Clause
"""AES in counter mode (SP 800-38A): the CTR service with its keys, counter blocks, and modes for blocks and packets.

Byte and bit order are those of `gateware.aes`.
"""
