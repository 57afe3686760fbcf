# SPDX-License-Identifier: BSD-2-Clause
"""The random source: noise of ring oscillators, monitored by the health tests of NIST SP 800-90B."""
