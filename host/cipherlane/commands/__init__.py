# SPDX-License-Identifier: BSD-2-Clause
"""One module for each command. It defines the command's arguments and what the command does with the device."""
