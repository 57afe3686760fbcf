# SPDX-License-Identifier: BSD-2-Clause
"""The laboratory: what the product is compared with, papers, and the figures that pages show."""
