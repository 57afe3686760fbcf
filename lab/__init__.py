# SPDX-License-Identifier: BSD-2-Clause
"""The laboratory: comparisons with papers and other implementations, and the figures that the pages show."""
