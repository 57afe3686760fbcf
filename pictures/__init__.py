# SPDX-License-Identifier: BSD-2-Clause
"""Draw pictures as SVG with Matplotlib: plots of figures, and block diagrams. The callers supply the contents."""
