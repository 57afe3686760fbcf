"""Fuzzers of the code that strangers can reach: the firmware's record service and links (libFuzzer, with sanitizers),
and the host's parsers (atheris). `make fuzz` runs each for a while. An input that reveals a fault belongs into
`corpus/`, which every run uses first, and into a test.
"""
