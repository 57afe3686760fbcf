# SPDX-License-Identifier: BSD-2-Clause
"""Store measured figures (values) in the repository, and make pages and plots from them: ``python -m lab.results``."""
