# SPDX-License-Identifier: BSD-2-Clause
"""Authentication for GCM (SP 800-38D): GHASH and its subkeys.

Byte and bit order are those of `gateware.aes`; `field` has the order of coefficients in a block.
"""
