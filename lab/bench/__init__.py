# SPDX-License-Identifier: BSD-2-Clause
"""Benchmarks of AES, other ciphers, hashes and public keys on the simulated board."""
