"""How the hardware is built: firmware image, simulated board, bitstream, and the tools for these."""
