# SPDX-License-Identifier: BSD-2-Clause
"""The package's version, in a module that every part of the package can import."""

__version__ = "0.1.0"
