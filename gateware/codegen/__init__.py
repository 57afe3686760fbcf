# SPDX-License-Identifier: BSD-2-Clause
"""Generate C headers and reference pages from the definitions of registers, instructions and records."""
