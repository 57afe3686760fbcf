"""Mutants: copies of the sources with one fault each, and the tests that should notice.

`make mutants` draws them by seed: lines of C and Python by universalmutator's rules, nets of gateware by Yosys'
`mutate` on the Verilog that a test bench simulates. A mutant is killed when a test fails or does not end; what does not
compile, or compiles to the same code, is no mutant. Survivors are listed: each is a test that is missing, or is
shown to be equivalent in `equivalent.toml`. Results are kept in build/mutants, so that a run that was broken off goes
on.
"""
