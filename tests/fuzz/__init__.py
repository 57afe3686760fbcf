"""Fuzzers of what strangers can reach: the firmware's record service and links (libFuzzer, with sanitizers), and the
host's parsers (atheris). `make fuzz` runs each for a while; what it finds belongs into `corpus/`, which every run
begins with, and into a test.
"""
