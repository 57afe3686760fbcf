# SPDX-License-Identifier: BSD-2-Clause
"""Record layouts, COBS and framing: pure functions and parsers, no input or output."""
