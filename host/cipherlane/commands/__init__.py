# SPDX-License-Identifier: BSD-2-Clause
"""The host tool's commands. Each module with a function `add_to` defines the arguments and actions of a command."""
