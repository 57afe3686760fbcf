# SPDX-License-Identifier: BSD-2-Clause
"""The laboratory: compares this project with papers and other implementations, and stores measured values."""
