# SPDX-License-Identifier: BSD-2-Clause
"""Fuzzers of the code that processes untrusted data: the firmware's record service, links and key agreement (libFuzzer,
with sanitizers), and the host's parsers (atheris). `make fuzz` runs each for a limited time. Add an input that reveals
a fault to `corpus/`, with which every run begins, and to a test.
"""
