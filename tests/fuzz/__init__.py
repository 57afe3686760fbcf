# SPDX-License-Identifier: BSD-2-Clause
"""Fuzzers for the code that processes untrusted data. libFuzzer, with sanitizers, tests the firmware's record service,
links and key agreement. atheris tests the host's parsers. `make fuzz` runs each fuzzer for a limited time. If an input
reveals a fault, add this input to a test and to `corpus/`. Every run begins with the inputs in `corpus/`.
"""
