# SPDX-License-Identifier: BSD-2-Clause
"""Files that the tool reads and writes: names, permissions, replacement, keys and images."""
