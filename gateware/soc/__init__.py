# SPDX-License-Identifier: BSD-2-Clause
"""The SoC with its memory map, buffer memory and Ethernet. `gateware.flow` builds it."""
