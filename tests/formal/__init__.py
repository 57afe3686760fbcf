"""Prove properties of the gateware for all inputs, with Yosys and its SAT solver: `make formal`."""
