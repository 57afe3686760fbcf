# SPDX-License-Identifier: BSD-2-Clause
"""Draw SVG pictures with Matplotlib: plots of numbers, and block diagrams. The callers supply the contents."""
