# SPDX-License-Identifier: BSD-2-Clause
"""Store figures (measured values) in the repository, and make pages and plots from them: ``python -m lab.results``."""
