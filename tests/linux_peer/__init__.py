# SPDX-License-Identifier: BSD-2-Clause
"""A real Linux system on the network of a simulated board: user-mode Linux, which the module `peer` boots."""
