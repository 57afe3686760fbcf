# SPDX-License-Identifier: BSD-2-Clause
"""Explores parts of the gateware: places and routes each by itself, to compare them."""
