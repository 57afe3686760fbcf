# SPDX-License-Identifier: BSD-2-Clause
"""Explores alternatives for parts of the gateware: places and routes each alternative by itself, to compare size and
clock.
"""
