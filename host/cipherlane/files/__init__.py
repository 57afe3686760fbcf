# SPDX-License-Identifier: BSD-2-Clause
"""The files that the tool reads and writes: inputs, outputs, keys, bitstreams and firmware images."""
