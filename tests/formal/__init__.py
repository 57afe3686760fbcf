"""Proofs for all inputs, by Yosys and its SAT solver: `make formal`."""
