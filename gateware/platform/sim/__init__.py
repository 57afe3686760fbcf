"""The simulator, which stands for a board's FPGA."""
