# SPDX-License-Identifier: BSD-2-Clause
"""The formats that host tool, firmware and gateware share: records on the wire, images, build ids, files of figures.

This package imports nothing else of the project.
"""
