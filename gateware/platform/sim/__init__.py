"""What is specific to the simulator, which replaces a board's FPGA."""
