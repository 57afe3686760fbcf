# SPDX-License-Identifier: BSD-2-Clause
"""Mutants: copies of the sources with one fault each, and the tests that should fail because of the fault.

`make mutants` draws mutants by seed. Lines of C and Python change by universalmutator's rules. Nets of gateware change
by Yosys' `mutate`, applied to the Verilog that a test bench simulates. A mutant is killed when a test fails or does not
end. Changes that do not compile, or that compile to the same code, do not count. Survivors are listed: each shows that
a test is missing, or `equivalent.toml` explains why no test can notice it. Results are kept in build/mutants, so that
an interrupted run can continue.
"""
