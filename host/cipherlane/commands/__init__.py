# SPDX-License-Identifier: BSD-2-Clause
"""Each module in this package defines one command: its arguments, and what it does with the device."""
