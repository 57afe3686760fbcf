# SPDX-License-Identifier: BSD-2-Clause
"""3GPP's test sets of SNOW 3G (TS 35.217): key, initialisation vector, and some words of keystream, numbered from 1."""

KEYSTREAMS = (
    ("2bd6459f82c5b300952c49104881ff48", "ea024714ad5c4d84df1f9b251c0bf45f", {1: 0xABEE9704, 2: 0x7AC31373}),
    ("8ce33e2cc3c0b5fc1f3de8a6dc66b1f3", "d3c5d592327fb11cde551988ceb2f9b7", {1: 0xEFF8A342, 2: 0xF751480F}),
    ("4035c6680af8c6d1a8ff8667b1714013", "62a540981ba6f9b74592b0e78690f71b", {1: 0xA8C874A9, 2: 0x7AE7C4F8}),
    (
        "0ded7263109cf92e3352255a140e0f76",
        "6b68079a41a7c4c91befd79f7fdcc233",
        {1: 0xD712C05C, 2: 0xA937C2A6, 3: 0xEB7EAAE3, 2500: 0x9C0DB3AA},
    ),
)
