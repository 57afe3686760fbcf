# SPDX-License-Identifier: BSD-2-Clause
"""Generators of C headers and reference pages from the project's single definitions."""
