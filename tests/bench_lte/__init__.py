"""LTE's layer 2 on the simulated board: what a transport block takes with each engine (`make bench-lte`)."""
