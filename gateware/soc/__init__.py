"""The SoC: memory map, buffer memory, simulated board, bitstream, build command."""
