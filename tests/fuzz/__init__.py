# SPDX-License-Identifier: BSD-2-Clause
"""Fuzzers of the code that processes untrusted data: the firmware's record service, links and key agreement (libFuzzer,
with sanitizers), and the host's parsers (atheris). `make fuzz` runs each fuzzer for a limited time. If an input reveals
a fault, add this input to a test and to `corpus/`. Every run begins with the inputs in `corpus/`.
"""
