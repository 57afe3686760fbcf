# SPDX-License-Identifier: BSD-2-Clause
"""Records on the wire. `wire.toml` defines them, and everything else in this package is derived from it."""
